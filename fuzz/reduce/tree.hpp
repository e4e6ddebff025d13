// Every block and every expression of a syntax tree, to be edited in place.
#pragma once

#include <functional>

#include "dsl/ast/ast.hpp"

namespace tirx::fuzz {

/// The blocks of a module, outermost first.
void for_each_block(dsl::ast::Module& module, const std::function<void(dsl::ast::Block&)>& visit);
/// The expressions of a module, each before its parts.
void for_each_expr(dsl::ast::Module& module, const std::function<void(dsl::ast::Expr&)>& visit);
/// The bodies of one statement.
void for_each_body(dsl::ast::Stmt& stmt, const std::function<void(dsl::ast::Block&)>& visit);

/// The module's n-th block or expression; null where there are not as many.
[[nodiscard]] dsl::ast::Block* nth_block(dsl::ast::Module& module, std::size_t n);
[[nodiscard]] dsl::ast::Expr* nth_expr(dsl::ast::Module& module, std::size_t n);

}  // namespace tirx::fuzz
