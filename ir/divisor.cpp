// Divisors by the form of an expression; see divisor.hpp.
#include "ir/divisor.hpp"

#include <algorithm>

#include "ir/base/common_divisor.hpp"

namespace tirx::ir {

namespace {

/// The largest power of two that divides n (0 for 0): it divides a multiple of n that has wrapped,
/// too.
std::int64_t power_of_two_in(std::int64_t n) {
  const auto bits = static_cast<std::uint64_t>(n);
  const std::uint64_t lowest = bits & (~bits + 1);
  return static_cast<std::int64_t>(lowest >> 63 != 0 ? lowest >> 1 : lowest);
}

/// a * b, or what of it is known where that is too large.
std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t both = 0;
  return __builtin_mul_overflow(a, b, &both) ? std::max(a, b) : both;
}

std::int64_t divisor_of_scalar(const Scalar& scalar, const Facts& facts) {
  using num::ScalarOp;
  const auto arg = [&](std::size_t i) { return divisor_of(scalar.args[i], facts); };
  const auto may_wrap = [&](std::size_t i) { return facts.known(scalar.args[i]).wraps; };
  std::int64_t literal = 0;
  const bool by_constant = scalar.args.size() == 2 && is_const_int(scalar.args[1], literal);
  switch (scalar.op) {
    case ScalarOp::neg:
    case ScalarOp::abs:
      return arg(0);
    case ScalarOp::mul:
      return product(arg(0), arg(1));
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::min:
    case ScalarOp::max:
      return common_divisor(arg(0), arg(1));
    case ScalarOp::floormod:  // x - q * n; of a hash, which wraps, the powers of two are left
    case ScalarOp::truncmod:
      return common_divisor(may_wrap(0) ? power_of_two_in(arg(0)) : arg(0),
                            may_wrap(1) ? power_of_two_in(arg(1)) : arg(1));
    case ScalarOp::floordiv:
    case ScalarOp::truncdiv: {
      if (!by_constant || literal <= 0 || may_wrap(0)) return 1;
      const std::int64_t whole = arg(0);
      return whole % literal == 0 ? whole / literal : 1;
    }
    case ScalarOp::shl:
      if (!by_constant || literal < 0 || literal >= 62) return 1;
      return product(power_of_two_in(arg(0)), std::int64_t{1} << literal);
    case ScalarOp::bit_and: {
      // Zeros at the end of either are zeros at the end of the result.
      const std::int64_t a = power_of_two_in(arg(0));
      const std::int64_t b = power_of_two_in(arg(1));
      return a == 0 || b == 0 ? 0 : std::max(a, b);
    }
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor:
      return power_of_two_in(common_divisor(arg(0), arg(1)));
    default:
      return 1;
  }
}

}  // namespace

std::int64_t divisor_of(const Expr& expr, const Facts& facts) {
  if (!num::is_int(expr->type.dtype) || expr->type.is_vector()) return 1;
  std::int64_t literal = 0;
  if (is_const_int(expr, literal)) return common_divisor(literal, 0);
  if (const auto* var = as<VarRef>(expr)) return facts.of(var->var).multiple_of;
  if (const auto* cast = as<Cast>(expr)) {
    if (!num::is_int(cast->value->type.dtype)) return 1;
    const std::int64_t divisor = divisor_of(cast->value, facts);
    const bool same = facts.range(cast->value).within(values_of(expr->type.dtype));
    return same ? divisor : power_of_two_in(divisor);
  }
  if (const auto* select = as<Select>(expr)) {
    return common_divisor(divisor_of(select->when_true, facts),
                          divisor_of(select->when_false, facts));
  }
  if (const auto* choice = as<IfThenElse>(expr)) {
    return common_divisor(divisor_of(choice->when_true, facts),
                          divisor_of(choice->when_false, facts));
  }
  const auto* scalar = as<Scalar>(expr);
  if (scalar == nullptr) return 1;
  const std::int64_t divisor = divisor_of_scalar(*scalar, facts);
  if (!num::is_unsigned(expr->type.dtype)) return divisor;
  // What only picks, or makes a value smaller, cannot wrap.
  using num::ScalarOp;
  const bool may_wrap = scalar->op == ScalarOp::add || scalar->op == ScalarOp::sub ||
                        scalar->op == ScalarOp::mul || scalar->op == ScalarOp::neg;
  return may_wrap ? power_of_two_in(divisor) : divisor;
}

}  // namespace tirx::ir
