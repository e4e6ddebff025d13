// Matching of conditions; see guards.hpp.
#include "lower/guards.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "ir/print.hpp"

namespace tirx::lower {

using ir::Expr;
using ir::IndexSum;
using num::ScalarOp;

namespace {

std::optional<ir::Relation> relation_of(ScalarOp op) {
  switch (op) {
    case ScalarOp::eq:
      return ir::Relation::eq;
    case ScalarOp::ne:
      return ir::Relation::ne;
    case ScalarOp::lt:
      return ir::Relation::lt;
    case ScalarOp::le:
      return ir::Relation::le;
    case ScalarOp::gt:
      return ir::Relation::gt;
    case ScalarOp::ge:
      return ir::Relation::ge;
    default:
      return std::nullopt;
  }
}

bool is_elect(const Expr& expr) {
  const auto* call = ir::as<ir::MachineCall>(expr);
  if (call != nullptr) return call->op == ir::AllOps::id_of<ir::ElectSync>();
  const auto* cast = ir::as<ir::Cast>(expr);
  return cast != nullptr && is_elect(cast->value);
}

/// `x != 0` where x is the elected predicate.
bool is_elect_compare(const ir::Scalar& compare) {
  std::int64_t zero = 1;
  return compare.op == ScalarOp::ne && is_elect(compare.args[0]) &&
         ir::is_const_int(compare.args[1], zero) && zero == 0;
}

struct Quotient {
  Expr value;
  std::int64_t divisor = 1;
  bool remainder = false;
};

/// A floored one, or one that is truncated and cannot be negative, which is the same.
std::optional<Quotient> quotient_of(const Expr& expr, const ir::Facts& facts) {
  const auto* scalar = ir::as<ir::Scalar>(expr);
  if (scalar == nullptr || scalar->args.size() != 2) return std::nullopt;
  Quotient found{scalar->args[0], 1, false};
  if (!ir::is_const_int(scalar->args[1], found.divisor) || found.divisor <= 0) return std::nullopt;
  const bool truncated = scalar->op == ScalarOp::truncdiv || scalar->op == ScalarOp::truncmod;
  if (truncated && facts.range(found.value).low < 0) return std::nullopt;
  found.remainder = scalar->op == ScalarOp::floormod || scalar->op == ScalarOp::truncmod;
  if (!found.remainder && scalar->op != ScalarOp::floordiv && scalar->op != ScalarOp::truncdiv) {
    return std::nullopt;
  }
  return found;
}

}  // namespace

const Guards::ScopeVar* Guards::scope_var(const Expr& expr) const {
  const auto* ref = ir::as<ir::VarRef>(expr);
  if (ref == nullptr) return nullptr;
  const auto found = scope_vars_.find(ref->var.get());
  return found == scope_vars_.end() ? nullptr : &found->second;
}

IndexSum Guards::resolve(const Expr& expr) const {
  return resolve(IndexSum::of(expr, facts_), 0);
}

/// Replaces names by what they stand for.
IndexSum Guards::resolve(const IndexSum& sum, int depth) const {
  constexpr int kDepth = 8;
  IndexSum result = sum.constant();
  bool replaced = false;
  for (const IndexSum::Term& term : sum.terms()) {
    IndexSum product = term.coefficient;
    for (const Expr& factor : term.factors) {
      const void* key = nullptr;
      if (const auto* ref = ir::as<ir::VarRef>(factor)) key = ref->var.get();
      if (const auto* load = ir::as<ir::Load>(factor)) key = load->from.buffer.get();
      const auto alias = aliases_.find(key);
      const auto quotient = quotient_of(factor, facts_);
      if (alias != aliases_.end()) {
        product = product.times(IndexSum::of(alias->second, facts_));
        replaced = true;
      } else if (quotient && depth < kDepth) {
        const IndexSum inner = resolve(IndexSum::of(quotient->value, facts_), depth + 1);
        product = product.times(quotient->remainder ? inner.floormod(quotient->divisor, facts_)
                                                    : inner.floordiv(quotient->divisor, facts_));
      } else {
        product = product.times(IndexSum::of(factor, facts_));
      }
    }
    result = result.plus(product);
  }
  return replaced && depth < kDepth ? resolve(result, depth + 1) : result;
}

std::optional<ir::Atom> Guards::match_comparison(const ir::Scalar& compare, Span span) const {
  const auto relation = relation_of(compare.op);
  if (!relation || !num::is_int(compare.args[0]->type.dtype)) return std::nullopt;
  if (!of_ids_alone(compare.args[0]) || !of_ids_alone(compare.args[1])) return std::nullopt;
  // left REL right is (left - right) REL 0.
  const IndexSum sum = resolve(compare.args[0]).plus(resolve(compare.args[1]).times(-1));
  if (sum.terms().size() != 1 || sum.terms()[0].factors.size() != 1) return std::nullopt;
  const std::int64_t sign = sum.terms()[0].coefficient;
  if (sign != 1 && sign != -1) return std::nullopt;
  const Expr& factor = sum.terms()[0].factors[0];
  if (const ScopeVar* id = scope_var(factor)) {
    return ir::Atom{
        ir::compare_id(id->kind, id->dim, static_cast<int>(sign), sum.constant(), *relation, 0),
        span};
  }
  const auto quotient = quotient_of(factor, facts_);
  if (!quotient) return std::nullopt;
  IndexSum inner = IndexSum::of(quotient->value, facts_);
  std::int64_t n = quotient->divisor;
  const ScopeVar* id = nullptr;
  while (id == nullptr) {
    if (inner.terms().size() != 1 || inner.terms()[0].coefficient != 1 ||
        inner.terms()[0].factors.size() != 1) {
      return std::nullopt;
    }
    id = scope_var(inner.terms()[0].factors[0]);
    if (id != nullptr) break;
    // (x // a + c) // n is (x + a * c) // (a * n).
    constexpr std::int64_t kMost = std::int64_t{1} << 20;
    const auto within = quotient_of(inner.terms()[0].factors[0], facts_);
    if (!within || within->remainder || quotient->remainder || within->divisor > kMost ||
        n > kMost || inner.constant() > kMost || inner.constant() < -kMost) {
      return std::nullopt;
    }
    inner = IndexSum::of(within->value, facts_).plus(inner.constant() * within->divisor);
    n *= within->divisor;
  }
  const std::int64_t at = sign == 1 ? -sum.constant() : sum.constant();  // factor REL' at
  if (quotient->remainder) {
    if (*relation != ir::Relation::eq && *relation != ir::Relation::ne) return std::nullopt;
    if (at < 0 || at >= n) return std::nullopt;
    const std::int64_t residue = (at - inner.constant() % n + 2 * n) % n;
    return ir::Atom{ir::IdModulo{id->kind, id->dim, n, residue, *relation == ir::Relation::ne},
                    span};
  }
  // (id + c) // n, as bounds on id: a range of quotients is a range of ids.
  ir::IdRange range =
      ir::compare_id(id->kind, id->dim, static_cast<int>(sign), sum.constant(), *relation, 0);
  const auto scale = [&](std::int64_t bound) {
    constexpr std::int64_t kFar = std::int64_t{1} << 40;
    if (bound > kFar / n) return kFar;
    if (bound < -kFar / n) return -kFar;
    return bound * n - inner.constant();
  };
  range.lo = scale(range.lo);
  range.hi = scale(range.hi);
  return ir::Atom{range, span};
}

/// Whether it is made of ids and numbers, and stays in its type: then its sum is its value.
bool Guards::of_ids_alone(const Expr& side) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  const IndexSum sum = resolve(side);
  ir::Interval range{sum.constant(), sum.constant()};
  for (const IndexSum::Term& term : sum.terms()) {
    if (term.factors.size() != 1 || term.coefficient > kMost || term.coefficient < -kMost)
      return false;
    const Expr& factor = term.factors[0];
    const auto quotient = quotient_of(factor, facts_);
    if (scope_var(factor) == nullptr && !(quotient && of_ids_alone(quotient->value))) return false;
    range = range + ir::Interval{term.coefficient, term.coefficient} * facts_.range(factor);
  }
  return range.within(ir::values_of(side->type.dtype));
}

/// Of a comparison that comes out alike whatever the ids are: `tx // 32 == 0` in a CTA of one warp.
std::optional<bool> Guards::decided(const Expr& condition) const {
  const auto* compare = ir::as<ir::Scalar>(condition);
  const auto relation = compare != nullptr ? relation_of(compare->op) : std::nullopt;
  if (!relation || !num::is_int(compare->args[0]->type.dtype)) return std::nullopt;
  if (!of_ids_alone(compare->args[0]) || !of_ids_alone(compare->args[1])) return std::nullopt;
  const IndexSum sum = resolve(compare->args[0]).plus(resolve(compare->args[1]).times(-1));
  if (!sum.is_constant()) return std::nullopt;
  const std::int64_t difference = sum.constant();
  switch (*relation) {
    case ir::Relation::eq:
      return difference == 0;
    case ir::Relation::ne:
      return difference != 0;
    case ir::Relation::lt:
      return difference < 0;
    case ir::Relation::le:
      return difference <= 0;
    case ir::Relation::gt:
      return difference > 0;
    case ir::Relation::ge:
      return difference >= 0;
  }
  return std::nullopt;
}

std::optional<ir::Atom> Guards::match(const Expr& condition) const {
  if (is_elect(condition)) return ir::Atom{ir::Elect{}, condition->span};
  const auto* scalar = ir::as<ir::Scalar>(condition);
  if (scalar == nullptr) return std::nullopt;
  if (scalar->args.size() == 2 && is_elect_compare(*scalar)) {
    return ir::Atom{ir::Elect{}, condition->span};
  }
  if (scalar->op == ScalarOp::logical_not) {
    auto inner = match(scalar->args[0]);
    if (!inner) return std::nullopt;
    if (auto* range = std::get_if<ir::IdRange>(&inner->test)) {
      range->negated = !range->negated;
      return inner;
    }
    if (auto* modulo = std::get_if<ir::IdModulo>(&inner->test)) {
      modulo->negated = !modulo->negated;
      return inner;
    }
    return std::nullopt;
  }
  return scalar->args.size() == 2 ? match_comparison(*scalar, condition->span) : std::nullopt;
}

void Guards::add_atoms(const Expr& condition, std::vector<ir::Atom>& out) const {
  if (const auto* both = ir::as<ir::And>(condition)) {
    add_atoms(both->left, out);
    add_atoms(both->right, out);
    return;
  }
  const auto* scalar = ir::as<ir::Scalar>(condition);
  if (scalar != nullptr && scalar->op == ScalarOp::bit_and && condition->type == ir::kBool) {
    add_atoms(scalar->args[0], out);
    add_atoms(scalar->args[1], out);
    return;
  }
  if (const auto holds = decided(condition)) {
    // No id is in an empty range.
    if (!*holds) out.push_back({ir::IdRange{ir::ScopeIdKind::lane_id}, condition->span});
    return;
  }
  if (auto atom = match(condition)) {
    out.push_back(std::move(*atom));
    return;
  }
  out.push_back(
      {ir::OpaqueAtom{uniform_over(condition),
                      fmt::format("`{}` is no range of a scope id", ir::to_string(condition))},
       condition->span});
}

std::vector<ir::Atom> Guards::atoms(const Expr& condition) const {
  std::vector<ir::Atom> out;
  add_atoms(condition, out);
  return out;
}

}  // namespace tirx::lower
