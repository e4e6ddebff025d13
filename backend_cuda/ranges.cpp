#include "backend_cuda/ranges.hpp"

#include <algorithm>
#include <limits>

namespace tirx::cuda {

using ir::Interval;
using num::ScalarOp;

namespace {

constexpr Interval kAnything{};

Interval negated(Interval a) {
  return Interval{-1, -1} * a;
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

bool is_single(Interval a) {
  return a.low == a.high;
}

/// Whether int64 may not hold the result of operands that it holds.
bool may_overflow(ScalarOp op) {
  return op == ScalarOp::add || op == ScalarOp::sub || op == ScalarOp::mul || op == ScalarOp::neg ||
         op == ScalarOp::abs || op == ScalarOp::shl;
}

/// Division by a positive constant.
bool positive_constant(Interval b) {
  return is_single(b) && b.low > 0;
}

}  // namespace

Interval Ranges::exact(const ir::Scalar& scalar, bool never_wraps) const {
  if (ir::makes_hash(scalar.op)) never_wraps = false;
  const Interval a = of(scalar.args[0], never_wraps);
  const Interval b = scalar.args.size() > 1 ? of(scalar.args[1], never_wraps) : Interval{0, 0};
  const bool unsigned_64 = scalar.args[0]->type.dtype == num::DType::u64;
  if (unsigned_64 && (a.low < 0 || b.low < 0)) return kAnything;
  switch (scalar.op) {
    case ScalarOp::add:
      return a + b;
    case ScalarOp::sub:
      return a + negated(b);
    case ScalarOp::mul:
      return a * b;
    case ScalarOp::neg:
      return negated(a);
    case ScalarOp::abs:
      return a.low >= 0 ? a : Interval{0, std::max(a.high, negated(a).high)};
    case ScalarOp::min:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case ScalarOp::max:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case ScalarOp::floordiv:
      if (!positive_constant(b)) return kAnything;
      return {floor_quotient(a.low, b.low), floor_quotient(a.high, b.low)};
    case ScalarOp::truncdiv:
      if (!positive_constant(b)) return kAnything;
      return {a.low / b.low, a.high / b.low};
    case ScalarOp::floormod:
      if (!positive_constant(b)) return kAnything;
      if (a.low >= 0 && a.high < b.low) return a;
      return {0, b.low - 1};
    case ScalarOp::truncmod:
      if (!positive_constant(b)) return kAnything;
      return {a.low < 0 ? 1 - b.low : 0, b.low - 1};
    case ScalarOp::bit_and:
      if (is_single(b) && b.low >= 0) return {0, b.low};
      if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
      return kAnything;
    case ScalarOp::shl:
      if (!is_single(b) || b.low < 0 || b.low > 62) return kAnything;
      return a * Interval{std::int64_t{1} << b.low, std::int64_t{1} << b.low};
    case ScalarOp::shr:
      if (!is_single(b) || b.low < 0 || b.low > 62) return kAnything;
      return {a.low >> b.low, a.high >> b.low};
    case ScalarOp::popc:
    case ScalarOp::clz:
    case ScalarOp::ffs:
      return {0, 64};
    default:
      return kAnything;
  }
}

Interval Ranges::of(const ir::Expr& expr, bool never_wraps) const {
  const num::DType dtype = expr->type.dtype;
  const Interval all = ir::values_of(dtype);
  if (!num::is_int(dtype) && dtype != num::DType::boolean) return kAnything;
  if (expr->type.is_vector()) return all;
  std::int64_t value = 0;
  if (ir::is_const_int(expr, value)) return {value, value};
  if (const auto* ref = ir::as<ir::VarRef>(expr)) {
    const auto found = ranges_.find(ref->var.get());
    return found == ranges_.end() ? all : found->second;
  }
  if (const auto* load = ir::as<ir::Load>(expr)) {
    const auto found = scalars_.find(load->from.buffer->storage.get());
    return found == scalars_.end() || load->from.buffer->is_view ? all : found->second;
  }
  Interval result = all;
  const auto* scalar = ir::as<ir::Scalar>(expr);
  if (scalar != nullptr) {
    if (num::declared_row(scalar->op).result != num::ResultRule::boolean)
      result = exact(*scalar, never_wraps);
  } else if (const auto* cast = ir::as<ir::Cast>(expr)) {
    if (!num::is_float(cast->value->type.dtype)) result = of(cast->value, never_wraps);
  } else if (const auto* select = ir::as<ir::Select>(expr)) {
    result = ir::unite(of(select->when_true, never_wraps), of(select->when_false, never_wraps));
  } else if (const auto* choice = ir::as<ir::IfThenElse>(expr)) {
    result = ir::unite(of(choice->when_true, never_wraps), of(choice->when_false, never_wraps));
  }
  // Values of uint64 above 2^63 - 1 have no place in an Interval, whose bounds saturate there.
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (dtype == num::DType::u64 && (result.low < 0 || result.high == kMax)) return all;
  const bool arithmetic = scalar != nullptr;
  // So have sums that leave int64: their bounds say nothing either.
  const bool saturates =
      result.low == std::numeric_limits<std::int64_t>::min() || result.high == kMax;
  if (saturates && arithmetic && may_overflow(scalar->op) && !never_wraps) return all;
  if (result.within(all)) return result;
  // What may leave the type wraps, and can then be anything.
  return never_wraps && arithmetic ? ir::intersect(all, result) : all;
}

bool Ranges::fits(const ir::Scalar& scalar, num::DType dtype) const {
  const Interval result = exact(scalar, false);
  // Bounds saturate at the ends of int64, so those values say nothing.
  constexpr Interval representable{std::numeric_limits<std::int64_t>::min() + 1,
                                   std::numeric_limits<std::int64_t>::max() - 1};
  return result.within(ir::values_of(dtype)) && result.within(representable);
}

}  // namespace tirx::cuda
