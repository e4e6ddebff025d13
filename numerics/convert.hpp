// Conversions between all element types: the language's casts, and the hardware's named forms.
// Rules: docs/numerics.md, "Conversions" (PTX ISA "cvt"; OCP formats).
#pragma once

#include <cstddef>
#include <cstdint>

#include "numerics/scalar_op.hpp"

namespace tirx::num {

enum class Round : std::uint8_t {
  rn,   // to nearest, ties to even
  rz,   // toward zero
  rm,   // toward minus infinity
  rp,   // toward plus infinity
  rna,  // to nearest, ties away from zero
};

/// One `cvt` form.  Float to integer always saturates, as the hardware does.
struct Conversion {
  Round round = Round::rn;
  bool satfinite = false;  // beyond the largest finite value, and infinity: that value
  bool sat = false;        // floats: clamp to [0, 1], NaN gives +0
  bool relu = false;       // negative values give +0, NaN the canonical one
  bool ftz = false;        // float32 subnormals, in and out, become zeros of the same sign
};

/// The form that the language's cast uses: to nearest even; to integers toward zero; to fp8, fp6,
/// fp4 saturating; to tf32 `rna`; to e8m0 upwards.
[[nodiscard]] Conversion cast_rule(DType from, DType to);
/// The language's cast.
[[nodiscard]] Bits convert(Bits value, DType from, DType to);
/// A hardware form.
[[nodiscard]] Bits convert(Bits value, DType from, DType to, const Conversion& form);

/// A literal: binary64, then one rounding by the cast rule.
[[nodiscard]] Bits from_double(double value, DType to);
/// The value as binary64; exact for every type but int64 and uint64, which round to nearest.
[[nodiscard]] double to_double(Bits value, DType from);

/// Element `index` of a packed array (two float4 to a byte, low half first; others whole bytes,
/// little-endian).
[[nodiscard]] Bits load_element(const std::uint8_t* base, std::size_t index, DType dtype);
void store_element(std::uint8_t* base, std::size_t index, DType dtype, Bits value);
/// Bytes that `count` packed elements take.
[[nodiscard]] std::size_t packed_bytes(std::size_t count, DType dtype);

}  // namespace tirx::num
