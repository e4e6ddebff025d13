// Who waits for what: the table in reports of deadlocks, and at the step limit where nothing but
// polling went on.
#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "sim/machine/cta.hpp"
#include "sim/machine/polled_memory.hpp"

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

/// "the phase of parity 0 of the mbarrier full[1]: phase 2 misses 3 of 128 arrivals".
std::string Cta::mbarrier_text(const Strand& strand) {
  const Mbarrier* barrier = mbarriers.find(static_cast<std::int64_t>(strand.phase));
  if (barrier == nullptr) {
    return strand.wanted == Mbarriers::kNotMade ? "an mbarrier to be made"
                                                : "an mbarrier that is gone";
  }
  std::string text = fmt::format(
      "the phase of parity {} of the mbarrier {}: phase {} misses {} of {} arrivals", strand.wanted,
      mbarrier_name(*strand.site->args[0].pointer, static_cast<std::int64_t>(strand.phase)),
      barrier->phase, barrier->pending, barrier->expected);
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
          if (const auto memory = polled_memory(*this, warp, strand)) what = memory->text;
          if (const Mbarrier* barrier = polled(strand); barrier != nullptr) {
            what = mbarrier_text(strand) + " (it polls)";
          }
          break;
      }
      lines.push_back({&warp, &strand, std::move(what)});
    }
  }
  // Strands stand in the order in which they came to be, which the schedule decides.
  const auto place = [](const Waiting& line) {
    return std::pair(line.warp->index, std::countr_zero(line.strand->mask));
  };
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const Waiting& a, const Waiting& b) { return place(a) < place(b); });
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
  const std::vector<Waiting> lines = who_waits();
  const bool count = out_of_step();
  for (const Waiting& line : lines) {
    Note& note = notes.emplace_back(note_of(line));
    if (const std::string came = came_text(*line.warp); count && !came.empty()) {
      note.text += "; it came to barriers at " + came;
    }
  }
  for (Note& note : joins_table()) notes.push_back(std::move(note));
  if (count && !lines.empty()) {
    for (Note& note : ended_table(where_it_waits())) {
      notes.push_back(std::move(note));
    }
  }
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

bool Cta::report_divergence() {
  const std::vector<Waiting> lines = who_waits();
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
  if (lonely == nullptr) return follows;
  faults.add(ir::FaultKind::divergence, site_of(*lonely), [&] {
    return fault_at(
        *lonely, std::countr_zero(lonely->strand->mask),
        fmt::format("some lanes of warp {} wait for others that never come", lonely->warp->index),
        wait_table());
  });
  return true;
}

std::uint32_t Cta::site_of(const Waiting& line) const {
  const CallSite* site = line.strand->site;
  return site != nullptr ? site->place.id : machine.program->place_count;
}

ir::Fault Cta::fault_at(const Waiting& line, int lane, std::string text, std::vector<Note> table) {
  const CallSite* site = line.strand->site;
  ir::Fault fault;
  fault.text = std::move(text);
  fault.first.thread = where(*line.warp, lane);
  fault.first.span = site != nullptr ? site->place.span : Span{};
  fault.first.what = "waits for " + line.text;
  if (site != nullptr) fault.first.role = role_at(site->place);
  fault.notes = std::move(table);
  return fault;
}

void Cta::report_deadlock(std::span<Cta* const> ctas, std::string_view why) {
  std::vector<Cta*> stuck;
  bool divergent = false, broken = false;
  for (Cta* cta : ctas) {
    cta->doubt_polls();
    if (cta->report_order()) continue;
    // Who waits where an mbarrier is broken follows from that.
    broken = broken || cta->mbarriers.is_broken();
    // Others of the cluster wait for those, too.
    divergent = cta->report_divergence() || cta->faults.has(ir::FaultKind::divergence) || divergent;
    if (!cta->who_waits().empty()) stuck.push_back(cta);
  }
  if (divergent || broken || stuck.empty()) return;
  Cta& first = *stuck.front();
  const std::vector<Waiting> lines = first.who_waits();
  first.faults.add(ir::FaultKind::deadlock, first.site_of(lines[0]), [&] {
    constexpr std::size_t kMost = 64;
    std::vector<Note> table;
    std::size_t left_out = 0;
    for (Cta* cta : stuck) {
      for (Note& note : cta->wait_table()) {
        if (table.size() < kMost) {
          table.push_back(std::move(note));
        } else {
          ++left_out;
        }
      }
    }
    if (left_out != 0) table.push_back({{}, fmt::format("and {} more", left_out)});
    ir::Fault fault = first.fault_at(lines[0], -1, std::string(why), std::move(table));
    // The first element that is polled in vain, who wrote it last, and the way out.
    for (Cta* cta : stuck) {
      for (const Waiting& line : cta->who_waits()) {
        const auto memory = polled_memory(*cta, *line.warp, *line.strand);
        if (!memory || !fault.element.empty()) continue;
        fault.element = memory->element;
        fault.space = memory->space;
        fault.notes.insert(fault.notes.end(), memory->notes.begin(), memory->notes.end());
      }
    }
    if (fault.element.empty()) {
      if (std::string help = barrier_help(stuck); !help.empty()) {
        fault.notes.push_back({{}, std::move(help)});
      }
    }
    return fault;
  });
}

}  // namespace tirx::sim
