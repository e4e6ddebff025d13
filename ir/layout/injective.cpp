// Does every element have a place of its own?  Decided on the iters: along each axis, sorted by
// stride, each step must clear everything the smaller ones can reach.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "ir/layout/algebra.hpp"
#include "ir/layout/arithmetic.hpp"

namespace tirx::ir {

namespace {

/// Iters of extent above 1, by axis and then by size of stride.
Iters sorted_steps(const TileLayout& layout) {
  Iters out;
  for (const Iter& it : layout.shard()) {
    if (it.extent > 1) out.push_back(it);
  }
  std::sort(out.begin(), out.end(), [](const Iter& a, const Iter& b) {
    if (a.axis != b.axis) return a.axis < b.axis;
    return std::abs(a.stride) < std::abs(b.stride);
  });
  return out;
}

}  // namespace

bool is_injective(const TileLayout& layout) {
  std::int64_t reach = 0;
  const Iter* previous = nullptr;
  const Iters steps = sorted_steps(layout);
  for (const Iter& it : steps) {
    if (previous == nullptr || previous->axis != it.axis) reach = 0;
    const std::int64_t stride = std::abs(it.stride);
    if (stride <= reach) return false;
    reach += (it.extent - 1) * stride;
    previous = &it;
  }
  return true;
}

bool is_bijective(const TileLayout& layout) {
  std::int64_t next = 1;
  const Iters steps = sorted_steps(layout);
  for (const Iter& it : steps) {
    if (it.axis != steps.front().axis || it.stride != next) return false;
    next *= it.extent;
  }
  return std::all_of(layout.offset().begin(), layout.offset().end(),
                     [](const auto& entry) { return entry.second == 0; });
}

bool is_contiguous(const TileLayout& layout) {
  const auto simple = canonicalize(layout);
  if (!simple || simple->has_replicas() || simple->has_thread_axes()) return false;
  const Iters& shard = simple->shard();
  return shard.empty() || (shard.size() == 1 && (shard[0].stride == 1 || shard[0].extent == 1));
}

}  // namespace tirx::ir
