#include "sim/ops/rendezvous.hpp"

#include <bit>

#include <fmt/format.h>

namespace tirx::sim::ops {

Gathered gather(Context& c, int mask_arg) {
  Gathered gathered;
  const int first = std::countr_zero(c.lanes);
  std::uint32_t mask = kFullMask;
  if (mask_arg >= 0 && c.has(mask_arg)) {
    if (c.poisoned(mask_arg, first)) {
      c.fault(ir::FaultKind::uninit, first, "the mask of lanes was never written");
    } else {
      mask = static_cast<std::uint32_t>(c.bits(mask_arg, first));
    }
  }
  const std::string_view name = ir::spec(c.site.op).name;
  if ((c.lanes & ~mask) != 0) {
    c.fault(ir::FaultKind::divergence, std::countr_zero(c.lanes & ~mask),
            fmt::format("a lane executes {} that its mask {:#010x} does not name", name, mask),
            "the mask must name every lane that executes the operation");
    mask |= c.lanes;
  }
  const std::uint32_t wanted = mask & c.warp.live;
  Party& party = gathered.party;
  party.context = &c;
  party.lanes = c.lanes;
  const auto join_in = [&](std::uint32_t lanes, const CallSite* site, std::uint32_t result) {
    for_lanes(lanes, [&](int lane) {
      party.site[static_cast<std::size_t>(lane)] = site;
      party.result[static_cast<std::size_t>(lane)] = result;
    });
  };
  join_in(c.lanes, &c.site, c.pc->d);
  if (party.lanes != wanted) {
    for (std::size_t i = 0; i < c.warp.strands.size(); ++i) {
      const Strand& other = c.warp.strands[i];
      if (i == c.warp.running || other.state != StrandState::warp) continue;
      if (other.site->op != c.site.op || other.wanted != mask) continue;
      // Instructions of one family may differ in their modifiers.
      if (c.site.instruction != nullptr && other.site->text != c.site.text) continue;
      party.lanes |= other.mask;
      join_in(other.mask, other.site, other.pc->d);
    }
  }
  if ((wanted & ~party.lanes) != 0) {
    Strand& strand = c.block(StrandState::warp);
    strand.wanted = mask;
    gathered.next = Next::retry;
    return gathered;
  }
  gathered.ready = true;
  return gathered;
}

void release(const Context& c, const Party& party) {
  if (party.lanes == c.lanes) return;
  for (std::size_t i = 0; i < c.warp.strands.size(); ++i) {
    Strand& other = c.warp.strands[i];
    if (i == c.warp.running || other.state != StrandState::warp) continue;
    if ((other.mask & party.lanes) != other.mask || other.site->op != c.site.op) continue;
    other.state = StrandState::runnable;
    other.pc = other.pc + 1;
  }
  ++c.cta().progress;
}

int elected_lane(const Context& c, const Party& party) {
  std::uint64_t mix = c.cta().machine.options->seed;
  int chosen = std::countr_zero(party.lanes);
  if (mix == 0) return chosen;
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
