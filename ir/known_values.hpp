// What is known of a variable from the statement that gives it its values?  Lowering and the
// tile-level evaluator take the same, as what is known decides which regions are cut at an edge.
#pragma once

#include <optional>

#include "ir/facts.hpp"
#include "ir/stmt.hpp"

namespace tirx::ir {

/// A dimension is never negative, whatever its type.
[[nodiscard]] VarFacts facts_of_symbol(const Var& symbol);

/// Of an integer variable that is not a vector.
[[nodiscard]] VarFacts facts_of_let(const Var& var, const Expr& value, const Facts& facts);

/// None where the step is not a positive constant, or the bounds say nothing.  A step that is not
/// there is 1.
[[nodiscard]] std::optional<VarFacts> facts_of_loop(
    const Var& var, const Expr& begin, const Expr& end, const Expr& step, const Facts& facts);

/// Whether an end of an index's range says something about the program: from 2^30 on it may as well
/// be that of its type.
[[nodiscard]] bool low_is_known(Interval range);
[[nodiscard]] bool high_is_known(Interval range);

}  // namespace tirx::ir
