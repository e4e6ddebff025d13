// A small kernel whose lines say what becomes of them in CUDA (fuzz/check/emitted.hpp): what
// docs/cuda.md promises, and no value shows.
#pragma once

#include <cstdint>

#include "fuzz/generate/draft.hpp"

namespace tirx::fuzz {

/// Whether the program of the seed has one behind its kernels; by a stream of its own.
[[nodiscard]] bool has_documented_kernel(std::uint64_t seed);

/// Writes it and its launch.
void documented_kernel(Draft& draft, std::uint64_t seed);

}  // namespace tirx::fuzz
