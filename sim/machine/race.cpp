#include "sim/machine/race.hpp"

#include <algorithm>
#include <bit>

#include "ir/all_ops.hpp"
#include "sim/machine/cta.hpp"

namespace tirx::sim {

race::Scope fence_scope(std::string_view text);

namespace {

constexpr std::size_t kEvents = 16;

void make_shadows(const Program& program, bool shared, race::Space& space) {
  for (const RaceRegion& region : program.race_regions) {
    // One page for shared memory: it is small, and rows never cross a page's end.
    const bool watched = region.shared == shared && region.shift >= 0;
    const std::int64_t granules = watched ? ((region.hi - region.lo) >> region.shift) + 1 : 0;
    const int page =
        shared ? static_cast<int>(std::bit_width(static_cast<std::uint64_t>(granules))) : 12;
    space.shadows.emplace_back(region.lo, watched ? region.hi : region.lo,
                               std::max(region.shift, 0), page, region.atomics, region.reads);
  }
}

}  // namespace

GlobalRaces::GlobalRaces(const Machine& machine) {
  make_shadows(*machine.program, false, space);
  if (const std::size_t most = machine.options->races_remembered; most != 0) space.set_limit(most);
}

CtaRaces::CtaRaces(const Machine& machine, GlobalRaces& global)
    : machine_(machine), global_(global), sites_(machine.program->race_sites.size()) {
  make_shadows(*machine.program, true, shared_);
  if (const std::size_t most = machine.options->races_remembered; most != 0)
    shared_.set_limit(most);
  readings_.resize(shared_.shadows.size());
  last_write_.resize(shared_.shadows.size());
}

std::uint32_t CtaRaces::number_of(std::int64_t linear) const {
  const auto& g = machine_.binding->grid;
  const auto& c = machine_.binding->cluster;
  const std::int64_t x = linear % g[0], y = linear / g[0] % g[1], z = linear / (g[0] * g[1]);
  const std::int64_t cluster = x / c[0] + g[0] / c[0] * (y / c[1] + g[1] / c[1] * (z / c[2]));
  const std::int64_t rank = x % c[0] + c[0] * (y % c[1] + c[1] * (z % c[2]));
  return static_cast<std::uint32_t>(cluster * c[0] * c[1] * c[2] + rank);
}

std::int64_t CtaRaces::linear_of(std::uint32_t cta) const {
  const auto& g = machine_.binding->grid;
  const auto& c = machine_.binding->cluster;
  const std::int64_t size = c[0] * c[1] * c[2];
  const std::int64_t cluster = cta / size, rank = cta % size;
  const std::int64_t nx = g[0] / c[0], ny = g[1] / c[1];
  const std::int64_t x = cluster % nx * c[0] + rank % c[0];
  const std::int64_t y = cluster / nx % ny * c[1] + rank / c[0] % c[1];
  const std::int64_t z = cluster / (nx * ny) * c[2] + rank / (c[0] * c[1]);
  return x + g[0] * (y + g[1] * z);
}

void CtaRaces::reset(std::int64_t linear) {
  const auto& c = machine_.binding->cluster;
  const std::int64_t count = machine_.binding->threads();
  std::vector<race::Lanes> exist;
  for (std::int64_t first = 0; first < count; first += kLanes) {
    const std::int64_t lanes = std::min<std::int64_t>(count - first, kLanes);
    exist.push_back(lanes == kLanes ? kFullMask : (1U << lanes) - 1);
  }
  const std::uint32_t number = number_of(linear);
  threads.trace = machine_.options->trace;
  if (threads.trace != nullptr) {
    threads.trace->cluster_size = static_cast<std::uint32_t>(c[0] * c[1] * c[2]);
  }
  threads.reset(number, static_cast<std::uint32_t>(c[0] * c[1] * c[2]), exist,
                machine_.program->narrow);
  shared_.clear();
  slots_.resize(exist.size() * sites_);
  for (Slot& slot : slots_) slot.tick = 0;
  for (std::size_t i = 0; i < barriers_.size(); ++i) {
    if ((used_barriers_ >> i & 1) != 0 || barriers_[i].clock.cta() != number) {
      barriers_[i].clear(number);
    }
  }
  used_barriers_ = 0;
  shared_locations_.clear();
  for (std::vector<Reading>& notes : readings_) notes.clear();
  std::fill(last_write_.begin(), last_write_.end(), 0U);
  safe_shared_.assign(exist.size(), {});
  safe_global_.assign(exist.size(), {});
  first_global_stamp_ = global_.space.stamp_count();
  first_global_link_ = global_.space.link_count();
  events_.resize(kEvents);
  event_count_ = 0;
  flights_.clear();
  order.reset();
}

void CtaRaces::refresh(Slot& slot, std::uint32_t warp, const RaceSite& site) {
  race::Space& memory = space(site);
  if (memory.wants_collection()) {
    if (site.shared) {
      for (std::size_t i = 0; i < readings_.size(); ++i) tell_readings(i);
    }
    memory.collect();
    // Numbers from before mean nothing now.
    for (Flight& flight : flights_) {
      flight.shared_stamps = flight.shared_links = flight.global_stamps = flight.global_links = 1;
    }
    if (site.shared) {
      std::fill(safe_shared_.begin(), safe_shared_.end(), Safe{});
      for (std::uint32_t& last : last_write_) {
        if (last != 0) last = memory.stamp_count() - 1;
      }
    } else {
      std::fill(safe_global_.begin(), safe_global_.end(), Safe{});
      first_global_stamp_ = memory.stamp_count();
      first_global_link_ = memory.link_count();
    }
  }
  slot.tick = threads.tick(warp);
  slot.generation = memory.generation();
  slot.stamp = threads.make_stamp(memory, warp, site.number, site.strong, site.scope);
  global_.full = global_.full || memory.full();
  slot.used = slot.fresh_known = false;
  slot.rows_known = 0;
}

/// The words get the reads that were put down.  None is left out because a later one is ordered
/// after it: what the readers have learnt meanwhile does not count.
void CtaRaces::tell_readings(std::size_t shadow) {
  race::Shadow& memory = shared_.shadows[shadow];
  for (const Reading& reading : readings_[shadow]) {
    const RaceSite& site = *reading.site;
    for (const RaceSite::Segment& row : site.segments) {
      for (std::uint32_t i = 0; i < row.count; ++i) {
        const race::Lanes lanes = site.lanes[row.first + i];
        race::Word& reads = *memory.cell(reading.granule + row.granule + i).reads;
        bool known = false;
        shared_.for_each(reads, [&](std::uint32_t stamp, race::Lanes some) {
          known = known || (stamp == reading.stamp && (lanes & ~some) == 0);
          return !known;
        });
        if (!known) reads = shared_.linked(reads, reading.stamp, lanes);
      }
    }
  }
  readings_[shadow].clear();
}

void CtaRaces::synchronise(const RaceSite& site,
                           std::uint32_t warp,
                           int lane,
                           std::int64_t byte,
                           bool reads,
                           bool writes) {
  auto& locations = site.shared ? shared_locations_ : global_.locations;
  const auto key =
      static_cast<std::uint64_t>(site.mem->region) << 48 | static_cast<std::uint64_t>(byte);
  auto at = locations.find(key);
  const auto l = static_cast<std::uint32_t>(lane);
  if (reads && at != locations.end()) {
    threads.strong_read(at->second, warp, l, site.scope, site.acquires);
  }
  if (!writes) return;
  if (at == locations.end()) {
    if (!site.releases && !threads.has_fenced(warp, l)) return;
    at = locations.try_emplace(key).first;
  }
  threads.strong_write(at->second, warp, l, site.scope, site.releases, !reads);
}

void CtaRaces::arrive(std::uint32_t barrier,
                      const Warp& warp,
                      race::Lanes lanes,
                      std::uint32_t expected,
                      bool waits,
                      const CallSite& site) {
  used_barriers_ |= 1U << barrier;
  arrived_[warp.index] = threads.tick(warp.index);
  order.arrive(threads, barrier,
               {warp.index, lanes, threads.tick(warp.index), expected, waits, &site});
  threads.release(barriers_[barrier], warp.index, lanes);
}

/// Who waits at the barrier, for what comes after it.  Ticks may have ended meanwhile: others can
/// make a waiting warp's deferred arrivals at mbarriers come.
void CtaRaces::tell_waiting(std::uint32_t barrier, const std::vector<Warp>& warps) {
  for (const Warp& warp : warps) {
    for (const Strand& strand : warp.strands) {
      if (strand.state != StrandState::barrier || strand.object != barrier) continue;
      order.waited(barrier, {warp.index, strand.mask, arrived_[warp.index], strand.expected, true,
                             strand.site});
    }
  }
}

void CtaRaces::complete(std::uint32_t barrier, std::vector<Warp>& warps, bool whole_cta) {
  race::Object& object = barriers_[barrier];
  if (whole_cta) object.join(threads.left());
  RaceEvent& event = note();
  bool everyone = whole_cta;
  for (const Warp& warp : warps) {
    race::Lanes& waiting = event.lanes[warp.index];
    for (const Strand& strand : warp.strands) {
      if (strand.state != StrandState::barrier || strand.object != barrier) continue;
      waiting |= strand.mask;
      if (event.what.empty() && strand.site != nullptr) {
        event.what = ir::spec(strand.site->op).name;
        event.span = strand.site->place.span;
        event.place = strand.site->place.id;
      } else if (strand.site != nullptr && strand.site->place.id != event.place) {
        event.from.resize(warps.size());
        event.from[warp.index] = strand.site;
      }
    }
    event.tick[warp.index] = waiting != 0 ? threads.tick(warp.index) : 0;
    everyone = everyone && waiting == warp.live;
  }
  if (!everyone) tell_waiting(barrier, warps);
  for (const Warp& warp : warps) {
    const race::Lanes waiting = event.lanes[warp.index];
    if (waiting != 0) threads.meet(object, warp.index, waiting);
  }
  order.complete(barrier, everyone);
  // Copies that told an mbarrier have ended for all, if those who meet here know of it.
  std::erase_if(flights_, [&](const Flight& flight) {
    if ((flight.pending & ~flight.complete) != 0) return false;
    for (const race::Transfer& part : flight.parts) {
      if (object.clock.unknown(threads.cta(), part.actor, part.lanes, part.tick) != 0) return false;
    }
    return true;
  });
  object.clear(threads.cta());
  // Everything that was done so far came before: by its numbers it is known without looking.
  if (!everyone) return;
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    if (flights_.empty()) {
      readings_[i].clear();
    } else {
      tell_readings(i);
    }
  }
  // Copies that nobody has waited for, and what came after them, are not.
  std::uint32_t stamps = shared_.stamp_count(), links = shared_.link_count();
  std::uint32_t global_stamps = global_.space.stamp_count();
  std::uint32_t global_links = global_.space.link_count();
  for (const Flight& flight : flights_) {
    stamps = std::min(stamps, flight.shared_stamps);
    links = std::min(links, flight.shared_links);
    global_stamps = std::min(global_stamps, flight.global_stamps);
    global_links = std::min(global_links, flight.global_links);
  }
  const auto window = [](std::uint32_t first, std::uint32_t end, std::uint32_t first_link,
                         std::uint32_t end_link) {
    Safe safe;
    safe.stamps = first << 5;
    safe.stamp_count = (std::max(end, first) - first) << 5;
    safe.links = race::kChain | first_link;
    safe.link_count = std::max(end_link, first_link) - first_link;
    return safe;
  };
  std::fill(safe_shared_.begin(), safe_shared_.end(), window(1, stamps, 1, links));
  if (!global_.alone) return;
  const Safe global = window(first_global_stamp_, global_stamps, first_global_link_, global_links);
  std::fill(safe_global_.begin(), safe_global_.end(), global);
}

void CtaRaces::warp_sync(const Warp& warp, race::Lanes lanes, const CallSite& site) {
  RaceEvent& event = note();
  event.span = site.place.span;
  event.place = site.place.id;
  event.what = ir::spec(site.op).name;
  event.lanes[warp.index] = lanes;
  event.tick[warp.index] = threads.tick(warp.index);
  threads.warp_sync(warp.index, lanes);
}

void CtaRaces::fence(std::uint32_t warp, race::Lanes lanes, std::string_view scope) {
  threads.fence(warp, lanes, fence_scope(scope));
}

void CtaRaces::leave(std::uint32_t warp, race::Lanes lanes, Cluster* cluster) {
  if (lanes == 0) return;
  threads.leave(warp, lanes);
  if (cluster != nullptr) cluster->left.join(threads.left());
}

void CtaRaces::cluster_arrive(Cluster& cluster, std::uint32_t warp, race::Lanes lanes) {
  threads.release(cluster.arriving, warp, lanes);
}

void CtaRaces::cluster_wait(const Cluster& cluster,
                            const Warp& warp,
                            race::Lanes lanes,
                            const CallSite& site) {
  threads.acquire(cluster.completed, warp.index, lanes);
  static_cast<void>(site);
}

const CtaRaces::Flight& CtaRaces::copy_issued(std::uint64_t number,
                                              std::uint32_t warp,
                                              race::Lanes lanes) {
  Flight flight;
  flight.number = number;
  flight.pending = lanes;
  flight.shared_stamps = shared_.stamp_count();
  flight.shared_links = shared_.link_count();
  flight.global_stamps = global_.space.stamp_count();
  flight.global_links = global_.space.link_count();
  flight.parts = threads.start(warp, lanes, false);
  flights_.push_back(std::move(flight));
  return flights_.back();
}

void CtaRaces::copy_waited(std::uint64_t number, race::Lanes lanes) {
  for (auto at = flights_.begin(); at != flights_.end(); ++at) {
    if (at->number != number) continue;
    for (const race::Transfer& part : at->parts) threads.await(part, lanes);
    at->pending &= ~lanes;
    if (at->pending == 0) flights_.erase(at);
    return;
  }
}

void CtaRaces::copies_complete(std::uint32_t warp,
                               int lane,
                               std::uint64_t last,
                               race::Object& object) {
  const race::Lanes one = race::Lanes{1} << lane;
  for (Flight& flight : flights_) {
    if (flight.number > last || (flight.pending & ~flight.complete & one) == 0) continue;
    for (const race::Transfer& part : flight.parts) {
      if (part.warp != warp || (part.lanes & one) == 0) continue;
      threads.complete(part, one, object);
      flight.complete |= one;
    }
  }
}

bool CtaRaces::in_flight(std::uint32_t actor, race::Tick tick, int lane) const {
  for (const Flight& flight : flights_) {
    for (const race::Transfer& part : flight.parts) {
      if (part.actor == actor && part.tick == tick) {
        return ((flight.pending & ~flight.complete) >> lane & 1) != 0;
      }
    }
  }
  return false;
}

RaceEvent& CtaRaces::note() {
  RaceEvent& event = events_[event_count_++ % events_.size()];
  event.span = {};
  event.what = {};
  event.place = 0;
  event.from.clear();
  event.lanes.assign(safe_shared_.size(), 0);
  event.tick.assign(safe_shared_.size(), 0);
  return event;
}

}  // namespace tirx::sim
