// What is one element of D, by the row's rule?  The scalar reference; tile.hpp must agree with it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numerics/mma/rows.hpp"

namespace tirx::num {

/// One row of A or one column of B: raw elements, `stride` elements apart.
struct MmaVector {
  const void* data;
  std::ptrdiff_t stride = 1;
};

/// D's bits for C's bits `c`: k terms in instructions of `step` terms (0: the row's largest k),
/// each result being the next C.  A last, shorter step behaves as if padded with zeros. Not for
/// block-scaled rows.
[[nodiscard]] std::uint64_t mma_dot(
    const MmaRow& row, int k, int step, MmaVector a, MmaVector b, std::uint64_t c);

/// The same for block-scaled rows.  Scale factors: one byte per started block of row.scaling.block.
[[nodiscard]] std::uint32_t mma_dot_scaled(const MmaRow& row,
                                           int k,
                                           int step,
                                           MmaVector a,
                                           MmaVector b,
                                           MmaVector scale_a,
                                           MmaVector scale_b,
                                           std::uint32_t c);

/// The same as mma_dot with a deliberate deviation (dot::Break); only tests call it.
[[nodiscard]] std::uint64_t mma_dot_broken(unsigned deviation,
                                           const MmaRow& row,
                                           int k,
                                           int step,
                                           MmaVector a,
                                           MmaVector b,
                                           std::uint64_t c);

}  // namespace tirx::num
