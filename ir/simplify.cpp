// Sums of products for flat offsets; see simplify.hpp.
#include "ir/simplify.hpp"

#include <algorithm>
#include <utility>

#include "ir/base/common_divisor.hpp"
#include "ir/divisor.hpp"
#include "ir/equal.hpp"

namespace tirx::ir {

namespace {

constexpr std::size_t kMaxProductTerms = 16;  // a larger product stays a product of two factors

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b < 0 ? q - 1 : q;
}

std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
  const std::int64_t r = a % b;
  return r < 0 ? r + b : r;
}

bool same_factors(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  if (a.size() != b.size()) return false;
  if (a.size() == 1) return same_expr(a[0], b[0]);
  return std::is_permutation(a.begin(), a.end(), b.begin(), same_expr);
}

/// A quotient or remainder by a positive constant, as a factor.
struct Quotient {
  Expr value;
  std::int64_t divisor = 0;
  bool remainder = false;
};

bool match_quotient(const Expr& expr, Quotient& found) {
  const auto* scalar = as<Scalar>(expr);
  if (scalar == nullptr || scalar->args.size() != 2) return false;
  using num::ScalarOp;
  const bool quotient = scalar->op == ScalarOp::floordiv || scalar->op == ScalarOp::truncdiv;
  const bool remainder = scalar->op == ScalarOp::floormod || scalar->op == ScalarOp::truncmod;
  if (!quotient && !remainder) return false;
  found.value = scalar->args[0];
  found.remainder = remainder;
  return is_const_int(scalar->args[1], found.divisor) && found.divisor > 0;
}

/// `sum / divisor` or `sum % divisor` as an expression of the narrowest index type that holds it;
/// the C operators where the value cannot be negative (they are cheaper and easier to read).
Expr make_quotient(const IndexSum& sum, std::int64_t divisor, bool remainder, const Facts& facts) {
  using num::ScalarOp;
  const Interval range = sum.range(facts);
  const Type type =
      range.within(values_of(num::DType::i32)) && divisor <= values_of(num::DType::i32).high
          ? kInt32
          : kInt64;
  ScalarOp op = remainder ? ScalarOp::floormod : ScalarOp::floordiv;
  if (range.low >= 0) op = remainder ? ScalarOp::truncmod : ScalarOp::truncdiv;
  return make_expr(type, {}, Scalar{op, {sum.to_expr(type), make_int(divisor, type)}});
}

bool is_power_of_two(std::int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

/// Sums and products of what is known not to have wrapped: modulo a power of two, they are exact.
bool is_sum_of_known(const Expr& expr, const Facts& facts) {
  using num::ScalarOp;
  const auto* scalar = as<Scalar>(expr);
  if (scalar == nullptr || !(scalar->op == ScalarOp::add || scalar->op == ScalarOp::sub ||
                             scalar->op == ScalarOp::mul || scalar->op == ScalarOp::neg)) {
    return !facts.known(expr).wraps;
  }
  return std::all_of(scalar->args.begin(), scalar->args.end(),
                     [&](const Expr& arg) { return is_sum_of_known(arg, facts); });
}

Expr cast_to(Type type, const Expr& value) {
  if (value->type == type) return value;
  std::int64_t literal = 0;
  if (is_const_int(value, literal)) return make_int(literal, type, value->span);
  return make_expr(type, value->span, Cast{value});
}

Expr binary(num::ScalarOp op, Type type, Span span, Expr a, Expr b) {
  return make_expr(type, span, Scalar{op, {std::move(a), std::move(b)}});
}

}  // namespace

IndexSum IndexSum::of(const Var& var) {
  IndexSum sum;
  sum.terms_.push_back({1, {make_var(var)}});
  return sum;
}

void IndexSum::add_term(std::int64_t coefficient, const std::vector<Expr>& factors) {
  if (coefficient == 0) return;
  for (auto it = terms_.begin(); it != terms_.end(); ++it) {
    if (!same_factors(it->factors, factors)) continue;
    std::int64_t sum = 0;
    if (__builtin_add_overflow(it->coefficient, coefficient, &sum)) continue;
    it->coefficient = sum;
    if (sum == 0) terms_.erase(it);
    return;
  }
  terms_.push_back({coefficient, factors});
}

/// X / c * (k * c) + X % c * k  ->  X * k
void IndexSum::fold_quotients() {
  for (std::size_t r = 0; r < terms_.size(); ++r) {
    Quotient rem;
    if (terms_[r].factors.size() != 1 || !match_quotient(terms_[r].factors[0], rem)) continue;
    if (!rem.remainder) continue;
    for (std::size_t q = 0; q < terms_.size(); ++q) {
      Quotient quot;
      if (terms_[q].factors.size() != 1 || !match_quotient(terms_[q].factors[0], quot)) continue;
      std::int64_t expected = 0;
      if (quot.remainder || quot.divisor != rem.divisor ||
          __builtin_mul_overflow(terms_[r].coefficient, rem.divisor, &expected) ||
          terms_[q].coefficient != expected || !same_expr(quot.value, rem.value)) {
        continue;
      }
      const IndexSum whole = of(rem.value, Facts{}).times(terms_[r].coefficient);
      const std::size_t first = std::min(q, r);
      const std::size_t second = std::max(q, r);
      terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(second));
      terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(first));
      std::vector<Term> tail(terms_.begin() + static_cast<std::ptrdiff_t>(first), terms_.end());
      terms_.resize(first);
      for (const Term& term : whole.terms_) add_term(term.coefficient, term.factors);
      for (const Term& term : tail) add_term(term.coefficient, term.factors);
      constant_ += whole.constant_;
      fold_quotients();
      return;
    }
  }
}

IndexSum IndexSum::of(const Expr& expr, const Facts& facts) {
  using num::ScalarOp;
  IndexSum atom;
  atom.terms_.push_back({1, {expr}});
  std::int64_t literal = 0;
  if (is_const_int(expr, literal)) return literal;
  if (const auto* cast = as<Cast>(expr)) {
    // A cast is transparent where it cannot change the value.
    const num::DType from = cast->value->type.dtype;
    if (!num::is_int(from) || !num::is_int(expr->type.dtype)) return atom;
    return facts.range(cast->value).within(values_of(expr->type.dtype)) ? of(cast->value, facts)
                                                                        : atom;
  }
  const auto* scalar = as<Scalar>(expr);
  if (scalar == nullptr || !num::is_int(expr->type.dtype) || expr->type.is_vector()) return atom;
  if (num::is_unsigned(expr->type.dtype) && scalar->args.size() == 2) {
    // Unsigned arithmetic may wrap on purpose: only where the ranges exclude it is it a sum.
    const Interval a = facts.range(scalar->args[0]);
    const Interval b = facts.range(scalar->args[1]);
    const Interval exact = scalar->op == ScalarOp::add   ? a + b
                           : scalar->op == ScalarOp::sub ? a + b * Interval{-1, -1}
                           : scalar->op == ScalarOp::mul ? a * b
                                                         : Interval{0, 0};
    if (!exact.within(values_of(expr->type.dtype))) return atom;
    const bool open = exact.low < 0 || exact.high == std::numeric_limits<std::int64_t>::max();
    if (expr->type.dtype == num::DType::u64 && open) return atom;
  }
  const auto arg = [&](std::size_t i) { return of(scalar->args[i], facts); };
  switch (scalar->op) {
    case ScalarOp::add:
      return arg(0).plus(arg(1));
    case ScalarOp::sub:
      return arg(0).plus(arg(1).times(-1));
    case ScalarOp::neg:
      return num::is_signed(expr->type.dtype) ? arg(0).times(-1) : atom;
    case ScalarOp::mul: {
      const IndexSum a = arg(0);
      const IndexSum b = arg(1);
      if ((a.terms_.size() + 1) * (b.terms_.size() + 1) > kMaxProductTerms) return atom;
      return a.times(b);
    }
    case ScalarOp::floordiv:
    case ScalarOp::truncdiv:
    case ScalarOp::floormod:
    case ScalarOp::truncmod: {
      std::int64_t divisor = 0;
      if (!is_const_int(scalar->args[1], divisor) || divisor <= 0) return atom;
      // In a sum it would be divided as an int64.
      if (expr->type.dtype == num::DType::u64 && facts.range(scalar->args[0]).low < 0) return atom;
      const bool floors = scalar->op == ScalarOp::floordiv || scalar->op == ScalarOp::floormod;
      if (!floors && facts.range(scalar->args[0]).low < 0) return atom;
      const bool quotient = scalar->op == ScalarOp::floordiv || scalar->op == ScalarOp::truncdiv;
      // Of what has wrapped, a remainder is the exact one only by a power of two.
      if (!quotient && facts.known(scalar->args[0]).wraps &&
          !(is_power_of_two(divisor) && is_sum_of_known(scalar->args[0], facts))) {
        return atom;
      }
      return quotient ? arg(0).floordiv(divisor, facts) : arg(0).floormod(divisor, facts);
    }
    default:
      return atom;
  }
}

Interval IndexSum::range(const Facts& facts) const {
  Interval total{constant_, constant_};
  for (const Term& term : terms_) {
    Interval product{term.coefficient, term.coefficient};
    for (const Expr& factor : term.factors) product = product * facts.range(factor);
    total = total + product;
  }
  return intersect(total, bounds_);
}

namespace {

/// What is known to divide a term.
std::int64_t term_divisor(const IndexSum::Term& term, const Facts& facts) {
  std::int64_t divisor = term.coefficient;
  for (const Expr& factor : term.factors) {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(divisor, divisor_of(factor, facts), &product)) divisor = product;
  }
  return divisor;
}

}  // namespace

std::int64_t IndexSum::divisor(const Facts& facts) const {
  std::int64_t divisor = common_divisor(constant_, 0);
  for (const Term& term : terms_) divisor = common_divisor(divisor, term_divisor(term, facts));
  return divisor;
}

bool IndexSum::divisible_by(std::int64_t n, const Facts& facts) const {
  return divisor(facts) % n == 0;
}

IndexSum IndexSum::plus(const IndexSum& other) const {
  IndexSum sum = *this;
  sum.bounds_ = {};
  for (const Term& term : other.terms_) sum.add_term(term.coefficient, term.factors);
  std::int64_t constant = 0;
  if (__builtin_add_overflow(sum.constant_, other.constant_, &constant)) {
    sum.terms_.push_back({1, {make_int(other.constant_, kInt64)}});
  } else {
    sum.constant_ = constant;
  }
  if (!other.terms_.empty()) sum.fold_quotients();
  return sum;
}

IndexSum IndexSum::times(std::int64_t factor) const {
  IndexSum product;
  bool overflow = __builtin_mul_overflow(constant_, factor, &product.constant_);
  for (const Term& term : terms_) {
    std::int64_t coefficient = 0;
    overflow = overflow || __builtin_mul_overflow(term.coefficient, factor, &coefficient);
    if (coefficient != 0) product.terms_.push_back({coefficient, term.factors});
  }
  if (!overflow) return product;
  IndexSum whole;
  whole.terms_.push_back({factor, {to_expr(kInt64)}});
  return whole;
}

IndexSum IndexSum::times(const IndexSum& other) const {
  if (other.is_constant()) return times(other.constant_);
  if (is_constant()) return other.times(constant_);
  IndexSum product;
  for (const Term& a : terms_) {
    IndexSum row;
    for (const Term& b : other.terms_) {
      std::vector<Expr> factors = a.factors;
      factors.insert(factors.end(), b.factors.begin(), b.factors.end());
      row.add_term(b.coefficient, factors);
    }
    row.add_term(other.constant_, a.factors);
    product = product.plus(row.times(a.coefficient));
  }
  IndexSum rest = other;
  return product.plus(rest.times(constant_));
}

void IndexSum::split(std::int64_t n, const Facts& facts, IndexSum& multiple, IndexSum& rest) const {
  multiple = {};
  rest = {};
  for (const Term& term : terms_) {
    (term_divisor(term, facts) % n == 0 ? multiple : rest).terms_.push_back(term);
  }
  rest.constant_ = floor_remainder(constant_, n);
  multiple.constant_ = constant_ - rest.constant_;
  if (multiple.terms_.empty() && multiple.constant_ == 0) rest.bounds_ = bounds_;
}

IndexSum IndexSum::assuming(Interval bounds) const {
  IndexSum sum = *this;
  sum.bounds_ = intersect(bounds_, bounds);
  return sum;
}

std::int64_t IndexSum::reduce(std::int64_t n, IndexSum& reduced, std::int64_t& rest) const {
  std::int64_t step = n;
  for (const Term& term : terms_) step = common_divisor(step, term.coefficient);
  rest = floor_remainder(constant_, step);
  reduced.constant_ = (constant_ - rest) / step;
  reduced.terms_ = terms_;
  for (Term& term : reduced.terms_) term.coefficient /= step;
  constexpr Interval kAll{};
  reduced.bounds_ = kAll;
  if (bounds_.low != kAll.low) reduced.bounds_.low = floor_quotient(bounds_.low, step);
  if (bounds_.high != kAll.high) reduced.bounds_.high = floor_quotient(bounds_.high, step);
  return step;
}

IndexSum IndexSum::floordiv(std::int64_t divisor, const Facts& facts) const {
  if (divisor == 1) return *this;
  IndexSum multiple;
  IndexSum rest;
  split(divisor, facts, multiple, rest);
  IndexSum quotient;
  quotient.constant_ = multiple.constant_ / divisor;
  for (const Term& term : multiple.terms_) {
    if (term.coefficient % divisor == 0) {
      quotient.add_term(term.coefficient / divisor, term.factors);
    } else {
      IndexSum exact;
      exact.terms_.push_back(term);
      quotient.add_term(1, {make_quotient(exact, divisor, false, facts)});
    }
  }
  const Interval range = rest.range(facts);
  if (range.low >= 0 && range.high < divisor) return quotient;
  IndexSum reduced;
  std::int64_t remainder = 0;
  const std::int64_t step = rest.reduce(divisor, reduced, remainder);
  if (step == divisor) return quotient.plus(reduced);
  std::int64_t by = divisor / step;
  Quotient inner;
  if (reduced.constant_ == 0 && reduced.terms_.size() == 1 && reduced.terms_[0].coefficient == 1 &&
      reduced.terms_[0].factors.size() == 1 &&
      match_quotient(reduced.terms_[0].factors[0], inner) && !inner.remainder &&
      !__builtin_mul_overflow(inner.divisor, by, &by)) {
    return quotient.plus(of(inner.value, facts).floordiv(by, facts));
  }
  IndexSum atom;
  atom.terms_.push_back({1, {make_quotient(reduced, divisor / step, false, facts)}});
  return quotient.plus(atom);
}

IndexSum IndexSum::floormod(std::int64_t divisor, const Facts& facts) const {
  if (divisor == 1) return {};
  IndexSum multiple;
  IndexSum rest;
  split(divisor, facts, multiple, rest);
  const Interval range = rest.range(facts);
  if (range.low >= 0 && range.high < divisor) return rest;
  IndexSum reduced;
  std::int64_t remainder = 0;
  const std::int64_t step = rest.reduce(divisor, reduced, remainder);
  if (step == divisor) return remainder;
  const std::int64_t by = divisor / step;
  Quotient inner;
  IndexSum atom;
  if (reduced.constant_ == 0 && reduced.terms_.size() == 1 && reduced.terms_[0].coefficient == 1 &&
      reduced.terms_[0].factors.size() == 1 &&
      match_quotient(reduced.terms_[0].factors[0], inner) && inner.remainder &&
      inner.divisor % by == 0) {
    atom = of(inner.value, facts).floormod(by, facts);
  } else {
    atom.terms_.push_back({1, {make_quotient(reduced, by, true, facts)}});
  }
  return atom.times(step).plus(remainder);
}

Expr IndexSum::to_expr(Type type, Span span) const {
  Expr sum;
  // A sum starts with a positive term where there is one: `a - b`, not `-b + a`.
  std::vector<const Term*> order;
  for (const Term& term : terms_) order.push_back(&term);
  const auto positive = std::find_if(order.begin(), order.end(),
                                     [](const Term* term) { return term->coefficient > 0; });
  if (positive != order.end()) std::rotate(order.begin(), positive, positive + 1);
  for (const Term* term : order) {
    Expr product;
    for (const Expr& factor : term->factors) {
      const Expr value = cast_to(type, factor);
      product = product ? binary(num::ScalarOp::mul, type, span, product, value) : value;
    }
    const bool subtract = sum && term->coefficient < 0 &&
                          term->coefficient != std::numeric_limits<std::int64_t>::min();
    const std::int64_t coefficient = subtract ? -term->coefficient : term->coefficient;
    if (coefficient != 1) {
      product = binary(num::ScalarOp::mul, type, span, product, make_int(coefficient, type));
    }
    const num::ScalarOp op = subtract ? num::ScalarOp::sub : num::ScalarOp::add;
    sum = sum ? binary(op, type, span, sum, product) : product;
  }
  if (!sum) return make_int(constant_, type, span);
  if (constant_ == 0) return sum;
  const bool subtract = constant_ < 0 && constant_ != std::numeric_limits<std::int64_t>::min();
  return binary(subtract ? num::ScalarOp::sub : num::ScalarOp::add, type, span, sum,
                make_int(subtract ? -constant_ : constant_, type));
}

bool operator==(const IndexSum& a, const IndexSum& b) {
  const IndexSum difference = a.plus(b.times(-1));
  return difference.is_constant() && difference.constant() == 0;
}

Expr simplify_index(const Expr& expr, const Facts& facts) {
  if (!num::is_int(expr->type.dtype) || expr->type.is_vector()) return expr;
  return IndexSum::of(expr, facts).to_expr(expr->type, expr->span);
}

}  // namespace tirx::ir
