// What the other phases do not come by, found with broken builds of tirx that survived them
// (docs/testing.md, "Broken builds").
#pragma once

#include "fuzz/generate/draft.hpp"

namespace tirx::fuzz {

/// Whether the program of the seed ends with a corner; by a stream of its own, so that the rest of
/// the program is what it is without.
[[nodiscard]] bool has_corner(std::uint64_t seed);

void corner(Draft& draft);

}  // namespace tirx::fuzz
