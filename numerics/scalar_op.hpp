// The pure scalar operations of the language, and their names.  One enumerator here is one row of
// scalar_op_rows(): arity, legal types, result rule and evidence hang on it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "numerics/dtype.hpp"
#include "numerics/evidence.hpp"

namespace tirx::num {

// clang-format off
enum class ScalarOp : std::uint8_t {
  // arithmetic
  add, sub, mul, div,        // div: floats only (IEEE, round to nearest)
  floordiv, floormod,        // integers, as Python
  truncdiv, truncmod,        // integers, as C
  fma,                       // floats, one rounding
  min, max,                  // floats: a NaN operand loses, -0 < +0
  min_nan, max_nan,          // floats: a NaN operand wins
  neg, abs,                  // floats: bit operations
  // comparison: bool result
  eq, ne, lt, le, gt, ge,
  // bits
  bit_and, bit_or, bit_xor, bit_not, shl, shr, popc, clz, brev, ffs, mulhi,
  logical_not,
  // correctly rounded functions
  sqrt, rcp,
  // rounding to an integral value, floats; round: ties away from zero
  floor, ceil, trunc, rint, round,
  copysign, isnan, isinf, isfinite,
  // our own sequences of IEEE operations
  exp, exp2, log, log2, log1p, expm1, sin, cos, tan, tanh, erf, rsqrt, pow, sigmoid, silu, gelu,
  // hardware approximations (PTX .approx), by architecture tables; _ftz flushes subnormals
  ex2_approx, ex2_approx_ftz, rcp_approx, rcp_approx_ftz, rsqrt_approx, rsqrt_approx_ftz,
  sqrt_approx, sqrt_approx_ftz, lg2_approx, lg2_approx_ftz, tanh_approx, sin_approx, sin_approx_ftz,
  cos_approx, cos_approx_ftz,
  // PTX .ftz forms: subnormal operands and results become zeros of the same sign
  add_ftz, sub_ftz, mul_ftz, fma_ftz, div_ftz, sqrt_ftz, rcp_ftz, min_ftz, max_ftz,
};
// clang-format on
inline constexpr int kScalarOpCount = static_cast<int>(ScalarOp::max_ftz) + 1;

/// Raw bits of one value, zero-extended: int8 -1 is 0xff, float16 1.0 is 0x3c00, bool is 0 or 1.
using Bits = std::uint64_t;

/// The type of the result: that of the operands, bool, or int32 (bit counts).
enum class ResultRule : std::uint8_t { same, boolean, int32 };

enum class Exactness : std::uint8_t {
  exact,              // the only result there is (integers, comparisons, bit operations)
  correctly_rounded,  // IEEE 754, one rounding to nearest even
  sequence,           // a fixed sequence of IEEE operations of our own: max_ulp bounds its error
  table,              // the hardware's approximation, from recorded tables
};

/// A set of element types, one bit per enumerator.
using TypeSet = std::uint32_t;

[[nodiscard]] constexpr TypeSet type_bit(DType dtype) {
  return TypeSet{1} << static_cast<unsigned>(dtype);
}

struct ScalarOpRow {
  ScalarOp op;
  std::string_view name;
  int arity;
  ResultRule result;
  TypeSet types;  // operand types for which the operation is legal (all operands have one type)
  Exactness exactness;
  Evidence evidence;
  // Of the float32 form: 0 where the result is exact, 0.5 where it is rounded once, negative where
  // no bound is stated.
  double max_ulp;
};

[[nodiscard]] std::span<const ScalarOpRow> scalar_op_rows();
[[nodiscard]] const ScalarOpRow& row(ScalarOp op);
/// The row as its author wrote it: `witnessed` even if the code has changed since.
[[nodiscard]] const ScalarOpRow& declared_row(ScalarOp op);

[[nodiscard]] inline std::string_view name(ScalarOp op) {
  return declared_row(op).name;
}

[[nodiscard]] std::optional<ScalarOp> find_scalar_op(std::string_view name);

[[nodiscard]] inline bool is_legal(ScalarOp op, DType dtype) {
  return (declared_row(op).types & type_bit(dtype)) != 0;
}

[[nodiscard]] DType result_dtype(ScalarOp op, DType operand);

}  // namespace tirx::num
