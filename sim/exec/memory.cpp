// Loads and stores of global and shared memory.
//
// The common case first: one base address, a fixed pattern of lanes, all of it inside the buffer's
// storage: contiguous, broadcast, or two such halves.  Everything else goes lane by lane.
#include <algorithm>
#include <cstring>

#include "sim/exec/addresses.hpp"
#include "sim/exec/handlers.hpp"
#include "sim/exec/report.hpp"

namespace tirx::sim::exec {

namespace {

template <int Size>
struct UnsignedOf;

template <>
struct UnsignedOf<1> {
  using Type = std::uint8_t;
};

template <>
struct UnsignedOf<2> {
  using Type = std::uint16_t;
};

template <>
struct UnsignedOf<4> {
  using Type = std::uint32_t;
};

template <>
struct UnsignedOf<8> {
  using Type = std::uint64_t;
};

template <int Size>
using Element = typename UnsignedOf<Size>::Type;
/// The type of a lane of the register that holds it.
template <int Size>
using Lane = std::conditional_t<Size == 8, std::uint64_t, std::uint32_t>;

template <int Size>
inline constexpr std::uint32_t kRow = (Size == 8 ? 8U : 4U) * kLanes;

template <int Size>
Lane<Size> read(const std::byte* at) {
  Element<Size> v;
  std::memcpy(&v, at, Size);
  return v;
}

template <int Size>
void write(std::byte* at, Lane<Size> value) {
  const auto v = static_cast<Element<Size>>(value);
  std::memcpy(at, &v, Size);
}

template <int Size>
void read_lanes(const std::byte* at, const LanePattern& pattern, Lane<Size>* d) {
  switch (pattern.kind) {
    case LanePattern::Kind::broadcast: {
      const Lane<Size> v = read<Size>(at + pattern.offset[0]);
      for (int i = 0; i < kLanes; ++i) d[i] = v;
      return;
    }
    case LanePattern::Kind::run:
      if (pattern.step == Size) {
        const std::byte* from = at + pattern.offset[0];
        for (int i = 0; i < kLanes; ++i) d[i] = read<Size>(from + i * Size);
        return;
      }
      break;
    case LanePattern::Kind::halves: {
      const std::byte* low = at + pattern.offset[0];
      const std::byte* high = at + pattern.offset[16];
      if (pattern.step == Size) {
        for (int i = 0; i < 16; ++i) d[i] = read<Size>(low + i * Size);
        for (int i = 0; i < 16; ++i) d[16 + i] = read<Size>(high + i * Size);
        return;
      }
      if (pattern.step == 0) {
        const Lane<Size> a = read<Size>(low), b = read<Size>(high);
        for (int i = 0; i < 16; ++i) d[i] = a;
        for (int i = 16; i < kLanes; ++i) d[i] = b;
        return;
      }
      break;
    }
    case LanePattern::Kind::any:
      break;
  }
  for (int i = 0; i < kLanes; ++i)
    d[i] = read<Size>(at + pattern.offset[static_cast<std::size_t>(i)]);
}

/// Lanes whose element holds bytes that were never written.
std::uint32_t invalid_lanes(const Region& region,
                            const LanePattern& pattern,
                            std::int64_t base,
                            int size) {
  if (pattern.kind == LanePattern::Kind::broadcast) {
    return is_valid(region.valid, base + pattern.offset[0], size) ? 0 : kFullMask;
  }
  if (pattern.kind == LanePattern::Kind::run && pattern.step == size &&
      is_valid(region.valid, base + pattern.offset[0], std::int64_t{size} * kLanes)) {
    return 0;
  }
  if (pattern.kind == LanePattern::Kind::halves) {
    const std::int64_t span = pattern.step == size ? 16 * size : pattern.step == 0 ? size : 0;
    if (span != 0 && is_valid(region.valid, base + pattern.offset[0], span) &&
        is_valid(region.valid, base + pattern.offset[16], span)) {
      return 0;
    }
  }
  std::uint32_t bad = 0;
  for (int i = 0; i < kLanes; ++i) {
    bad |= static_cast<std::uint32_t>(
               !is_valid(region.valid, base + pattern.offset[static_cast<std::size_t>(i)], size))
           << i;
  }
  return bad;
}

/// Poison of a loaded register; `bad` lanes found bytes that were never written.
void loaded_poison(
    Warp& w, const MemSite& site, std::uint32_t reg, std::uint32_t bad, std::int64_t byte) {
  std::uint32_t& poison = w.poison_of(reg);
  bad &= w.mask;
  poison = (poison & ~w.mask) | bad;
  if (bad != 0) [[unlikely]] {
    w.origin_of(reg) = load_origin(site, w, std::countr_zero(bad), byte);
  }
}

/// The lanes that may go on, after checks and the storage's limits; `address` is filled.
std::uint32_t legal_lanes(const MemSite& site, Warp& w, std::int64_t* address) {
  addresses(site, w, address);
  const std::uint32_t active = w.mask & ~w.skip;
  w.skip = 0;
  const std::int64_t unit = site.nibble ? 1 : site.size;
  const std::int64_t reach = (site.count - 1) * site.stride;
  const std::int64_t lo = (site.nibble ? site.lo * 2 : site.lo) - std::min<std::int64_t>(reach, 0);
  const std::int64_t hi =
      (site.nibble ? site.hi * 2 : site.hi) - std::max<std::int64_t>(reach, 0) - unit;
  std::uint32_t out = 0;
  for (int i = 0; i < kLanes; ++i) {
    out |= static_cast<std::uint32_t>(address[i] < lo || address[i] > hi) << i;
  }
  out &= active;
  if (out != 0) report_outside(site, w, out);
  return active & ~out;
}

template <int Size, bool Init>
[[gnu::noinline]] void load_slow(const MemSite& site, Warp& w, std::uint32_t d) {
  alignas(64) std::int64_t address[kLanes];
  const std::uint32_t legal = legal_lanes(site, w, address);
  const Region& region = w.regions[site.region];
  for (int e = 0; e < site.count; ++e) {
    const std::uint32_t reg = d + static_cast<std::uint32_t>(e) * kRow<Size>;
    auto* lanes = reinterpret_cast<Lane<Size>*>(w.vectors + reg);
    std::uint32_t bad = w.mask & ~legal;
    for_lanes(bad, [&](int lane) { lanes[lane] = 0; });
    for_lanes(legal, [&](int lane) {
      const std::int64_t at = address[lane] + e * site.stride;
      const std::int64_t byte = site.nibble ? at >> 1 : at;
      Lane<Size> v = read<Size>(region.data + byte);
      if (site.nibble) v = v >> (at & 1) * 4 & 0xf;
      if (site.boolean) v = v != 0 ? 1 : 0;
      lanes[lane] = v;
      if constexpr (Init) {
        if (region.invalid != 0 && !is_valid(region.valid, byte, Size)) bad |= 1U << lane;
      }
    });
    if constexpr (Init) {
      const int first = std::countr_zero(bad);
      const std::int64_t at = bad == 0 ? 0 : address[first] + e * site.stride;
      loaded_poison(w, site, reg, bad, site.nibble ? at >> 1 : at);
      if ((bad & ~legal) != 0) w.origin_of(reg) = refused_origin(site.place, site.buffer, w);
    }
  }
}

/// The CTA shares memory with another one that runs at the same time.
const Instr* conflict(Warp& w) {
  w.cta->conflict = true;
  w.stop = Stop::abort;
  return nullptr;
}

template <int Size, bool Init>
const Instr* load(const Instr* pc, Warp& w) {
  const MemSite& site = *pc->data.mem;
  if (w.regions[site.region].owner != nullptr && !claim_access(site, w)) return conflict(w);
  if (site.pattern != nullptr && w.skip == 0) {
    const std::int64_t base = base_address(site, w);
    if (base + site.low >= site.lo && base + site.high <= site.hi) {
      const Region& region = w.regions[site.region];
      std::uint32_t reg = pc->d;
      std::int64_t at = base;
      for (int e = 0; e < site.count; ++e) {
        auto* d = reinterpret_cast<Lane<Size>*>(w.vectors + reg);
        if (w.mask == kFullMask) {
          read_lanes<Size>(region.data + at, *site.pattern, d);
        } else {
          alignas(64) Lane<Size> all[kLanes];
          read_lanes<Size>(region.data + at, *site.pattern, all);
          blend(d, all, w.mask);
        }
        if constexpr (Init) {
          const std::uint32_t bad =
              region.invalid == 0 ? 0 : invalid_lanes(region, *site.pattern, at, Size);
          const auto first = static_cast<std::size_t>(std::countr_zero(bad & w.mask));
          loaded_poison(w, site, reg, bad, first < kLanes ? at + site.pattern->offset[first] : 0);
        }
        reg += kRow<Size>;
        at += site.stride;
      }
      return pc + 1;
    }
  }
  load_slow<Size, Init>(site, w, pc->d);
  return pc + 1;
}

template <int Size, bool Init>
const Instr* load_plain_slow(const Instr* pc, Warp& w) {
  const MemSite& site = *pc->data.mem;
  if (w.regions[site.region].owner != nullptr && !claim_access(site, w)) return conflict(w);
  load_slow<Size, Init>(site, w, pc->d);
  return pc + 1;
}

/// One lane per address register; the common checks passed.
template <int Size, bool Init>
const Instr* load_gather(const Instr* pc, Warp& w) {
  const MemSite& site = *pc->data.mem;
  if (w.regions[site.region].owner != nullptr && !claim_access(site, w)) return conflict(w);
  if (w.skip == 0 && !site.v_wide && site.count == 1 && w.mask == kFullMask) {
    const std::int64_t base = base_address(site, w);
    const auto* v = reinterpret_cast<const std::int32_t*>(w.vectors + site.v);
    std::int32_t low = v[0], high = v[0];
    for (int i = 1; i < kLanes; ++i) {
      low = std::min(low, v[i]);
      high = std::max(high, v[i]);
    }
    if (base + low >= site.lo && base + high + Size <= site.hi) {
      const Region& region = w.regions[site.region];
      const std::byte* at = region.data + base;
      auto* d = reinterpret_cast<Lane<Size>*>(w.vectors + pc->d);
      std::uint32_t bad = 0;
      if (Init && region.invalid != 0) {
        for (int i = 0; i < kLanes; ++i) {
          bad |= static_cast<std::uint32_t>(!is_valid(region.valid, base + v[i], Size)) << i;
        }
      }
      for (int i = 0; i < kLanes; ++i) d[i] = read<Size>(at + v[i]);
      if constexpr (Init)
        loaded_poison(w, site, pc->d, bad, bad == 0 ? 0 : base + v[std::countr_zero(bad)]);
      return pc + 1;
    }
  }
  load_slow<Size, Init>(site, w, pc->d);
  return pc + 1;
}

/// All lanes read one element: into a uniform register.
template <int Size, bool Init>
const Instr* load_uniform(const Instr* pc, Warp& w) {
  const MemSite& site = *pc->data.mem;
  if (w.regions[site.region].owner != nullptr && !claim_access(site, w)) return conflict(w);
  const std::int64_t at = base_address(site, w);
  const std::uint32_t active = w.mask & ~w.skip;
  const bool refused = active != w.mask;
  w.skip = 0;
  if (refused || at < site.lo || at + Size > site.hi) {
    if (active != 0 && (at < site.lo || at + Size > site.hi)) report_outside(site, w, active);
    w.uniform[pc->d] = 0;
    if constexpr (Init) {
      w.uniform_poison[pc->d] = 1;
      w.uniform_origin[pc->d] = refused_origin(site.place, site.buffer, w);
    }
    return pc + 1;
  }
  const Region& region = w.regions[site.region];
  std::uint64_t v = read<Size>(region.data + at);
  if (site.boolean) v = v != 0 ? 1 : 0;
  if (Size < 8 && pc->c != 0) {
    v = static_cast<std::uint64_t>(static_cast<std::int64_t>(v << (64 - Size * 8)) >>
                                   (64 - Size * 8));
  }
  w.uniform[pc->d] = v;
  if constexpr (Init) {
    const bool bad = region.invalid != 0 && !is_valid(region.valid, at, Size);
    w.uniform_poison[pc->d] = bad ? 1 : 0;
    if (bad) w.uniform_origin[pc->d] = load_origin(site, w, std::countr_zero(w.mask), at);
  }
  return pc + 1;
}

template <int Size, bool Init, bool Poison>
[[gnu::noinline]] void store_slow(const MemSite& site, Warp& w, std::uint32_t a) {
  alignas(64) std::int64_t address[kLanes];
  const std::uint32_t legal = legal_lanes(site, w, address);
  const Region& region = w.regions[site.region];
  for (int e = 0; e < site.count; ++e) {
    const std::uint32_t reg = a + static_cast<std::uint32_t>(e) * kRow<Size>;
    const auto* lanes = reinterpret_cast<const Lane<Size>*>(w.vectors + reg);
    const std::uint32_t poison = Poison ? w.poison_of(reg) : 0;
    for_lanes(legal, [&](int lane) {
      const std::int64_t at = address[lane] + e * site.stride;
      const std::int64_t byte = site.nibble ? at >> 1 : at;
      Lane<Size> v = lanes[lane];
      if (site.nibble) {
        const Lane<Size> old = read<Size>(region.data + byte);
        v = (at & 1) != 0 ? (old & 0x0f) | (v & 0xf) << 4 : (old & 0xf0) | (v & 0xf);
      }
      write<Size>(region.data + byte, v);
      if constexpr (Init) {
        if (Poison && (poison >> lane & 1) != 0) {
          mark(region, byte, Size, false);
          const auto key =
              static_cast<std::uint64_t>(site.region) << 48 | static_cast<std::uint64_t>(byte);
          w.cta->stored_poison[key] = w.origin_of(reg);
        } else if (region.invalid != 0) {
          mark(region, byte, Size, true);
        }
      }
    });
  }
}

template <int Size, bool Init, bool Poison>
const Instr* store(const Instr* pc, Warp& w) {
  const MemSite& site = *pc->data.mem;
  if (w.regions[site.region].owner != nullptr && !claim_access(site, w)) return conflict(w);
  if (site.pattern != nullptr && w.skip == 0 && w.mask == kFullMask) {
    const std::int64_t base = base_address(site, w);
    const LanePattern& pattern = *site.pattern;
    const bool run = pattern.kind == LanePattern::Kind::run && pattern.step == Size;
    const bool halves = pattern.kind == LanePattern::Kind::halves && pattern.step == Size;
    if (base + site.low >= site.lo && base + site.high <= site.hi && (!Poison || site.count == 1)) {
      const Region& region = w.regions[site.region];
      if (Poison && w.poison_of(pc->a) != 0) {
        store_slow<Size, Init, Poison>(site, w, pc->a);
        return pc + 1;
      }
      std::uint32_t reg = pc->a;
      std::int64_t at = base;
      for (int e = 0; e < site.count; ++e) {
        const auto* v = reinterpret_cast<const Lane<Size>*>(w.vectors + reg);
        std::byte* to = region.data + at;
        if (run) {
          to += pattern.offset[0];
          for (int i = 0; i < kLanes; ++i) write<Size>(to + i * Size, v[i]);
        } else if (halves) {
          for (int i = 0; i < 16; ++i) write<Size>(to + pattern.offset[0] + i * Size, v[i]);
          for (int i = 0; i < 16; ++i) write<Size>(to + pattern.offset[16] + i * Size, v[16 + i]);
        } else {
          for (int i = 0; i < kLanes; ++i) {
            write<Size>(to + pattern.offset[static_cast<std::size_t>(i)], v[i]);
          }
        }
        if (Init && region.invalid != 0) {
          if (run) {
            mark(region, at + pattern.offset[0], Size * kLanes, true);
          } else if (halves) {
            mark(region, at + pattern.offset[0], Size * 16, true);
            mark(region, at + pattern.offset[16], Size * 16, true);
          } else {
            for (int i = 0; i < kLanes; ++i) {
              mark(region, at + pattern.offset[static_cast<std::size_t>(i)], Size, true);
            }
          }
        }
        reg += kRow<Size>;
        at += site.stride;
      }
      return pc + 1;
    }
  }
  store_slow<Size, Init, Poison>(site, w, pc->a);
  return pc + 1;
}

template <int Size, bool Init>
Handler load_of(const MemSite& site, bool uniform) {
  if (uniform) return load_uniform<Size, Init>;
  if (site.nibble || site.boolean) return load_plain_slow<Size, Init>;
  return site.pattern != nullptr ? load<Size, Init> : load_gather<Size, Init>;
}

template <int Size>
Handler load_of(const MemSite& site, bool uniform, bool init) {
  return init ? load_of<Size, true>(site, uniform) : load_of<Size, false>(site, uniform);
}

template <int Size, bool Init, bool Poison>
const Instr* store_nibble(const Instr* pc, Warp& w) {
  const MemSite& site = *pc->data.mem;
  if (w.regions[site.region].owner != nullptr && !claim_access(site, w)) return conflict(w);
  store_slow<Size, Init, Poison>(site, w, pc->a);
  return pc + 1;
}

template <int Size>
Handler store_of(const MemSite& site, bool init, bool poison) {
  if (site.nibble) {
    return !init    ? store_nibble<Size, false, false>
           : poison ? store_nibble<Size, true, true>
                    : store_nibble<Size, true, false>;
  }
  return !init    ? store<Size, false, false>
         : poison ? store<Size, true, true>
                  : store<Size, true, false>;
}

}  // namespace

bool claim_access(const MemSite& site, Warp& w) {
  alignas(64) std::int64_t address[kLanes];
  addresses(site, w, address);
  const Region& region = w.regions[site.region];
  const auto cta = static_cast<std::uint32_t>(w.cta->linear + 1);
  const std::int64_t unit = site.nibble ? 2 : 1;
  std::int64_t low = 0, high = 0;  // one run of lanes that follow each other
  bool ok = true;
  const auto flush = [&] {
    if (high > low) ok = ok && claim(region, low, high - low, cta);
  };
  for_lanes(w.mask & ~w.skip, [&](int lane) {
    for (int e = 0; e < site.count; ++e) {
      const std::int64_t at = (address[lane] + e * site.stride) / unit;
      if (at < site.lo || at + site.size > site.hi) continue;
      if (at <= high && at >= low) {
        high = std::max(high, at + site.size);
      } else {
        flush();
        low = at;
        high = at + site.size;
      }
    }
  });
  flush();
  return ok;
}

Handler find_load(const MemSite& site, bool uniform, bool init, bool) {
  switch (site.size) {
    case 1:
      return load_of<1>(site, uniform, init);
    case 2:
      return load_of<2>(site, uniform, init);
    case 4:
      return load_of<4>(site, uniform, init);
    default:
      return load_of<8>(site, uniform, init);
  }
}

Handler find_store(const MemSite& site, bool init, bool poison, bool) {
  switch (site.size) {
    case 1:
      return store_of<1>(site, init, poison);
    case 2:
      return store_of<2>(site, init, poison);
    case 4:
      return store_of<4>(site, init, poison);
    default:
      return store_of<8>(site, init, poison);
  }
}

}  // namespace tirx::sim::exec
