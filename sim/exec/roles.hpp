// Warps with roles race: what does the one role do that the other does not answer?
#pragma once

#include <string>

#include "sim/exec/race_side.hpp"

namespace tirx::sim::exec {

/// The wait for an mbarrier at which the other role arrives; empty: no such wait is missing, or it
/// cannot be told which.
[[nodiscard]] std::string missing_wait(const Cta& cta, const Side& first, const Side& second);

/// … for which a thread that reads at `reader` what `writer` brings would have to wait.
[[nodiscard]] std::string missing_wait(const Cta& cta, const Place& writer, const Place& reader);

/// An mbarrier at which a role arrives and for which no other waits, so that the order of those who
/// use the mbarrier of this operation is left to chance; empty: there is none.
[[nodiscard]] std::string nobody_waits(const Cta& cta, const CallSite& used);

/// Roles whose loops, or whole bodies, have different numbers of cta_sync; empty: they do not.
[[nodiscard]] std::string out_of_step(const Cta& cta, const Side& first, const Side& second);

}  // namespace tirx::sim::exec
