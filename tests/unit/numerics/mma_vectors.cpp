// Reads the recorded vectors; format in the header.
#include "tests/unit/numerics/mma_vectors.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <zlib.h>

namespace tirx::num::test {

namespace {

std::vector<unsigned char> read_gzip(const std::string& path) {
  std::vector<unsigned char> bytes;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return bytes;
  unsigned char buffer[1 << 16];
  for (int got = 0; (got = gzread(file, buffer, sizeof buffer)) > 0;) {
    bytes.insert(bytes.end(), buffer, buffer + got);
  }
  gzclose(file);
  return bytes;
}

DType recorded_type(int code) {
  constexpr DType kTypes[] = {DType::f16,  DType::bf16, DType::tf32, DType::e4m3,
                              DType::e5m2, DType::i8,   DType::f32,  DType::i32};
  return kTypes[code];
}

const unsigned char* tile_of(const std::vector<unsigned char>& bytes, int tile, int tiles) {
  return bytes.data() +
         bytes.size() / static_cast<std::size_t>(tiles) * static_cast<unsigned>(tile);
}

}  // namespace

const unsigned char* Recording::a_tile(int t) const {
  return tile_of(a, t, tiles);
}

const unsigned char* Recording::b_tile(int t) const {
  return tile_of(b, t, tiles);
}

const unsigned char* Recording::c_tile(int t) const {
  return tile_of(c, t, tiles);
}

const unsigned char* Recording::d_tile(int t) const {
  return tile_of(d, t, tiles);
}

std::uint64_t element(const void* base, std::ptrdiff_t index, int bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, static_cast<const unsigned char*>(base) + index * bytes,
              static_cast<std::size_t>(bytes));
  return word;
}

std::vector<Recording> load_recordings(const std::string& path) {
  const std::vector<unsigned char> bytes = read_gzip(path);
  std::vector<Recording> all;
  std::size_t at = 0;
  while (at + 128 <= bytes.size()) {
    char header[129] = {};
    std::memcpy(header, bytes.data() + at, 128);
    at += 128;
    char name[64];
    int ta = 0, tb = 0, tc = 0, m = 0, n = 0, k = 0, steps = 0, tiles = 0;
    if (std::sscanf(header, "%63s ta=%d tb=%d tc=%d M=%d N=%d K=%d steps=%d tiles=%d", name, &ta,
                    &tb, &tc, &m, &n, &k, &steps, &tiles) != 9) {
      return {};
    }
    Recording r{name, nullptr, m, n, k * steps, k, tiles, {}, {}, {}, {}};
    const MmaFamily family = r.name.starts_with("wgmma") ? MmaFamily::wgmma : MmaFamily::mma_sync;
    r.row = find_mma_row(90, family, recorded_type(ta), recorded_type(tb), recorded_type(tc), k,
                         r.name.ends_with(".sat"));
    const auto take = [&](std::vector<unsigned char>& to, int elements, DType type) {
      const std::size_t size = static_cast<std::size_t>(elements) * static_cast<unsigned>(tiles) *
                               static_cast<std::size_t>(container_bytes(type));
      if (at + size > bytes.size()) return;
      to.assign(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                bytes.begin() + static_cast<std::ptrdiff_t>(at + size));
      at += size;
    };
    take(r.a, m * r.k, recorded_type(ta));
    take(r.b, r.k * n, recorded_type(tb));
    take(r.c, m * n, recorded_type(tc));
    take(r.d, m * n, recorded_type(tc));
    if (r.row == nullptr || r.d.empty()) return {};
    all.push_back(std::move(r));
  }
  return all;
}

const std::vector<Recording>& recordings() {
  static const std::vector<Recording> all = [] {
    std::vector<std::string> folders{std::string(TIRX_SOURCE_DIR) + "/tests/vectors/mma"};
    if (const char* more = std::getenv("TIRX_RECORDS")) folders.emplace_back(more);
    std::vector<Recording> found;
    for (const std::string& folder : folders) {
      for (const char* file : {"/mma_sync.bin.gz", "/wgmma.bin.gz"}) {
        for (Recording& r : load_recordings(folder + file)) found.push_back(std::move(r));
      }
    }
    return found;
  }();
  return all;
}

}  // namespace tirx::num::test
