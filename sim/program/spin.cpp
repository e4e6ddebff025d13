// A loop that waits for a plain load to change never has to end: the compiler may load once.  Found
// here, because the simulator would wait too.
#include "ir/all_ops.hpp"
#include "sim/program/compiler.hpp"
#include "sim/program/walk.hpp"

namespace tirx::sim {

void Compiler::spin_check(const ir::While& node, Span span) {
  const ir::Access* plain = nullptr;
  bool moves = false;  // something in the loop can change the condition
  walk_expression(node.condition, [&](const ir::Expr& expr) {
    if (const auto* load = ir::as<ir::Load>(expr)) {
      const ir::BufferNode& buffer = *load->from.buffer;
      if (buffer.scope() != ir::MemoryScope::local) {
        plain = &load->from;
      } else {
        const auto assigned = analysis_.assigned.find(&node);
        if (assigned != analysis_.assigned.end() &&
            assigned->second.contains(buffer.storage.get())) {
          moves = true;
        }
      }
    }
    if (ir::as<ir::MachineCall>(expr) != nullptr) moves = true;
  });
  if (plain == nullptr || moves) return;
  walk_statements(
      node.body,
      [&](const ir::Stmt& stmt) {
        if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
          if (store->to.buffer->scope() != ir::MemoryScope::local) moves = true;
        }
        if (std::holds_alternative<ir::Break>(stmt.node) ||
            std::holds_alternative<ir::Return>(stmt.node)) {
          moves = true;
        }
      },
      [&](const ir::Expr& expr) {
        const auto* call = ir::as<ir::MachineCall>(expr);
        if (call == nullptr) return;
        const ir::Effect effect = ir::spec(call->op).effect;
        if (effect != ir::Effect::pure && effect != ir::Effect::control) moves = true;
      });
  if (moves) return;
  fail(span,
       "this loop spins on a plain load of " + plain->buffer->name + ", which need not be repeated",
       "use ptx.ld.acquire or an atomic");
}

}  // namespace tirx::sim
