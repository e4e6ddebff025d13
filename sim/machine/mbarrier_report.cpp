// What is said about mbarriers for whose phases the order of a run decides who arrives
// (mbarrier_order.hpp).
#include <bit>
#include <string>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "sim/exec/roles.hpp"
#include "sim/machine/cta.hpp"
#include "sim/machine/warps_text.hpp"

namespace tirx::sim {

namespace {

ir::FaultAccess access_of(const Cta& cta, const MbarrierArrival& arrival) {
  ir::FaultAccess made;
  made.thread = cta.where(cta.warps[arrival.warp], -1);
  made.span = arrival.site->place.span;
  made.what = std::string(ir::spec(arrival.site->op).name);
  made.role = cta.role_at(arrival.site->place);
  return made;
}

/// Mostly it is one wait that is missing.
void add_missing_wait(ir::Fault& fault, const Cta& cta, const CallSite& site) {
  std::string text = exec::nobody_waits(cta, site);
  if (!text.empty()) fault.notes.push_back({{}, std::move(text)});
}

}  // namespace

std::string mbarrier_name(const MemSite& site, std::int64_t address) {
  std::int64_t begin = 0;
  if (site.buffer->offset) static_cast<void>(ir::is_const_int(site.buffer->offset, begin));
  std::int64_t element = (address - site.lo) / 8 - begin;
  std::string text;
  for (std::size_t k = site.shape.size(); k-- > 0;) {
    const std::int64_t at = k == 0 ? element : element % site.shape[k];
    element /= site.shape[k];
    text = std::to_string(at) + (text.empty() ? "" : ", " + text);
  }
  return fmt::format("{}[{}]", site.buffer->name, text);
}

bool Cta::report_mbarriers() {
  if (races == nullptr || !mbarriers.order.is_known()) return false;
  const auto& surplus = mbarriers.order.surplus();
  const auto& doubtful = mbarriers.order.doubtful();
  if (surplus.empty() && doubtful.empty()) return false;
  // What else went wrong follows from who arrived first, and changes with the schedule.
  faults.drop([](ir::FaultKind kind) {
    return kind == ir::FaultKind::race || kind == ir::FaultKind::uninit ||
           kind == ir::FaultKind::async || kind == ir::FaultKind::deadlock;
  });
  for (const auto& [address, found] : surplus) {
    faults.add(ir::FaultKind::race, found.first.site->place.id, [&, &at = found] {
      ir::Fault fault;
      fault.first = access_of(*this, at.first);
      fault.second = access_of(*this, at.last);
      fault.text = fmt::format(
          "{} arrive at the mbarrier {}, made for {} {} in each phase, and nothing orders those "
          "that come first before the others",
          warps_text(at.warps), at.name, at.expected, at.expected == 1 ? "arrival" : "arrivals");
      add_missing_wait(fault, *this, *at.first.site);
      fault.notes.push_back(
          {{},
           "for which phase an arrival counts is left to chance: let mbarrier.init's count be the "
           "number of arrivals in each phase, and let a thread arrive for the next phase only "
           "after "
           "a wait that tells it that the one before is complete"});
      fault.notes.push_back({{}, "what else these threads do wrong is not listed"});
      return fault;
    });
  }
  // Where arrivals count by chance, so do the phases that others wait for.
  if (!surplus.empty()) return true;
  for (const auto& [address, found] : doubtful) {
    const CallSite& site = *found.first.site;
    faults.add(ir::FaultKind::race, site.place.id, [&, at = address, &wait = found] {
      ir::Fault fault;
      const MemSite& memory = *site.args[0].pointer;
      fault.first = access_of(*this, wait.first);
      fault.text = fmt::format(
          "the phase of {} for which {} {} is left to chance: nothing orders the wait and the "
          "arrivals for the phases next to it",
          mbarrier_name(memory, at), warps_text(wait.warps),
          std::has_single_bit(wait.warps) ? "waits" : "wait");
      add_missing_wait(fault, *this, site);
      fault.notes.push_back(
          {{},
           "a parity stands for every other phase: wait only after the phase before is known to be "
           "complete, and let the arrivals for the next phase come after the wait (by another "
           "mbarrier, or a barrier of threads); else the wait may pass too early, or never"});
      fault.notes.push_back({{}, "what else these threads do wrong is not listed"});
      return fault;
    });
  }
  return true;
}

bool Cta::report_order() {
  if (mbarriers.has_races()) {
    faults.drop_at(ir::FaultKind::trap, mbarriers.follow_from_races());
    faults.drop([](ir::FaultKind kind) {
      return kind == ir::FaultKind::uninit || kind == ir::FaultKind::async ||
             kind == ir::FaultKind::deadlock;
    });
  }
  return report_barriers() || report_mbarriers();
}

bool Cta::give_up_mbarriers() {
  bool some = false;
  for (Warp& warp : warps) {
    for (Strand& strand : warp.strands) {
      if (strand.state != StrandState::mbarrier || strand.wanted != Mbarriers::kNotMade) continue;
      mbarriers.give_up(static_cast<std::int64_t>(strand.phase));
      strand.state = StrandState::runnable;
      some = true;
    }
  }
  return some;
}

}  // namespace tirx::sim
