// Do two trees say the same?  Everything but the spans (and the heights, which follow) is compared.
#pragma once

#include "dsl/ast/ast.hpp"

namespace tirx::dsl::ast {

[[nodiscard]] bool same(const Expr& a, const Expr& b);
[[nodiscard]] bool same(const Stmt& a, const Stmt& b);
[[nodiscard]] bool same(const Module& a, const Module& b);

}  // namespace tirx::dsl::ast
