// Of which launches need the tile-level evaluator have no opinion?  Of those that stop it at a call
// it does not know by design.  Anywhere else a skipped opinion is a hole, and a finding.
#pragma once

#include <optional>
#include <string_view>

#include "ir/kernel.hpp"
#include "ir/launch.hpp"

namespace tirx::fuzz {

/// Why the call is not the evaluator's to judge; empty: it is.
[[nodiscard]] std::string_view beyond_tile_level(const ir::MachineCall& call);

/// The same of the call at which this run of the evaluator gave up; empty: it gave up elsewhere.
[[nodiscard]] std::string_view may_give_up(const ir::Kernel& kernel,
                                           const ir::LaunchOutcome& outcome);

}  // namespace tirx::fuzz
