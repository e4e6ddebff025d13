// Generations of named barriers, and what orders them; see barrier_order.hpp.
#include "sim/machine/barrier_order.hpp"

#include <algorithm>
#include <tuple>

namespace tirx::sim {

void BarrierOrder::reset() {
  for (std::size_t i = 0; i < kBarriers; ++i) {
    filling_[i].clear();
    last_[i].clear();
    surplus_[i].reset();
  }
  mixed_ = 0;
}

namespace {

/// Whether an arrival comes after an earlier one.  An aligned barrier takes its warp when the last
/// of its lanes has come: it is enough that one of them knows each lane's part.
bool comes_after(const race::Detector& threads,
                 const BarrierOrder::Arrival& now,
                 const BarrierOrder::Arrival& before) {
  race::Lanes unknown = before.lanes;
  for (race::Lanes rest = now.lanes; rest != 0 && unknown != 0; rest &= rest - 1) {
    unknown &= threads.unknown_to(now.warp, rest & (~rest + 1), before.warp, unknown, before.tick);
  }
  return unknown == 0;
}

}  // namespace

void BarrierOrder::add(std::uint32_t id, const Arrival& arrival) {
  const auto place = [](const Arrival& at) {
    return std::tuple(at.site->place.span.begin, at.warp);
  };
  std::optional<Surplus>& known = surplus_[id];
  if (!known) known = Surplus{0, false, arrival, arrival};
  known->warps |= 1U << arrival.warp;
  if (place(arrival) < place(known->first)) known->first = arrival;
  if (place(known->last) < place(arrival)) known->last = arrival;
}

void BarrierOrder::check(const race::Detector& threads, std::uint32_t id, const Arrival& arrival) {
  for (const Arrival& before : last_[id]) {
    // An aligned barrier takes whole warps: a warp's own arrivals follow each other.
    if (before.warp == arrival.warp) continue;
    if (comes_after(threads, arrival, before)) continue;
    add(id, before);
    add(id, arrival);
    if (before.expected != arrival.expected) surplus_[id]->counts_differ = true;
  }
}

}  // namespace tirx::sim
