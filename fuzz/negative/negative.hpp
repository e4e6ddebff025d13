// Do the checks speak when synchronisation is missing?  Random programs with one barrier, fence or
// wait removed: where the closure of the run's trace has an unordered conflict, a report is due;
// where it has none and the program still ends, silence is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/simulate.hpp"

namespace tirx::fuzz {

enum class RemovalOutcome : std::uint8_t {
  nothing_to_remove,
  reported,       // unordered conflict, and a report
  missed,         // unordered conflict, no report
  harmless,       // no conflict, no report
  hang_reported,  // the program does not end, and the report says so
  false_alarm,    // a race is reported, but no conflict is unordered
  not_judged,     // tile operations take part: the trace does not say who touches what
};

struct Removal {
  RemovalOutcome outcome = RemovalOutcome::nothing_to_remove;
  std::string what;    // "barrier removed, line 31"
  std::string report;  // the first fault's text
  std::int64_t conflicts = 0;
};

/// Generates the program of the seed, removes one thing (which one: by the seed too), runs it.
[[nodiscard]] Removal remove_one(std::uint64_t seed, const sim::SimOptions& options);

}  // namespace tirx::fuzz
