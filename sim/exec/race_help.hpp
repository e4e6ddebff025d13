// What would have ordered two accesses that race?
#pragma once

#include <string>

#include "sim/exec/race_side.hpp"

namespace tirx::sim::exec {

/// `first` and `second` in the report's order; `where`: "between line 12 and line 15"; `apart`:
/// they came to the barrier at which they last met at two places.
[[nodiscard]] std::string missing(const Side& first,
                                  const Side& second,
                                  const Cta& cta,
                                  bool shared,
                                  const std::string& where,
                                  const std::string& left_out,
                                  bool apart);

/// Threads of two warps of a CTA that other lanes of these warps have ordered for themselves only;
/// empty: none.
[[nodiscard]] std::string lanes_left_out(const Side& prior, const Side& now, const Cta& cta);

}  // namespace tirx::sim::exec
