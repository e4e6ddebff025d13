// Tests that were left to run time.  The fast side is a comparison; what it finds goes to
// report.cpp.
#include "numerics/lanes.hpp"
#include "numerics/scalar.hpp"
#include "sim/exec/addresses.hpp"
#include "sim/exec/handlers.hpp"
#include "sim/exec/lanes.hpp"
#include "sim/exec/report.hpp"

namespace tirx::sim::exec {

namespace {

template <typename T>
std::uint32_t outside_lanes(const T* v, std::int64_t lo, std::int64_t hi) {
  std::uint32_t bad = 0;
  for (int i = 0; i < kLanes; ++i) {
    bad |= static_cast<std::uint32_t>(static_cast<std::int64_t>(v[i]) < lo ||
                                      static_cast<std::int64_t>(v[i]) >= hi)
           << i;
  }
  return bad;
}

/// The raw bits of a lane of a vector register.
std::uint64_t lane_bits(const Warp& w, std::uint32_t reg, bool wide, int lane) {
  return wide ? reinterpret_cast<const std::uint64_t*>(w.vectors + reg)[lane]
              : reinterpret_cast<const std::uint32_t*>(w.vectors + reg)[lane];
}

/// The lanes whose values matter to a check.
std::uint32_t concerned(const CheckSite& check, Warp& w) {
  const std::uint32_t lanes = w.mask & check.lanes;
  return check.guard == kNoRegister ? lanes : lanes & nonzero_lanes(w.v32(check.guard));
}

}  // namespace

const Instr* check_index_pattern(const Instr* pc, Warp& w) {
  const CheckSite& check = *pc->data.check;
  const std::int64_t base = check.imm + static_cast<std::int64_t>(w.uniform[pc->a]) +
                            static_cast<std::int64_t>(w.uniform[pc->b]);
  const LanePattern& pattern = *check.pattern;
  if (base + pattern.min >= check.lo && base + pattern.max < check.hi) return pc + 1;
  std::uint32_t bad = 0;
  for_lanes(concerned(check, w), [&](int lane) {
    const std::int64_t v = base + pattern.offset[static_cast<std::size_t>(lane)];
    if (v < check.lo || v >= check.hi) bad |= 1U << lane;
  });
  if (bad != 0) report_index(check, w, bad);
  return pc + 1;
}

const Instr* check_index_v32(const Instr* pc, Warp& w) {
  const CheckSite& check = *pc->data.check;
  const auto* v = reinterpret_cast<const std::int32_t*>(w.vectors + pc->a);
  const std::uint32_t bad = outside_lanes(v, check.lo, check.hi) & concerned(check, w);
  if (bad != 0) report_index(check, w, bad);
  return pc + 1;
}

const Instr* check_index_v64(const Instr* pc, Warp& w) {
  const CheckSite& check = *pc->data.check;
  const auto* v = reinterpret_cast<const std::int64_t*>(w.vectors + pc->a);
  const std::uint32_t bad = outside_lanes(v, check.lo, check.hi) & concerned(check, w);
  if (bad != 0) report_index(check, w, bad);
  return pc + 1;
}

const Instr* check_overflow_u(const Instr* pc, Warp& w) {
  const CheckSite& check = *pc->data.check;
  const auto raw = [&](std::uint32_t reg) {
    return num::from_int64(static_cast<std::int64_t>(w.uniform[reg]), check.dtype);
  };
  const std::uint32_t lanes = concerned(check, w);
  if (lanes != 0 && !num::evaluate_checked(check.op, check.dtype, raw(pc->a), raw(pc->b))) {
    report_overflow(check, w, lanes);
  }
  return pc + 1;
}

const Instr* check_overflow_v(const Instr* pc, Warp& w) {
  const CheckSite& check = *pc->data.check;
  const bool wide = num::bits(check.dtype) == 64;
  std::uint32_t bad = 0;
  if (check.dtype == num::DType::i32 &&
      (check.op == num::ScalarOp::add || check.op == num::ScalarOp::mul)) {
    const auto* a = reinterpret_cast<const std::int32_t*>(w.vectors + pc->a);
    const auto* b = reinterpret_cast<const std::int32_t*>(w.vectors + pc->b);
    const bool product = check.op == num::ScalarOp::mul;
    for (int i = 0; i < kLanes; ++i) {
      const std::int64_t x = a[i], y = b[i];
      const std::int64_t r = product ? x * y : x + y;
      bad |= static_cast<std::uint32_t>(r != static_cast<std::int32_t>(r)) << i;
    }
    bad &= concerned(check, w);
  } else {
    for_lanes(concerned(check, w), [&](int lane) {
      if (!num::evaluate_checked(check.op, check.dtype, lane_bits(w, pc->a, wide, lane),
                                 lane_bits(w, pc->b, wide, lane))) {
        bad |= 1U << lane;
      }
    });
  }
  if (bad != 0) report_overflow(check, w, bad);
  return pc + 1;
}

const Instr* check_unsigned_u(const Instr* pc, Warp& w) {
  const CheckSite& check = *pc->data.check;
  const std::uint32_t lanes = concerned(check, w);
  const auto exact = static_cast<std::int64_t>(w.uniform[pc->a]);
  if (lanes != 0 && (exact < 0 || exact >= check.hi)) report_overflow(check, w, lanes);
  return pc + 1;
}

const Instr* check_unsigned_v(const Instr* pc, Warp& w) {
  const CheckSite& check = *pc->data.check;
  const auto* exact = reinterpret_cast<const std::int64_t*>(w.vectors + pc->a);
  const std::uint32_t bad = outside_lanes(exact, 0, check.hi) & concerned(check, w);
  if (bad != 0) report_overflow(check, w, bad);
  return pc + 1;
}

const Instr* check_align_pattern(const Instr* pc, Warp& w) {
  const CheckSite& check = *pc->data.check;
  alignas(64) std::int64_t address[kLanes];
  addresses(*check.mem, w, address);
  std::uint32_t bad = 0;
  for (int i = 0; i < kLanes; ++i) {
    bad |= static_cast<std::uint32_t>((address[i] & (check.hi - 1)) != 0) << i;
  }
  bad &= concerned(check, w);
  if (bad != 0) report_align(check, w, bad);
  return pc + 1;
}

const Instr* check_poison_u(const Instr* pc, Warp& w) {
  const std::uint32_t lanes = concerned(*pc->data.check, w);
  if (w.uniform_poison[pc->a] != 0 && lanes != 0)
    report_poison(*pc->data.check, w, lanes, w.uniform_origin[pc->a]);
  return pc + 1;
}

const Instr* check_poison_v(const Instr* pc, Warp& w) {
  const std::uint32_t bad = w.poison_of(pc->a) & concerned(*pc->data.check, w) & ~w.skip;
  if (bad != 0) {
    report_poison(*pc->data.check, w, bad, w.origins_of(pc->a)[std::countr_zero(bad)]);
  }
  return pc + 1;
}

const Instr* check_division_u(const Instr* pc, Warp& w) {
  if (w.uniform[pc->a] != 0 || w.uniform_poison[pc->a] != 0) return pc + 1;
  report_division(*pc->data.check, w, w.mask);
  w.uniform_poison[pc->d] = 1;
  w.uniform_origin[pc->d] = division_origin(*pc->data.check, w);
  return pc + 1;
}

const Instr* check_division_v(const Instr* pc, Warp& w) {
  const CheckSite& check = *pc->data.check;
  // A poisoned divisor is no zero; its result is poison anyway.
  const std::uint32_t bad =
      num::zero_lanes(w.vectors + pc->a, check.dtype, w.mask) & ~w.poison_of(pc->a);
  if (bad == 0) return pc + 1;
  report_division(check, w, bad);
  w.poison_of(pc->d) |= bad;
  w.set_origin(pc->d, bad, division_origin(check, w));
  return pc + 1;
}

}  // namespace tirx::sim::exec
