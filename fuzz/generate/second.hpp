// Another kernel behind the first: what the rest of a program takes for granted (one row of CTAs
// and of threads, whole warps, a grid of one number, parameters of a few types, plain names) is
// drawn anew.
#pragma once

#include <cstdint>

#include "fuzz/generate/draft.hpp"

namespace tirx::fuzz {

/// Whether the program of the seed has one; by a stream of its own, so that the rest of the program
/// is what it is without.
[[nodiscard]] bool has_second_kernel(std::uint64_t seed);

/// Writes it behind the draft's own.
void second_kernel(Draft& draft, std::uint64_t seed);

}  // namespace tirx::fuzz
