// What is D[m, n] = A[m, k] B[k, n] + C, fast?  Bit-equal to mma_dot on every element.
// Lanes run across n (across m where n is small), k inside; operands are decoded once per tile, and
// whatever is special (NaN, infinity, a sum that leaves 32 bits) goes to the scalar reference.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numerics/mma/rows.hpp"

namespace tirx::num {

/// Element (i, j) is at i * row_stride + j * column_stride, in elements of container_bytes(type).
struct MatrixView {
  const void* data = nullptr;
  std::ptrdiff_t row_stride = 0, column_stride = 1;
};

struct MutableMatrixView {
  void* data = nullptr;
  std::ptrdiff_t row_stride = 0, column_stride = 1;
};

enum class TilePath : std::uint8_t { automatic, reference, portable, avx2, avx512 };

struct TileOptions {
  int step = 0;           // k of one instruction; 0: the row's largest
  bool negate_a = false;  // wgmma's imm-scale-a = -1: flips the sign of every element
  bool negate_b = false;
  TilePath path = TilePath::automatic;
};

/// Can this machine run the path?  automatic, reference and portable always can.
[[nodiscard]] bool available(TilePath path);

/// A is (m, k), B is (k, n), C and D are (m, n), all raw bits.  `c.data == nullptr` means that C is
/// not read (scale-d = 0) and counts as +0.  C may be D; D must not overlap A or B.
/// k may exceed the instruction's: then instructions are chained in ascending k.
/// Not for block-scaled rows: see mma_tile_scaled.
void mma_tile(const MmaRow& row,
              int m,
              int n,
              int k,
              MatrixView a,
              MatrixView b,
              MatrixView c,
              MutableMatrixView d,
              const TileOptions& options = {});

/// Block-scaled rows.  scale_a is (m, ceil(k / block)), scale_b is (ceil(k / block), n), bytes.
void mma_tile_scaled(const MmaRow& row,
                     int m,
                     int n,
                     int k,
                     MatrixView a,
                     MatrixView b,
                     MatrixView scale_a,
                     MatrixView scale_b,
                     MatrixView c,
                     MutableMatrixView d,
                     const TileOptions& options = {});

}  // namespace tirx::num
