// Phases of mbarriers, and what orders their arrivals; see mbarrier_order.hpp.
#include "sim/machine/mbarrier_order.hpp"

#include <algorithm>
#include <tuple>

namespace tirx::sim {

namespace {

/// Whether some lane of the arriving warp knows of each lane's earlier arrival.
bool comes_after(const race::Detector& threads,
                 const MbarrierArrival& now,
                 const MbarrierArrival& before) {
  // A warp's own arrivals follow each other.
  if (before.warp == now.warp) return true;
  race::Lanes unknown =
      threads.unknown_to(now.warp, now.lanes, before.warp, before.lanes, before.tick);
  for (int lane = 0; lane < kLanes && unknown != 0; ++lane) {
    unknown &=
        threads.unknown_to(now.warp, race::Lanes{1} << lane, before.warp, unknown, before.tick);
  }
  return unknown == 0;
}

/// Whether some lane of the one's warp knows what some lane of the other did.
bool knows_some(const race::Detector& threads,
                const MbarrierArrival& now,
                const MbarrierArrival& before) {
  if (before.warp == now.warp) return true;
  const auto unknown = [&](race::Lanes mine) {
    return threads.unknown_to(now.warp, mine, before.warp, before.lanes, before.tick);
  };
  if ((before.lanes & ~unknown(race::kAllLanes)) != 0) return true;
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((before.lanes & ~unknown(race::Lanes{1} << lane)) != 0) return true;
  }
  return false;
}

}  // namespace

void MbarrierOrder::add(Surplus& surplus, const MbarrierArrival& arrival) {
  const auto place = [](const MbarrierArrival& at) {
    return std::tuple(at.site->place.span.begin, at.warp);
  };
  if (surplus.warps == 0) surplus.first = surplus.last = arrival;
  surplus.warps |= 1U << arrival.warp;
  if (place(arrival) < place(surplus.first)) surplus.first = arrival;
  if (place(surplus.last) < place(arrival)) surplus.last = arrival;
}

MbarrierOrder::Surplus* MbarrierOrder::arrive(const race::Detector& threads,
                                              std::int64_t address,
                                              MbarrierArrivals& known,
                                              const MbarrierArrival& arrival) {
  Surplus* found = nullptr;
  cover(threads, known, arrival);
  const bool ordered = std::all_of(
      known.before.begin(), known.before.end(),
      [&](const MbarrierArrival& before) { return comes_after(threads, arrival, before); });
  if (!ordered) {
    Surplus& surplus = surplus_[address];
    if (surplus.warps == 0) found = &surplus;
    // All of the phase: which one of them was early is the run's choice.
    for (const MbarrierArrival& before : known.before) add(surplus, before);
    add(surplus, arrival);
  }
  // Who knows of a thread's later arrival knows of its earlier ones at the same place.
  const auto same =
      std::find_if(known.now.begin(), known.now.end(), [&](const MbarrierArrival& other) {
        return other.warp == arrival.warp && other.lanes == arrival.lanes &&
               other.site == arrival.site;
      });
  if (same != known.now.end()) {
    same->tick = arrival.tick;
  } else {
    known.now.push_back(arrival);
  }
  return found;
}

void MbarrierOrder::cover(const race::Detector& threads,
                          MbarrierArrivals& known,
                          const MbarrierArrival& arrival) {
  std::erase_if(known.waits,
                [&](const MbarrierArrival& wait) { return knows_some(threads, arrival, wait); });
}

void MbarrierOrder::doubt(std::int64_t address, const MbarrierArrival& wait) {
  Doubtful& doubtful = doubtful_[address];
  const auto place = [](const MbarrierArrival& at) {
    return std::tuple(at.site->place.span.begin, at.warp);
  };
  if (doubtful.warps == 0 || place(wait) < place(doubtful.first)) doubtful.first = wait;
  doubtful.warps |= 1U << wait.warp;
}

void MbarrierOrder::wait(const race::Detector& threads,
                         std::int64_t address,
                         const MbarrierArrivals& known,
                         const MbarrierArrival& wait,
                         bool passes) {
  const std::vector<MbarrierArrival>& before = passes ? known.earlier : known.before;
  const bool ordered = std::all_of(
      before.begin(), before.end(),
      [&](const MbarrierArrival& arrival) { return knows_some(threads, wait, arrival); });
  if (!ordered) doubt(address, wait);
}

void MbarrierOrder::passed(MbarrierArrivals& known, const MbarrierArrival& wait) {
  const auto same =
      std::find_if(known.waits.begin(), known.waits.end(), [&](const MbarrierArrival& other) {
        return other.warp == wait.warp && other.lanes == wait.lanes && other.site == wait.site;
      });
  if (same != known.waits.end()) {
    same->tick = wait.tick;
  } else {
    known.waits.push_back(wait);
  }
}

void MbarrierOrder::complete(std::int64_t address, MbarrierArrivals& known) {
  for (const MbarrierArrival& wait : known.waits) doubt(address, wait);
  known.waits.clear();
}

}  // namespace tirx::sim
