// What a machine operation sees while it is executed: the lanes that take part, their operands,
// where the result goes.
#pragma once

#include <cstdint>
#include <string_view>

#include "ir/all_ops.hpp"
#include "numerics/scalar.hpp"
#include "sim/exec/addresses.hpp"
#include "sim/exec/lanes.hpp"
#include "sim/machine/cta.hpp"

namespace tirx::sim::ops {

/// What happens after the operation.
enum class Next : std::uint8_t {
  go_on,
  wait,   // the strand waits; it goes on after this operation when it is released
  retry,  // the strand waits and executes the operation again
  stop,   // the CTA stops (trap)
};

struct Context {
  const Instr* pc;
  Warp& warp;
  const CallSite& site;
  std::uint32_t lanes;  // that take part

  [[nodiscard]] Cta& cta() const { return *warp.cta; }

  [[nodiscard]] bool has(int arg) const {
    return site.args[static_cast<std::size_t>(arg)].kind != CallOperand::Kind::absent;
  }

  [[nodiscard]] const CallOperand& operand(int arg) const {
    return site.args[static_cast<std::size_t>(arg)];
  }

  /// Raw bits of an operand in one lane.
  [[nodiscard]] std::uint64_t bits(int arg, int lane) const { return bits_of(operand(arg), lane); }

  [[nodiscard]] std::uint64_t bits_of(const CallOperand& from, int lane) const {
    if (from.kind == CallOperand::Kind::uniform) {
      const std::uint64_t v = warp.uniform[from.reg];
      return num::is_int(from.type.dtype)
                 ? num::from_int64(static_cast<std::int64_t>(v), from.type.dtype)
                 : v;
    }
    if (from.kind != CallOperand::Kind::vector) return 0;
    return num::bits(from.type.dtype) == 64 ? warp.v64(from.reg)[lane] : warp.v32(from.reg)[lane];
  }

  [[nodiscard]] std::int64_t integer(int arg, int lane) const {
    return num::to_int64(bits(arg, lane), operand(arg).type.dtype);
  }

  [[nodiscard]] bool poisoned(int arg, int lane) const {
    const CallOperand& from = operand(arg);
    if (!from.poison) return false;
    if (from.kind == CallOperand::Kind::uniform) return warp.uniform_poison[from.reg] != 0;
    return (warp.poison_of(from.reg) >> lane & 1) != 0;
  }

  /// The 32 lanes of register `k` of a group of registers.
  [[nodiscard]] const std::uint32_t* group32(int arg, int k) const {
    const CallOperand& from = operand(arg);
    return warp.v32(from.group.empty() ? from.reg : from.group[static_cast<std::size_t>(k)]);
  }

  [[nodiscard]] const std::uint64_t* group64(int arg, int k) const {
    const CallOperand& from = operand(arg);
    return warp.v64(from.group.empty() ? from.reg : from.group[static_cast<std::size_t>(k)]);
  }

  /// Lanes in which register `k` of a group is poisoned.
  [[nodiscard]] std::uint32_t group_poison(int arg, int k) const {
    const CallOperand& from = operand(arg);
    if (!from.poison || from.kind != CallOperand::Kind::vector) {
      return from.poison && warp.uniform_poison[from.reg] != 0 ? kFullMask : 0;
    }
    return warp.poison_of(from.group.empty() ? from.reg : from.group[static_cast<std::size_t>(k)]);
  }

  /// Why register `k` of a group is poisoned in a lane; 0: it is not.
  [[nodiscard]] std::uint32_t group_origin(int arg, int k, int lane) const {
    if ((group_poison(arg, k) >> lane & 1) == 0) return 0;
    const CallOperand& from = operand(arg);
    return origin_in(from, from.group.empty() ? from.reg : from.group[static_cast<std::size_t>(k)],
                     lane);
  }

  /// Register `k` of a result of several.
  [[nodiscard]] std::uint32_t result_register(int k) const {
    const std::uint32_t row = (num::bits(site.result.dtype) == 64 ? 8U : 4U) * kLanes;
    return pc->d + static_cast<std::uint32_t>(k) * row;
  }

  /// Writes register `k` of the result in the lanes of the mask, with its
  /// poison.
  void result_group(int k,
                    const std::uint32_t* values,
                    std::uint32_t mask,
                    std::uint32_t poison,
                    std::uint32_t from_origin = 0) const {
    const std::uint32_t reg = result_register(k);
    blend(warp.v32(reg), values, mask);
    result_poison(reg, mask, poison, from_origin);
  }

  void result_poison(std::uint32_t reg,
                     std::uint32_t mask,
                     std::uint32_t poison,
                     std::uint32_t from_origin) const {
    if (!site.result_poison) return;
    std::uint32_t& bits = warp.poison_of(reg);
    bits = (bits & ~mask) | (poison & mask);
    if ((poison & mask) == 0) return;
    warp.set_origin(reg, poison & mask, from_origin != 0 ? from_origin : origin());
  }

  /// `from`: why it is poisoned; 0: this operation met poison.
  void result(int lane, std::uint64_t value, bool poison = false, std::uint32_t from = 0) const {
    if (site.result.is_void()) return;
    if (num::bits(site.result.dtype) == 64) {
      warp.v64(pc->d)[lane] = value;
    } else {
      warp.v32(pc->d)[lane] = static_cast<std::uint32_t>(value);
    }
    if (site.result_poison) {
      std::uint32_t& bit = warp.poison_of(pc->d);
      bit = poison ? bit | 1U << lane : bit & ~(1U << lane);
      if (poison) warp.origins_of(pc->d)[lane] = from != 0 ? from : origin();
    }
  }

  /// Why an operand is poisoned; 0: it is not.
  [[nodiscard]] std::uint32_t origin_of(int arg, int lane) const {
    return poisoned(arg, lane) ? origin_in(operand(arg), operand(arg).reg, lane) : 0;
  }

  /// Poison that this operation made or passed on.
  [[nodiscard]] std::uint32_t origin() const {
    return cta().origin_at(site.place.id, [&] {
      return Origin{site.place.span, std::string("the result of ") +
                                         std::string(ir::spec(site.op).name) +
                                         ", which met data that was never written"};
    });
  }

  /// … that it found in a register; never 0.
  [[nodiscard]] std::uint32_t origin_in(const CallOperand& from,
                                        std::uint32_t reg,
                                        int lane) const {
    const std::uint32_t known = from.kind == CallOperand::Kind::uniform
                                    ? warp.uniform_origin[reg]
                                    : warp.origins_of(reg)[lane];
    return known != 0 ? known : origin();
  }

  /// A fault of one lane at this operation.
  void fault(ir::FaultKind kind, int lane, std::string text, std::string help = {}) const {
    cta().faults.add(kind, site.place.id, [&] {
      ir::Fault made;
      made.text = std::move(text);
      made.first.thread = cta().where(warp, lane);
      made.first.span = site.place.span;
      made.first.role = cta().role_at(site.place);
      made.first.what = std::string(ir::spec(site.op).name);
      if (!help.empty()) made.notes.push_back({{}, std::move(help)});
      return made;
    });
  }

  /// Puts the strand to sleep.
  Strand& block(StrandState state) const {
    Strand& strand = warp.strands[warp.running];
    strand.state = state;
    strand.mask = warp.mask;  // who completes the barrier looks at it before the handler is done
    strand.site = &site;
    return strand;
  }
};

/// Arrivals at mbarriers whose copies have just been waited for (ptx_mbarrier.cpp).
void arrive_after_copies(const Context& c);

// One overload per operation (sync.cpp, warp.cpp, atomic.cpp, control.cpp); a missing one is a
// compile error in dispatch.cpp.
Next eval(ir::CtaSync, Context& c);
Next eval(ir::WarpSync, Context& c);
Next eval(ir::NamedBarrierSync, Context& c);
Next eval(ir::NamedBarrierArrive, Context& c);
Next eval(ir::ClusterArrive, Context& c);
Next eval(ir::ClusterWait, Context& c);
Next eval(ir::ThreadFence, Context& c);
Next eval(ir::ShuffleIdx, Context& c);
Next eval(ir::ShuffleUp, Context& c);
Next eval(ir::ShuffleDown, Context& c);
Next eval(ir::ShuffleXor, Context& c);
Next eval(ir::VoteAll, Context& c);
Next eval(ir::VoteAny, Context& c);
Next eval(ir::VoteBallot, Context& c);
Next eval(ir::MatchAny, Context& c);
Next eval(ir::ActiveMask, Context& c);
Next eval(ir::ElectSync, Context& c);
Next eval(ir::ReduxAdd, Context& c);
Next eval(ir::ReduxMin, Context& c);
Next eval(ir::ReduxMax, Context& c);
Next eval(ir::ReduxAnd, Context& c);
Next eval(ir::ReduxOr, Context& c);
Next eval(ir::ReduxXor, Context& c);
Next eval(ir::AtomicAdd, Context& c);
Next eval(ir::AtomicMin, Context& c);
Next eval(ir::AtomicMax, Context& c);
Next eval(ir::AtomicAnd, Context& c);
Next eval(ir::AtomicOr, Context& c);
Next eval(ir::AtomicXor, Context& c);
Next eval(ir::AtomicExchange, Context& c);
Next eval(ir::AtomicCas, Context& c);
Next eval(ir::LoadAcquire, Context& c);
Next eval(ir::StoreRelease, Context& c);
Next eval(ir::LoadReadOnly, Context& c);
Next eval(ir::Printf, Context& c);
Next eval(ir::PrintBuffer, Context& c);
Next eval(ir::NanoSleep, Context& c);
Next eval(ir::Clock, Context& c);
Next eval(ir::Trap, Context& c);
Next eval(ir::RawCudaCall, Context& c);
// ptx_async.cpp
Next eval(ir::PtxCpAsync, Context& c);
Next eval(ir::PtxCpAsyncCommitGroup, Context& c);
Next eval(ir::PtxCpAsyncWaitGroup, Context& c);
Next eval(ir::PtxCpAsyncWaitAll, Context& c);
// ptx_matrix.cpp
Next eval(ir::PtxLdmatrix, Context& c);
Next eval(ir::PtxStmatrix, Context& c);
Next eval(ir::PtxMma, Context& c);
// ptx_mbarrier.cpp
Next eval(ir::PtxMbarrierInit, Context& c);
Next eval(ir::PtxMbarrierInval, Context& c);
Next eval(ir::PtxMbarrierArrive, Context& c);
Next eval(ir::PtxMbarrierArriveDrop, Context& c);
Next eval(ir::PtxMbarrierArriveExpectTx, Context& c);
Next eval(ir::PtxMbarrierExpectTx, Context& c);
Next eval(ir::PtxMbarrierTestWait, Context& c);
Next eval(ir::PtxMbarrierTryWait, Context& c);
Next eval(ir::PtxCpAsyncMbarrierArrive, Context& c);
Next eval(ir::MbarrierWait, Context& c);
// ptx_memory.cpp
Next eval(ir::PtxLoad, Context& c);
Next eval(ir::PtxStore, Context& c);
Next eval(ir::PtxAtom, Context& c);
Next eval(ir::PtxRed, Context& c);
Next eval(ir::PtxFence, Context& c);
Next eval(ir::PtxMembar, Context& c);
Next eval(ir::PtxPrefetch, Context& c);
// ptx_warp.cpp
Next eval(ir::PtxShfl, Context& c);
Next eval(ir::PtxVote, Context& c);
Next eval(ir::PtxMatch, Context& c);
Next eval(ir::PtxRedux, Context& c);
Next eval(ir::PtxElect, Context& c);
Next eval(ir::PtxActivemask, Context& c);
Next eval(ir::PtxBarWarpSync, Context& c);
Next eval(ir::PtxBarRed, Context& c);

/// An instruction that computes from its lane's registers alone (ptx_compute.cpp): what it computes
/// is its form's.
Next eval_lanes(Context& c);

template <typename Op>

requires(Op::kSpec.name.starts_with("ptx.") && Op::kSpec.effect == ir::Effect::pure) Next
    eval(Op, Context& c) {
  return eval_lanes(c);
}

}  // namespace tirx::sim::ops
