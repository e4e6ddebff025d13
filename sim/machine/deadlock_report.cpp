// Who waits for what: the table in reports of deadlocks, and at the step limit where nothing but
// polling went on.
#include <bit>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "sim/machine/cta.hpp"

namespace tirx::sim {

/// The mbarrier for whose phase the strand polls, or null.
const Mbarrier* Cta::polled(const Strand& strand) {
  if (strand.site == nullptr) return nullptr;
  const ir::OpId op = strand.site->op;
  if (op != ir::AllOps::id_of<ir::PtxMbarrierTryWait>() &&
      op != ir::AllOps::id_of<ir::PtxMbarrierTestWait>()) {
    return nullptr;
  }
  const Mbarrier* barrier = mbarriers.find(static_cast<std::int64_t>(strand.phase));
  return barrier != nullptr && (barrier->phase & 1) == strand.wanted ? barrier : nullptr;
}

/// "phase 2 of the mbarrier at byte 1024, which misses 3 of 128 arrivals".
std::string Cta::mbarrier_text(const Strand& strand) {
  const Mbarrier* barrier = mbarriers.find(static_cast<std::int64_t>(strand.phase));
  if (barrier == nullptr) return "an mbarrier that is gone";
  std::string text =
      fmt::format("an mbarrier's phase of parity {}: phase {} misses {} of {} arrivals",
                  strand.wanted, barrier->phase, barrier->pending, barrier->expected);
  if (barrier->bytes != 0) text += fmt::format(" and {} bytes", barrier->bytes);
  return text;
}

std::vector<Cta::Waiting> Cta::who_waits() {
  std::vector<Waiting> lines;
  for (const Warp& warp : warps) {
    for (const Strand& strand : warp.strands) {
      std::string what;
      switch (strand.state) {
        case StrandState::barrier: {
          const Barrier& barrier = barriers[strand.object];
          const std::uint32_t gone = barrier.whole_cta ? threads - live - barrier.early_left : 0;
          what = fmt::format("{}: {} of {} threads have arrived",
                             barrier.whole_cta ? std::string("cta_sync")
                                               : fmt::format("barrier {}", strand.object),
                             barrier.arrived + gone, barrier.expected);
          break;
        }
        case StrandState::cluster:
          what = fmt::format("the cluster's barrier: {} of {} threads have arrived",
                             cluster != nullptr ? cluster->arrived : 0,
                             cluster != nullptr ? cluster->live : 0);
          break;
        case StrandState::mbarrier:
          what = mbarrier_text(strand);
          break;
        case StrandState::warp:
          what = fmt::format("{}: lanes {:#010x} of its warp have not come",
                             strand.site != nullptr ? ir::spec(strand.site->op).name : "a warp op",
                             strand.wanted & warp.live & ~strand.mask);
          break;
        case StrandState::runnable:
        case StrandState::yielded:
          what = "memory to change (it polls)";
          if (const Mbarrier* barrier = polled(strand); barrier != nullptr) {
            what = mbarrier_text(strand) + " (it polls)";
          }
          break;
      }
      lines.push_back({&warp, &strand, std::move(what)});
    }
  }
  return lines;
}

/// "CTA (0, 0, 0) warp 1, role 'warp == 1', waits for barrier 3: 32 of 64 threads have arrived".
Note Cta::note_of(const Waiting& line) const {
  const CallSite* site = line.strand->site;
  const std::string lanes = line.strand->mask == line.warp->live
                                ? std::string()
                                : fmt::format(" lanes {:#010x}", line.strand->mask);
  std::string role;
  if (site != nullptr) role = role_at(site->place);
  if (!role.empty()) role = fmt::format(", role '{}',", role);
  return {site != nullptr ? site->place.span : Span{},
          fmt::format("CTA ({}, {}, {}) warp {}{}{} waits for {}", coordinates[0], coordinates[1],
                      coordinates[2], line.warp->index, lanes, role, line.text)};
}

/// Lanes that have come to the end of a branch or loop and wait there for the rest of their warp.
std::vector<Note> Cta::joins_table() const {
  std::vector<Note> notes;
  for (const Warp& warp : warps) {
    for (const JoinState& join : warp.joins) {
      if (join.arrived == 0) continue;
      notes.push_back(
          {machine.program->span_of(join.resume - 1),
           fmt::format("CTA ({}, {}, {}) warp {} lanes {:#010x} wait for the others of their warp "
                       "where the branch or loop around this ends",
                       coordinates[0], coordinates[1], coordinates[2], warp.index, join.arrived)});
    }
  }
  return notes;
}

std::vector<Note> Cta::wait_table() {
  std::vector<Note> notes;
  for (const Waiting& line : who_waits()) notes.push_back(note_of(line));
  for (Note& note : joins_table()) notes.push_back(std::move(note));
  return notes;
}

Span Cta::where_it_waits() {
  for (const Waiting& line : who_waits()) {
    if (line.strand->site != nullptr) return line.strand->site->place.span;
  }
  return {};
}

/// Who polls an mbarrier in vain is a wait that does not pass, as mbarrier_wait is.
void Cta::doubt_polls() {
  if (races == nullptr) return;
  for (const Warp& warp : warps) {
    for (const Strand& strand : warp.strands) {
      const bool polls =
          strand.state == StrandState::yielded || strand.state == StrandState::runnable;
      if (!polls) continue;
      const Mbarrier* barrier = polled(strand);
      if (barrier == nullptr || !strand.site->instruction->has("parity")) continue;
      mbarriers.order.wait(
          races->threads, static_cast<std::int64_t>(strand.phase), barrier->arrivals,
          {warp.index, strand.mask, races->threads.tick(warp.index), strand.site}, false);
    }
  }
}

void Cta::report_deadlock(std::string_view why) {
  doubt_polls();
  if (report_order()) return;
  const std::vector<Waiting> lines = who_waits();
  if (lines.empty()) return;
  // Lanes of one warp that wait for each other, or for lanes that went elsewhere: divergence.
  // Who waits for lanes that took no part, as their masks were wrong, is not told once more.
  const Waiting* lonely = nullptr;
  bool follows = false;
  for (const Waiting& line : lines) {
    if (line.strand->state != StrandState::warp) continue;
    if ((line.strand->wanted & line.warp->live & line.warp->misnamed) != 0) {
      follows = true;
    } else {
      lonely = &line;
    }
  }
  if (lonely == nullptr && follows) return;
  const ir::FaultKind kind =
      lonely != nullptr ? ir::FaultKind::divergence : ir::FaultKind::deadlock;
  if (kind == ir::FaultKind::deadlock && faults.has(ir::FaultKind::divergence)) return;
  const Waiting& first = lonely != nullptr ? *lonely : lines[0];
  const std::uint32_t site =
      first.strand->site != nullptr ? first.strand->site->place.id : machine.program->place_count;
  faults.add(kind, site, [&] {
    ir::Fault fault;
    fault.text = lonely != nullptr
                     ? fmt::format("some lanes of warp {} wait for others that never come",
                                   first.warp->index)
                     : std::string(why);
    const int lane = std::countr_zero(first.strand->mask);
    fault.first.thread = where(*first.warp, lonely != nullptr ? lane : -1);
    fault.first.span = first.strand->site != nullptr ? first.strand->site->place.span : Span{};
    fault.first.what = "waits for " + first.text;
    if (first.strand->site != nullptr) fault.first.role = role_at(first.strand->site->place);
    for (const Waiting& line : lines) fault.notes.push_back(note_of(line));
    for (Note& note : joins_table()) fault.notes.push_back(std::move(note));
    return fault;
  });
}

}  // namespace tirx::sim
