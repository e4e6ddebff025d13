// Applying a layout to coordinates that are known only when the kernel runs.
#pragma once

#include <cstdint>
#include <vector>

#include "dsl/eval/interpreter.hpp"
#include "ir/layout/layout.hpp"

namespace tirx::dsl {

/// A dict from axis name to an IR expression.
[[nodiscard]] Value apply_symbolic(Interpreter& interpreter,
                                   const ir::Layout& layout,
                                   const Values& coordinates,
                                   const std::vector<std::int64_t>& shape,
                                   Span span);

}  // namespace tirx::dsl
