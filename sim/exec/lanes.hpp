// Small loops over the 32 lanes of a register.  Static, see addresses.hpp.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "sim/program/bytecode.hpp"

namespace tirx::sim {

/// d[i] = from[i] in the lanes of the mask.
template <typename T>
static inline void blend(T* d, const T* from, std::uint32_t mask) {
  if (mask == kFullMask) {
    std::memcpy(d, from, sizeof(T) * kLanes);
    return;
  }
  for (int i = 0; i < kLanes; ++i) d[i] = (mask >> i & 1) != 0 ? from[i] : d[i];
}

/// One bit per lane that is not zero.
static inline std::uint32_t nonzero_lanes(const std::uint32_t* v) {
  std::uint32_t bits = 0;
  for (int i = 0; i < kLanes; ++i) bits |= static_cast<std::uint32_t>(v[i] != 0) << i;
  return bits;
}

/// Calls f(lane) for each lane of the mask, in order.
template <typename F>
static inline void for_lanes(std::uint32_t mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(std::countr_zero(mask));
}

/// How many lanes a mask has; most have all of them, and not every machine counts bits quickly.
[[nodiscard]] static inline std::uint32_t count_lanes(std::uint32_t mask) {
  return mask == kFullMask ? std::uint32_t{kLanes}
                           : static_cast<std::uint32_t>(std::popcount(mask));
}

}  // namespace tirx::sim
