// Do the arguments of a launch fit its kernel (docs/semantics.md, "Target and arguments")?
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ir/kernel.hpp"
#include "ir/tensor.hpp"

namespace tirx::dsl {

/// Values of a kernel's symbolic dimensions, from the shapes of its arguments.
using SymbolValues = std::map<const ir::Variable*, std::int64_t>;

/// Throws EvalError naming the parameter.
void check_launch(const ir::Kernel& kernel,
                  const std::vector<ir::Argument>& args,
                  const std::vector<Span>& places,
                  Span call);

/// The value of an integer expression over known symbols, or nothing.
[[nodiscard]] std::optional<std::int64_t> evaluate_index(const ir::Expr& expr,
                                                         const SymbolValues& symbols);

}  // namespace tirx::dsl
