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

std::int64_t floor_of_quotient(std::int64_t a, std::int64_t b) {
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

namespace {

/// Of the operands of an operation on integers of a type: what they are together, before it wraps.
Interval range_of_operation(num::DType dtype,
                            num::DType operands,
                            num::ScalarOp op,
                            Interval a,
                            Interval b,
                            bool has_second) {
  using num::ScalarOp;
  const Interval all = values_of(dtype);
  Interval result = all;
  // A uint64 beyond int64 is anything here: what is computed from it is too, but for a remainder.
  const bool wide = operands == num::DType::u64;
  if (wide && (a.low < 0 || (has_second && b.low < 0))) {
    const bool remainder = op == ScalarOp::floormod || op == ScalarOp::truncmod;
    return remainder && b.low > 0 ? Interval{0, b.high - 1} : all;
  }
  switch (op) {
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
      if (b.low == b.high && b.low > 0)
        return {floor_of_quotient(a.low, b.low), floor_of_quotient(a.high, b.low)};
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
  if (dtype == num::DType::u64 && (result.low < 0 || result.high == kMax)) return all;
  return result;
}

}  // namespace

bool makes_hash(num::ScalarOp op) {
  using num::ScalarOp;
  return op == ScalarOp::floormod || op == ScalarOp::truncmod || op == ScalarOp::bit_and ||
         op == ScalarOp::bit_or || op == ScalarOp::bit_xor || op == ScalarOp::shr;
}

Known Facts::known_of_scalar(const ExprNode& node, const Scalar& scalar) const {
  const num::DType dtype = node.type.dtype;
  const Interval all = values_of(dtype);
  if (!num::is_int(dtype) || scalar.args.empty()) return {all};
  if (num::declared_row(scalar.op).result == num::ResultRule::int32) return {all};
  Known a = known(scalar.args[0]);
  Known b = scalar.args.size() > 1 ? known(scalar.args[1]) : Known{};
  if (makes_hash(scalar.op)) {
    for (std::size_t i = 0; i < scalar.args.size() && i < 2; ++i) {
      Known& operand = i == 0 ? a : b;
      if (operand.wraps) operand = {values_of(scalar.args[i]->type.dtype)};
    }
  }
  const Interval result = range_of_operation(dtype, scalar.args[0]->type.dtype, scalar.op, a.range,
                                             b.range, scalar.args.size() > 1);
  bool wraps = a.wraps || b.wraps;
  // Of 64 bits, bounds that are the type's own may be saturated.
  const bool sum = scalar.op == num::ScalarOp::add || scalar.op == num::ScalarOp::sub ||
                   scalar.op == num::ScalarOp::mul || scalar.op == num::ScalarOp::neg ||
                   scalar.op == num::ScalarOp::shl;
  if (dtype == num::DType::i64 && sum) wraps = wraps || result.low == kMin || result.high == kMax;
  if (result.within(all)) return {result, wraps};
  if (!num::is_signed(dtype)) return {all, wraps};
  return {intersect(all, result), true};
}

Known Facts::known(const Expr& expr) const {
  Known result = derived(expr);
  for (const Facts* facts = this; facts != nullptr; facts = facts->outer_) {
    const auto assumed = facts->assumed_.find(expr.get());
    if (assumed != facts->assumed_.end())
      result.range = intersect(result.range, assumed->second.range);
  }
  return result;
}

Known Facts::derived(const Expr& expr) const {
  const ExprNode& node = *expr;
  const Interval all = values_of(node.type.dtype);
  std::int64_t literal = 0;
  if (is_const_int(expr, literal)) return {{literal, literal}};
  if (const auto* var = as<VarRef>(expr)) {
    const VarFacts facts = of(var->var);
    return {intersect(all, facts.range), facts.wraps};
  }
  if (const auto* scalar = as<Scalar>(expr)) return known_of_scalar(node, *scalar);
  if (const auto* cast = as<Cast>(expr)) {
    const num::DType from = cast->value->type.dtype;
    if (!num::is_int(from) && from != num::DType::boolean) return {all};
    const Known inner = known(cast->value);
    return {inner.range.within(all) ? inner.range : all, inner.wraps};
  }
  const auto either = [&](const Expr& one, const Expr& other) -> Known {
    const Known a = known(one), b = known(other);
    return {unite(a.range, b.range), a.wraps || b.wraps};
  };
  if (const auto* select = as<Select>(expr)) return either(select->when_true, select->when_false);
  if (const auto* choice = as<IfThenElse>(expr))
    return either(choice->when_true, choice->when_false);
  return {all};
}

}  // namespace tirx::ir
