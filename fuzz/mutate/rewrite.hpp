// A kernel with one place changed: statements and expressions by their number in the order of the
// text.  Everything else is shared with the original.
#pragma once

#include <functional>
#include <optional>

#include "ir/kernel.hpp"

namespace tirx::fuzz {

/// What takes the place of a statement; nothing: it is removed.
using StmtEdit = std::function<ir::Body(const ir::Stmt&)>;
/// What takes the place of an expression.
using ExprEdit = std::function<ir::Expr(const ir::Expr&)>;

[[nodiscard]] ir::Kernel with_statement(const ir::Kernel& kernel,
                                        std::size_t n,
                                        const StmtEdit& edit);
[[nodiscard]] ir::Kernel with_expression(const ir::Kernel& kernel,
                                         std::size_t n,
                                         const ExprEdit& edit);

/// Visits in the numbering of the two above; expressions also get the statement that holds them.
void number_statements(const ir::Kernel& kernel,
                       const std::function<void(std::size_t, const ir::Stmt&)>& visit);
void number_expressions(
    const ir::Kernel& kernel,
    const std::function<void(std::size_t, const ir::Expr&, const ir::Stmt&)>& visit);

/// The expression with each direct operand passed through `map`.
[[nodiscard]] ir::Expr map_children(const ir::Expr& expr,
                                    const std::function<ir::Expr(const ir::Expr&)>& map);

/// The statement with the expressions that it evaluates itself passed through `map`, in the order
/// of ir::for_each_operand.
[[nodiscard]] ir::Stmt with_operands(const ir::Stmt& stmt,
                                     const std::function<ir::Expr(const ir::Expr&)>& map);

}  // namespace tirx::fuzz
