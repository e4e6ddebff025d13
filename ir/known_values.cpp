#include "ir/known_values.hpp"

#include <algorithm>

#include "ir/base/common_divisor.hpp"
#include "ir/loop_values.hpp"
#include "ir/simplify.hpp"

namespace tirx::ir {

namespace {

constexpr std::int64_t kKnown = std::int64_t{1} << 30;

}  // namespace

VarFacts facts_of_symbol(const Var& symbol) {
  return {intersect(values_of(symbol->type.dtype), {0, Interval{}.high}), 1};
}

VarFacts facts_of_let(const Var& var, const Expr& value, const Facts& facts) {
  const std::int64_t divisor = IndexSum::of(value, facts).divisor(facts);
  const Known known = facts.known(value);
  const Interval range = intersect(values_of(var->type.dtype), known.range);
  return {range, divisor == 0 ? 1 : divisor, known.wraps};
}

std::optional<VarFacts> facts_of_loop(
    const Var& var, const Expr& begin, const Expr& end, const Expr& step, const Facts& facts) {
  // Bounds are values, which may wrap.
  const auto bound = [&](const Expr& expr) {
    const Known known = facts.known(expr);
    return known.wraps ? values_of(var->type.dtype) : known.range;
  };
  const Interval first = bound(begin), last = bound(end);
  // The range of a uint64 that int64 may not hold says nothing.
  if (var->type.dtype == num::DType::u64 && (first.low < 0 || last.low < 0)) return std::nullopt;
  std::int64_t by = 1;
  if (step && !is_const_int(step, by)) return std::nullopt;
  if (by <= 0) return std::nullopt;
  VarFacts known;
  known.range = loop_values(first, last, by);
  std::int64_t divisor = IndexSum::of(begin, facts).divisor(facts);
  if (facts.known(begin).wraps) divisor &= -divisor;  // the power of two in it
  known.multiple_of = common_divisor(divisor, by);
  const std::int64_t reached = known.range.high - known.range.high % known.multiple_of;
  if (known.range.high >= 0 && known.range.high != Interval{}.high)
    known.range.high = std::max(known.range.low, reached);
  return known;
}

bool low_is_known(Interval range) {
  return range.low > -kKnown;
}

bool high_is_known(Interval range) {
  return range.high < kKnown;
}

}  // namespace tirx::ir
