// How does `print(t)` show a tensor?  As NumPy does: nested brackets, aligned columns, the middle
// of large tensors left out.
#pragma once

#include <string>

#include "ir/tensor.hpp"

namespace tirx::dsl {

/// Uninitialised elements print as `?`.
[[nodiscard]] std::string to_text(const ir::Tensor& tensor);

}  // namespace tirx::dsl
