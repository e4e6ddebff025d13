#include "backend_cuda/walk.hpp"

namespace tirx::cuda {

namespace {

void walk_access(const ir::Access& access, const Visitor& visitor) {
  // The flat offset is what is emitted; logical indices are for bounds checks.
  if (access.flat) walk(access.flat, visitor);
}

void walk_all(const std::vector<ir::Expr>& exprs, const Visitor& visitor) {
  for (const ir::Expr& expr : exprs) walk(expr, visitor);
}

}  // namespace

void walk(const ir::Expr& expr, const Visitor& visitor) {
  if (!expr) return;
  if (visitor.on_expression) visitor.on_expression(expr);
  std::visit(ir::Match{
                 [](const ir::Const&) {},
                 [](const ir::VarRef&) {},
                 [&](const ir::Scalar& n) { walk_all(n.args, visitor); },
                 [&](const ir::Cast& n) { walk(n.value, visitor); },
                 [&](const ir::Reinterpret& n) { walk(n.value, visitor); },
                 [&](const ir::Select& n) {
                   walk_all({n.condition, n.when_true, n.when_false}, visitor);
                 },
                 [&](const ir::IfThenElse& n) {
                   walk_all({n.condition, n.when_true, n.when_false}, visitor);
                 },
                 [&](const ir::And& n) {
                   walk_all({n.left, n.right}, visitor);
                 },
                 [&](const ir::Or& n) {
                   walk_all({n.left, n.right}, visitor);
                 },
                 [&](const ir::Load& n) { walk_access(n.from, visitor); },
                 [&](const ir::AddressOf& n) { walk_access(n.element, visitor); },
                 [&](const ir::MachineCall& n) { walk_all(n.args, visitor); },
                 [&](const ir::MakeVector& n) { walk_all(n.lanes, visitor); },
                 [&](const ir::Broadcast& n) { walk(n.value, visitor); },
                 [&](const ir::Extract& n) { walk(n.vector, visitor); },
             },
             expr->node);
}

void walk(const ir::Body& body, const Visitor& visitor) {
  for (const ir::Stmt& stmt : body) {
    if (visitor.on_statement) visitor.on_statement(stmt);
    std::visit(ir::Match{
                   [&](const ir::Let& n) { walk(n.value, visitor); },
                   [](const ir::Allocate&) {},
                   [](const ir::Declare&) {},
                   [&](const ir::Store& n) {
                     walk_access(n.to, visitor);
                     walk(n.value, visitor);
                   },
                   [&](const ir::For& n) {
                     walk(n.begin, visitor);
                     walk(n.end, visitor);
                     walk(n.step, visitor);
                     walk(n.body, visitor);
                   },
                   [&](const ir::While& n) {
                     walk(n.condition, visitor);
                     walk(n.body, visitor);
                   },
                   [&](const ir::If& n) {
                     walk(n.condition, visitor);
                     walk(n.then_body, visitor);
                     walk(n.else_body, visitor);
                   },
                   [](const ir::Break&) {},
                   [](const ir::Continue&) {},
                   [](const ir::Return&) {},
                   [&](const ir::Assert& n) { walk(n.condition, visitor); },
                   [&](const ir::Evaluate& n) { walk(n.call, visitor); },
                   [](const ir::TileCall&) {},
                   [&](const ir::Group& n) { walk(n.body, visitor); },
               },
               stmt.node);
  }
}

}  // namespace tirx::cuda
