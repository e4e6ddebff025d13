// From a tree back to text: one canonical form, which parses to the same tree.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "dsl/ast/ast.hpp"

namespace tirx::dsl::ast {

/// On one line, with no more parentheses than precedence asks for.
[[nodiscard]] std::string print(const Expr& expr);
/// One statement a line, blocks indented by four; ends with a newline.
[[nodiscard]] std::string print(const Stmt& stmt);
[[nodiscard]] std::string print(const Module& module);
/// With what `remark` says of a statement, a comment, behind its first line.
using Remark = std::function<std::string(const Stmt&)>;
[[nodiscard]] std::string print(const Module& module, const Remark& remark);
/// A string literal in double quotes.
[[nodiscard]] std::string quote(std::string_view text);

}  // namespace tirx::dsl::ast
