// Does the lowering know the limits of an architecture to the thread, the byte and the CTA?
#pragma once

#include <optional>
#include <string>

#include "ir/kernel.hpp"
#include "lower/lowered.hpp"

namespace tirx::fuzz {

/// The same kernel for architectures that allow just what it needs, and one less; with grids and
/// dynamic memory at the limit, and one more; for the oldest architecture.  What is taken or
/// refused against that.
[[nodiscard]] std::optional<std::string> wrong_limits(const ir::Kernel& kernel,
                                                      const lower::LoweredKernel& lowered);

}  // namespace tirx::fuzz
