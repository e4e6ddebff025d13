// Do the digests that a GPU recorded (tests/device/numerics_device.cpp) come out again here?
//   numerics_campaign check FILE [every [threads [ROW]]]  compares every n-th block of each
//   function, from
//                                   a random first one; every = 1 also compares the totals
//   numerics_campaign fast FILE [every [threads [ROW]]]    without the conversion forms that no
//   lane
//                                   function has, which are slow here and compared on the GPU
//   numerics_campaign random FILE COUNT              that many blocks, drawn at random
//   numerics_campaign pack FILE OUT                  the form that the repository keeps
//   numerics_campaign evidence DIGESTS MATRIX        writes numerics/recorded_fingerprints.inc,
//   from
//                                   tests/vectors/scalar/digests.bin.gz and mma/campaign.txt.gz
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <thread>

#include "numerics/fingerprint.hpp"
#include "tests/tools/numerics/campaign/digest_file.hpp"
#include "tests/tools/numerics/campaign/rows.hpp"

using namespace tirx::num;
using namespace tirx::num::campaign;

namespace {

const Row* row_named(const std::vector<Row>& rows, const std::string& name) {
  const auto at =
      std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == name; });
  return at == rows.end() ? nullptr : &*at;
}

bool same(const DigestRow& recorded, std::size_t block, std::uint32_t digest) {
  return recorded.digests[block] == (recorded.packed ? packed_digest(digest) : digest);
}

/// The digests of the listed blocks, computed by all threads.
std::vector<std::uint32_t> digests_of(const Row& row,
                                      const std::vector<std::size_t>& blocks,
                                      unsigned threads) {
  std::vector<std::uint32_t> out(blocks.size());
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < threads; ++t) {
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < blocks.size(); i = next++) {
        out[i] = host_digest(row, blocks[i]);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  return out;
}

int check(const std::string& path,
          std::size_t every,
          unsigned threads,
          bool all,
          const std::string& only) {
  const std::vector<DigestRow> recorded = read_digests(path);
  const std::vector<Row> rows = all_rows();
  const std::size_t start = std::random_device{}() % every;
  std::uint64_t inputs = 0, wrong = 0;
  for (const DigestRow& record : recorded) {
    if (record.name.find(only) == std::string::npos) continue;
    const Row* const row = row_named(rows, record.name);
    if (row == nullptr) {
      std::printf("%s: no such function\n", record.name.c_str());
      ++wrong;
      continue;
    }
    if (!host_has(*row) || (!all && HostRow(*row).one_by_one() && record.digests.size() > 1)) {
      std::printf("%-34s not computed here\n", record.name.c_str());
      continue;
    }
    std::vector<std::size_t> blocks;
    for (std::size_t b = start % record.digests.size(); b < record.digests.size(); b += every) {
      blocks.push_back(b);
    }
    const std::vector<std::uint32_t> digests = digests_of(*row, blocks, threads);
    std::uint64_t bad = 0;
    std::size_t first_bad = 0;
    for (std::size_t i = blocks.size(); i-- > 0;) {
      if (same(record, blocks[i], digests[i])) continue;
      ++bad;
      first_bad = blocks[i];
    }
    if (every == 1 && record.packed && total_of(digests) != record.total) ++bad;
    inputs += blocks.size() * block_size(*row);
    wrong += bad;
    std::printf("%-34s %zu blocks, %llu differ", record.name.c_str(), blocks.size(),
                static_cast<unsigned long long>(bad));
    std::printf(bad == 0 ? "\n" : ", the first is %zu\n", first_bad);
    std::fflush(stdout);
  }
  std::printf("%llu inputs compared, %llu blocks differ\n", static_cast<unsigned long long>(inputs),
              static_cast<unsigned long long>(wrong));
  return wrong == 0 && inputs != 0 ? 0 : 3;
}

int check_random(const std::string& path, int count) {
  const std::vector<DigestRow> recorded = read_digests(path);
  const std::vector<Row> rows = all_rows();
  if (recorded.empty()) return 2;
  std::mt19937_64 random{std::random_device{}()};
  int wrong = 0;
  for (int i = 0; i < count;) {
    const DigestRow& record = recorded[random() % recorded.size()];
    const std::size_t block = random() % record.digests.size();
    const Row* const row = row_named(rows, record.name);
    if (row == nullptr || !host_has(*row)) {
      ++wrong;
      std::printf("%s: not there\n", record.name.c_str());
    } else if (!same(record, block, host_digest(*row, block))) {
      ++wrong;
      std::printf("%s: block %zu differs\n", record.name.c_str(), block);
    }
    ++i;
  }
  std::printf("%d blocks drawn, %d differ\n", count, wrong);
  return wrong == 0 ? 0 : 3;
}

int pack(const std::string& path, const std::string& out) {
  const gzFile file = gzopen(out.c_str(), "wb9");
  if (file == nullptr) return 2;
  const std::vector<Row> rows = all_rows();
  for (const DigestRow& record : read_digests(path)) {
    const Row* const row = row_named(rows, record.name);
    if (row == nullptr) continue;
    char header[kHeader] = {};
    const std::string source = row->is_conversion ? conversion_fingerprint() : fingerprint(row->op);
    const int length =
        std::snprintf(header, sizeof header, "%s blocks=%zu total=%016llx source=%s",
                      record.name.c_str(), record.digests.size(),
                      static_cast<unsigned long long>(total_of(record.digests)), source.c_str());
    if (length >= static_cast<int>(kHeader))
      std::printf("%s: name too long\n", record.name.c_str());
    gzwrite(file, header, kHeader);
    std::string bytes;
    for (const std::uint32_t d : record.digests) bytes += static_cast<char>(packed_digest(d));
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  }
  return gzclose(file) == Z_OK ? 0 : 2;
}

/// The fingerprints that a recording names, as rows of numerics/evidence.cpp.
int evidence(const std::string& digests, const std::string& matrix) {
  std::map<std::string, std::string> rows;
  for (const DigestRow& record : read_digests(digests)) {
    const bool operation = find_scalar_op(record.name).has_value();
    if (operation) rows[record.name] = record.source;
    if (!operation && record.name.rfind("cvt.", 0) == 0) rows["conversions"] = record.source;
  }
  const gzFile file = gzopen(matrix.c_str(), "rb");
  if (file == nullptr) return 2;
  char line[4096];
  std::string name;
  while (gzgets(file, line, sizeof line) != nullptr) {
    std::string text(line);
    text.erase(text.find_last_not_of("\r\n") + 1);
    if (text.rfind("row ", 0) == 0) name = text.substr(4);
    if (text.rfind("fingerprint ", 0) == 0) rows[name] = text.substr(12);
  }
  gzclose(file);
  for (const auto& [row, digits] : rows) {
    std::printf("    {\"%s\", \"%s\"},\n", row.c_str(), digits.c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  const auto number = [&](int i, int otherwise) {
    return argc > i ? std::atoi(argv[i]) : otherwise;
  };
  if ((verb == "check" || verb == "fast") && argc > 2) {
    return check(argv[2], static_cast<std::size_t>(std::max(1, number(3, 1))),
                 static_cast<unsigned>(std::max(1, number(4, 1))), verb == "check",
                 argc > 5 ? argv[5] : "");
  }
  if (verb == "random" && argc > 2) return check_random(argv[2], number(3, 24));
  if (verb == "pack" && argc > 3) return pack(argv[2], argv[3]);
  if (verb == "evidence" && argc > 3) return evidence(argv[2], argv[3]);
  std::fputs("usage: numerics_campaign check|fast|random|pack|evidence FILE …\n", stderr);
  return 2;
}
