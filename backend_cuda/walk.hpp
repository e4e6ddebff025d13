// Every statement and expression of a body that is emitted: as ir/visit.hpp, but of an access only
// the flat offset, since logical indices serve bounds checks and reports.
#pragma once

#include "ir/visit.hpp"

namespace tirx::cuda {

template <typename OnExpr>
void walk(const ir::Expr& expr, OnExpr&& on_expr) {
  if (!expr) return;
  on_expr(expr);
  if (const auto* load = ir::as<ir::Load>(expr)) {
    walk(load->from.flat, on_expr);
  } else if (const auto* address = ir::as<ir::AddressOf>(expr)) {
    walk(address->element.flat, on_expr);
  } else {
    ir::for_each_child(expr, [&](const ir::Expr& child) { walk(child, on_expr); });
  }
}

template <typename OnStmt, typename OnExpr>
void walk(const ir::Body& body, OnStmt&& on_stmt, OnExpr&& on_expr) {
  for (const ir::Stmt& stmt : body) {
    on_stmt(stmt);
    if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
      walk(store->to.flat, on_expr);
      walk(store->value, on_expr);
    } else {
      ir::for_each_operand(stmt, [&](const ir::Expr& operand) { walk(operand, on_expr); });
    }
    ir::for_each_body(stmt, [&](const ir::Body& inner) { walk(inner, on_stmt, on_expr); });
  }
}

}  // namespace tirx::cuda
