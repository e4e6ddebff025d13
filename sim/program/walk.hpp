// Visits every statement and every expression of a body once, parents before children.
#pragma once

#include <utility>

#include "ir/stmt.hpp"

namespace tirx::sim {

template <typename OnExpr>
void walk_expression(const ir::Expr& expr, OnExpr&& on_expr);

template <typename OnExpr>
void walk_access(const ir::Access& access, OnExpr&& on_expr) {
  for (const ir::Expr& index : access.indices) walk_expression(index, on_expr);
  walk_expression(access.flat, on_expr);
}

template <typename OnExpr>
void walk_expression(const ir::Expr& expr, OnExpr&& on_expr) {
  if (!expr) return;
  on_expr(expr);
  const auto each = [&](const auto&... children) { (walk_expression(children, on_expr), ...); };
  std::visit(ir::Match{
                 [](const ir::Const&) {},
                 [](const ir::VarRef&) {},
                 [&](const ir::Scalar& n) {
                   for (const ir::Expr& arg : n.args) each(arg);
                 },
                 [&](const ir::Cast& n) { each(n.value); },
                 [&](const ir::Reinterpret& n) { each(n.value); },
                 [&](const ir::Select& n) { each(n.condition, n.when_true, n.when_false); },
                 [&](const ir::IfThenElse& n) { each(n.condition, n.when_true, n.when_false); },
                 [&](const ir::And& n) { each(n.left, n.right); },
                 [&](const ir::Or& n) { each(n.left, n.right); },
                 [&](const ir::Load& n) { walk_access(n.from, on_expr); },
                 [&](const ir::AddressOf& n) { walk_access(n.element, on_expr); },
                 [&](const ir::MachineCall& n) {
                   for (const ir::Expr& arg : n.args) each(arg);
                 },
                 [&](const ir::MakeVector& n) {
                   for (const ir::Expr& lane : n.lanes) each(lane);
                 },
                 [&](const ir::Broadcast& n) { each(n.value); },
                 [&](const ir::Extract& n) { each(n.vector); },
             },
             expr->node);
}

template <typename OnStmt, typename OnExpr>
void walk_statements(const ir::Body& body, OnStmt&& on_stmt, OnExpr&& on_expr) {
  const auto expr = [&](const ir::Expr& e) { walk_expression(e, on_expr); };
  for (const ir::Stmt& stmt : body) {
    on_stmt(stmt);
    std::visit(ir::Match{
                   [&](const ir::Let& n) { expr(n.value); },
                   [](const ir::Allocate&) {},
                   [](const ir::Declare&) {},
                   [&](const ir::Store& n) {
                     walk_access(n.to, on_expr);
                     expr(n.value);
                   },
                   [&](const ir::For& n) {
                     expr(n.begin);
                     expr(n.end);
                     expr(n.step);
                     walk_statements(n.body, on_stmt, on_expr);
                   },
                   [&](const ir::While& n) {
                     expr(n.condition);
                     walk_statements(n.body, on_stmt, on_expr);
                   },
                   [&](const ir::If& n) {
                     expr(n.condition);
                     walk_statements(n.then_body, on_stmt, on_expr);
                     walk_statements(n.else_body, on_stmt, on_expr);
                   },
                   [](const ir::Break&) {},
                   [](const ir::Continue&) {},
                   [](const ir::Return&) {},
                   [&](const ir::Assert& n) { expr(n.condition); },
                   [&](const ir::Evaluate& n) { expr(n.call); },
                   [](const ir::TileCall&) {},
                   [&](const ir::Group& n) { walk_statements(n.body, on_stmt, on_expr); },
               },
               stmt.node);
  }
}

}  // namespace tirx::sim
