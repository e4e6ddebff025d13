// Which mutable scalars hold indices?  Those that reach an index through arithmetic that keeps a
// magnitude.  What goes through a remainder or a bit operation may be a hash, which may wrap.
#include <functional>
#include <unordered_map>

#include "sim/program/analysis.hpp"
#include "sim/program/walk.hpp"

namespace tirx::sim {

void find_index_scalars(const ir::Body& body, Analysis& analysis) {
  using num::ScalarOp;
  std::unordered_map<const ir::Variable*, const ir::Expr*> lets;
  std::unordered_multimap<const ir::Storage*, const ir::Expr*> assigned;
  std::vector<const ir::Expr*> indices;
  const auto note = [&](const ir::Access& access) {
    for (const ir::Expr& index : access.indices) indices.push_back(&index);
  };
  walk_statements(
      body,
      [&](const ir::Stmt& stmt) {
        if (const auto* let = std::get_if<ir::Let>(&stmt.node)) lets[let->var.get()] = &let->value;
        if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
          if (store->to.buffer->in_register()) {
            assigned.emplace(store->to.buffer->storage.get(), &store->value);
          } else {
            note(store->to);
          }
        }
      },
      [&](const ir::Expr& expr) {
        if (const auto* load = ir::as<ir::Load>(expr)) {
          if (!load->from.buffer->in_register()) note(load->from);
        }
        if (const auto* pointer = ir::as<ir::AddressOf>(expr)) note(pointer->element);
      });
  std::unordered_set<const ir::ExprNode*> seen;
  const std::function<void(const ir::Expr&)> visit = [&](const ir::Expr& expr) {
    if (!expr || !seen.insert(expr.get()).second) return;
    if (const auto* op = ir::as<ir::Scalar>(expr)) {
      switch (op->op) {
        case ScalarOp::add:
        case ScalarOp::sub:
        case ScalarOp::mul:
        case ScalarOp::neg:
        case ScalarOp::shl:
        case ScalarOp::floordiv:
        case ScalarOp::truncdiv:
        case ScalarOp::min:
        case ScalarOp::max:
          for (const ir::Expr& arg : op->args) visit(arg);
          break;
        default:
          break;
      }
    } else if (const auto* cast = ir::as<ir::Cast>(expr)) {
      if (num::is_int(cast->value->type.dtype)) visit(cast->value);
    } else if (const auto* select = ir::as<ir::Select>(expr)) {
      visit(select->when_true);
      visit(select->when_false);
    } else if (const auto* chosen = ir::as<ir::IfThenElse>(expr)) {
      visit(chosen->when_true);
      visit(chosen->when_false);
    } else if (const auto* ref = ir::as<ir::VarRef>(expr)) {
      if (const auto at = lets.find(ref->var.get()); at != lets.end()) visit(*at->second);
    } else if (const auto* load = ir::as<ir::Load>(expr)) {
      const ir::Storage* storage = load->from.buffer->storage.get();
      if (!load->from.buffer->in_register() || !num::is_int(load->from.buffer->dtype)) return;
      if (!analysis.index_scalars.insert(storage).second) return;
      const auto [begin, end] = assigned.equal_range(storage);
      for (auto at = begin; at != end; ++at) visit(*at->second);
    }
  };
  for (const ir::Expr* index : indices) visit(*index);
}

}  // namespace tirx::sim
