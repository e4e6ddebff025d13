#include "sim/ops/rendezvous.hpp"

#include <bit>

#include <fmt/format.h>

namespace tirx::sim::ops {

namespace {

/// The mask that one lane names.
std::uint32_t mask_of(const Context& at, int mask_arg, int lane) {
  if (mask_arg < 0 || !at.has(mask_arg)) return kFullMask;
  return static_cast<std::uint32_t>(at.bits(mask_arg, lane));
}

bool mask_unknown(const Context& at, int mask_arg, int lane) {
  return mask_arg >= 0 && at.has(mask_arg) && at.poisoned(mask_arg, lane);
}

/// Lanes without a mask take part where somebody names them.
void adopt(const Context& c, std::uint32_t unknown, Masks& masks) {
  for_lanes(unknown, [&](int lane) {
    std::uint32_t found = unknown;
    for_lanes(c.lanes & ~unknown, [&](int other) {
      const std::uint32_t mask = masks.of[static_cast<std::size_t>(other)];
      if (found == unknown && (mask >> lane & 1) != 0) found = mask;
    });
    masks.of[static_cast<std::size_t>(lane)] = found;
  });
}

/// Whether the waiting strand executes the same operation.  Instructions of one family may differ
/// in their modifiers.
bool meets(const Context& c, const Strand& other) {
  return other.state == StrandState::warp && other.site->op == c.site.op &&
         (c.site.instruction == nullptr || other.site->text == c.site.text);
}

}  // namespace

std::uint32_t alike(const Context& c, const Masks& masks, int lane) {
  const std::uint32_t all = c.lanes & ~c.warp.strands[c.warp.running].done;
  if (masks.one) return all;
  std::uint32_t lanes = 0;
  for_lanes(all, [&](int other) {
    if (masks.of[static_cast<std::size_t>(other)] == masks.of[static_cast<std::size_t>(lane)]) {
      lanes |= 1U << other;
    }
  });
  return lanes;
}

Masks read_masks(const Context& c, int mask_arg) {
  Masks masks;
  std::uint32_t unknown = 0, outside = 0;
  const auto& checks = c.cta().machine.options->checks;
  const std::uint32_t first = mask_of(c, mask_arg, std::countr_zero(c.lanes));
  masks.one = true;
  for_lanes(c.lanes, [&](int lane) {
    const std::uint32_t mask = mask_of(c, mask_arg, lane);
    masks.of[static_cast<std::size_t>(lane)] = mask;
    masks.one = masks.one && mask == first;
    if (mask_unknown(c, mask_arg, lane)) unknown |= 1U << lane;
    if ((mask >> lane & 1) == 0) outside |= 1U << lane;
  });
  if (masks.one && (unknown | outside) == 0) return masks;
  masks.one = false;
  if (unknown != 0) {
    c.fault(ir::FaultKind::uninit, std::countr_zero(unknown),
            "the mask of lanes was never written");
    adopt(c, unknown, masks);
    if (checks.has(ir::FaultKind::uninit)) c.warp.misnamed |= unknown;
    outside &= ~unknown;
  }
  const std::string_view name = ir::spec(c.site.op).name;
  if (outside != 0) {
    const int lane = std::countr_zero(outside);
    c.fault(ir::FaultKind::divergence, lane,
            fmt::format("a lane executes {} that its mask {:#010x} does not name", name,
                        masks.of[static_cast<std::size_t>(lane)]),
            "the mask must name every lane that executes the operation");
  }
  // Each set of lanes with one mask against the other lanes here: whom it names brings the same.
  std::uint32_t rest = c.lanes & ~c.warp.strands[c.warp.running].done;
  std::array<std::uint32_t, kLanes> alone = masks.of;
  while (rest != 0) {
    const int lane = std::countr_zero(rest);
    const std::uint32_t mask = masks.of[static_cast<std::size_t>(lane)];
    const std::uint32_t here = alike(c, masks, lane);
    rest &= ~here;
    const std::uint32_t others = mask & c.lanes & ~here;
    if (others == 0 && (here & outside) == 0) continue;
    if (others != 0 && outside == 0) {
      const int other = std::countr_zero(others);
      c.fault(ir::FaultKind::divergence, lane,
              fmt::format("lane {} executes {} with the mask {:#010x}, which names lane {}, and "
                          "that lane with {:#010x}",
                          lane, name, mask, other, masks.of[static_cast<std::size_t>(other)]),
              "all lanes that a mask names execute the operation with the same mask");
    }
    masks.broken |= here;
    for_lanes(here, [&](int one) { alone[static_cast<std::size_t>(one)] = here; });
  }
  masks.of = alone;
  if (checks.has(ir::FaultKind::divergence)) c.warp.misnamed |= masks.broken | outside;
  return masks;
}

bool gather(const Context& c, const Masks& masks, int mask_arg, int lane, Party& party) {
  const std::uint32_t here = alike(c, masks, lane);
  const std::uint32_t mask = masks.of[static_cast<std::size_t>(lane)];
  const std::uint32_t wanted = mask & c.warp.live;
  party.context = &c;
  party.lanes = here;
  const auto join_in = [&](std::uint32_t lanes, const CallSite* site, std::uint32_t result) {
    for_lanes(lanes, [&](int one) {
      party.site[static_cast<std::size_t>(one)] = site;
      party.result[static_cast<std::size_t>(one)] = result;
    });
  };
  join_in(here, &c.site, c.pc->d);
  if ((masks.broken >> lane & 1) != 0) return true;
  if (here != wanted) {
    for (std::size_t i = 0; i < c.warp.strands.size(); ++i) {
      const Strand& other = c.warp.strands[i];
      if (i == c.warp.running || !meets(c, other)) continue;
      const Context at{other.pc, c.warp, *other.site, other.mask};
      std::uint32_t same = 0;
      for_lanes(other.mask & wanted & ~other.done, [&](int one) {
        // Who does not know its mask takes part where it is named.
        if (mask_unknown(at, mask_arg, one) || mask_of(at, mask_arg, one) == mask) {
          same |= 1U << one;
        }
      });
      party.lanes |= same;
      join_in(same, other.site, other.pc->d);
    }
  }
  return (wanted & ~party.lanes) == 0;
}

void release(const Context& c, const Party& party) {
  if ((party.lanes & ~c.lanes) == 0) return;
  for (std::size_t i = 0; i < c.warp.strands.size(); ++i) {
    Strand& other = c.warp.strands[i];
    if (i == c.warp.running || !meets(c, other)) continue;
    other.done |= other.mask & party.lanes;
    if (other.done != other.mask) continue;
    other.done = 0;
    other.state = StrandState::runnable;
    other.pc = other.pc + 1;
  }
}

int elected_lane(const Context& c, const Party& party) {
  std::uint64_t mix = c.cta().machine.options->seed;
  int chosen = std::countr_zero(party.lanes);
  if (mix == 0) return chosen;
  ++c.warp.chances;
  mix = (mix ^ static_cast<std::uint64_t>(c.cta().linear) << 20 ^
         static_cast<std::uint64_t>(c.warp.index) << 10 ^ c.warp.serial) *
        0x9e3779b97f4a7c15U;
  auto nth = static_cast<int>((mix >> 33) % static_cast<std::uint64_t>(std::popcount(party.lanes)));
  for_lanes(party.lanes, [&](int lane) {
    if (nth-- == 0) chosen = lane;
  });
  return chosen;
}

void put_lane(const Context& c,
              const Party& party,
              int k,
              int lane,
              std::uint64_t value,
              bool poison,
              std::uint32_t from) {
  const auto i = static_cast<std::size_t>(lane);
  const CallSite& site = *party.site[i];
  if (site.result.is_void()) return;
  const bool wide = num::bits(site.result.dtype) == 64;
  const std::uint32_t reg =
      party.result[i] + static_cast<std::uint32_t>(k) * (wide ? 8U : 4U) * kLanes;
  if (wide) {
    c.warp.v64(reg)[lane] = value;
  } else {
    c.warp.v32(reg)[lane] = static_cast<std::uint32_t>(value);
  }
  if (site.result_poison) {
    std::uint32_t& bits = c.warp.poison_of(reg);
    bits = poison ? bits | 1U << lane : bits & ~(1U << lane);
    if (poison) c.warp.origins_of(reg)[lane] = from != 0 ? from : c.origin();
  }
}

void put(const Context& c,
         const Party& party,
         int lane,
         std::uint64_t value,
         bool poison,
         std::uint32_t from) {
  put_lane(c, party, 0, lane, value, poison, from);
}

std::uint32_t first_origin(const Party& party, int arg) {
  std::uint32_t from = 0;
  for_lanes(party.lanes, [&](int lane) {
    if (from == 0) from = party.at(lane).origin_of(arg, lane);
  });
  return from;
}

std::uint32_t absent_origin(const Context& at, int source) {
  const auto text = [&](const std::string& who) {
    return Origin{at.site.place.span, fmt::format("the result of {} from {}, which takes no part",
                                                  ir::spec(at.site.op).name, who)};
  };
  return at.cta().origin_at(
      at.site.place.id, static_cast<std::uint64_t>(source),
      [&] { return text(fmt::format("lane {}", source)); }, [&] { return text("a lane"); });
}

}  // namespace tirx::sim::ops
