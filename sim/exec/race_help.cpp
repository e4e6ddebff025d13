#include "sim/exec/race_help.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "sim/exec/lanes.hpp"
#include "sim/exec/missing_edge.hpp"
#include "sim/exec/roles.hpp"

namespace tirx::sim::exec {

namespace {

/// Whether the warps that come to a place arrive at mbarriers or wait for them.
bool uses_mbarriers(const Cta& cta, const Place& place) {
  const Program& program = *cta.machine.program;
  using Ops = ir::AllOps;
  constexpr std::array kOps = {Ops::id_of<ir::PtxMbarrierArrive>(),
                               Ops::id_of<ir::PtxMbarrierArriveDrop>(),
                               Ops::id_of<ir::PtxMbarrierArriveExpectTx>(),
                               Ops::id_of<ir::PtxMbarrierTestWait>(),
                               Ops::id_of<ir::PtxMbarrierTryWait>(),
                               Ops::id_of<ir::PtxCpAsyncMbarrierArrive>(),
                               Ops::id_of<ir::MbarrierWait>()};
  return std::any_of(program.call_sites.begin(), program.call_sites.end(), [&](const auto& site) {
    const Place& at = site->place;
    const bool same = cta.role_at(at) == cta.role_at(place);
    return (at.role.empty() || same) && std::find(kOps.begin(), kOps.end(), site->op) != kOps.end();
  });
}

}  // namespace

std::string lanes_left_out(const Side& prior, const Side& now, const Cta& cta) {
  const auto lanes_of = [&](std::uint32_t warp) {
    const std::uint32_t count = cta.threads - warp * kLanes;
    return count >= kLanes ? kFullMask : (1U << count) - 1;
  };
  const race::Detector& threads = cta.races->threads;
  const race::Lanes told =
      lanes_of(prior.warp) & ~threads.unknown_to(now.warp, race::Lanes{1} << now.lane, prior.warp,
                                                 lanes_of(prior.warp), prior.tick);
  if (told != 0 && (told >> prior.lane & 1) == 0) {
    return fmt::format(
        "what lane {} of warp {} did is ordered, and it does not speak for its other lanes: a "
        "cuda.warp_sync() before it arrives (or releases) hands on what they did",
        std::countr_zero(told), prior.warp);
  }
  int knows = -1;
  for_lanes(lanes_of(now.warp), [&](int lane) {
    if (knows >= 0) return;
    const race::Lanes unknown = threads.unknown_to(now.warp, race::Lanes{1} << lane, prior.warp,
                                                   race::Lanes{1} << prior.lane, prior.tick);
    if (unknown == 0) knows = lane;
  });
  if (knows < 0) return {};
  return fmt::format(
      "lane {} of warp {} has waited for it, and not for its other lanes: a cuda.warp_sync() "
      "behind "
      "its wait lets them know",
      knows, now.warp);
}

std::string missing(const Side& first,
                    const Side& second,
                    const Cta& cta,
                    bool shared,
                    const std::string& where,
                    const std::string& left_out,
                    bool apart) {
  if (first.strong != second.strong && !shared && first.cta != second.cta) {
    return fmt::format(
        "one of the two is a plain access: use atomics or ptx.ld.acquire / ptx.st.release for "
        "both, or order them by a release and an acquire");
  }
  if (first.strong && second.strong) {
    return "the scope of one of the two does not include the other thread: use scope gpu";
  }
  if (first.cta != second.cta) {
    const std::string edge =
        missing_between_ctas(cta, first.place(), second.place(), first.cta, second.cta, where);
    if (!edge.empty()) return edge;
    return fmt::format(
        "no release by the one CTA and acquire by the other {}{}; without them CTAs are ordered by "
        "the end of the kernel only",
        where, cta.machine.program->narrow ? " that reaches both (scope gpu)" : "");
  }
  if (const std::string wait = shared ? missing_wait(cta, first, second) : ""; !wait.empty()) {
    return wait;
  }
  if (first.copy || second.copy) {
    if (first.warp == second.warp && first.lane == second.lane) {
      return "the thread has to wait for its copy first: commit it and wait for its group";
    }
    return "a copy runs on its own until its thread has waited for its group; a barrier between "
           "that wait and the other access, or between the other access and the copy, orders the "
           "two, such as cuda.cta_sync()";
  }
  if (first.warp == second.warp) {
    if (first.site == second.site && first.tick == second.tick) {
      return fmt::format(
          "lanes of one warp do this without a cuda.warp_sync() or barrier between them");
    }
    return fmt::format("no cuda.warp_sync() and no barrier {}: lanes of a warp are not in lockstep",
                       where);
  }
  if (!left_out.empty()) return left_out;
  if (const std::string step = apart ? out_of_step(cta, first, second) : ""; !step.empty()) {
    return step;
  }
  if (shared && uses_mbarriers(cta, first.place()) && uses_mbarriers(cta, second.place())) {
    return fmt::format(
        "no mbarrier phase {} at which the one warp arrives and for which the other waits: wait "
        "for the phase that says that the data is there, and, before it is overwritten, for the "
        "one that says that it has been read",
        where);
  }
  return fmt::format("no barrier {} in which both warps take part, such as cuda.cta_sync()", where);
}

}  // namespace tirx::sim::exec
