// How large may a symbolic dimension be?  Less than its type allows: the last increment of a loop
// up to it must not leave the type, or the loop in CUDA could not be a plain `for`.
#pragma once

#include <cstdint>

#include "ir/facts.hpp"

namespace tirx::lower {

/// A loop up to the largest symbol may step by this much.
inline constexpr std::int64_t kLargestFreeStep = 65536;

/// Launches refuse more; of a type below 32 bits, every value is allowed.
[[nodiscard]] inline std::int64_t largest_symbol(num::DType dtype) {
  const std::int64_t largest = ir::values_of(dtype).high;
  return num::bits(dtype) < 32 ? largest : largest - (kLargestFreeStep - 1);
}

}  // namespace tirx::lower
