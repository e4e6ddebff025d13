// As in missing_edge.cpp all is read off the program, so that a report is the same whichever access
// came first.
#include "sim/exec/roles.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tirx::sim::exec {

namespace {

using Ops = ir::AllOps;

/// By their conditions' words: each `if warp == PRODUCER:` is one of its own.
bool same_role(const Cta& cta, const Place& a, const Place& b) {
  return cta.role_at(a) == cta.role_at(b);
}

int line_of(const Cta& cta, const Place& place) {
  if (cta.machine.source == nullptr || place.span.empty()) return 0;
  return static_cast<int>(cta.machine.source->locate(place.span.begin).line);
}

bool arrives(const CallSite& site) {
  constexpr std::array kOps = {
      Ops::id_of<ir::PtxMbarrierArrive>(), Ops::id_of<ir::PtxMbarrierArriveDrop>(),
      Ops::id_of<ir::PtxMbarrierArriveExpectTx>(), Ops::id_of<ir::PtxCpAsyncMbarrierArrive>()};
  return std::find(kOps.begin(), kOps.end(), site.op) != kOps.end();
}

bool waits(const CallSite& site) {
  constexpr std::array kOps = {Ops::id_of<ir::MbarrierWait>(), Ops::id_of<ir::PtxMbarrierTryWait>(),
                               Ops::id_of<ir::PtxMbarrierTestWait>()};
  return std::find(kOps.begin(), kOps.end(), site.op) != kOps.end();
}

/// The array of mbarriers that an operation is about.
const ir::BufferNode* mbarriers_of(const CallSite& site) {
  return site.args[0].pointer != nullptr ? site.args[0].pointer->buffer.get() : nullptr;
}

/// The warps that come to `done` arrive at an mbarrier behind it, and those that come to `then` do
/// not wait for it in front of that.  `done`: "the data is there".
std::string unanswered(const Cta& cta,
                       const Place& done,
                       const Place& then,
                       std::string_view means) {
  const Program& program = *cta.machine.program;
  for (const auto& arrival : program.call_sites) {
    const ir::BufferNode* barriers = mbarriers_of(*arrival);
    if (!arrives(*arrival) || barriers == nullptr || arrival->place.id < done.id ||
        !same_role(cta, arrival->place, done)) {
      continue;
    }
    const CallSite* late = nullptr;
    bool answered = false;
    for (const auto& wait : program.call_sites) {
      if (!waits(*wait) || mbarriers_of(*wait) != barriers) continue;
      // One array for both directions: which of its waits is meant, its indices decide.
      if (same_role(cta, wait->place, done)) answered = true;
      if (!same_role(cta, wait->place, then) && !wait->place.role.empty()) continue;
      if (wait->place.id < then.id) {
        answered = true;
      } else {
        late = wait.get();
      }
    }
    // The first arrival behind it is the one that tells of it.
    if (answered) return {};
    const int line = line_of(cta, then);
    if (late != nullptr) {
      return fmt::format(
          "the wait for the mbarrier {} at line {} comes behind line {}: that {} is known only "
          "after it (line {} arrives there)",
          barriers->name, line_of(cta, late->place), line, means, line_of(cta, arrival->place));
    }
    return fmt::format(
        "no wait for the mbarrier {0} in front of line {1}, though line {2} arrives at it to say "
        "that "
        "{3}: cuda.mbarrier_wait({0}.ptr_to([...]), parity) in front of line {1} orders the two",
        barriers->name, line, line_of(cta, arrival->place), means);
  }
  return {};
}

/// The cta_sync that a role passes in each round of a loop, or outside of all loops.
struct Syncs {
  bool loop = false;
  std::vector<int> lines;
};

std::optional<Syncs> syncs_around(const Cta& cta, const Place& place) {
  const Program& program = *cta.machine.program;
  std::vector<const CallSite*> all;
  for (const CallSite* site : program.barrier_sites) {
    if (site->op == Ops::id_of<ir::CtaSync>() && same_role(cta, site->place, place))
      all.push_back(site);
  }
  const auto inside = [](const LoopPlaces& loop, const Place& at) {
    return loop.begin <= at.id && at.id < loop.end;
  };
  // The smallest loop around the place that has some.
  const LoopPlaces* around = nullptr;
  for (const LoopPlaces& loop : program.loops) {
    if (!inside(loop, place) || std::none_of(all.begin(), all.end(), [&](const CallSite* site) {
          return inside(loop, site->place);
        })) {
      continue;
    }
    if (around == nullptr || loop.end - loop.begin < around->end - around->begin) around = &loop;
  }
  Syncs found;
  found.loop = around != nullptr;
  for (const CallSite* site : all) {
    if (around != nullptr && !inside(*around, site->place)) continue;
    // How often one in a further loop comes is not known.
    for (const LoopPlaces& loop : program.loops) {
      const bool further = around == nullptr || (around->begin <= loop.begin &&
                                                 loop.end <= around->end && &loop != around);
      if (further && inside(loop, site->place)) return std::nullopt;
    }
    found.lines.push_back(line_of(cta, site->place));
  }
  return found;
}

std::string syncs_text(const Syncs& syncs) {
  if (syncs.lines.empty()) return "none";
  return fmt::format("{} (line{} {})", syncs.lines.size(), syncs.lines.size() == 1 ? "" : "s",
                     fmt::join(syncs.lines, ", "));
}

}  // namespace

std::string missing_wait(const Cta& cta, const Place& writer, const Place& reader) {
  if (same_role(cta, writer, reader)) return {};
  return unanswered(cta, writer, reader, "the data is there");
}

std::string nobody_waits(const Cta& cta, const CallSite& used) {
  const auto& sites = cta.machine.program->call_sites;
  for (const auto& arrival : sites) {
    const ir::BufferNode* barriers = mbarriers_of(*arrival);
    if (!arrives(*arrival) || barriers == nullptr || barriers == mbarriers_of(used) ||
        arrival->place.role.empty()) {
      continue;
    }
    const bool awaited = std::any_of(sites.begin(), sites.end(), [&](const auto& wait) {
      return waits(*wait) && mbarriers_of(*wait) == barriers;
    });
    if (awaited) continue;
    // Who uses the other mbarrier in the other role.
    const CallSite* who = nullptr;
    for (const auto& site : sites) {
      const bool other = !same_role(cta, site->place, arrival->place) && !site->place.role.empty();
      if (other && mbarriers_of(*site) == mbarriers_of(used)) who = site.get();
    }
    if (who == nullptr) continue;
    return fmt::format(
        "nobody waits for the mbarrier {0}, at which line {1} arrives: those that come to line {2} "
        "have to, by cuda.mbarrier_wait({0}.ptr_to([...]), parity), before they touch what it "
        "tells "
        "of",
        barriers->name, line_of(cta, arrival->place), line_of(cta, who->place));
  }
  return {};
}

std::string missing_wait(const Cta& cta, const Side& first, const Side& second) {
  if (first.writes == second.writes || same_role(cta, first.place(), second.place())) return {};
  const Side& writer = first.writes ? first : second;
  const Side& reader = first.writes ? second : first;
  std::string text = missing_wait(cta, writer.place(), reader.place());
  if (!text.empty()) return text;
  return unanswered(cta, reader.place(), writer.place(), "the data has been read");
}

std::string out_of_step(const Cta& cta, const Side& first, const Side& second) {
  const bool roles = !first.place().role.empty() && !second.place().role.empty();
  if (!roles || same_role(cta, first.place(), second.place())) return {};
  const std::optional<Syncs> a = syncs_around(cta, first.place());
  const std::optional<Syncs> b = syncs_around(cta, second.place());
  if (!a || !b || a->loop != b->loop || a->lines.size() == b->lines.size()) return {};
  return fmt::format(
      "the roles come to different numbers of cta_sync{}: warp {} to {}, and warp {} to {}; they "
      "meet at others than they should from then on: let both pass the same number",
      a->loop ? " in each round of their loops" : "", first.warp, syncs_text(*a), second.warp,
      syncs_text(*b));
}

}  // namespace tirx::sim::exec
