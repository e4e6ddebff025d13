// Exchanges between the lanes of a warp (PTX ISA 9.7.9.6 shfl.sync, 9.7.13 vote, match, redux,
// elect). They move values and order no memory.
#pragma once

#include "ir/op.hpp"

namespace tirx::ir {

struct ShuffleIdx {
  static constexpr OpSpec kSpec{
      .name = "cuda.__shfl_sync",
      .operands = {"mask", "value", "lane", "width?"},
      .result = ResultRule::second_arg,
      .effect = Effect::warp,
      .doc = "The value of the given lane of the segment (shfl.sync.idx)."};
};

struct ShuffleUp {
  static constexpr OpSpec kSpec{.name = "cuda.__shfl_up_sync",
                                .operands = {"mask", "value", "delta", "width?"},
                                .result = ResultRule::second_arg,
                                .effect = Effect::warp,
                                .doc = "The value of the lane delta below (shfl.sync.up)."};
};

struct ShuffleDown {
  static constexpr OpSpec kSpec{.name = "cuda.__shfl_down_sync",
                                .operands = {"mask", "value", "delta", "width?"},
                                .result = ResultRule::second_arg,
                                .effect = Effect::warp,
                                .doc = "The value of the lane delta above (shfl.sync.down)."};
};

struct ShuffleXor {
  static constexpr OpSpec kSpec{
      .name = "cuda.__shfl_xor_sync",
      .operands = {"mask", "value", "lane_mask", "width?"},
      .result = ResultRule::second_arg,
      .effect = Effect::warp,
      .doc = "The value of the lane whose id differs by lane_mask (shfl.sync.bfly)."};
};

struct VoteAll {
  static constexpr OpSpec kSpec{
      .name = "cuda.__all_sync",
      .operands = {"mask", "predicate"},
      .result = ResultRule::boolean,
      .effect = Effect::warp,
      .doc = "Whether the predicate holds in every lane of the mask (vote.sync.all)."};
};

struct VoteAny {
  static constexpr OpSpec kSpec{
      .name = "cuda.__any_sync",
      .operands = {"mask", "predicate"},
      .result = ResultRule::boolean,
      .effect = Effect::warp,
      .doc = "Whether the predicate holds in some lane of the mask (vote.sync.any)."};
};

struct VoteBallot {
  static constexpr OpSpec kSpec{
      .name = "cuda.__ballot_sync",
      .operands = {"mask", "predicate"},
      .result = ResultRule::u32,
      .effect = Effect::warp,
      .doc = "One bit a lane: where the predicate holds (vote.sync.ballot)."};
};

struct MatchAny {
  static constexpr OpSpec kSpec{
      .name = "cuda.__match_any_sync",
      .operands = {"mask", "value"},
      .result = ResultRule::u32,
      .effect = Effect::warp,
      .doc = "The lanes of the mask that hold the same value (match.any.sync)."};
};

struct ActiveMask {
  static constexpr OpSpec kSpec{.name = "cuda.__activemask",
                                .result = ResultRule::u32,
                                .effect = Effect::warp,
                                .fidelity = Fidelity::unordered,
                                .doc =
                                    "The lanes that happen to run together now; any superset of "
                                    "this lane is legal (activemask)."};
};

struct ElectSync {
  static constexpr OpSpec kSpec{
      .name = "cuda.elect_sync",
      .operands = {"mask?"},
      .result = ResultRule::boolean,
      .effect = Effect::warp,
      .min_sm = 90,
      .fidelity = Fidelity::unordered,
      .doc = "True in exactly one lane of the mask; which one is not specified (elect.sync)."};
};

struct ReduxAdd {
  static constexpr OpSpec kSpec{
      .name = "cuda.__reduce_add_sync",
      .operands = {"mask", "value"},
      .result = ResultRule::second_arg,
      .effect = Effect::warp,
      .doc = "Sum over the mask, 32-bit integers, wrapping (redux.sync.add)."};
};

struct ReduxMin {
  static constexpr OpSpec kSpec{.name = "cuda.__reduce_min_sync",
                                .operands = {"mask", "value"},
                                .result = ResultRule::second_arg,
                                .effect = Effect::warp,
                                .doc = "Minimum over the mask, 32-bit integers (redux.sync.min)."};
};

struct ReduxMax {
  static constexpr OpSpec kSpec{.name = "cuda.__reduce_max_sync",
                                .operands = {"mask", "value"},
                                .result = ResultRule::second_arg,
                                .effect = Effect::warp,
                                .doc = "Maximum over the mask, 32-bit integers (redux.sync.max)."};
};

struct ReduxAnd {
  static constexpr OpSpec kSpec{.name = "cuda.__reduce_and_sync",
                                .operands = {"mask", "value"},
                                .result = ResultRule::second_arg,
                                .effect = Effect::warp,
                                .doc = "Bitwise and over the mask (redux.sync.and)."};
};

struct ReduxOr {
  static constexpr OpSpec kSpec{.name = "cuda.__reduce_or_sync",
                                .operands = {"mask", "value"},
                                .result = ResultRule::second_arg,
                                .effect = Effect::warp,
                                .doc = "Bitwise or over the mask (redux.sync.or)."};
};

struct ReduxXor {
  static constexpr OpSpec kSpec{.name = "cuda.__reduce_xor_sync",
                                .operands = {"mask", "value"},
                                .result = ResultRule::second_arg,
                                .effect = Effect::warp,
                                .doc = "Bitwise exclusive or over the mask (redux.sync.xor)."};
};

}  // namespace tirx::ir
