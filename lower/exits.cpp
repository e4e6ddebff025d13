#include "lower/exits.hpp"

#include <algorithm>

#include "ir/visit.hpp"

namespace tirx::lower {

using ir::ExecScope;

std::optional<ExecScope> exit_scope(const ir::Body& body, ExitKinds kinds, const Guards& guards) {
  std::optional<ExecScope> scope;
  const auto found = [&](ExecScope one) { scope = scope ? std::min(*scope, one) : one; };
  for (const ir::Stmt& stmt : body) {
    if ((kinds.returns && std::holds_alternative<ir::Return>(stmt.node)) ||
        (kinds.breaks && std::holds_alternative<ir::Break>(stmt.node)) ||
        (kinds.continues && std::holds_alternative<ir::Continue>(stmt.node))) {
      found(ExecScope::kernel);
    }
    ExecScope around = ExecScope::kernel;
    ExitKinds inner = kinds;
    if (const auto* branch = std::get_if<ir::If>(&stmt.node)) {
      around = guards.uniform_over(branch->condition);
    } else if (const auto* loop = std::get_if<ir::For>(&stmt.node)) {
      around = std::min(guards.uniform_over(loop->begin), guards.uniform_over(loop->end));
      inner = {kinds.returns, false, false};
    } else if (const auto* repeat = std::get_if<ir::While>(&stmt.node)) {
      around = guards.uniform_over(repeat->condition);
      inner = {kinds.returns, false, false};
    }
    ir::for_each_body(stmt, [&](const ir::Body& nested) {
      if (const auto below = exit_scope(nested, inner, guards)) found(std::min(around, *below));
    });
  }
  return scope;
}

bool always_leaves(const ir::Body& body) {
  if (body.empty()) return false;
  const auto& last = body.back().node;
  if (const auto* branch = std::get_if<ir::If>(&last)) {
    return always_leaves(branch->then_body) && always_leaves(branch->else_body);
  }
  return std::holds_alternative<ir::Return>(last) || std::holds_alternative<ir::Break>(last) ||
         std::holds_alternative<ir::Continue>(last);
}

}  // namespace tirx::lower
