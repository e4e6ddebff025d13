// Walking the elements of a box, for the tile-level evaluator.
#pragma once

#include <cstdint>
#include <vector>

namespace tirx::sim::tile {

/// Calls f(index) for every index of a box of these extents, row-major.
template <typename F>
void for_each_index(const std::vector<std::int64_t>& extent, F&& f) {
  for (const std::int64_t e : extent) {
    if (e <= 0) return;
  }
  std::vector<std::int64_t> index(extent.size(), 0);
  while (true) {
    f(index);
    std::size_t k = extent.size();
    while (k > 0 && ++index[k - 1] == extent[k - 1]) index[--k] = 0;
    if (k == 0) return;
  }
}

[[nodiscard]] inline std::vector<std::int64_t> without_units(
    const std::vector<std::int64_t>& extent) {
  std::vector<std::int64_t> result;
  for (const std::int64_t e : extent) {
    if (e != 1) result.push_back(e);
  }
  return result;
}

}  // namespace tirx::sim::tile
