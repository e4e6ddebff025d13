// Images of warps; see polling.hpp.
#include "sim/machine/polling.hpp"

#include <algorithm>
#include <cstring>

#include "sim/machine/cta.hpp"

namespace tirx::sim {

namespace {

bool same_strand(const Strand& a, const Strand& b) {
  return a.pc == b.pc && a.mask == b.mask && a.join == b.join && a.state == b.state &&
         a.object == b.object && a.wanted == b.wanted && a.done == b.done && a.phase == b.phase;
}

bool same_join(const JoinState& a, const JoinState& b) {
  return a.expected == b.expected && a.arrived == b.arrived && a.parent == b.parent &&
         a.resume == b.resume;
}

}  // namespace

void WarpImage::take(const Warp& warp, std::size_t vector_bytes, std::size_t scalars) {
  vectors_.assign(warp.vectors, warp.vectors + vector_bytes);
  scalars_.assign(warp.uniform, warp.uniform + scalars);
  poison_.assign(warp.poison, warp.poison + vector_bytes / 32);
  scalar_poison_.assign(warp.uniform_poison, warp.uniform_poison + scalars);
  joins_ = warp.joins;
  strands_ = warp.strands;
  clocks_ = warp.clocks;
  repeated = false;
}

bool WarpImage::same(const Warp& warp) const {
  return clocks_ == warp.clocks &&
         std::memcmp(scalars_.data(), warp.uniform, scalars_.size() * sizeof(std::uint64_t)) == 0 &&
         std::equal(strands_.begin(), strands_.end(), warp.strands.begin(), warp.strands.end(),
                    same_strand) &&
         std::memcmp(vectors_.data(), warp.vectors, vectors_.size()) == 0 &&
         std::memcmp(poison_.data(), warp.poison, poison_.size() * sizeof(std::uint32_t)) == 0 &&
         std::equal(scalar_poison_.begin(), scalar_poison_.end(), warp.uniform_poison) &&
         std::equal(joins_.begin(), joins_.end(), warp.joins.begin(), warp.joins.end(), same_join);
}

bool WarpImage::repeats(const Warp& warp) {
  repeated = repeated || same(warp);
  return repeated;
}

void Cta::remember_state(bool anew) {
  images_.resize(warps.size());
  for (std::size_t i = 0; i < warps.size(); ++i) {
    if (!anew && images_[i].repeated) continue;
    const std::size_t file = (machine.program->vector_bytes + 255) / 256 * 256;
    images_[i].take(warps[i], file, machine.program->uniform_count);
  }
}

bool Cta::repeats_itself() {
  bool all = true;
  for (std::size_t i = 0; i < warps.size(); ++i) all = images_[i].repeats(warps[i]) && all;
  return all;
}

}  // namespace tirx::sim
