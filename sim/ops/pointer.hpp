// A pointer operand of a machine operation: where each lane's bytes are, and which lanes may go on.
#pragma once

#include <bit>
#include <cstring>

#include "sim/exec/race.hpp"
#include "sim/exec/report.hpp"
#include "sim/ops/context.hpp"

namespace tirx::sim::ops {

struct Target {
  alignas(64) std::int64_t address[kLanes];  // bytes from the start of the region
  std::uint32_t lanes = 0;                   // that may go on
  const MemSite* site = nullptr;
  const Region* region = nullptr;
  std::int64_t bytes = 0;  // of one lane's access

  [[nodiscard]] std::byte* at(int lane) const { return region->data + address[lane]; }

  [[nodiscard]] bool valid(int lane) const {
    return region->invalid == 0 || exec::is_valid(region->valid, address[lane], bytes);
  }
};

/// The addresses of a pointer operand, without the lanes that were refused.  The checks in front of
/// the operation have left theirs in Warp::skip, which the caller clears after the last pointer.
[[nodiscard]] inline Target pointer_target(const Context& c,
                                           int arg,
                                           std::int64_t bytes,
                                           std::uint32_t lanes) {
  Target target;
  target.site = c.operand(arg).pointer;
  target.region = &c.warp.regions[target.site->region];
  target.bytes = bytes;
  exec::addresses(*target.site, c.warp, target.address);
  target.lanes = lanes & ~c.warp.skip;
  std::uint32_t out = 0;
  for_lanes(target.lanes, [&](int lane) {
    if (target.site->nibble) target.address[lane] /= 2;
    if (target.address[lane] < target.site->lo || target.address[lane] + bytes > target.site->hi) {
      out |= 1U << lane;
    }
  });
  if (out != 0) exec::report_outside(*target.site, c.warp, out);
  target.lanes &= ~out;
  return target;
}

/// If the strand polls this in vain, the report says where: the first lane's address.
inline void remember_polled(const Context& c, const Target& target) {
  if (target.lanes == 0) return;
  c.warp.strands[c.warp.running].phase =
      static_cast<std::uint64_t>(target.address[std::countr_zero(target.lanes)]);
}

/// Tells the race detector of one lane's access; `writes`: memory is written, too.
inline void watch(const Context& c, const Target& target, int lane, bool reads, bool writes) {
  const RaceSite* race = target.site->race;
  if (race == nullptr) return;
  RaceSite site = *race;
  // A compare-and-swap that fails only reads.
  if (!writes && site.kind == RaceSite::Kind::atomic) site.kind = RaceSite::Kind::read;
  exec::race_access(site, c.warp, 1U << lane, target.address[lane], target.bytes,
                    exec::kNoValueRegister);
  if (site.strong) {
    c.warp.races->synchronise(*race, c.warp.index, lane, target.address[lane], reads, writes);
  }
}

}  // namespace tirx::sim::ops
