// Which layouts does the hardware ask for, and which does block scaling use?  Ready-made ones:
// shared memory for matrix instructions (PTX ISA "Shared memory matrix layout" swizzling modes),
// register fragments of mma.sync (PTX ISA "Matrix Fragments for mma.m16n8k16"), and broadcast
// scales.
#pragma once

#include <cstdint>
#include <span>

#include "ir/base/result.hpp"
#include "ir/layout/layout.hpp"

namespace tirx::ir {

enum class SwizzleMode : std::uint8_t { none = 0, b32 = 1, b64 = 2, b128 = 3 };

/// The swizzle of one atom of 8 rows: M = log2(128/bits), B = 1, 2, 3, Sh = 3.
[[nodiscard]] Result<Swizzle> mma_swizzle(int dtype_bits, SwizzleMode mode);
/// Shape of that atom: [8, 32/64/128 bytes]; for `none` [8, 16 bytes].
[[nodiscard]] Result<Shape> mma_atom_shape(int dtype_bits, SwizzleMode mode);
/// The layout of one atom: a row-major [8, width] tile under the swizzle.
[[nodiscard]] Result<Layout> mma_atom_layout(int dtype_bits, SwizzleMode mode);
/// Atoms side by side until `shape` (at least two dimensions) is covered.
[[nodiscard]] Result<Layout> mma_shared_layout(int dtype_bits,
                                               SwizzleMode mode,
                                               std::span<const std::int64_t> shape);
/// A swizzle alone: S[period:1] under it.
[[nodiscard]] Result<Layout> bare_swizzle(const Swizzle& swizzle);

/// Register fragments of mma.sync with 16-bit inputs, as (row, column) tiles on laneid and m.
[[nodiscard]] TileLayout mma_m16n8_accumulator();  // C and D, 16 x 8
[[nodiscard]] TileLayout mma_m16n8k8_a();          // 16 x 8
[[nodiscard]] TileLayout mma_m16n8k8_b();          // 8 x 8 (k, n)
[[nodiscard]] TileLayout mma_m16n8k16_a();         // 16 x 16
[[nodiscard]] TileLayout mma_m16n8k16_b();         // 16 x 8 (k, n)

/// One row per thread of a warpgroup: S[(rows, columns):(1@tid_in_wg, 1)].
[[nodiscard]] Result<Layout> wg_local_layout(std::int64_t columns,
                                             std::int64_t rows = kThreadsPerWarpgroup);

enum class ScaleMajor : std::uint8_t { mn, k };

/// One scale per block of `granularity` elements, in the CuTe form: dimension i is (ceil(n/g), g)
/// with strides (s, 0).  `mn`: the first dimension's scales are contiguous, `k`: the last one's;
/// `pad` rounds the number of scales along that dimension up to a multiple (16-byte rows for TMA).
/// Covers more than the shape where g does not divide n.
[[nodiscard]] Result<TileLayout> scale_layout(std::span<const std::int64_t> shape,
                                              std::span<const std::int64_t> granularity,
                                              ScaleMajor major,
                                              std::int64_t pad = 1);

}  // namespace tirx::ir
