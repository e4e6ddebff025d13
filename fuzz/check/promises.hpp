// Is a tile operation lowered the way that its line says (fuzz/expect/promise.hpp)?  Another
// variant or a narrower vector leaves the same values, and a kernel that is slower.
#pragma once

#include <optional>
#include <string>

#include "ir/kernel.hpp"
#include "ir/launch.hpp"
#include "lower/lowered.hpp"

namespace tirx::fuzz {

/// Which promise is broken, or what of the lowered kernel contradicts itself (lowered_facts.hpp).
/// Warnings count without one: a copy that asks for clip or fill has
/// none, and one by a single thread always has.
[[nodiscard]] std::optional<std::string> broken_promise(const ir::Kernel& kernel,
                                                        const lower::LoweredKernel& lowered);

/// Whether a line of the kernel promises something that only counts of the run show, and then which
/// line breaks it.
[[nodiscard]] bool promises_counts(const ir::Kernel& kernel);
[[nodiscard]] std::optional<std::string> broken_count(const ir::Kernel& kernel,
                                                      const ir::LaunchStats& stats);

}  // namespace tirx::fuzz
