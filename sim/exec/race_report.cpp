// What is said about a race: the element, both accesses, what is missing between them.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "sim/exec/addresses.hpp"
#include "sim/exec/element.hpp"
#include "sim/exec/lanes.hpp"
#include "sim/exec/one_statement.hpp"
#include "sim/exec/race.hpp"
#include "sim/exec/race_help.hpp"
#include "sim/exec/race_side.hpp"
#include "sim/exec/report.hpp"

namespace tirx::sim::exec {

namespace {

ir::FaultAccess access_of(const Side& side, const Cta& cta) {
  const auto& grid = cta.machine.binding->grid;
  ir::FaultAccess made;
  made.thread.cta = {side.cta % grid[0], side.cta / grid[0] % grid[1],
                     side.cta / (grid[0] * grid[1])};
  made.thread.warp = side.warp;
  made.thread.lane = side.lane;
  made.thread.thread = static_cast<std::int64_t>(side.warp) * kLanes + side.lane;
  made.span = side.span();
  made.what = side.what();
  made.role = cta.role_at(side.place());
  return made;
}

std::string_view verb(const Side& side) {
  return side.site->kind == RaceSite::Kind::atomic ? "updated" : side.writes ? "written" : "read";
}

/// "between line 12 and line 15"; `around`: the first of the two in program order comes in a later
/// iteration of a loop.
std::string between(const Side& a, const Side& b, const Source* source, bool around) {
  if (b.place().id < a.place().id) return between(b, a, source, around);
  if (source == nullptr || a.span().empty() || b.span().empty()) return "between the two";
  const std::uint32_t first = source->locate(a.span().begin).line;
  const std::uint32_t second = source->locate(b.span().begin).line;
  if (first == second) return fmt::format("between the two executions of line {}", first);
  if (around) {
    return fmt::format("between line {} and line {} of the loop's next iteration", second, first);
  }
  return fmt::format("between line {} and line {}", first, second);
}

/// A change of an mbarrier's state, or the end of its life.
bool touches_mbarrier(const RaceSite& site) {
  using Ops = ir::AllOps;
  constexpr std::array kOps = {
      Ops::id_of<ir::PtxMbarrierInit>(),           Ops::id_of<ir::PtxMbarrierInval>(),
      Ops::id_of<ir::PtxMbarrierArrive>(),         Ops::id_of<ir::PtxMbarrierArriveDrop>(),
      Ops::id_of<ir::PtxMbarrierArriveExpectTx>(), Ops::id_of<ir::PtxMbarrierExpectTx>(),
      Ops::id_of<ir::PtxMbarrierTestWait>(),       Ops::id_of<ir::PtxMbarrierTryWait>(),
      Ops::id_of<ir::PtxCpAsyncMbarrierArrive>(),  Ops::id_of<ir::MbarrierWait>()};
  return site.call != nullptr && std::find(kOps.begin(), kOps.end(), site.call->op) != kOps.end();
}

/// The last synchronisation that both took part in before the first of the accesses.
const RaceEvent* last_shared(const CtaRaces& races, const Side& prior, const Side& now) {
  const RaceEvent* found = nullptr;
  races.for_events([&](const RaceEvent& event) {
    const bool both = (event.lanes[prior.warp] >> prior.lane & 1) != 0 &&
                      (event.lanes[now.warp] >> now.lane & 1) != 0;
    if (both && event.tick[prior.warp] < prior.tick) found = &event;
  });
  return found;
}

/// "the last synchronisation of the two: cuda.cta_sync, to which warp 1 came at line 18".
Note note_of(const RaceEvent& event, const Side& first, const Side& second, const Cta& cta) {
  Note note{event.span, fmt::format("the last synchronisation of the two: {}", event.what)};
  if (event.from.empty() || cta.machine.source == nullptr) return note;
  const auto span_of = [&](const Side& side) {
    const CallSite* site = event.from[side.warp];
    return site != nullptr ? site->place.span : event.span;
  };
  note.span = span_of(first);
  const Span other = span_of(second);
  if (!other.empty() && other.begin != note.span.begin) {
    note.text += fmt::format(", to which warp {} came at line {}", second.warp,
                             cta.machine.source->locate(other.begin).line);
  }
  return note;
}

/// Both have passed a synchronisation that lies between their places in a loop: the one in front of
/// it has gone round since.  Places are compared by number: the lines of an inline function lie
/// elsewhere.
bool goes_around(const Program& program, const Side& a, const Side& b, const RaceEvent* last) {
  if (last == nullptr) return false;
  const auto [early, late] = std::minmax(a.place().id, b.place().id);
  if (last->place <= early || late <= last->place) return false;
  return std::any_of(program.loops.begin(), program.loops.end(),
                     [from = early, to = late](const LoopPlaces& loop) {
                       return loop.begin <= from && to < loop.end;
                     });
}

/// Whether the store writes what is there already (or what the other lane of it writes).
bool same_value(const RaceSite& site,
                const Warp& w,
                const race::Conflict& conflict,
                std::int64_t byte,
                std::uint32_t value_register,
                const Side& prior,
                const Side& now) {
  const MemSite& mem = *site.mem;
  if (value_register == kNoValueRegister || mem.nibble || mem.count > 1) return false;
  static_cast<void>(conflict);
  alignas(64) std::int64_t address[kLanes];
  addresses(mem, w, address);
  std::uint64_t mine = 0, other = 0;
  const auto value_of = [&](int lane, std::uint64_t& bits) {
    if (mem.size == 8) {
      std::memcpy(&bits, w.vectors + value_register + lane * 8, 8);
    } else {
      std::memcpy(&bits, w.vectors + value_register + lane * 4, mem.size);
    }
  };
  value_of(now.lane, mine);
  const bool together = prior.site == now.site && prior.cta == now.cta && prior.warp == now.warp &&
                        prior.tick == now.tick && (w.mask >> prior.lane & 1) != 0 &&
                        address[prior.lane] == address[now.lane];
  if (together) {
    value_of(prior.lane, other);
  } else {
    static_cast<void>(byte);
    std::memcpy(&other, w.regions[mem.region].data + address[now.lane], mem.size);
  }
  return mine == other;
}

}  // namespace

void report_race(const RaceSite& site,
                 Warp& w,
                 const race::Conflict& conflict,
                 std::int64_t byte,
                 std::uint32_t value_register) {
  Cta& cta = *w.cta;
  CtaRaces& races = *cta.races;
  const race::Stamp& stamp = races.space(site).stamp(conflict.stamp);
  Side prior, now;
  prior.site = cta.machine.program->race_sites[stamp.site].get();
  prior.writes = conflict.prior != race::Prior::read;
  prior.cta = races.linear_of(stamp.cta);
  prior.copy = stamp.cta == races.threads.cta() && races.threads.is_transfer(stamp.actor);
  prior.warp = prior.copy ? races.threads.warp_of(stamp.actor) : stamp.actor;
  prior.lane = std::countr_zero(conflict.prior_lanes);
  prior.tick = stamp.tick;
  prior.pending = prior.copy && races.in_flight(stamp.actor, stamp.tick, prior.lane);
  prior.strong = stamp.strong;
  prior.scope = stamp.scope;
  now.site = &site;
  now.writes = site.kind != RaceSite::Kind::read;
  now.cta = cta.linear;
  now.warp = w.index;
  now.tick = races.threads.tick(w.index);
  now.strong = site.strong;
  now.copy = site.call != nullptr && site.call->op == ir::AllOps::id_of<ir::PtxCpAsync>();
  now.pending = now.copy;
  // A destination that is read before its wait is poison, and reported as such.
  if (prior.pending && prior.writes && !now.writes && !now.copy &&
      cta.machine.options->checks.has(ir::FaultKind::async)) {
    return;
  }
  if (site.shared && (touches_mbarrier(site) || touches_mbarrier(*prior.site))) {
    cta.mbarriers.race_at(byte);
  }
  now.scope = site.scope;
  race::Lanes lanes = conflict.lanes;
  if (prior.cta == now.cta && prior.warp == now.warp) lanes &= ~(race::Lanes{1} << prior.lane);
  now.lane = std::countr_zero(lanes != 0 ? lanes : conflict.lanes);
  // The report does not depend on which of the two came first.
  const bool equal = prior.writes && now.writes && !prior.strong && !now.strong &&
                     same_value(site, w, conflict, byte, value_register, prior, now);
  Side first = prior, second = now;
  const auto place = [](const Side& side) {
    return std::array<std::uint64_t, 5>{side.span().begin, side.site->number,
                                        static_cast<std::uint64_t>(side.cta), side.warp,
                                        static_cast<std::uint64_t>(side.lane)};
  };
  if (place(second) < place(first)) std::swap(first, second);
  const std::int64_t base = site.mem->lo;
  const FaultSink::Order order{static_cast<std::uint64_t>(std::min(prior.cta, now.cta)),
                               static_cast<std::uint64_t>(byte),
                               static_cast<std::uint64_t>(first.cta),
                               first.warp * 32U + static_cast<unsigned>(first.lane),
                               static_cast<std::uint64_t>(second.cta),
                               second.warp * 32U + static_cast<unsigned>(second.lane)};
  const std::uint64_t element =
      static_cast<std::uint64_t>((byte - base) / site.mem->size) |
      (site.shared ? static_cast<std::uint64_t>(cta.linear + 1) << 32 : 0);
  const FaultSink::Reach reach = prior.cta != now.cta     ? FaultSink::Reach::grid
                                 : prior.warp != now.warp ? FaultSink::Reach::cta
                                                          : FaultSink::Reach::warp;
  cta.faults.add_race(first.site->number, second.site->number, order, element, reach, [&] {
    FaultSink::Race race;
    ir::Fault& fault = race.fault;
    fault.element = element_at(w, *site.mem, now.lane, byte);
    fault.space = site.shared ? "shared" : "global";
    fault.first = access_of(first, cta);
    fault.second = access_of(second, cta);
    const bool alike = verb(first) == verb(second);
    fault.text = alike ? fmt::format("{} is {} by two threads, and nothing orders the two",
                                     fault.element, verb(first))
                       : fmt::format("{} is {} and {}, and nothing orders the two", fault.element,
                                     verb(first), verb(second));
    const bool here = prior.cta == now.cta && !prior.copy && !now.copy;
    const RaceEvent* event = here ? last_shared(races, prior, now) : nullptr;
    const std::string where = between(first, second, cta.machine.source,
                                      goes_around(*cta.machine.program, first, second, event));
    const std::string left_out =
        here && prior.warp != now.warp ? lanes_left_out(prior, now, cta) : std::string();
    const bool apart = event != nullptr && !event->from.empty() &&
                       event->from[first.warp] != event->from[second.warp];
    std::string help = at_one_statement(prior, now, w, byte);
    if (help.empty()) {
      help = missing(first, second, cta, site.shared, where, left_out, apart);
      if (here && reach == FaultSink::Reach::warp && !first.strong && !second.strong) {
        race.help_of_cta = fmt::format(
            "no barrier {}, such as cuda.cta_sync(): threads of one warp, and of different ones, "
            "do this (cuda.warp_sync() orders the former only)",
            where);
      }
    }
    fault.notes.push_back({{}, std::move(help)});
    if (equal) {
      fault.notes.push_back({{}, "both write the same value; it is a race all the same"});
    }
    if (event != nullptr) fault.notes.push_back(note_of(*event, first, second, cta));
    return race;
  });
}

}  // namespace tirx::sim::exec
