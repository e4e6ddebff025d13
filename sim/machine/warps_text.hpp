// How are several warps named in a sentence?
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace tirx::sim {

/// "warp 2", "warps 0, 1 and 3": a bit each.
[[nodiscard]] inline std::string warps_text(std::uint32_t warps) {
  std::string text = std::has_single_bit(warps) ? "warp " : "warps ";
  for (int left = std::popcount(warps); warps != 0; warps &= warps - 1, --left) {
    text += std::to_string(std::countr_zero(warps));
    if (left > 1) text += left > 2 ? ", " : " and ";
  }
  return text;
}

}  // namespace tirx::sim
