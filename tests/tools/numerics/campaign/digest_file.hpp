// The files of digests.  Whole: for each function a 128-byte header "NAME blocks=N" and N 32-bit
// digests, as the GPU writes it.  Packed (tests/vectors/scalar/digests.bin.gz): the header is
// "NAME blocks=N total=HEX source=HEX" and each block has one byte of its digest; `total` is a
// 64-bit digest of all the whole ones, `source` the fingerprint of the code they were recorded of.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <zlib.h>

namespace tirx::num::campaign {

inline constexpr std::size_t kHeader = 128;

struct DigestRow {
  std::string name;
  std::vector<std::uint32_t> digests;  // whole, or one byte each
  bool packed = false;
  std::uint64_t total = 0;
  std::string source;
};

/// One byte of a digest.
[[nodiscard]] inline std::uint32_t packed_digest(std::uint32_t digest) {
  return (digest ^ digest >> 8 ^ digest >> 16 ^ digest >> 24) & 0xffU;
}

/// All digests of a function in one number; `count` leading ones.
[[nodiscard]] inline std::uint64_t total_of(const std::vector<std::uint32_t>& digests) {
  std::uint64_t sum = 0xcbf29ce484222325U;
  for (const std::uint32_t d : digests) {
    sum = (sum ^ d) * 0x9e3779b97f4a7c15U;
    sum ^= sum >> 29;
  }
  return sum;
}

/// Empty if the file cannot be read.
[[nodiscard]] inline std::vector<DigestRow> read_digests(const std::string& path) {
  std::vector<DigestRow> rows;
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return rows;
  char header[kHeader + 1] = {};
  while (gzread(file, header, kHeader) == static_cast<int>(kHeader)) {
    DigestRow row;
    row.name = std::string(header).substr(0, std::string(header).find(' '));
    const auto value = [&header](const char* key) -> const char* {
      const char* const at = std::strstr(header, key);
      return at == nullptr ? "" : at + std::strlen(key);
    };
    const std::size_t blocks = std::strtoull(value("blocks="), nullptr, 10);
    row.total = std::strtoull(value("total="), nullptr, 16);
    row.source = std::string(value("source="));
    row.packed = row.total != 0;
    row.digests.resize(blocks);
    std::vector<unsigned char> bytes(blocks * (row.packed ? 1 : 4));
    if (gzread(file, bytes.data(), static_cast<unsigned>(bytes.size())) !=
        static_cast<int>(bytes.size())) {
      rows.clear();
      break;
    }
    for (std::size_t i = 0; i < blocks; ++i) {
      if (row.packed) {
        row.digests[i] = bytes[i];
      } else {
        std::memcpy(&row.digests[i], &bytes[4 * i], 4);
      }
    }
    rows.push_back(std::move(row));
  }
  gzclose(file);
  return rows;
}

/// Writes the whole form.
class DigestWriter {
 public:
  explicit DigestWriter(const std::string& path) : file_(std::fopen(path.c_str(), "wb")) {}

  DigestWriter(const DigestWriter&) = delete;
  DigestWriter& operator=(const DigestWriter&) = delete;

  ~DigestWriter() {
    if (file_ != nullptr) std::fclose(file_);
  }

  void add(const std::string& name, const std::vector<std::uint32_t>& digests) {
    if (file_ == nullptr) return;
    char header[kHeader] = {};
    std::snprintf(header, sizeof header, "%s blocks=%zu", name.c_str(), digests.size());
    good_ = good_ && std::fwrite(header, 1, kHeader, file_) == kHeader &&
            std::fwrite(digests.data(), 4, digests.size(), file_) == digests.size();
  }

  [[nodiscard]] bool good() const { return file_ != nullptr && good_; }

 private:
  std::FILE* file_;
  bool good_ = true;
};

}  // namespace tirx::num::campaign
