// Has a run a race?  The definition, on the graph of what the threads did (sim/race/trace.hpp): two
// accesses to one byte, one of them a write, that the closure of happens-before leaves unordered.
#pragma once

#include <optional>

#include "sim/race/trace.hpp"

namespace tirx::fuzz {

/// Longer traces than this are not judged: the closure has a bit for each pair of nodes.
inline constexpr std::size_t kMostNodes = 30'000;

/// Nothing where the trace is too long, or has too many accesses to one place.
[[nodiscard]] std::optional<bool> has_race(const sim::race::Trace& trace);

}  // namespace tirx::fuzz
