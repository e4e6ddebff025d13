// What is said about barriers whose meeting the order of a run decides (barrier_order.hpp).
#include <algorithm>
#include <bit>
#include <string>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "sim/machine/cta.hpp"
#include "sim/machine/warps_text.hpp"

namespace tirx::sim {

namespace {

ir::FaultAccess access_of(const Cta& cta, std::uint32_t warp, const CallSite& site) {
  ir::FaultAccess made;
  made.thread = cta.where(cta.warps[warp], -1);
  made.span = site.place.span;
  made.what = std::string(ir::spec(site.op).name);
  made.role = cta.role_at(site.place);
  return made;
}

}  // namespace

void Cta::report_forms(std::uint32_t id) {
  const Barrier::Form &with = barriers[id].with_count, &without = barriers[id].without_count;
  faults.add(ir::FaultKind::trap, with.site->place.id, [&] {
    const ir::FaultAccess first = access_of(*this, with.warp, *with.site);
    const ir::FaultAccess second = access_of(*this, without.warp, *without.site);
    ir::Fault fault;
    fault.text = fmt::format("{} with a count and {} without one meet at barrier {}", first.what,
                             second.what, id);
    fault.first = first;
    fault.second = second;
    fault.notes.push_back(
        {{},
         fmt::format(
             "an H200 stops with an illegal instruction: let all of them name the count, as "
             "ptx.bar.sync({}, {}) does",
             id, barriers[id].expected)});
    return fault;
  });
}

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
      fault.first = access_of(*this, first.warp, *first.site);
      fault.second = access_of(*this, last.warp, *last.site);
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
      fault.notes.push_back({{}, "what else this CTA does wrong is not listed"});
      return fault;
    });
  }
  return by_chance;
}

}  // namespace tirx::sim
