// Does a lowered kernel mean one thing?  Whatever variant was taken and whatever a run shows: the
// logical indices of an access lead to its flat offset, registers are those of the thread that
// names them, the rounds of a tile operation are as many as its elements need, and shared memory
// lies as tightly as its alignment allows.
#pragma once

#include <optional>
#include <string>

#include "ir/kernel.hpp"
#include "lower/lowered.hpp"

namespace tirx::fuzz {

/// What contradicts itself.
[[nodiscard]] std::optional<std::string> wrong_facts(const ir::Kernel& kernel,
                                                     const lower::LoweredKernel& lowered);

}  // namespace tirx::fuzz
