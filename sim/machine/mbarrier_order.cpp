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

}  // namespace tirx::sim
