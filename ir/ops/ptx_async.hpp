// Asynchronous copies by name; rows in ir/ptx/async.cpp.
#pragma once

#include "ir/op.hpp"
#include "ir/op_order.hpp"
#include "ir/ptx/families.hpp"

namespace tirx::ir {

struct PtxCpAsync {
  static constexpr OpSpec kSpec{
      .name = "ptx.cp.async",
      .effect = Effect::memory,
      .doc =
          "Copies 4, 8 or 16 bytes from global to shared memory in the background; bytes beyond "
          "src_size are zeros (PTX ISA 9.7.9.25).",
      .ptx = &ptx::kCpAsync};
  static constexpr OpOrder kOrder{.async = true};
};

struct PtxCpAsyncCommitGroup {
  static constexpr OpSpec kSpec{.name = "ptx.cp.async.commit_group",
                                .effect = Effect::sync,
                                .doc =
                                    "Closes the group of the thread's copies since the last one "
                                    "(PTX ISA 9.7.9.25).",
                                .ptx = &ptx::kCpAsyncCommitGroup};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::commit, .async = true};
};

struct PtxCpAsyncWaitGroup {
  static constexpr OpSpec kSpec{
      .name = "ptx.cp.async.wait_group",
      .effect = Effect::sync,
      .doc = "Waits until at most n of the thread's groups are in flight (PTX ISA 9.7.9.25).",
      .ptx = &ptx::kCpAsyncWaitGroup};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::wait, .async = true};
};

struct PtxCpAsyncWaitAll {
  static constexpr OpSpec kSpec{.name = "ptx.cp.async.wait_all",
                                .effect = Effect::sync,
                                .doc = "Waits for all copies of the thread (PTX ISA 9.7.9.25).",
                                .ptx = &ptx::kCpAsyncWaitAll};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::wait, .async = true};
};

}  // namespace tirx::ir
