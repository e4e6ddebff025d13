// Which values does the variable of a loop take?  Bounds at the ends of int64 stay in it.
#pragma once

#include "ir/facts.hpp"

namespace tirx::ir {

/// The neighbours of a bound; of the last integer, itself.
[[nodiscard]] std::int64_t one_below(std::int64_t bound);
[[nodiscard]] std::int64_t one_above(std::int64_t bound);

/// What the variable of `for i in range(begin, end, step)` can be, step != 0; of a loop without a
/// trip, its begin.
[[nodiscard]] Interval loop_values(Interval begin, Interval end, std::int64_t step);

}  // namespace tirx::ir
