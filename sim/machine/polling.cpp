// Images of warps; see polling.hpp.
#include "sim/machine/polling.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/machine/cta.hpp"

namespace tirx::sim {

namespace {

bool same_strand(const Strand& a, const Strand& b) {
  // The cluster's phase is compared beside it; what an earlier operation left there means nothing.
  const bool same_phase = a.state != StrandState::mbarrier || a.phase == b.phase;
  return a.pc == b.pc && a.mask == b.mask && a.join == b.join && a.state == b.state &&
         a.object == b.object && a.wanted == b.wanted && a.done == b.done && a.polls == b.polls &&
         same_phase;
}

std::uint64_t phase_of(const Cta& cta) {
  return cta.cluster != nullptr ? cta.cluster->phase : 0;
}

bool same_barrier(const Barrier& a, const Barrier& b) {
  return a.expected == b.expected && a.arrived == b.arrived && a.whole_cta == b.whole_cta &&
         a.early_left == b.early_left && a.given == b.given && a.held == b.held;
}

bool same_join(const JoinState& a, const JoinState& b) {
  return a.expected == b.expected && a.arrived == b.arrived && a.parent == b.parent &&
         a.resume == b.resume;
}

}  // namespace

void MemoryHash::add(const void* data, std::size_t size) {
  const auto* at = static_cast<const std::byte*>(data);
  for (std::size_t i = 0; i < size; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + i, std::min<std::size_t>(8, size - i));
    // Each word is scrambled (splitmix64) with its place.
    word += ++words_ * 0x9e3779b97f4a7c15U;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
    value += word ^ (word >> 31);
  }
  bytes += size;
}

void WarpImage::take(const Warp& warp, std::size_t vector_bytes, std::size_t scalars) {
  vectors_.assign(warp.vectors, warp.vectors + vector_bytes);
  scalars_.assign(warp.uniform, warp.uniform + scalars);
  poison_.assign(warp.poison, warp.poison + vector_bytes / 32);
  scalar_poison_.assign(warp.uniform_poison, warp.uniform_poison + scalars);
  joins_ = warp.joins;
  strands_ = warp.strands;
  chances_ = warp.chances;
  cluster_phase_ = warp.cluster_phase - phase_of(*warp.cta);
  cluster_arrived_ = warp.cluster_arrived;
}

bool WarpImage::same(const Warp& warp) const {
  return chances_ == warp.chances && cluster_arrived_ == warp.cluster_arrived &&
         (cluster_arrived_ == 0 || cluster_phase_ == warp.cluster_phase - phase_of(*warp.cta)) &&
         std::memcmp(scalars_.data(), warp.uniform, scalars_.size() * sizeof(std::uint64_t)) == 0 &&
         std::equal(strands_.begin(), strands_.end(), warp.strands.begin(), warp.strands.end(),
                    same_strand) &&
         std::memcmp(vectors_.data(), warp.vectors, vectors_.size()) == 0 &&
         std::memcmp(poison_.data(), warp.poison, poison_.size() * sizeof(std::uint32_t)) == 0 &&
         std::equal(scalar_poison_.begin(), scalar_poison_.end(), warp.uniform_poison) &&
         std::equal(joins_.begin(), joins_.end(), warp.joins.begin(), warp.joins.end(), same_join);
}

void Cta::remember_state() {
  images_.resize(warps.size());
  const std::size_t file = (machine.program->vector_bytes + 255) / 256 * 256;
  for (std::size_t i = 0; i < warps.size(); ++i) {
    images_[i].take(warps[i], file, machine.program->uniform_count);
  }
  barriers_then_ = barriers;
  copies_then_ = copies.state();
}

bool Cta::repeats_itself() const {
  for (std::size_t i = 0; i < warps.size(); ++i) {
    if (!images_[i].same(warps[i])) return false;
  }
  return copies.state() == copies_then_ &&
         std::equal(barriers.begin(), barriers.end(), barriers_then_.begin(), same_barrier);
}

void Cta::hash_shared(MemoryHash& hash) const {
  if (machine.program->shared_regions.empty()) return;
  const Region& shared = regions[machine.program->global_regions];  // they all begin at byte 0
  hash.add(shared.data, static_cast<std::size_t>(machine.program->shared_bytes));
  hash.add(shared_valid_.data(), shared_valid_.size() * sizeof(std::uint64_t));
}

std::uint64_t PollWatch::memory_of(std::span<Cta* const> live) {
  MemoryHash hash;
  for (const Cta* cta : live) cta->hash_shared(hash);
  for (const BoundTensor& tensor : live.front()->machine.binding->tensors) {
    if (!tensor.written || tensor.hi <= tensor.lo) continue;
    const auto lo = static_cast<std::size_t>(tensor.lo), hi = static_cast<std::size_t>(tensor.hi);
    const ir::Memory& memory = *tensor.memory;
    hash.add(memory.bytes.data() + lo, hi - lo);
    hash.add(memory.valid.data() + lo / 64, ((hi + 63) / 64 - lo / 64) * sizeof(std::uint64_t));
  }
  hashed_ += hash.bytes;
  return hash.value;
}

/// The state is remembered from some time on, and anew after twice as many rounds each time
/// (Brent's way to find a cycle of unknown length).  Where all registers are as they were, memory
/// is compared too.
bool PollWatch::comes_back(std::span<Cta* const> live,
                           std::uint64_t round,
                           bool steady,
                           std::uint64_t steps) {
  constexpr std::uint64_t kBytesPerStep = 64;  // that looking costs no more than the run itself
  if (!steady) return false;
  const bool back = next_ != 0 && std::all_of(live.begin(), live.end(),
                                              [](const Cta* cta) { return cta->repeats_itself(); });
  if (back && (looks_ < 2 || hashed_ < steps * kBytesPerStep)) {
    const std::uint64_t memory = memory_of(live);
    if (looks_++ == 0) {
      memory_ = memory;
    } else if (memory == memory_) {
      return true;
    }
  }
  const std::uint64_t watched = round - begun_ + 1;
  if (watched >= next_) {
    for (Cta* cta : live) cta->remember_state();
    remembered_ = round;
    next_ = 2 * watched;
    looks_ = 0;
  }
  return false;
}

}  // namespace tirx::sim
