// Tile IR to thread IR, in one call.
#pragma once

#include "ir/base/result.hpp"
#include "lower/lowered.hpp"

namespace tirx::lower {

/// Lowers a kernel for an architecture.  The error is the user's: an unrepresentable guard at a
/// collective op, a tile call that every variant refuses (the table of refusals), an instruction
/// the target lacks.
[[nodiscard]] Result<LoweredKernel> lower(const ir::Kernel& kernel, const ir::Target& target);

}  // namespace tirx::lower
