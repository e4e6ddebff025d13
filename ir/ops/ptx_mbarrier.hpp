// Barriers in shared memory by name; rows in ir/ptx/mbarrier.cpp, their state in
// sim/machine/mbarrier.
#pragma once

#include "ir/op.hpp"

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
};

struct PtxMbarrierInval {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.inval",
      .effect = Effect::memory,
      .doc = "Ends a barrier's life; its memory is free again (PTX ISA 9.7.13.15.10).",
      .ptx = &ptx::kMbarrierInval};
};

struct PtxMbarrierArrive {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.arrive",
      .effect = Effect::memory,
      .doc =
          "Arrives, with release semantics; the state names the phase for test_wait (PTX ISA "
          "9.7.13.15.13).",
      .ptx = &ptx::kMbarrierArrive};
};

struct PtxMbarrierArriveDrop {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.arrive_drop",
      .effect = Effect::memory,
      .doc = "Arrives, and is not expected in later phases (PTX ISA 9.7.13.15.14).",
      .ptx = &ptx::kMbarrierArriveDrop};
};

struct PtxMbarrierArriveExpectTx {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.arrive.expect_tx",
      .effect = Effect::memory,
      .min_sm = 90,
      .doc = "Expects bytes of this phase's transactions, then arrives (PTX ISA 9.7.13.15.13).",
      .ptx = &ptx::kMbarrierArriveExpectTx};
};

struct PtxMbarrierExpectTx {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.expect_tx",
      .effect = Effect::memory,
      .min_sm = 90,
      .doc = "Expects bytes of this phase's transactions (PTX ISA 9.7.13.15.11).",
      .ptx = &ptx::kMbarrierExpectTx};
};

struct PtxMbarrierTestWait {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.test_wait",
      .effect = Effect::memory,
      .doc = "Whether a phase is complete, with acquire semantics (PTX ISA 9.7.13.15.16).",
      .ptx = &ptx::kMbarrierTestWait};
};

struct PtxMbarrierTryWait {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.try_wait",
      .effect = Effect::memory,
      .min_sm = 90,
      .doc = "test_wait that may suspend the thread for a while (PTX ISA 9.7.13.15.16).",
      .ptx = &ptx::kMbarrierTryWait};
};

struct PtxMbarrierPendingCount {
  static constexpr OpSpec kSpec{
      .name = "ptx.mbarrier.pending_count",
      .doc = "Arrivals that were missing in the phase of a state (PTX ISA 9.7.13.15.17).",
      .ptx = &ptx::kMbarrierPendingCount};
};

struct PtxCpAsyncMbarrierArrive {
  static constexpr OpSpec kSpec{
      .name = "ptx.cp.async.mbarrier.arrive",
      .effect = Effect::memory,
      .doc = "Arrives when all earlier cp.async of the thread are complete (PTX ISA 9.7.13.15.15).",
      .ptx = &ptx::kCpAsyncMbarrierArrive};
};

/// T.cuda.mbarrier_wait: waits for the phase of this parity; a loop of try_wait (test_wait before
/// sm_90).
struct MbarrierWait {
  static constexpr OpSpec kSpec{
      .name = "cuda.mbarrier_wait",
      .operands = {"pointer", "phase"},
      .effect = Effect::memory,
      .doc = "Waits until the mbarrier's phase of this parity, 0 or 1, is complete."};
};

}  // namespace tirx::ir
