// Every statement and expression of a body, outer before inner, in program order.
#pragma once

#include <functional>

#include "ir/stmt.hpp"

namespace tirx::cuda {

struct Visitor {
  std::function<void(const ir::Stmt&)> on_statement;
  std::function<void(const ir::Expr&)> on_expression;
};

void walk(const ir::Body& body, const Visitor& visitor);
void walk(const ir::Expr& expr, const Visitor& visitor);

}  // namespace tirx::cuda
