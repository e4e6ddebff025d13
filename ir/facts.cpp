// Interval arithmetic on index expressions; see facts.hpp.
#include "ir/facts.hpp"

#include <algorithm>

namespace tirx::ir {

namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

std::int64_t add_saturating(std::int64_t a, std::int64_t b) {
  // An end that is already infinite stays so, whatever is added.
  if (a == kMin || b == kMin) return kMin;
  if (a == kMax || b == kMax) return kMax;
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? kMin : kMax;
}

std::int64_t mul_saturating(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? kMax : kMin;
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

}  // namespace

Interval operator+(Interval a, Interval b) {
  return {add_saturating(a.low, b.low), add_saturating(a.high, b.high)};
}

Interval operator*(Interval a, Interval b) {
  const std::int64_t corners[] = {mul_saturating(a.low, b.low), mul_saturating(a.low, b.high),
                                  mul_saturating(a.high, b.low), mul_saturating(a.high, b.high)};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

Interval intersect(Interval a, Interval b) {
  const Interval both{std::max(a.low, b.low), std::min(a.high, b.high)};
  return both.low <= both.high ? both : a;
}

Interval unite(Interval a, Interval b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Interval values_of(num::DType dtype) {
  if (dtype == num::DType::boolean) return {0, 1};
  if (!num::is_int(dtype)) return {};
  const int width = num::bits(dtype);
  if (num::is_signed(dtype)) {
    if (width == 64) return {};
    const std::int64_t half = std::int64_t{1} << (width - 1);
    return {-half, half - 1};
  }
  if (width == 64) return {};
  return {0, (std::int64_t{1} << width) - 1};
}

void Facts::set(const Var& var, VarFacts facts) {
  facts_[var.get()] = facts;
}

void Facts::assume(const Expr& expr, Interval range) {
  const auto [it, fresh] = assumed_.try_emplace(expr.get(), Assumed{expr, range});
  if (!fresh) it->second.range = intersect(it->second.range, range);
}

VarFacts Facts::of(const Var& var) const {
  const auto found = facts_.find(var.get());
  if (found != facts_.end()) return found->second;
  if (outer_ != nullptr) return outer_->of(var);
  return {values_of(var->type.dtype), 1};
}

Interval Facts::range_of_scalar(const ExprNode& node, const Scalar& scalar) const {
  using num::ScalarOp;
  const Interval all = values_of(node.type.dtype);
  if (!num::is_int(node.type.dtype) || scalar.args.empty()) return all;
  if (num::declared_row(scalar.op).result == num::ResultRule::int32) return all;
  const Interval a = range(scalar.args[0]);
  const Interval b = scalar.args.size() > 1 ? range(scalar.args[1]) : Interval{};
  Interval result = all;
  // A uint64 beyond int64 is anything here: what is computed from it is too, but for a remainder.
  const bool wide = scalar.args[0]->type.dtype == num::DType::u64;
  if (wide && (a.low < 0 || (scalar.args.size() > 1 && b.low < 0))) {
    const bool remainder = scalar.op == ScalarOp::floormod || scalar.op == ScalarOp::truncmod;
    return remainder && b.low > 0 ? Interval{0, b.high - 1} : all;
  }
  switch (scalar.op) {
    case ScalarOp::add:
      result = a + b;
      break;
    case ScalarOp::sub:
      result = a + b * Interval{-1, -1};
      break;
    case ScalarOp::neg:
      result = a * Interval{-1, -1};
      break;
    case ScalarOp::mul:
      result = a * b;
      break;
    case ScalarOp::min:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case ScalarOp::max:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case ScalarOp::floordiv:
      if (b.low == b.high && b.low > 0) return {floor_div(a.low, b.low), floor_div(a.high, b.low)};
      if (a.low >= 0 && b.low > 0) return {0, a.high};
      break;
    case ScalarOp::truncdiv:
      if (a.low >= 0 && b.low > 0) return {a.low / b.high, a.high / b.low};
      break;
    case ScalarOp::floormod:
      if (b.low > 0)
        return a.low >= 0 ? Interval{0, std::min(a.high, b.high - 1)} : Interval{0, b.high - 1};
      break;
    case ScalarOp::truncmod:
      if (a.low >= 0 && b.low > 0) return {0, std::min(a.high, b.high - 1)};
      break;
    case ScalarOp::bit_and:
      if (b.low >= 0) return {0, a.low >= 0 ? std::min(a.high, b.high) : b.high};
      if (a.low >= 0) return {0, a.high};
      break;
    case ScalarOp::shr:
      if (a.low >= 0 && b.low == b.high && b.low >= 0 && b.low < 63) {
        return {a.low >> b.low, a.high >> b.low};
      }
      if (a.low >= 0) return {0, a.high};
      break;
    case ScalarOp::shl:
      if (b.low == b.high && b.low >= 0 && b.low < 62) {
        result = a * Interval{std::int64_t{1} << b.low, std::int64_t{1} << b.low};
      }
      break;
    case ScalarOp::abs:
      if (a.low >= 0) return a;
      break;
    default:
      break;
  }
  if (node.type.dtype == num::DType::u64 && (result.low < 0 || result.high == kMax)) return all;
  if (result.within(all)) return result;
  return num::is_signed(node.type.dtype) ? intersect(all, result) : all;
}

Interval Facts::range(const Expr& expr) const {
  Interval result = derived_range(expr);
  for (const Facts* facts = this; facts != nullptr; facts = facts->outer_) {
    const auto assumed = facts->assumed_.find(expr.get());
    if (assumed != facts->assumed_.end()) result = intersect(result, assumed->second.range);
  }
  return result;
}

Interval Facts::derived_range(const Expr& expr) const {
  const ExprNode& node = *expr;
  const Interval all = values_of(node.type.dtype);
  std::int64_t literal = 0;
  if (is_const_int(expr, literal)) return {literal, literal};
  if (const auto* var = as<VarRef>(expr)) return intersect(all, of(var->var).range);
  if (const auto* scalar = as<Scalar>(expr)) return range_of_scalar(node, *scalar);
  if (const auto* cast = as<Cast>(expr)) {
    const num::DType from = cast->value->type.dtype;
    if (!num::is_int(from) && from != num::DType::boolean) return all;
    const Interval inner = range(cast->value);
    return inner.within(all) ? inner : all;
  }
  if (const auto* select = as<Select>(expr)) {
    return unite(range(select->when_true), range(select->when_false));
  }
  if (const auto* choice = as<IfThenElse>(expr)) {
    return unite(range(choice->when_true), range(choice->when_false));
  }
  return all;
}

}  // namespace tirx::ir
