// What does a parsed script look like?  A Module of statements (stmt.hpp) over expressions
// (expr.hpp). Everything is a value: it copies, moves and compares (equal.hpp) without an owner
// elsewhere.
#pragma once

#include "dsl/ast/expr.hpp"
#include "dsl/ast/stmt.hpp"

namespace tirx::dsl::ast {

struct Module {
  Block body;
};

}  // namespace tirx::dsl::ast
