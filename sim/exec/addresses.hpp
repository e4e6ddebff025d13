// Addresses of an access, and the validity of the bytes at them.  The functions are static: files
// compiled for different instruction sets each keep their own.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/exec/lanes.hpp"
#include "sim/machine/warp.hpp"

namespace tirx::sim::exec {

static inline std::int64_t base_address(const MemSite& site, const Warp& w) {
  return site.imm + static_cast<std::int64_t>(w.uniform[site.u0]) +
         static_cast<std::int64_t>(w.uniform[site.u1]) * site.k1;
}

/// The address of the first element of every lane (also of lanes that do not take part).
static inline void addresses(const MemSite& site, const Warp& w, std::int64_t* out) {
  const std::int64_t base = base_address(site, w);
  if (site.pattern != nullptr) {
    for (int i = 0; i < kLanes; ++i)
      out[i] = base + site.pattern->offset[static_cast<std::size_t>(i)];
  } else if (site.v_wide) {
    const auto* v = reinterpret_cast<const std::int64_t*>(w.vectors + site.v);
    for (int i = 0; i < kLanes; ++i) out[i] = base + v[i];
  } else {
    const auto* v = reinterpret_cast<const std::int32_t*>(w.vectors + site.v);
    for (int i = 0; i < kLanes; ++i) out[i] = base + v[i];
  }
}

/// Whether all of the bytes [begin, begin + size) have been written.
static inline bool is_valid(const std::uint64_t* valid, std::int64_t begin, std::int64_t size) {
  std::int64_t word = begin >> 6;
  const int shift = static_cast<int>(begin & 63);
  if (shift + size <= 64) {
    const std::uint64_t mask = size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
    return (valid[word] >> shift & mask) == mask;
  }
  if (shift != 0) {
    if (valid[word] >> shift != ~std::uint64_t{0} >> shift) return false;
    size -= 64 - shift;
    ++word;
  }
  for (; size >= 64; size -= 64, ++word) {
    if (valid[word] != ~std::uint64_t{0}) return false;
  }
  if (size == 0) return true;
  const std::uint64_t mask = (std::uint64_t{1} << size) - 1;
  return (valid[word] & mask) == mask;
}

/// Sets or clears validity bits of one word; returns how many bytes became valid (negative:
/// invalid).
static inline std::int64_t mark_word(std::uint64_t& word,
                                     std::uint64_t mask,
                                     bool value,
                                     bool counted) {
  if (counted) {
    const std::uint64_t before = word;
    word = value ? before | mask : before & ~mask;
    return std::popcount(word) - std::popcount(before);
  }
  // Words of global memory may be shared with CTAs on other host threads.
  const std::atomic_ref<std::uint64_t> shared(word);
  if (value) {
    if ((shared.load(std::memory_order_relaxed) & mask) != mask) {
      shared.fetch_or(mask, std::memory_order_relaxed);
    }
  } else {
    shared.fetch_and(~mask, std::memory_order_relaxed);
  }
  return 0;
}

/// Marks the bytes [begin, begin + size) as written (or as poisoned).
static inline void mark(const Region& region, std::int64_t begin, std::int64_t size, bool value) {
  std::int64_t change = 0;
  std::int64_t word = begin >> 6;
  int shift = static_cast<int>(begin & 63);
  while (size > 0) {
    const std::int64_t here = size < 64 - shift ? size : 64 - shift;
    const std::uint64_t mask = (here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1)
                               << shift;
    change += mark_word(region.valid[word], mask, value, region.counted);
    size -= here;
    ++word;
    shift = 0;
  }
  if (region.counted) {
    const_cast<Region&>(region).invalid -= change;
  } else if (!value) {
    std::atomic_ref<std::int64_t>(const_cast<Region&>(region).invalid)
        .store(1, std::memory_order_relaxed);
  }
}

/// Claims the lines of [begin, begin + size) for some CTAs; false if others have touched them.
static inline bool claim(const Region& region,
                         std::int64_t begin,
                         std::int64_t size,
                         std::uint32_t me) {
  for (std::int64_t line = begin / kOwnerLine; line <= (begin + size - 1) / kOwnerLine; ++line) {
    const std::atomic_ref<std::uint32_t> owner(region.owner[line]);
    std::uint32_t known = owner.load(std::memory_order_relaxed);
    if (known == me) continue;
    if (known != 0) return false;
    if (!owner.compare_exchange_strong(known, me, std::memory_order_relaxed) && known != me) {
      return false;
    }
  }
  return true;
}

}  // namespace tirx::sim::exec
