// Two threads race at one statement, which each executes once: a barrier would not help.
#pragma once

#include <cstdint>
#include <string>

#include "sim/exec/race_side.hpp"

namespace tirx::sim::exec {

/// Why both come to the element that holds this byte, and the way out.  Empty: they race in two
/// statements, or in different rounds of a loop.  `w`: the warp of the access that is made now.
[[nodiscard]] std::string at_one_statement(const Side& prior,
                                           const Side& now,
                                           const Warp& w,
                                           std::int64_t byte);

}  // namespace tirx::sim::exec
