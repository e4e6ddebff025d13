// What is said about barriers whose meeting the order of a run decides (barrier_order.hpp).
#include <algorithm>
#include <bit>
#include <string>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "sim/machine/cta.hpp"

namespace tirx::sim {

namespace {

/// "warps 0, 1 and 3".
std::string warps_text(std::uint32_t warps) {
  std::string text = "warps ";
  for (int left = std::popcount(warps); warps != 0; warps &= warps - 1, --left) {
    text += std::to_string(std::countr_zero(warps));
    if (left > 1) text += left > 2 ? ", " : " and ";
  }
  return text;
}

ir::FaultAccess access_of(const Cta& cta, const BarrierOrder::Arrival& arrival) {
  ir::FaultAccess made;
  made.thread = cta.where(cta.warps[arrival.warp], -1);
  made.span = arrival.site->place.span;
  made.what = std::string(ir::spec(arrival.site->op).name);
  made.role = cta.role_at(arrival.site->place);
  return made;
}

}  // namespace

bool Cta::report_barriers() {
  if (races == nullptr) return false;
  const BarrierOrder& order = races->order;
  bool by_chance = false;
  for (const auto& surplus : order.surplus()) {
    by_chance = by_chance || surplus.has_value();
  }
  // Who met whom decided what else went wrong here: it would be another list in another order.
  if (by_chance) {
    faults.drop([](ir::FaultKind kind) {
      return kind == ir::FaultKind::race || kind == ir::FaultKind::uninit ||
             kind == ir::FaultKind::async || kind == ir::FaultKind::deadlock;
    });
  }
  for (std::uint32_t id = 0; id < order.surplus().size(); ++id) {
    const auto& surplus = order.surplus()[id];
    if (!surplus || order.differ(id)) continue;
    const BarrierOrder::Arrival &first = surplus->first, &last = surplus->last;
    const ir::FaultKind kind =
        surplus->counts_differ ? ir::FaultKind::divergence : ir::FaultKind::race;
    faults.add(kind, first.site->place.id, [&] {
      ir::Fault fault;
      fault.first = access_of(*this, first);
      fault.second = access_of(*this, last);
      if (surplus->counts_differ) {
        fault.text = fmt::format("barrier {} is used for {} threads here and for {} elsewhere", id,
                                 first.expected, last.expected);
        fault.notes.push_back({{}, "all participants of a barrier name the same count"});
        return fault;
      }
      fault.text = fmt::format(
          "{} arrive at barrier {}, which takes {} threads, and nothing orders those that come "
          "first before the others",
          warps_text(surplus->warps), id, first.expected);
      fault.notes.push_back(
          {{},
           "who meets whom is left to chance: let a thread arrive again only after a wait that "
           "tells it that the barrier is complete, or give each group a barrier of its own"});
      fault.notes.push_back({{}, "what else these threads do wrong is not listed"});
      return fault;
    });
  }
  for (const BarrierOrder::Arrival& arrival : order.unfinished()) {
    faults.add(ir::FaultKind::trap, arrival.site->place.id, [&] {
      ir::Fault fault;
      fault.text = fmt::format(
          "warp {} arrives at the CTA's barrier without waiting and exits, and nothing says that "
          "the barrier is complete by then",
          arrival.warp);
      fault.first = access_of(*this, arrival);
      fault.notes.push_back(
          {{},
           "exited threads count as arrived there: an H200 stops with an illegal instruction. Let "
           "it wait, or use bar.arrive and bar.sync with a number and a count"});
      return fault;
    });
  }
  return by_chance;
}

}  // namespace tirx::sim
