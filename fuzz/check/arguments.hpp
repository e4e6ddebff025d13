// Does a launch refuse what it must?  Arguments that the launch took, changed in one place each:
// another number of them, dtype, shape, size, place in memory, or a kernel that is too large.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "ir/kernel.hpp"
#include "ir/tensor.hpp"
#include "lower/lowered.hpp"

namespace tirx::fuzz {

/// The first change that is taken although it must be refused, refused although it may not be, or
/// refused for a reason that does not name it; nothing: all is well.  The launch took `arguments`;
/// `tile` is what was lowered, and is bound in the same way.
[[nodiscard]] std::optional<std::string> wrong_binding(const lower::LoweredKernel& kernel,
                                                       std::span<const ir::Argument> arguments,
                                                       const ir::Kernel* tile = nullptr);

}  // namespace tirx::fuzz
