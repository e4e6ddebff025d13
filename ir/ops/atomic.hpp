// Atomics and ordered accesses (PTX ISA 9.7.13.5 atom, 9.7.9 ld/st, 8 memory consistency).  The
// pointer is operand 0; atomics return the old value.  The text holds "SEMANTICS.SCOPE",
// "relaxed.gpu" by default.
#pragma once

#include "ir/op.hpp"

namespace tirx::ir {

struct AtomicAdd {
  static constexpr OpSpec kSpec{
      .name = "cuda.atomic_add",
      .operands = {"pointer", "value"},
      .result = ResultRule::pointee,
      .effect = Effect::memory,
      .doc =
          "Adds to memory; float additions to one address are unordered, and global f32 ones flush "
          "subnormals (atom.add).",
      .has_text = true};
};

struct AtomicMin {
  static constexpr OpSpec kSpec{.name = "cuda.atomic_min",
                                .operands = {"pointer", "value"},
                                .result = ResultRule::pointee,
                                .effect = Effect::memory,
                                .doc = "Integer minimum in memory (atom.min).",
                                .has_text = true};
};

struct AtomicMax {
  static constexpr OpSpec kSpec{.name = "cuda.atomic_max",
                                .operands = {"pointer", "value"},
                                .result = ResultRule::pointee,
                                .effect = Effect::memory,
                                .doc = "Integer maximum in memory (atom.max).",
                                .has_text = true};
};

struct AtomicAnd {
  static constexpr OpSpec kSpec{.name = "cuda.atomic_and",
                                .operands = {"pointer", "value"},
                                .result = ResultRule::pointee,
                                .effect = Effect::memory,
                                .doc = "Bitwise and in memory (atom.and).",
                                .has_text = true};
};

struct AtomicOr {
  static constexpr OpSpec kSpec{.name = "cuda.atomic_or",
                                .operands = {"pointer", "value"},
                                .result = ResultRule::pointee,
                                .effect = Effect::memory,
                                .doc = "Bitwise or in memory (atom.or).",
                                .has_text = true};
};

struct AtomicXor {
  static constexpr OpSpec kSpec{.name = "cuda.atomic_xor",
                                .operands = {"pointer", "value"},
                                .result = ResultRule::pointee,
                                .effect = Effect::memory,
                                .doc = "Bitwise exclusive or in memory (atom.xor).",
                                .has_text = true};
};

struct AtomicExchange {
  static constexpr OpSpec kSpec{.name = "cuda.atomic_exch",
                                .operands = {"pointer", "value"},
                                .result = ResultRule::pointee,
                                .effect = Effect::memory,
                                .doc = "Writes a value and returns the old one (atom.exch).",
                                .has_text = true};
};

struct AtomicCas {
  static constexpr OpSpec kSpec{.name = "cuda.atomic_cas",
                                .operands = {"pointer", "compare", "value"},
                                .result = ResultRule::pointee,
                                .effect = Effect::memory,
                                .doc = "Writes the value where memory equals compare (atom.cas).",
                                .has_text = true};
};

struct LoadAcquire {
  static constexpr OpSpec kSpec{.name = "ptx.ld.acquire",
                                .operands = {"pointer"},
                                .result = ResultRule::pointee,
                                .effect = Effect::memory,
                                .doc = "A load that acquires (ld.acquire).",
                                .has_text = true};
};

struct StoreRelease {
  static constexpr OpSpec kSpec{.name = "ptx.st.release",
                                .operands = {"pointer", "value"},
                                .effect = Effect::memory,
                                .doc = "A store that releases (st.release).",
                                .has_text = true};
};

struct LoadReadOnly {
  static constexpr OpSpec kSpec{.name = "cuda.ldg",
                                .operands = {"pointer"},
                                .result = ResultRule::pointee,
                                .effect = Effect::memory,
                                .doc =
                                    "A load through the read-only path; nothing may write the "
                                    "location meanwhile (ld.global.nc)."};
};

}  // namespace tirx::ir
