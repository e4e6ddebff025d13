// Operations that wait for other threads or order memory (PTX ISA 9.7.13, parallel
// synchronisation).
#pragma once

#include "ir/op.hpp"
#include "ir/op_order.hpp"

namespace tirx::ir {

struct CtaSync {
  static constexpr OpSpec kSpec{
      .name = "cuda.cta_sync",
      .effect = Effect::sync,
      .doc = "Waits for all threads of the CTA and orders their memory accesses (bar.sync 0)."};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::meet};
};

struct WarpSync {
  static constexpr OpSpec kSpec{
      .name = "cuda.warp_sync",
      .operands = {"mask?"},
      .effect = Effect::sync,
      .doc =
          "Waits for the lanes of the mask (all lanes by default) and orders their memory accesses "
          "(bar.warp.sync)."};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::meet};
};

struct NamedBarrierSync {
  static constexpr OpSpec kSpec{.name = "ptx.bar.sync",
                                .operands = {"barrier", "thread_count?"},
                                .effect = Effect::sync,
                                .doc =
                                    "Waits at barrier 0..15 for thread_count threads, a multiple "
                                    "of 32; all of the CTA by default (barrier.cta.sync.aligned)."};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::meet};
};

struct NamedBarrierArrive {
  static constexpr OpSpec kSpec{
      .name = "ptx.bar.arrive",
      .operands = {"barrier", "thread_count"},
      .effect = Effect::sync,
      .doc = "Arrives at barrier 0..15 without waiting (barrier.cta.arrive.aligned)."};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::arrive};
};

struct ClusterArrive {
  static constexpr OpSpec kSpec{.name = "ptx.barrier.cluster.arrive",
                                .effect = Effect::sync,
                                .min_sm = 90,
                                .doc =
                                    "Arrives at the cluster's barrier with release semantics "
                                    "(barrier.cluster.arrive.aligned)."};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::arrive};
};

struct ClusterWait {
  static constexpr OpSpec kSpec{
      .name = "ptx.barrier.cluster.wait",
      .effect = Effect::sync,
      .min_sm = 90,
      .doc =
          "Waits for the cluster's barrier with acquire semantics (barrier.cluster.wait.aligned)."};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::wait};
};

/// The fence's scope is its text: "cta", "cluster", "gpu" or "sys".
struct ThreadFence {
  static constexpr OpSpec kSpec{.name = "cuda.thread_fence",
                                .effect = Effect::fence,
                                .doc =
                                    "Orders this thread's earlier memory accesses before its later "
                                    "ones, as seen by the scope "
                                    "(fence.acq_rel).",
                                .has_text = true};
};

}  // namespace tirx::ir
