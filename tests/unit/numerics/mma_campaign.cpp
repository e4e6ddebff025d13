// Do the digests that the campaign recorded on an H200 come out again, and which rows may still
// call themselves witnessed?  tests/vectors/mma/campaign.txt.gz is the --out file of
// bench/campaign_mma.cu.  Seven rows and a block of each are drawn at random at each run;
// TIRX_MMA_BLOCKS=N draws N blocks of every row, some of chains of 64.  Every test that reads the
// file fails without it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <zlib.h>

#include "numerics/mma/campaign/block.hpp"

namespace tirx::num {

namespace {

constexpr std::uint64_t kBlocks = 1024;  // of every row

struct Recorded {
  std::string fingerprint;
  std::map<int, std::uint32_t> digests;  // by block
  bool clean = false;                    // 2^20 outputs a block, none of which differed
};

struct File {
  std::uint64_t seed = campaign::kSeed;
  std::map<std::string, Recorded> rows;  // by describe(row)
};

File load() {
  File file;
  const std::string path = std::string(TIRX_SOURCE_DIR) + "/tests/vectors/mma/campaign.txt.gz";
  gzFile in = gzopen(path.c_str(), "rb");
  if (in == nullptr) return file;
  char line[4096];
  Recorded* row = nullptr;
  while (gzgets(in, line, sizeof line) != nullptr) {
    std::istringstream words{line};
    std::string first;
    words >> first;
    if (first == "#") {
      const std::string text(line);
      const std::size_t at = text.find("seed ");
      if (at != std::string::npos) file.seed = std::strtoull(text.c_str() + at + 5, nullptr, 10);
    } else if (first == "row") {
      std::string name(line + 4);
      name.erase(name.find_last_not_of("\r\n") + 1);
      row = &file.rows[name];
    } else if (row == nullptr || first.empty()) {
      continue;
    } else if (first == "fingerprint") {
      words >> row->fingerprint;
    } else if (first == "outputs") {
      std::uint64_t outputs = 0, different = 1;
      std::string word;
      words >> outputs >> word >> different;
      const bool whole = std::string(line).find("error") == std::string::npos;
      row->clean = outputs == kBlocks << 20 && word == "different" && different == 0 && whole;
    } else if (first[0] >= '0' && first[0] <= '9') {
      int block = std::atoi(first.c_str());
      for (std::string digest; words >> digest; ++block) {
        row->digests[block] = static_cast<std::uint32_t>(std::stoul(digest, nullptr, 16));
      }
    }
  }
  gzclose(in);
  return file;
}

const File& recorded() {
  static const File file = load();
  REQUIRE_MESSAGE(!file.rows.empty(), "tests/vectors/mma/campaign.txt.gz is missing or empty");
  return file;
}

const MmaRow* row_named(const std::string& name) {
  for (const MmaRow& row : mma_rows()) {
    if (describe(row) == name) return &row;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("matrix campaign: every row of sm_90 is recorded whole, without a difference") {
  const auto& rows = recorded().rows;
  int of_sm90 = 0;
  for (const MmaRow& row : mma_rows()) {
    of_sm90 += row.arch == 90;
    if (row.evidence != Evidence::witnessed) continue;
    CAPTURE(describe(row));
    const auto record = rows.find(describe(row));
    REQUIRE(record != rows.end());
    CHECK(record->second.clean);
    CHECK(record->second.digests.size() == kBlocks);
  }
  CHECK(rows.size() == static_cast<std::size_t>(of_sm90));
}

TEST_CASE("matrix campaign: blocks drawn at random give their recorded digests") {
  const char* wanted = std::getenv("TIRX_MMA_BLOCKS");
  std::mt19937_64 random{std::random_device{}()};
  std::vector<std::string> names;
  for (const auto& entry : recorded().rows) names.push_back(entry.first);
  std::shuffle(names.begin(), names.end(), random);
  if (wanted == nullptr) names.resize(std::min<std::size_t>(names.size(), 7));
  for (const std::string& name : names) {
    const Recorded& record = recorded().rows.at(name);
    const MmaRow* row = row_named(name);
    REQUIRE(row != nullptr);
    REQUIRE(!record.digests.empty());
    int left = wanted != nullptr ? std::atoi(wanted) : 1;
    while (left > 0) {
      auto at = record.digests.begin();
      std::advance(at, static_cast<long>(random() % record.digests.size()));
      const bool slow = campaign::plan_of(at->first).chain > 4;
      if (slow && (wanted == nullptr || random() % 16 != 0)) continue;
      --left;
      CAPTURE(name);
      CAPTURE(at->first);
      CHECK(campaign::folded(campaign::block_digest(*row, recorded().seed, at->first)) ==
            at->second);
    }
  }
}

TEST_CASE("matrix campaign: the reference and the tile path have one digest") {
  const MmaRow& row = *find_mma_row(90, MmaFamily::wgmma, DType::e4m3, DType::e5m2, DType::f32, 32);
  const std::uint64_t digest = campaign::block_digest(row, campaign::kSeed, campaign::kSpecials);
  CHECK(digest ==
        campaign::block_digest(row, campaign::kSeed, campaign::kSpecials, TilePath::reference));
  CHECK(digest != campaign::block_digest(row, campaign::kSeed + 1, campaign::kSpecials));
}

TEST_CASE("matrix campaign: a floor that is off by one changes a recorded digest") {
  for (const char* name : {"sm_90 mma.sync bf16 x bf16 -> f32", "sm_90 wgmma tf32 x tf32 -> f32",
                           "sm_90 wgmma f16 x f16 -> f16"}) {
    const auto record = recorded().rows.find(name);
    REQUIRE(record != recorded().rows.end());
    // The second variant: the longest k of an mma.sync row.
    constexpr int kBlock = campaign::kDistributions + campaign::kLowExponents;
    for (const int change : {-1, 1, -1000}) {
      MmaRow row = *row_named(name);
      row.rule.floor += change;
      CAPTURE(name);
      CAPTURE(change);
      CHECK(campaign::folded(campaign::block_digest(row, recorded().seed, kBlock)) !=
            record->second.digests.at(kBlock));
    }
  }
}

TEST_CASE("matrix campaign: a row whose source changed since its recording is not witnessed") {
  for (const auto& entry : recorded().rows) {
    const std::string& name = entry.first;
    const Recorded& record = entry.second;
    const MmaRow* row = row_named(name);
    REQUIRE(row != nullptr);
    if (fingerprint(*row) == record.fingerprint) continue;
    CAPTURE(name);
    CAPTURE("record again with bench/campaign_mma.cu, or mark the row published");
    CHECK(row->evidence != Evidence::witnessed);
  }
}

}  // namespace tirx::num
