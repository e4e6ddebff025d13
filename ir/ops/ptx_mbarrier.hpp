// Barriers in shared memory by name; rows in ir/ptx/mbarrier.cpp, their state in
// sim/machine/mbarrier.
#pragma once

#include "ir/op.hpp"
#include "ir/op_order.hpp"

namespace tirx::ir {

namespace ptx {
extern const Family kMbarrierInit;
extern const Family kMbarrierInval;
extern const Family kMbarrierArrive;
extern const Family kMbarrierArriveDrop;
extern const Family kMbarrierArriveExpectTx;
extern const Family kMbarrierExpectTx;
extern const Family kMbarrierTestWait;
extern const Family kMbarrierTryWait;
extern const Family kMbarrierPendingCount;
extern const Family kCpAsyncMbarrierArrive;
}  // namespace ptx

struct PtxMbarrierInit {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.init",
      .effect = Effect::memory,
      .doc = "Makes a barrier of 8 bytes for `count` arrivals a phase (PTX ISA 9.7.13.15.9).",
      .ptx = &ptx::kMbarrierInit};
  static constexpr OpOrder kOrder{.mbarrier = true};
};

struct PtxMbarrierInval {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.inval",
      .effect = Effect::memory,
      .doc = "Ends a barrier's life; its memory is free again (PTX ISA 9.7.13.15.10).",
      .ptx = &ptx::kMbarrierInval};
  static constexpr OpOrder kOrder{.mbarrier = true};
};

struct PtxMbarrierArrive {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.arrive",
      .effect = Effect::memory,
      .doc =
          "Arrives, with release semantics; the state names the phase for test_wait (PTX ISA "
          "9.7.13.15.13).",
      .ptx = &ptx::kMbarrierArrive};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::arrive, .mbarrier = true};
};

struct PtxMbarrierArriveDrop {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.arrive_drop",
      .effect = Effect::memory,
      .doc = "Arrives, and is not expected in later phases (PTX ISA 9.7.13.15.14).",
      .ptx = &ptx::kMbarrierArriveDrop};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::arrive, .mbarrier = true};
};

struct PtxMbarrierArriveExpectTx {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.arrive.expect_tx",
      .effect = Effect::memory,
      .min_sm = 90,
      .doc = "Expects bytes of this phase's transactions, then arrives (PTX ISA 9.7.13.15.13).",
      .ptx = &ptx::kMbarrierArriveExpectTx};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::arrive, .mbarrier = true};
};

struct PtxMbarrierExpectTx {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.expect_tx",
      .effect = Effect::memory,
      .min_sm = 90,
      .doc = "Expects bytes of this phase's transactions (PTX ISA 9.7.13.15.11).",
      .ptx = &ptx::kMbarrierExpectTx};
  static constexpr OpOrder kOrder{.mbarrier = true};
};

struct PtxMbarrierTestWait {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.test_wait",
      .effect = Effect::memory,
      .doc = "Whether a phase is complete, with acquire semantics (PTX ISA 9.7.13.15.16).",
      .ptx = &ptx::kMbarrierTestWait};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::wait, .mbarrier = true};
};

struct PtxMbarrierTryWait {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.try_wait",
      .effect = Effect::memory,
      .min_sm = 90,
      .doc = "test_wait that may suspend the thread for a while (PTX ISA 9.7.13.15.16).",
      .ptx = &ptx::kMbarrierTryWait};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::wait, .mbarrier = true};
};

struct PtxMbarrierPendingCount {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.pending_count",
      .doc = "Arrivals that were missing in the phase of a state (PTX ISA 9.7.13.15.17).",
      .ptx = &ptx::kMbarrierPendingCount};
  static constexpr OpOrder kOrder{.mbarrier = true};
};

struct PtxCpAsyncMbarrierArrive {
  static constexpr OpSpec kSpec{
      .name = "ptx.cp.async.mbarrier.arrive",
      .effect = Effect::memory,
      .doc = "Arrives when all earlier cp.async of the thread are complete (PTX ISA 9.7.13.15.15).",
      .ptx = &ptx::kCpAsyncMbarrierArrive};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::arrive, .mbarrier = true, .async = true};
};

/// T.cuda.mbarrier_wait: waits for the phase of this parity; a loop of try_wait (test_wait before
/// sm_90).
struct MbarrierWait {
  static constexpr OpSpec kSpec{
      .name = "cuda.mbarrier_wait",
      .operands = {"pointer", "phase"},
      .effect = Effect::memory,
      .doc = "Waits until the mbarrier's phase of this parity, 0 or 1, is complete."};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::wait, .mbarrier = true};
};

}  // namespace tirx::ir
