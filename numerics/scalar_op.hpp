// The pure scalar operations of the language, and their names.  One enumerator here is one row of
// scalar_op_rows(): arity, legal types, result rule, evidence and the CUDA spelling hang on it.
#pragma once

#include <cstdint>

namespace tirx::num {

enum class ScalarOp : std::uint8_t {
  // arithmetic
  add,
  sub,
  mul,
  div,  // div: floats only (IEEE, round to nearest)
  floordiv,
  floormod,  // integers, as Python
  truncdiv,
  truncmod,  // integers, as C
  fma,       // floats, one rounding
  min,
  max,  // floats: a NaN operand loses, -0 < +0
  min_nan,
  max_nan,  // floats: a NaN operand wins
  neg,
  abs,
  // comparison: bool result
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  // bits
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shl,
  shr,
  popc,
  clz,
  brev,
  ffs,
  mulhi,
  logical_not,
  // correctly rounded functions
  sqrt,
  rcp,
  // rounding to an integral value, floats
  floor,
  ceil,
  trunc,
  rint,
  round,
  copysign,
  isnan,
  isinf,
  isfinite,
  // our own sequences of IEEE operations
  exp,
  exp2,
  log,
  log2,
  log1p,
  expm1,
  sin,
  cos,
  tan,
  tanh,
  erf,
  rsqrt,
  pow,
  sigmoid,
  silu,
  gelu,
  // hardware approximations (PTX .approx), by architecture tables; _ftz flushes subnormals
  ex2_approx,
  ex2_approx_ftz,
  rcp_approx,
  rcp_approx_ftz,
  rsqrt_approx,
  rsqrt_approx_ftz,
  sqrt_approx,
  sqrt_approx_ftz,
  lg2_approx,
  lg2_approx_ftz,
  tanh_approx,
  sin_approx,
  sin_approx_ftz,
  cos_approx,
  cos_approx_ftz,
};

}  // namespace tirx::num
