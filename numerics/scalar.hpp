// One scalar operation on one value of each operand: what the constant folder, the host part of a
// script and the tile-level evaluator call.  The 32-lane forms (lanes.hpp) give the same bits.
// Rules: docs/numerics.md, "Scalar operations".
#pragma once

#include <optional>

#include "numerics/scalar_op.hpp"

namespace tirx::num {

enum class EvalStatus : std::uint8_t {
  ok,
  illegal,           // the operation does not exist for this type
  division_by_zero,  // integers; the value is then 0, as in the lane forms
  unavailable,       // a hardware approximation whose table has not been recorded
};

struct Evaluated {
  Bits value = 0;
  EvalStatus status = EvalStatus::ok;
};

/// Applies `op` to operands of type `dtype`; operands beyond the arity are ignored.
[[nodiscard]] Evaluated evaluate(ScalarOp op, DType dtype, Bits a, Bits b = 0, Bits c = 0);

/// Index arithmetic: nothing if the mathematical result does not fit the type (add, sub, mul, neg,
/// abs, shl, floordiv, floormod, truncdiv, truncmod, min, max on integers), or on division by zero.
[[nodiscard]] std::optional<Bits> evaluate_checked(ScalarOp op, DType dtype, Bits a, Bits b = 0);

/// The value of integer (or bool) bits, sign-extended; uint64 is returned as its bits.
[[nodiscard]] std::int64_t to_int64(Bits bits, DType dtype);
/// Bits of an integer type from a value, wrapping.
[[nodiscard]] Bits from_int64(std::int64_t value, DType dtype);

/// Whether bits are a NaN of a floating type (false for any other type).
[[nodiscard]] bool is_nan(Bits bits, DType dtype);
/// The one NaN that arithmetic makes: 0x7fffffff, 0x7fff, and for float64 0xfff8000000000000.
[[nodiscard]] Bits canonical_nan(DType dtype);
/// Equality as `assert_equal` and `diff` see it: same bits, or both NaN.
[[nodiscard]] bool same_value(Bits a, Bits b, DType dtype);
/// Distance in units of the last place (floats: -0 and +0 are 1 apart); nothing if one is a NaN.
[[nodiscard]] std::optional<std::uint64_t> ulp_distance(Bits a, Bits b, DType dtype);

}  // namespace tirx::num
