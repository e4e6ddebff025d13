#include "sim/exec/race.hpp"

#include "sim/exec/addresses.hpp"
#include "sim/exec/lanes.hpp"
#include "sim/machine/cta.hpp"

namespace tirx::sim::exec {

namespace {

race::Trace::Access traced(const RaceSite& site,
                           const CtaRaces& races,
                           race::Trace::Node node,
                           std::int64_t byte,
                           std::int64_t size,
                           bool writes) {
  race::Trace::Access made;
  made.node = node;
  made.cta = races.threads.cta();
  // Shared memory is one per CTA.
  constexpr std::uint64_t kShared = std::uint64_t{1} << 32;
  made.memory = site.shared ? kShared | made.cta : site.mem->region;
  made.byte = byte;
  made.size = size;
  made.write = writes;
  made.strong = site.strong;
  made.scope = site.scope;
  return made;
}

}  // namespace

void race_access(const RaceSite& site,
                 Warp& w,
                 std::uint32_t lanes,
                 std::int64_t byte,
                 std::int64_t size,
                 std::uint32_t value_register) {
  CtaRaces& races = *w.cta->races;
  race::Space& space = races.space(site);
  race::Shadow& shadow = space.shadows[site.shadow];
  CtaRaces::Slot& slot = races.slot(w.index, site);
  slot.used = true;
  if (site.kind != RaceSite::Kind::read) races.writes(site, slot.stamp);
  if (race::Trace* trace = races.threads.trace; trace != nullptr) {
    for_lanes(lanes, [&](int lane) {
      const race::Trace::Node node =
          trace->at(races.threads.cta(), w.index, static_cast<std::uint32_t>(lane));
      trace->record(traced(site, races, node, byte, size, site.kind != RaceSite::Kind::read));
    });
  }
  const std::int64_t last = shadow.granule_of(byte + size - 1);
  for (std::int64_t g = shadow.granule_of(byte); g <= last; ++g) {
    const auto found = [&](const race::Conflict& conflict) {
      report_race(site, w, conflict, shadow.byte_of(g), value_register);
    };
    const race::Cell cell = shadow.cell(g);
    switch (site.kind) {
      case RaceSite::Kind::read:
        races.threads.read(space, cell, w.index, lanes, slot.stamp, found);
        break;
      case RaceSite::Kind::write:
        races.threads.write(space, cell, w.index, lanes, slot.stamp, found);
        break;
      case RaceSite::Kind::atomic:
        races.threads.atomic(space, cell, w.index, lanes, slot.stamp, found);
        break;
    }
  }
}

void race_copy(Warp& w, const CopyBatch& batch) {
  CtaRaces& races = *w.races;
  const CtaRaces::Flight flight = races.copy_issued(batch.number, w.index, batch.lanes);
  for (const race::Transfer& part : flight.parts) {
    for (const RaceSite* site : {batch.from->race, batch.to->race}) {
      if (site == nullptr) continue;
      const bool writes = site->kind == RaceSite::Kind::write;
      race::Space& space = races.space(*site);
      race::Shadow& shadow = space.shadows[site->shadow];
      const std::uint32_t stamp = races.threads.make_stamp(space, part, site->number);
      if (writes) races.writes(*site, stamp);
      for_lanes(part.lanes, [&](int lane) {
        const auto i = static_cast<std::size_t>(lane);
        const std::int64_t byte = writes ? batch.destination[i] : batch.source[i];
        const std::int64_t size = writes ? batch.bytes : batch.source_bytes[i];
        if (size == 0) return;
        if (races.threads.trace != nullptr) {
          races.threads.trace->record(traced(*site, races, part.nodes[i], byte, size, writes));
        }
        const std::int64_t last = shadow.granule_of(byte + size - 1);
        for (std::int64_t g = shadow.granule_of(byte); g <= last; ++g) {
          const auto found = [&](const race::Conflict& conflict) {
            report_race(*site, w, conflict, shadow.byte_of(g), kNoValueRegister);
          };
          const auto l = static_cast<std::uint32_t>(lane);
          if (writes) {
            races.threads.write_async(space, shadow.cell(g), part, l, stamp, found);
          } else {
            races.threads.read_async(space, shadow.cell(g), part, l, stamp, found);
          }
        }
      });
    }
  }
}

void race_slow(const RaceSite& site, Warp& w, std::uint32_t value_register) {
  const MemSite& mem = *site.mem;
  alignas(64) std::int64_t address[kLanes];
  addresses(mem, w, address);
  const std::uint32_t active = w.mask & ~w.skip;
  const bool together = mem.count > 1 && mem.stride == mem.size && !mem.nibble;
  const std::int64_t unit = mem.nibble ? 2 : 1;
  const int pieces = together ? 1 : mem.count;
  const std::int64_t size = together ? std::int64_t{mem.size} * mem.count : mem.size;
  for (int e = 0; e < pieces; ++e) {
    std::uint32_t rest = active;
    while (rest != 0) {
      const int lane = std::countr_zero(rest);
      const std::int64_t at = (address[lane] + e * mem.stride) / unit;
      std::uint32_t same = 0;
      for_lanes(rest, [&](int other) {
        if ((address[other] + e * mem.stride) / unit == at) same |= 1U << other;
      });
      rest &= ~same;
      // What lies outside of the storage is reported by the access itself, and not done.
      if (at < mem.lo || at + size > mem.hi) continue;
      race_access(
          site, w, same, at, size,
          value_register == kNoValueRegister
              ? kNoValueRegister
              : value_register + static_cast<std::uint32_t>(e) * (mem.size == 8 ? 256U : 128U));
    }
  }
}

}  // namespace tirx::sim::exec
