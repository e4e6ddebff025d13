// The entry of the grammar, without Boost: tokens -> statements.
#pragma once

#include "dsl/ast/ast.hpp"
#include "dsl/grammar/state.hpp"

namespace tirx::dsl::grammar {

/// Errors go to the state; it recovers at the end of each logical line.
[[nodiscard]] ast::Block parse_tokens(ParseState& state);

}  // namespace tirx::dsl::grammar
