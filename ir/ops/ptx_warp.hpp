// Exchanges between the lanes of a warp by name; rows in ir/ptx/warp.cpp.
#pragma once

#include "ir/op.hpp"
#include "ir/op_order.hpp"

namespace tirx::ir {

namespace ptx {
extern const Family kShfl;
extern const Family kVote;
extern const Family kMatch;
extern const Family kRedux;
extern const Family kElect;
extern const Family kActivemask;
extern const Family kBarWarpSync;
extern const Family kBarRed;
}  // namespace ptx

struct PtxShfl {
  static constexpr OpSpec kSpec{
      .name = "ptx.shfl",
      .effect = Effect::warp,
      .doc =
          "Reads another lane's register; p says whether that lane was in range (PTX ISA "
          "9.7.9.6).",
      .ptx = &ptx::kShfl};
};

struct PtxVote {
  static constexpr OpSpec kSpec{
      .name = "ptx.vote",
      .effect = Effect::warp,
      .doc = "Folds a predicate over the lanes of the mask (PTX ISA 9.7.13.10).",
      .ptx = &ptx::kVote};
};

struct PtxMatch {
  static constexpr OpSpec kSpec{.name = "ptx.match",
                                .effect = Effect::warp,
                                .doc = "Finds lanes with the same bits (PTX ISA 9.7.13.11).",
                                .ptx = &ptx::kMatch};
};

struct PtxRedux {
  static constexpr OpSpec kSpec{
      .name = "ptx.redux",
      .effect = Effect::warp,
      .doc = "Folds 32-bit integers over the lanes of the mask (PTX ISA 9.7.13.13).",
      .ptx = &ptx::kRedux};
};

struct PtxElect {
  static constexpr OpSpec kSpec{
      .name = "ptx.elect",
      .effect = Effect::warp,
      .min_sm = 90,
      .doc = "Chooses one lane of the mask; d is its number, p is true there (PTX ISA 9.7.13.16).",
      .ptx = &ptx::kElect};
};

struct PtxActivemask {
  static constexpr OpSpec kSpec{
      .name = "ptx.activemask",
      .effect = Effect::warp,
      .doc = "The lanes that execute this now: nothing may rely on it (PTX ISA 9.7.13.12).",
      .ptx = &ptx::kActivemask};
};

struct PtxBarWarpSync {
  static constexpr OpSpec kSpec{
      .name = "ptx.bar.warp.sync",
      .effect = Effect::sync,
      .doc = "Waits for the lanes of the mask and orders their memory (PTX ISA 9.7.13.2).",
      .ptx = &ptx::kBarWarpSync};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::meet};
};

struct PtxBarRed {
  static constexpr OpSpec kSpec{
      .name = "ptx.bar.red",
      .effect = Effect::sync,
      .doc =
          "bar.sync that counts where c holds (.popc), or says whether it holds everywhere or "
          "somewhere (PTX ISA 9.7.13.1).",
      .ptx = &ptx::kBarRed};
  static constexpr OpOrder kOrder{.step = OpOrder::Step::meet};
};

}  // namespace tirx::ir
