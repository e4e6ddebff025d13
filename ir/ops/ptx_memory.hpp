// Loads, stores and atomics by name; rows in ir/ptx/memory.cpp.
#pragma once

#include "ir/op.hpp"

namespace tirx::ir {

namespace ptx {
extern const Family kLoad;
extern const Family kStore;
extern const Family kAtom;
extern const Family kRed;
extern const Family kFence;
extern const Family kMembar;
extern const Family kPrefetch;
}  // namespace ptx

struct PtxLoad {
  static constexpr OpSpec kSpec{
      .name = "ptx.ld",
      .effect = Effect::memory,
      .doc = "Loads one to eight values, with cache hints and memory order (PTX ISA 9.7.9.8).",
      .ptx = &ptx::kLoad};
};

struct PtxStore {
  static constexpr OpSpec kSpec{
      .name = "ptx.st",
      .effect = Effect::memory,
      .doc = "Stores one to eight values, with cache hints and memory order (PTX ISA 9.7.9.11).",
      .ptx = &ptx::kStore};
};

struct PtxAtom {
  static constexpr OpSpec kSpec{
      .name = "ptx.atom",
      .effect = Effect::memory,
      .doc = "Changes memory at once and gives the old value (PTX ISA 9.7.13.6).",
      .ptx = &ptx::kAtom};
};

struct PtxRed {
  static constexpr OpSpec kSpec{.name = "ptx.red",
                                .effect = Effect::memory,
                                .doc = "Changes memory at once (PTX ISA 9.7.13.8).",
                                .ptx = &ptx::kRed};
};

struct PtxFence {
  static constexpr OpSpec kSpec{
      .name = "ptx.fence",
      .effect = Effect::fence,
      .doc = "Orders memory accesses as seen by a scope (PTX ISA 9.7.13.4).",
      .ptx = &ptx::kFence};
};

struct PtxMembar {
  static constexpr OpSpec kSpec{.name = "ptx.membar",
                                .effect = Effect::fence,
                                .doc = "The old name of fence.sc by level (PTX ISA 9.7.13.4).",
                                .ptx = &ptx::kMembar};
};

struct PtxPrefetch {
  static constexpr OpSpec kSpec{
      .name = "ptx.prefetch",
      .doc = "Brings a line of global memory into a cache; no value changes (PTX ISA 9.7.9.15).",
      .ptx = &ptx::kPrefetch};
};

}  // namespace tirx::ir
