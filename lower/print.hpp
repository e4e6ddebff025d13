// Thread IR as text, for reading (`tirx emit --ir`).
#pragma once

#include <string>

#include "lower/lowered.hpp"

namespace tirx::lower {

/// Launch, shared memory, thread variables and body, in the style of the language; accesses show
/// their flat offsets.
[[nodiscard]] std::string to_string(const LoweredKernel& kernel);

}  // namespace tirx::lower
