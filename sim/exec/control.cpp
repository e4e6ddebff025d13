// Jumps, and how a warp splits into strands and joins again.
//
// A strand that meets a divergent branch leaves the other side's lanes as a new strand.  Both sides
// know the join where they meet; who arrives first waits there.  Lanes that leave a region early
// (break, continue, return) are no longer expected at the joins in between.
#include "sim/exec/handlers.hpp"
#include "sim/exec/lanes.hpp"
#include "sim/exec/report.hpp"
#include "sim/machine/cta.hpp"

namespace tirx::sim::exec {

namespace {

const Instr* die(Warp& w) {
  w.stop = Stop::dead;
  return nullptr;
}

/// Takes lanes out of a region that they will not end with the others.
void withdraw(Warp& w, std::uint32_t id, std::uint32_t lanes) {
  JoinState& join = w.joins[id];
  join.expected &= ~lanes;
  if (join.arrived != 0 && join.arrived == join.expected) {
    w.spawn(join.resume, join.arrived, join.parent);
    join.arrived = 0;
    join.expected = 0;
  }
}

/// The strand's lanes wait at a join; goes on with all of them if they are the last.
const Instr* arrive(Warp& w, std::uint32_t id, const Instr* next) {
  JoinState& join = w.joins[id];
  join.arrived |= w.mask;
  if (join.arrived != join.expected) return die(w);
  w.mask = join.arrived;
  w.join = join.parent;
  join.arrived = 0;
  join.expected = 0;
  return next;
}

}  // namespace

const Instr* jump(const Instr* pc, Warp&) {
  return pc->target;
}

const Instr* branch_u(const Instr* pc, Warp& w) {
  return w.uniform[pc->a] != 0 ? pc + 1 : pc->target;
}

const Instr* branch_v(const Instr* pc, Warp& w) {
  const std::uint32_t taken = nonzero_lanes(w.v32(pc->a)) & w.mask;
  if (taken == w.mask) return pc + 1;
  if (taken == 0) return pc->target;
  const BranchSite& site = *pc->data.branch;
  JoinState& join = w.joins[site.join];
  join.expected = w.mask;
  join.arrived = 0;
  join.parent = w.join;
  join.resume = site.join_pc + 1;
  const std::uint32_t others = w.mask & ~taken;
  w.join = site.join;
  w.mask = taken;
  if (site.direct) {
    join.arrived = others;
  } else {
    w.spawn(pc->target, others, site.join);
  }
  return pc + 1;
}

const Instr* join(const Instr* pc, Warp& w) {
  return w.join == pc->d ? arrive(w, pc->d, pc + 1) : pc + 1;
}

const Instr* loop_enter(const Instr* pc, Warp& w) {
  JoinState& state = w.joins[pc->d];
  state.expected = w.mask;
  state.arrived = 0;
  state.parent = w.join;
  state.resume = pc->data.branch->join_pc + 1;
  w.join = pc->d;
  return pc + 1;
}

const Instr* loop_test(const Instr* pc, Warp& w) {
  const std::uint32_t staying = nonzero_lanes(w.v32(pc->a)) & w.mask;
  if (staying == w.mask) return pc + 1;
  if (staying == 0) return pc->target;  // to the join, with all lanes of the strand
  w.joins[pc->d].arrived |= w.mask & ~staying;
  w.mask = staying;
  return pc + 1;
}

const Instr* leave(const Instr* pc, Warp& w) {
  const std::uint32_t lanes = w.mask;
  while (w.join != pc->d) {
    const std::uint32_t inner = w.join;
    w.join = w.joins[inner].parent;
    withdraw(w, inner, lanes);
  }
  return arrive(w, pc->d, w.joins[pc->d].resume);
}

const Instr* exit_lanes(const Instr*, Warp& w) {
  const std::uint32_t lanes = w.mask;
  for (std::uint32_t id = w.join; id != kNoJoin;) {
    const std::uint32_t parent = w.joins[id].parent;
    withdraw(w, id, lanes);
    id = parent;
  }
  w.cta->lanes_left(w, lanes);
  return die(w);
}

const Instr* loop_u_up(const Instr* pc, Warp& w) {
  std::int64_t next = 0;
  if (__builtin_add_overflow(static_cast<std::int64_t>(w.uniform[pc->a]), pc->data.imm, &next)) {
    return pc + 1;  // past the end of int64, and so past the loop's
  }
  w.uniform[pc->a] = static_cast<std::uint64_t>(next);
  return next < static_cast<std::int64_t>(w.uniform[pc->b]) ? pc->target : pc + 1;
}

const Instr* loop_u_down(const Instr* pc, Warp& w) {
  std::int64_t next = 0;
  if (__builtin_add_overflow(static_cast<std::int64_t>(w.uniform[pc->a]), pc->data.imm, &next)) {
    return pc + 1;  // past the end of int64, and so past the loop's
  }
  w.uniform[pc->a] = static_cast<std::uint64_t>(next);
  return next > static_cast<std::int64_t>(w.uniform[pc->b]) ? pc->target : pc + 1;
}

const Instr* loop_u_any(const Instr* pc, Warp& w) {
  const auto step = static_cast<std::int64_t>(w.uniform[pc->c]);
  std::int64_t next = 0;
  if (__builtin_add_overflow(static_cast<std::int64_t>(w.uniform[pc->a]), step, &next))
    return pc + 1;
  const auto end = static_cast<std::int64_t>(w.uniform[pc->b]);
  w.uniform[pc->a] = static_cast<std::uint64_t>(next);
  return (step > 0 ? next < end : next > end) ? pc->target : pc + 1;
}

const Instr* guard_u_up(const Instr* pc, Warp& w) {
  const auto at = static_cast<std::int64_t>(w.uniform[pc->a]);
  return at < static_cast<std::int64_t>(w.uniform[pc->b]) ? pc + 1 : pc->target;
}

const Instr* guard_u_down(const Instr* pc, Warp& w) {
  const auto at = static_cast<std::int64_t>(w.uniform[pc->a]);
  return at > static_cast<std::int64_t>(w.uniform[pc->b]) ? pc + 1 : pc->target;
}

const Instr* guard_u_any(const Instr* pc, Warp& w) {
  const auto at = static_cast<std::int64_t>(w.uniform[pc->a]);
  const auto end = static_cast<std::int64_t>(w.uniform[pc->b]);
  const auto step = static_cast<std::int64_t>(w.uniform[pc->c]);
  if (step == 0) return pc->target;
  return (step > 0 ? at < end : at > end) ? pc + 1 : pc->target;
}

const Instr* loop_u_far(const Instr* pc, Warp& w) {
  std::uint64_t next = 0;
  if (__builtin_add_overflow(w.uniform[pc->a], w.uniform[pc->c], &next)) return pc + 1;
  w.uniform[pc->a] = next;
  return next < w.uniform[pc->b] ? pc->target : pc + 1;
}

const Instr* guard_u_far(const Instr* pc, Warp& w) {
  return w.uniform[pc->a] < w.uniform[pc->b] ? pc + 1 : pc->target;
}

const Instr* assert_u(const Instr* pc, Warp& w) {
  if (w.uniform[pc->a] != 0) return pc + 1;
  return report_assert(*pc->data.call, w, w.mask, pc);
}

const Instr* assert_v(const Instr* pc, Warp& w) {
  const std::uint32_t failed = w.mask & ~nonzero_lanes(w.v32(pc->a));
  if (failed == 0) return pc + 1;
  return report_assert(*pc->data.call, w, failed, pc);
}

const Instr* yield_poll(const Instr* pc, Warp& w) {
  Strand& strand = w.strands[w.running];
  if (!w.cta->gives_way(strand)) return pc + 1;
  strand.pc = pc + 1;
  strand.state = StrandState::yielded;
  strand.site = pc->data.call;
  w.stop = Stop::blocked;
  return nullptr;
}

}  // namespace tirx::sim::exec
