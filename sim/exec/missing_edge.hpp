// Two CTAs race: which half of an edge between them is there, and which one is missing?
#pragma once

#include <cstdint>
#include <string>

#include "sim/machine/cta.hpp"

namespace tirx::sim::exec {

/// What would order two accesses of different CTAs, judged by the synchronisation that stands
/// between their places in the program; `where`: "between line 11 and line 13".  Empty: nothing in
/// particular.
[[nodiscard]] std::string missing_between_ctas(const Cta& cta,
                                               const Place& a,
                                               const Place& b,
                                               std::int64_t cta_of_a,
                                               std::int64_t cta_of_b,
                                               const std::string& where);

}  // namespace tirx::sim::exec
