// In which dtype is an operation on two dtypes computed?  The language's rule of promotion
// (docs/language.md, "Types of expressions"), for operands of scalar expressions and of tile ops.
#pragma once

#include <optional>

#include "numerics/dtype.hpp"

namespace tirx::ir {

/// Equal stays; two IEEE floats give the wider; a float beats integers; bfloat16 beats the narrow
/// floats, and those beat each other by width; bool becomes the integer; integers give the wider,
/// at equal width the unsigned one.  Nothing for two formats of one width (float16 and bfloat16).
[[nodiscard]] std::optional<num::DType> promote(num::DType a, num::DType b);

}  // namespace tirx::ir
