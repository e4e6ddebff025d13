// Barriers and fences (PTX ISA 9.7.13).
#include <bit>

#include <fmt/format.h>

#include "sim/ops/context.hpp"

namespace tirx::sim::ops {

namespace {

/// Aligned forms: all lanes of the warp that have not returned execute them together.
void check_aligned(const Context& c, std::string_view name) {
  const std::uint32_t missing = c.warp.live & ~c.lanes;
  if (missing == 0) return;
  c.fault(ir::FaultKind::divergence, std::countr_zero(c.lanes),
          fmt::format("lanes {:#010x} of warp {} are missing at {}", missing, c.warp.index, name),
          "move the barrier out of the condition, or let whole warps take it");
}

/// All who meet at a barrier name the same count.
void check_count(const Context& c, std::uint32_t id, std::uint32_t count) {
  Cta& cta = c.cta();
  Barrier& barrier = cta.barriers[id];
  if (barrier.arrived == 0 || barrier.expected == count) return;
  barrier.counts_differ = true;
  if (cta.races != nullptr) cta.races->order.counts_differ(id);
  c.fault(ir::FaultKind::divergence, std::countr_zero(c.lanes),
          fmt::format("barrier {} is used for {} threads here and for {} elsewhere", id, count,
                      barrier.expected),
          "all participants of a barrier name the same count");
}

/// The first lane in which the operand is not what it is in the first of all, or -1.
int differing_lane(const Context& c, int arg) {
  if (c.operand(arg).kind != CallOperand::Kind::vector) return -1;
  const std::int64_t expected = c.integer(arg, std::countr_zero(c.lanes));
  int found = -1;
  for_lanes(c.lanes, [&](int lane) {
    if (found < 0 && c.integer(arg, lane) != expected) found = lane;
  });
  return found;
}

/// A barrier's operands are the same in all lanes of the warp: it is executed once per warp.
bool read_barrier(const Context& c, std::uint32_t& id, std::uint32_t& count, int count_arg = 1) {
  const int lane = std::countr_zero(c.lanes);
  for (const int arg : {0, count_arg}) {
    if (!c.has(arg)) continue;
    int unknown = -1;
    // What is no vector is written for all lanes or for none.
    const bool alike = c.operand(arg).kind != CallOperand::Kind::vector;
    for_lanes(alike ? std::uint32_t{1} << lane : c.lanes, [&](int one) {
      if (unknown < 0 && c.poisoned(arg, one)) unknown = one;
    });
    const std::string_view what = arg == 0 ? "number" : "thread count";
    if (unknown >= 0) {
      c.fault(ir::FaultKind::uninit, unknown,
              fmt::format("a barrier's {} was never written", what));
      return false;
    }
    if (const int other = differing_lane(c, arg); other >= 0) {
      c.fault(ir::FaultKind::divergence, other,
              fmt::format("lanes {} and {} of warp {} bring the {}s {} and {} to one {}", lane,
                          other, c.warp.index, arg == 0 ? "barrier number" : what,
                          c.integer(arg, lane), c.integer(arg, other), ir::spec(c.site.op).name),
              "a warp executes a barrier once: its number and its thread count are the same in all "
              "lanes");
    }
  }
  const std::int64_t number = c.integer(0, lane);
  const std::int64_t threads = c.has(count_arg) ? c.integer(count_arg, lane) : c.cta().threads;
  if (number < 0 || number > 15) {
    c.fault(ir::FaultKind::trap, lane, fmt::format("barrier {} does not exist", number),
            "barriers are numbered 0 to 15");
    return false;
  }
  if (threads <= 0 || (c.has(count_arg) && threads % 32 != 0)) {
    c.fault(ir::FaultKind::trap, lane,
            fmt::format("barrier {} for {} threads: the count must be a "
                        "positive multiple of 32",
                        number, threads));
    return false;
  }
  id = static_cast<std::uint32_t>(number);
  count = static_cast<std::uint32_t>(threads);
  check_count(c, id, count);
  const Barrier& barrier = c.cta().barriers[id];
  const bool reduces = c.site.op == ir::AllOps::id_of<ir::PtxBarRed>();
  if (barrier.arrived != 0 && barrier.reduces != reduces) {
    c.fault(ir::FaultKind::divergence, lane,
            fmt::format("bar.red meets another operation at barrier {}", id),
            "all participants of bar.red execute bar.red");
  }
  return true;
}

/// A thread that arrives at the cluster's barrier has to wait before it arrives again, and to
/// arrive before it waits (PTX ISA 9.7.13, barrier.cluster).  The lanes that did; the others are
/// reported.
std::uint32_t in_turn(const Context& c, bool arrives) {
  const std::uint32_t wrong =
      arrives ? c.lanes & c.warp.cluster_arrived : c.lanes & ~c.warp.cluster_arrived;
  if (wrong == 0) return c.lanes;
  Cta& cta = c.cta();
  const int lane = std::countr_zero(wrong);
  cta.faults.add(ir::FaultKind::trap, c.site.place.id, [&] {
    ir::Fault fault;
    fault.text = arrives ? fmt::format(
                               "warp {} arrives at the cluster's barrier, and has not waited "
                               "since it arrived there before",
                               c.warp.index)
                         : fmt::format(
                               "warp {} waits at the cluster's barrier without an arrival "
                               "before it",
                               c.warp.index);
    fault.first.thread = cta.where(c.warp, lane);
    fault.first.span = c.site.place.span;
    fault.first.role = cta.role_at(c.site.place);
    fault.first.what = std::string(ir::spec(c.site.op).name);
    if (const CallSite* before = c.warp.cluster_arrival; before != nullptr) {
      fault.notes.push_back({before->place.span, arrives ? "it arrived here" : "its last arrival"});
    }
    fault.notes.push_back(
        {{},
         "each barrier.cluster.arrive is followed by one barrier.cluster.wait of the same threads; "
         "anything else is undefined"});
    return fault;
  });
  return c.lanes & ~wrong;
}

/// Aligned barriers count whole warps.
constexpr std::uint32_t kWarp = 32;

}  // namespace

Next eval(ir::CtaSync, Context& c) {
  check_aligned(c, "cta_sync");
  Cta& cta = c.cta();
  check_count(c, 0, cta.threads);
  Strand& strand = c.block(StrandState::barrier);
  strand.object = 0;
  strand.expected = cta.threads;
  if (cta.races != nullptr) cta.races->arrive(0, c.warp, c.lanes, cta.threads, true, c.site);
  cta.arrive(0, count_lanes(c.lanes), cta.threads, true, c.warp, c.site);
  return Next::wait;
}

Next eval(ir::NamedBarrierSync, Context& c) {
  check_aligned(c, "ptx.bar.sync");
  std::uint32_t id = 0, count = 0;
  if (!read_barrier(c, id, count)) return Next::go_on;
  Strand& strand = c.block(StrandState::barrier);
  strand.object = id;
  strand.expected = count;
  if (c.cta().races != nullptr) c.cta().races->arrive(id, c.warp, c.lanes, count, true, c.site);
  // Without a count it is a barrier of the whole CTA, which exited threads do
  // not hold up.
  const bool whole = !c.has(1);
  const std::uint32_t lanes = count_lanes(c.lanes);
  c.cta().arrive(id, whole ? lanes : kWarp, count, whole, c.warp, c.site);
  return Next::wait;
}

Next eval(ir::PtxBarRed, Context& c) {
  check_aligned(c, "ptx.bar.red");
  std::uint32_t id = 0, count = 0;
  constexpr int kCondition = 1, kCount = 2;
  if (!read_barrier(c, id, count, kCount)) return Next::go_on;
  Strand& strand = c.block(StrandState::barrier);
  strand.object = id;
  strand.expected = count;
  strand.result = c.pc->d;
  Barrier& barrier = c.cta().barriers[id];
  barrier.reduces = true;
  for_lanes(c.lanes, [&](int lane) {
    ++barrier.given;
    if (c.bits(kCondition, lane) != 0) ++barrier.held;
    if (!barrier.poison && c.poisoned(kCondition, lane)) {
      barrier.poison = true;
      barrier.origin = c.origin_of(kCondition, lane);
    }
  });
  if (c.cta().races != nullptr) c.cta().races->arrive(id, c.warp, c.lanes, count, true, c.site);
  const bool whole = !c.has(kCount);
  const std::uint32_t lanes = count_lanes(c.lanes);
  c.cta().arrive(id, whole ? lanes : kWarp, count, whole, c.warp, c.site);
  return Next::wait;
}

Next eval(ir::NamedBarrierArrive, Context& c) {
  check_aligned(c, "ptx.bar.arrive");
  std::uint32_t id = 0, count = 0;
  if (!read_barrier(c, id, count)) return Next::go_on;
  if (c.cta().races != nullptr) c.cta().races->arrive(id, c.warp, c.lanes, count, false, c.site);
  c.cta().arrive_early(id, c.warp, c.lanes);
  c.cta().arrive(id, kWarp, count, false, c.warp, c.site);
  return Next::go_on;
}

Next eval(ir::ClusterArrive, Context& c) {
  check_aligned(c, "ptx.barrier.cluster.arrive");
  Cta& cta = c.cta();
  // A second arrival would count in the place of another thread's.
  const std::uint32_t lanes = in_turn(c, true);
  if (lanes == 0) return Next::go_on;
  c.warp.cluster_arrived |= lanes;
  c.warp.cluster_arrival = &c.site;
  if (cta.cluster == nullptr) return Next::go_on;
  c.warp.cluster_phase = cta.cluster->phase + 1;
  if (cta.races != nullptr) cta.races->cluster_arrive(*cta.cluster, c.warp.index, lanes);
  cta.cluster->arrived += count_lanes(lanes);
  cta.release_cluster();
  return Next::go_on;
}

Next eval(ir::ClusterWait, Context& c) {
  check_aligned(c, "ptx.barrier.cluster.wait");
  Cta& cta = c.cta();
  if (in_turn(c, false) == 0) return Next::go_on;
  if (cta.cluster == nullptr || cta.cluster->phase >= c.warp.cluster_phase) {
    c.warp.cluster_arrived &= ~c.lanes;
    if (cta.cluster == nullptr) return Next::go_on;
    if (cta.races != nullptr) cta.races->cluster_wait(*cta.cluster, c.warp, c.lanes, c.site);
    return Next::go_on;
  }
  Strand& strand = c.block(StrandState::cluster);
  strand.phase = c.warp.cluster_phase;
  return Next::retry;
}

Next eval(ir::ThreadFence, Context& c) {
  if (c.cta().races != nullptr) c.cta().races->fence(c.warp.index, c.lanes, c.site.text);
  return Next::go_on;
}

}  // namespace tirx::sim::ops
