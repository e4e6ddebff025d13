// Of a deadlock at barriers: how often has each warp come to which, who has ended meanwhile, and
// what is the way out?
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "sim/machine/cta.hpp"
#include "sim/machine/warps_text.hpp"

namespace tirx::sim {

namespace {

std::string times(std::uint32_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

bool at_barrier(const Strand& strand) {
  return strand.state == StrandState::barrier || strand.state == StrandState::cluster;
}

std::string barrier_name(const Cta& cta, const Strand& strand) {
  if (strand.state == StrandState::cluster) return "the cluster's barrier";
  if (cta.barriers[strand.object].whole_cta) return "cta_sync";
  return fmt::format("barrier {}", strand.object);
}

}  // namespace

/// "line 13 (4 times) and line 15 (once)"; empty: nowhere.
std::string Cta::came_text(const Warp& warp) {
  if (machine.source == nullptr) return {};
  std::map<std::uint32_t, std::uint32_t> lines;
  for (const CallSite* site : machine.program->barrier_sites) {
    const std::uint32_t count = came(warp, *site);
    if (count == 0 || site->place.span.empty()) continue;
    lines[machine.source->locate(site->place.span.begin).line] += count;
  }
  constexpr std::size_t kMost = 8;
  std::string text;
  std::size_t left = lines.size();
  for (const auto& [line, count] : lines) {
    if (lines.size() - left == kMost) return fmt::format("{} and {} more lines", text, left);
    if (!text.empty()) text += left == 1 ? " and " : ", ";
    text += fmt::format("line {} ({})", line, times(count));
    --left;
  }
  return text;
}

/// Whether some warps wait at barriers of the CTA to which others may have come more or less often.
/// Of those who poll it would say how long they did.
bool Cta::out_of_step() {
  bool waits = false, again = false;
  for (const Warp& warp : warps) {
    for (const Strand& strand : warp.strands) {
      if (strand.state == StrandState::yielded || strand.state == StrandState::runnable)
        return false;
      waits = waits || strand.state == StrandState::barrier;
    }
    std::uint32_t arrivals = 0;
    for (const CallSite* site : machine.program->barrier_sites) arrivals += came(warp, *site);
    again = again || arrivals > 1;
  }
  return waits && again;
}

/// "CTA (0, 0, 0) warp 1, role 'not (w == 0)', has ended; it came to barriers at line 18 (once)".
std::vector<Note> Cta::ended_table(Span otherwise) {
  struct Group {
    std::uint32_t warps = 0;
    const CallSite* last = nullptr;
  };

  std::map<std::string, Group> groups;  // by what they did
  for (const Warp& warp : warps) {
    if (warp.live != 0) continue;
    Group& group = groups[came_text(warp)];
    group.warps |= 1U << warp.index;
    for (const CallSite* site : machine.program->barrier_sites) {
      if (came(warp, *site) != 0) group.last = site;
    }
  }
  std::vector<std::pair<std::uint32_t, Note>> notes;
  for (const auto& [came_to, group] : groups) {
    const std::string role = group.last != nullptr ? role_at(group.last->place) : std::string();
    const bool one = std::has_single_bit(group.warps);
    notes.push_back({static_cast<std::uint32_t>(std::countr_zero(group.warps)),
                     {group.last != nullptr ? group.last->place.span : otherwise,
                      fmt::format("CTA ({}, {}, {}) {}{} {} ended; {} came to {}", coordinates[0],
                                  coordinates[1], coordinates[2], warps_text(group.warps),
                                  role.empty() ? "" : fmt::format(", role '{}',", role),
                                  one ? "has" : "have", one ? "it" : "each",
                                  came_to.empty() ? "no barrier" : "barriers at " + came_to)}});
  }
  std::stable_sort(notes.begin(), notes.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Note> table;
  for (auto& note : notes) table.push_back(std::move(note.second));
  return table;
}

/// What to do about warps that wait at a barrier; empty: nothing in particular.
std::string Cta::barrier_help(std::span<Cta* const> ctas) {
  std::set<std::string> names;
  Cta* where = nullptr;  // of the first that waits at a barrier, or of one that does not
  Waiting here, elsewhere;
  Cta* other = nullptr;
  for (Cta* cta : ctas) {
    for (const Waiting& line : cta->who_waits()) {
      if (at_barrier(*line.strand)) {
        names.insert(barrier_name(*cta, *line.strand));
        if (where == nullptr) where = cta, here = line;
      } else if (other == nullptr) {
        other = cta, elsewhere = line;
      }
    }
  }
  const bool phase = other != nullptr && (elsewhere.strand->state == StrandState::mbarrier ||
                                          other->polled(*elsewhere.strand) != nullptr);
  if (where == nullptr) {
    if (!phase) return {};
    return "nobody is left who would complete the phase: mbarrier.init's count is the number of "
           "arrivals in each phase, and the parity of a wait changes from phase to phase";
  }
  const std::string name = barrier_name(*where, *here.strand);
  if (other != nullptr) {
    const std::string who = warps_text(1U << elsewhere.warp->index);
    return fmt::format(
        "{} does not come to {} before its wait ends: what it waits for must not come behind that "
        "barrier; move it in front of the barrier, or let {} wait behind it{}",
        who, name, who, phase ? " (the parity of a wait changes from phase to phase)" : "");
  }
  if (names.size() > 1) {
    return fmt::format(
        "warps wait at {}, and none of these gets all its threads: those who are to meet come to "
        "one barrier, and all come to their barriers in the same order",
        fmt::join(names, " and "));
  }
  if (here.strand->state != StrandState::barrier) return {};
  const Barrier& barrier = where->barriers[here.strand->object];
  if (barrier.expected > where->threads) {
    return fmt::format("{} takes {} threads, and the CTA has {}", name, barrier.expected,
                       where->threads);
  }
  std::uint32_t ended = 0;
  for (const Warp& warp : where->warps) {
    if (warp.live == 0) ended |= 1U << warp.index;
  }
  if (ended == 0) return {};
  return fmt::format(
      "{} takes {} threads, and {} will not come to it again: let all roles pass it equally often, "
      "in each round of their loops, too, or name the number of threads that still come",
      name, barrier.expected, warps_text(ended));
}

}  // namespace tirx::sim
