// How each machine operation is written in CUDA: one overload an operation.  A forgotten one does
// not compile (machine.cpp visits the whole list).
#pragma once

#include "backend_cuda/kernel_emitter.hpp"
#include "ir/all_ops.hpp"

namespace tirx::cuda {

/// A call with its operands as C++ expressions; omitted optional operands are missing at the end.
struct MachineSite {
  KernelEmitter& emitter;
  const ir::MachineCall& call;
  ir::Type type;  // of the result
  Span span;

  [[nodiscard]] std::size_t count() const { return call.args.size(); }

  [[nodiscard]] ir::Type type_of(std::size_t i) const { return call.args[i]->type; }

  [[nodiscard]] Text arg(std::size_t i) const { return emitter.expression(call.args[i]); }

  /// A mask of lanes; constants in hexadecimal.
  [[nodiscard]] Text mask(std::size_t i) const;

  /// The element that pointer operand i points to.
  [[nodiscard]] const ir::Access& pointee(std::size_t i) const;
};

/// Operations called by name are their own text, in inline assembly (machine_ptx.cpp).
Text emit_instruction(const MachineSite& site);

/// The name tells them: g++ 12 with -fsanitize=undefined takes no comparison of an address
/// (OpSpec::ptx) as a constant.  Where an operation has an overload of its own below, that one is
/// chosen.
template <typename Op>

requires(Op::kSpec.name.starts_with("ptx.")) Text emit_op(Op, const MachineSite& site) {
  return emit_instruction(site);
}

// machine_sync.cpp
Text emit_op(ir::CtaSync, const MachineSite& site);
Text emit_op(ir::WarpSync, const MachineSite& site);
Text emit_op(ir::NamedBarrierSync, const MachineSite& site);
Text emit_op(ir::NamedBarrierArrive, const MachineSite& site);
Text emit_op(ir::ClusterArrive, const MachineSite& site);
Text emit_op(ir::ClusterWait, const MachineSite& site);
Text emit_op(ir::ThreadFence, const MachineSite& site);
Text emit_op(ir::MbarrierWait, const MachineSite& site);
// machine_warp.cpp
Text emit_op(ir::ShuffleIdx, const MachineSite& site);
Text emit_op(ir::ShuffleUp, const MachineSite& site);
Text emit_op(ir::ShuffleDown, const MachineSite& site);
Text emit_op(ir::ShuffleXor, const MachineSite& site);
Text emit_op(ir::VoteAll, const MachineSite& site);
Text emit_op(ir::VoteAny, const MachineSite& site);
Text emit_op(ir::VoteBallot, const MachineSite& site);
Text emit_op(ir::MatchAny, const MachineSite& site);
Text emit_op(ir::ActiveMask, const MachineSite& site);
Text emit_op(ir::ElectSync, const MachineSite& site);
Text emit_op(ir::ReduxAdd, const MachineSite& site);
Text emit_op(ir::ReduxMin, const MachineSite& site);
Text emit_op(ir::ReduxMax, const MachineSite& site);
Text emit_op(ir::ReduxAnd, const MachineSite& site);
Text emit_op(ir::ReduxOr, const MachineSite& site);
Text emit_op(ir::ReduxXor, const MachineSite& site);
// machine_atomic.cpp
Text emit_op(ir::AtomicAdd, const MachineSite& site);
Text emit_op(ir::AtomicMin, const MachineSite& site);
Text emit_op(ir::AtomicMax, const MachineSite& site);
Text emit_op(ir::AtomicAnd, const MachineSite& site);
Text emit_op(ir::AtomicOr, const MachineSite& site);
Text emit_op(ir::AtomicXor, const MachineSite& site);
Text emit_op(ir::AtomicExchange, const MachineSite& site);
Text emit_op(ir::AtomicCas, const MachineSite& site);
Text emit_op(ir::LoadAcquire, const MachineSite& site);
Text emit_op(ir::StoreRelease, const MachineSite& site);
Text emit_op(ir::LoadReadOnly, const MachineSite& site);
// machine_control.cpp
Text emit_op(ir::Printf, const MachineSite& site);
Text emit_op(ir::PrintBuffer, const MachineSite& site);
Text emit_op(ir::NanoSleep, const MachineSite& site);
Text emit_op(ir::Clock, const MachineSite& site);
Text emit_op(ir::Trap, const MachineSite& site);
Text emit_op(ir::RawCudaCall, const MachineSite& site);

}  // namespace tirx::cuda
