// Every block and every expression of a syntax tree, to be edited in place; and which names a
// statement defines and mentions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dsl/ast/ast.hpp"

namespace tirx::fuzz {

/// The blocks of a module, outermost first.
void for_each_block(dsl::ast::Module& module, const std::function<void(dsl::ast::Block&)>& visit);
/// The expressions of a module that may become simpler, each before its parts: no targets.
void for_each_expr(dsl::ast::Module& module, const std::function<void(dsl::ast::Expr&)>& visit);
/// The bodies of one statement.
void for_each_body(dsl::ast::Stmt& stmt, const std::function<void(dsl::ast::Block&)>& visit);

/// The outermost expressions that a statement holds itself, not in its bodies: values, conditions,
/// targets, annotations, decorators.
void for_each_operand(dsl::ast::Stmt& stmt, const std::function<void(dsl::ast::Expr&)>& visit);
/// An expression and all its parts, each before its own.
void for_each_part(dsl::ast::Expr& expr, const std::function<void(dsl::ast::Expr&)>& visit);

/// The module's n-th block or expression; null where there are not as many.
[[nodiscard]] dsl::ast::Block* nth_block(dsl::ast::Module& module, std::size_t n);
[[nodiscard]] dsl::ast::Expr* nth_expr(dsl::ast::Module& module, std::size_t n);

/// Names that the statement itself gives a value or a meaning: targets, loop variables, functions.
[[nodiscard]] std::vector<std::string> defined_names(const dsl::ast::Stmt& stmt);
/// How often the name stands in the expressions that the statement holds itself.
[[nodiscard]] int mentions(const dsl::ast::Stmt& stmt, const std::string& name);

/// Puts an expression where the name is read; targets stay.  Returns how often.
int substitute(dsl::ast::Block& block, const std::string& name, const dsl::ast::Expr& by);

/// The number, wherever it stands.
void replace_number(dsl::ast::Module& module, std::uint64_t from, std::uint64_t to);

/// A block is never empty.
void fill(dsl::ast::Block& block);

[[nodiscard]] dsl::ast::Expr make_number(std::uint64_t value);
[[nodiscard]] dsl::ast::Expr make_name(const std::string& name);

/// "thread_id" of `T.thread_id([64])`; empty where the expression is no such call.
[[nodiscard]] std::string called_attribute(const dsl::ast::Expr& expr);

}  // namespace tirx::fuzz
