// Guards, bounds and loops that are off by one, too weak or missing, and a grid that is too small.
#include <algorithm>

#include "fuzz/mutate/places.hpp"

namespace tirx::fuzz {

namespace {

using ir::Body;
using ir::Expr;
using ir::Stmt;
using num::ScalarOp;

bool is_comparison(ScalarOp op) {
  return op == ScalarOp::lt || op == ScalarOp::le || op == ScalarOp::gt || op == ScalarOp::ge;
}

void one_trip_less(Places& places, std::size_t n, const Stmt& stmt, const ir::For& loop) {
  if (!may_repeat(loop)) return;
  const bool nested = std::any_of(loop.body.begin(), loop.body.end(), [](const Stmt& inner) {
    return std::holds_alternative<ir::For>(inner.node);
  });
  places.statement(nested ? "last block of a loop missing" : "last trip of a loop missing", n, stmt,
                   [](const Stmt& old) {
                     Stmt changed = old;
                     auto& shorter = std::get<ir::For>(changed.node);
                     const Expr step = shorter.step ? shorter.step : same_type(1, shorter.end);
                     shorter.end = scalar(ScalarOp::sub, shorter.end, step);
                     return Body{changed};
                   });
}

void without_guard(Places& places, std::size_t n, const Stmt& stmt, const ir::If& branch) {
  if (!branch.else_body.empty()) return;
  const auto* test = ir::as<ir::Scalar>(branch.condition);
  if (test == nullptr) return;
  const bool one = test->op == ScalarOp::eq;
  if (!one && !is_comparison(test->op)) return;
  places.statement(one ? "guard of one thread missing" : "guard missing", n, stmt,
                   [](const Stmt& old) { return std::get<ir::If>(old.node).then_body; });
}

/// One side of `and` or `or` alone.
void one_side(Places& places, std::size_t n, const Expr& expr, Span span) {
  const auto side = [](const Expr& both, bool left) {
    if (const auto* all = ir::as<ir::And>(both)) return left ? all->left : all->right;
    const auto* any = ir::as<ir::Or>(both);
    return left ? any->left : any->right;
  };
  if (ir::as<ir::And>(expr) == nullptr && ir::as<ir::Or>(expr) == nullptr) return;
  for (const bool left : {false, true}) {
    places.expression("condition dropped", n, expr, span,
                      [side, left](const Expr& old) { return side(old, left); });
  }
}

Expr with_op(const Expr& comparison, ScalarOp op) {
  const auto& old = *ir::as<ir::Scalar>(comparison);
  return scalar(op, old.args[0], old.args[1]);
}

void bounds(Places& places, std::size_t n, const Expr& expr, const ir::Scalar& test, Span span) {
  if (!is_comparison(test.op) || !num::is_int(test.args[0]->type.dtype)) return;
  const bool strict = test.op == ScalarOp::lt || test.op == ScalarOp::gt;
  const ScalarOp other = test.op == ScalarOp::lt   ? ScalarOp::le
                         : test.op == ScalarOp::gt ? ScalarOp::ge
                         : test.op == ScalarOp::le ? ScalarOp::lt
                                                   : ScalarOp::gt;
  places.expression(strict ? "bound one too large" : "bound one too small", n, expr, span,
                    [other](const Expr& old) { return with_op(old, other); });
  if (test.op != ScalarOp::lt) return;
  places.expression("bound one too small", n, expr, span, [](const Expr& old) {
    const auto& less = *ir::as<ir::Scalar>(old);
    const Expr bound = scalar(ScalarOp::sub, less.args[1], same_type(1, less.args[1]));
    return scalar(ScalarOp::lt, less.args[0], bound);
  });
}

/// (x + n - 1) // n  ->  x // n; empty where it is no such expression
Expr floored(const Expr& expr) {
  const auto* division = ir::as<ir::Scalar>(expr);
  if (division == nullptr ||
      (division->op != ScalarOp::floordiv && division->op != ScalarOp::truncdiv))
    return {};
  std::int64_t divisor = 0, added = 0;
  const auto* sum = ir::as<ir::Scalar>(division->args[0]);
  if (sum == nullptr || sum->op != ScalarOp::add) return {};
  if (!ir::is_const_int(division->args[1], divisor) || !ir::is_const_int(sum->args[1], added))
    return {};
  if (divisor < 2 || added != divisor - 1) return {};
  return scalar(division->op, sum->args[0], division->args[1]);
}

bool is_grid(const ir::ScopeIdDef& def) {
  return def.kind == ir::ScopeIdKind::cta_id && !def.vars.empty();
}

/// A grid of n // 128 CTAs for n elements.
void small_grid(Places& places, const ir::ScopeIdDef& def) {
  for (std::size_t d = 0; d < def.extents.size(); ++d) {
    const Expr fewer = floored(def.extents[d]);
    if (!fewer) continue;
    const auto text = [](const Expr& e) { return describe({Stmt{{}, ir::Evaluate{e}}}); };
    places.whole("floor for ceil", def.span, "grid of " + text(def.extents[d]),
                 "grid of " + text(fewer), [d](const ir::Kernel& kernel) {
                   ir::Kernel changed = kernel;
                   for (ir::ScopeIdDef& ids : changed.scope_ids) {
                     if (is_grid(ids)) ids.extents[d] = floored(ids.extents[d]);
                   }
                   return changed;
                 });
  }
}

/// The first CTA of the grid does nothing.
ir::Kernel without_first_cta(const ir::Kernel& kernel) {
  // The kernel of another run has variables of its own.
  ir::Kernel changed = kernel;
  const auto ids = std::find_if(kernel.scope_ids.begin(), kernel.scope_ids.end(), is_grid);
  Expr first;
  for (const ir::Var& id : ids->vars) {
    const Expr x = ir::make_var(id);
    const Expr here = scalar(ScalarOp::eq, x, same_type(0, x));
    first = first ? ir::make_expr(ir::kBool, {}, ir::And{first, here}) : here;
  }
  changed.body.insert(changed.body.begin(), Stmt{{}, ir::If{first, {Stmt{{}, ir::Return{}}}, {}}});
  return changed;
}

void of_grid(Places& places) {
  const ir::Kernel& kernel = places.kernel();
  const auto ids = std::find_if(kernel.scope_ids.begin(), kernel.scope_ids.end(), is_grid);
  if (ids == kernel.scope_ids.end()) return;
  small_grid(places, *ids);
  std::int64_t only = 0;
  if (ids->extents.size() == 1 && ir::is_const_int(ids->extents[0], only) && only == 1) return;
  places.whole("tile missing", ids->span, "all CTAs", "all but the first", without_first_cta);
}

}  // namespace

void find_conditions(Places& places) {
  number_statements(places.kernel(), [&](std::size_t n, const Stmt& stmt) {
    if (const auto* loop = std::get_if<ir::For>(&stmt.node)) one_trip_less(places, n, stmt, *loop);
    if (const auto* branch = std::get_if<ir::If>(&stmt.node))
      without_guard(places, n, stmt, *branch);
  });
  number_expressions(places.kernel(), [&](std::size_t n, const Expr& expr, const Stmt& in) {
    const Span span = expr->span.empty() ? in.span : expr->span;
    one_side(places, n, expr, span);
    if (const auto* operation = ir::as<ir::Scalar>(expr)) bounds(places, n, expr, *operation, span);
    if (floored(expr)) places.expression("floor for ceil", n, expr, span, floored);
  });
  of_grid(places);
}

}  // namespace tirx::fuzz
