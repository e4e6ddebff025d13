// Walks over everything in a body, in the order of execution: for questions such as "which
// variables occur" or "is there a load".  The two lists of children are complete by construction:
// a new node without one does not compile.
#pragma once

#include "ir/stmt.hpp"

namespace tirx::ir {

template <typename F>
void for_each_child(const Access& access, F&& f) {
  for (const Expr& index : access.indices) f(index);
  if (access.flat) f(access.flat);
}

/// The direct operands of an expression.
template <typename F>
void for_each_child(const Expr& expr, F&& f) {
  std::visit(Match{
                 [](const Const&) {},
                 [](const VarRef&) {},
                 [&](const Scalar& node) {
                   for (const Expr& arg : node.args) f(arg);
                 },
                 [&](const Cast& node) { f(node.value); },
                 [&](const Reinterpret& node) { f(node.value); },
                 [&](const Select& node) {
                   f(node.condition);
                   f(node.when_true);
                   f(node.when_false);
                 },
                 [&](const IfThenElse& node) {
                   f(node.condition);
                   f(node.when_true);
                   f(node.when_false);
                 },
                 [&](const And& node) {
                   f(node.left);
                   f(node.right);
                 },
                 [&](const Or& node) {
                   f(node.left);
                   f(node.right);
                 },
                 [&](const Load& node) { for_each_child(node.from, f); },
                 [&](const AddressOf& node) { for_each_child(node.element, f); },
                 [&](const MachineCall& node) {
                   for (const Expr& arg : node.args) f(arg);
                 },
                 [&](const MakeVector& node) {
                   for (const Expr& lane : node.lanes) f(lane);
                 },
                 [&](const Broadcast& node) { f(node.value); },
                 [&](const Extract& node) { f(node.vector); },
             },
             expr->node);
}

/// f on the expression and on everything below it.
template <typename F>
void for_each_expr(const Expr& expr, F&& f) {
  if (!expr) return;
  f(expr);
  for_each_child(expr, [&](const Expr& child) { for_each_expr(child, f); });
}

/// The expressions that a statement itself evaluates (not those of the statements in it).
template <typename F>
void for_each_operand(const Stmt& stmt, F&& f) {
  std::visit(Match{
                 [&](const Let& node) { f(node.value); },
                 [](const Allocate&) {},
                 [](const Declare&) {},
                 [&](const Store& node) {
                   for_each_child(node.to, f);
                   f(node.value);
                 },
                 [&](const For& node) {
                   f(node.begin);
                   f(node.end);
                   if (node.step) f(node.step);
                 },
                 [&](const While& node) { f(node.condition); },
                 [&](const If& node) { f(node.condition); },
                 [](const Break&) {},
                 [](const Continue&) {},
                 [](const Return&) {},
                 [&](const Assert& node) { f(node.condition); },
                 [&](const Evaluate& node) { f(node.call); },
                 [&](const TileCall& node) {
                   for (const TileOperand& operand : node.operands) {
                     if (const auto* region = std::get_if<Region>(&operand)) {
                       for (const Range& range : region->ranges) {
                         f(range.begin);
                         f(range.extent);
                       }
                     } else if (const auto* value = std::get_if<Expr>(&operand)) {
                       f(*value);
                     }
                   }
                   for (const auto& [key, value] : node.config) {
                     if (const auto* e = std::get_if<Expr>(&value)) f(*e);
                   }
                 },
                 [](const Group&) {},
             },
             stmt.node);
}

/// The statements inside a statement, body by body.
template <typename F>
void for_each_body(const Stmt& stmt, F&& f) {
  if (const auto* loop = std::get_if<For>(&stmt.node)) {
    f(loop->body);
  } else if (const auto* repeat = std::get_if<While>(&stmt.node)) {
    f(repeat->body);
  } else if (const auto* branch = std::get_if<If>(&stmt.node)) {
    f(branch->then_body);
    f(branch->else_body);
  } else if (const auto* group = std::get_if<Group>(&stmt.node)) {
    f(group->body);
  }
}

/// on_stmt(statement) before its operands' expressions, then what is inside it.
template <typename OnStmt, typename OnExpr>
void for_each_in_body(const Body& body, OnStmt&& on_stmt, OnExpr&& on_expr) {
  for (const Stmt& stmt : body) {
    on_stmt(stmt);
    for_each_operand(stmt, [&](const Expr& operand) { for_each_expr(operand, on_expr); });
    for_each_body(stmt, [&](const Body& inner) { for_each_in_body(inner, on_stmt, on_expr); });
  }
}

}  // namespace tirx::ir
