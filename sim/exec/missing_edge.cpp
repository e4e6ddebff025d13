// Hints for races between CTAs; see missing_edge.hpp.  They are read off the program alone, so that
// a report is the same whichever access came first.
#include "sim/exec/missing_edge.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/all_ops.hpp"

namespace tirx::sim::exec {

namespace {

using Ops = ir::AllOps;

bool is_fence(const CallSite& site) {
  return site.op == Ops::id_of<ir::ThreadFence>() || site.op == Ops::id_of<ir::PtxFence>() ||
         site.op == Ops::id_of<ir::PtxMembar>();
}

bool is_barrier(const CallSite& site) {
  return site.op == Ops::id_of<ir::CtaSync>() || site.op == Ops::id_of<ir::NamedBarrierSync>() ||
         site.op == Ops::id_of<ir::PtxBarRed>();
}

bool same_cluster(const Cta& cta, std::int64_t a, std::int64_t b) {
  const auto& grid = cta.machine.binding->grid;
  const auto& size = cta.machine.binding->cluster;
  return a % grid[0] / size[0] == b % grid[0] / size[0] &&
         a / grid[0] % grid[1] / size[1] == b / grid[0] % grid[1] / size[1] &&
         a / (grid[0] * grid[1]) / size[2] == b / (grid[0] * grid[1]) / size[2];
}

int line_of(const Cta& cta, const Place& place) {
  if (cta.machine.source == nullptr || place.span.empty()) return 0;
  return static_cast<int>(cta.machine.source->locate(place.span.begin).line);
}

/// Where each thread fences its own writes, and one thread then speaks for all by an atomic that
/// releases nothing: a barrier orders the others before it, but their fences are not its own.
std::string fence_before_barrier(const Cta& cta, std::uint32_t early, std::uint32_t late) {
  const Program& program = *cta.machine.program;
  const auto inside = [&](const Place& place) { return early < place.id && place.id < late; };
  for (const auto& atomic : program.race_sites) {
    const bool speaks = atomic->strong && atomic->kind == RaceSite::Kind::atomic &&
                        !atomic->releases && atomic->call != nullptr && inside(atomic->call->place);
    if (!speaks) continue;
    const std::uint32_t at = atomic->call->place.id;
    const CallSite* fence = nullptr;    // the last one in front of the atomic
    const CallSite* barrier = nullptr;  // … and the last barrier
    for (const auto& site : program.call_sites) {
      if (!inside(site->place) || site->place.id >= at) continue;
      if (is_fence(*site) && (fence == nullptr || fence->place.id < site->place.id)) {
        fence = site.get();
      }
      if (is_barrier(*site) && (barrier == nullptr || barrier->place.id < site->place.id)) {
        barrier = site.get();
      }
    }
    if (fence == nullptr || barrier == nullptr || barrier->place.id < fence->place.id) continue;
    return fmt::format(
        "the fence at line {} stands in front of the barrier at line {}: it covers what its own "
        "thread did, and not what the thread that does the atomic at line {} has seen of the "
        "others; a cuda.thread_fence() of that thread, between the barrier and its atomic, does",
        line_of(cta, fence->place), line_of(cta, barrier->place),
        line_of(cta, atomic->call->place));
  }
  return {};
}

/// CTAs of one cluster.
std::string cluster_barrier(const Cta& cta,
                            std::uint32_t early,
                            std::uint32_t late,
                            const std::string& where) {
  const CallSite* arrival = nullptr;
  for (const auto& site : cta.machine.program->call_sites) {
    if (site->place.id <= early || late <= site->place.id) continue;
    if (site->op == Ops::id_of<ir::ClusterWait>()) return {};
    if (site->op == Ops::id_of<ir::ClusterArrive>()) arrival = site.get();
  }
  if (arrival != nullptr) {
    return fmt::format(
        "the threads arrive at the cluster's barrier at line {}, and do not wait for the other "
        "CTA's: ptx.barrier.cluster.wait() in front of the later access",
        line_of(cta, arrival->place));
  }
  return fmt::format(
      "no barrier of the cluster {}: cuda.cluster_sync() orders the CTAs of one cluster "
      "(ptx.barrier.cluster.arrive() and wait() are its halves)",
      where);
}

}  // namespace

std::string missing_between_ctas(const Cta& cta,
                                 const Place& a,
                                 const Place& b,
                                 std::int64_t cta_of_a,
                                 std::int64_t cta_of_b,
                                 const std::string& where) {
  const auto [early, late] = std::minmax(a.id, b.id);
  const auto& cluster = cta.machine.binding->cluster;
  if (cluster[0] * cluster[1] * cluster[2] > 1 && same_cluster(cta, cta_of_a, cta_of_b)) {
    return cluster_barrier(cta, early, late, where);
  }
  return fence_before_barrier(cta, early, late);
}

}  // namespace tirx::sim::exec
