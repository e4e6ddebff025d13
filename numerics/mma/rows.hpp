// Which matrix instructions do we know bit for bit, by which rule, and on what evidence?
// One row per (architecture, instruction family, operand types, result type).  The routine that
// reads a row is in dot.hpp (one element) and tile.hpp (whole tiles).  PTX ISA, "Warp-level matrix
// instructions", "Asynchronous warpgroup-level matrix instructions", "tcgen05.mma".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "numerics/dtype.hpp"
#include "numerics/evidence.hpp"
#include "numerics/mma/fused_dot.inl"

namespace tirx::num {

enum class MmaFamily : std::uint8_t { mma_sync, wgmma, tcgen05 };

enum class MmaArithmetic : std::uint8_t {
  fused_sum,      // aligned, truncated, summed exactly (fused_dot.inl)
  f16_emulation,  // fp8 through two f16 sums from zero and a separate rounded add of C
  fma_chain,      // f64: one fma per k, ascending
  integer,        // exact products; wraps, or clamps once per instruction
  block_scaled,   // fused_sum with scale factors on blocks of k (block_scaled.inl)
};

/// Instruction shapes: m is fixed, n runs from n_min to n_max in steps of n_step, k is one of `k`.
struct MmaShape {
  int m, n_min, n_max, n_step;
  int k[3];  // ascending; 0 where unused
};

/// Scale factors of the block-scaled forms: one per `block` consecutive k and row (column).
struct MmaScaling {
  int block;    // 0: not scaled
  DType scale;  // e8m0, or e4m3 read as unsigned
};

struct MmaRow {
  int arch;  // 90 for sm_90
  MmaFamily family;
  DType a, b, c;  // c: type of C and of D
  bool saturate;  // integer rows with .satfinite
  MmaShape shape;
  MmaArithmetic arithmetic;
  dot::Rule rule;  // read by fused_sum, f16_emulation and block_scaled
  MmaScaling scaling;
  Evidence evidence;
  std::string_view on;  // what the evidence is
};

/// A witnessed row whose numbers or source have changed since its recording reads `published`.
[[nodiscard]] std::span<const MmaRow> mma_rows();

/// The row for these types whose shapes include `k`; k = 0 takes any.  Null if there is none.
/// `block` is the scaling block of the block-scaled forms, 0 for the others.
[[nodiscard]] const MmaRow* find_mma_row(int arch,
                                         MmaFamily family,
                                         DType a,
                                         DType b,
                                         DType c,
                                         int k = 0,
                                         bool saturate = false,
                                         int block = 0);

/// The largest k of one instruction of this row.
[[nodiscard]] int largest_k(const MmaRow& row);

/// Bytes of one stored element in the matrices of dot.hpp and tile.hpp: one element a container,
/// the value in its low bits (tf32: 4, fp4/fp6/fp8/s8: 1).
[[nodiscard]] int container_bytes(DType type);

/// "sm_90 wgmma e4m3 x e4m3 -> f32"
[[nodiscard]] std::string describe(const MmaRow& row);

/// Of the row's numbers and of the source of the rule: recorded with a GPU's outputs.
[[nodiscard]] std::string fingerprint(const MmaRow& row);

[[nodiscard]] std::string_view name(MmaFamily family);
/// "f16", "e4m3", "s8": PTX's spelling of an operand type.
[[nodiscard]] std::string_view ptx_name(DType type);

/// All rows as a Markdown table; docs/numerics_mma.md contains it.
[[nodiscard]] std::string mma_rows_markdown();

}  // namespace tirx::num
