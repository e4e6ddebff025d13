// Recorded outputs of an H200's matrix instructions, for the replay tests.
// File: gzip of records, one after another: a 128-byte text header
//   NAME ta=.. tb=.. tc=.. M=.. N=.. K=.. steps=.. tiles=..
// then A (tiles, M, K*steps), B (tiles, K*steps, N), C and D (tiles, M, N): raw, row-major,
// little-endian.  Types: 0 f16, 1 bf16, 2 tf32, 3 e4m3, 4 e5m2, 5 s8, 6 f32, 7 s32.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "numerics/mma/rows.hpp"

namespace tirx::num::test {

struct Recording {
  std::string name;
  const MmaRow* row;  // of sm_90
  int m, n, k, step, tiles;
  std::vector<unsigned char> a, b, c, d;

  [[nodiscard]] const unsigned char* a_tile(int t) const;
  [[nodiscard]] const unsigned char* b_tile(int t) const;
  [[nodiscard]] const unsigned char* c_tile(int t) const;
  [[nodiscard]] const unsigned char* d_tile(int t) const;
};

/// All records of one gzip file; empty if it cannot be read.
[[nodiscard]] std::vector<Recording> load_recordings(const std::string& path);

/// The recordings of the repository, and those of the folder that TIRX_RECORDS names, if any.
[[nodiscard]] const std::vector<Recording>& recordings();

[[nodiscard]] std::uint64_t element(const void* base, std::ptrdiff_t index, int bytes);

}  // namespace tirx::num::test
