// Do the logical indices of an access lead to its flat offset?
#pragma once

#include <optional>
#include <string>

#include "lower/lowered.hpp"

namespace tirx::fuzz {

/// An access whose indices name another place than its offset, or registers of another thread.
[[nodiscard]] std::optional<std::string> wrong_access(const lower::LoweredKernel& lowered);

}  // namespace tirx::fuzz
