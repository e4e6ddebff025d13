// Are some elements of a region one aligned run of memory, so that one access moves them all?
#pragma once

#include <cstddef>
#include <cstdint>

#include "lower/site.hpp"

namespace tirx::lower {

/// Whether `lanes` elements along the last dimension of an operand's region, from a multiple of
/// `lanes` on, are neighbours in memory and aligned.
[[nodiscard]] bool is_run(const Site& site, std::size_t operand, std::int64_t lanes);

}  // namespace tirx::lower
