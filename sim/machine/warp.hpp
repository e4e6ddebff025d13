// The state of one warp.  A divergent warp is a set of strands (mask, position); each can be
// scheduled, and a strand that waits lets the others run.  Strands of one warp always stand in
// different statements of the structured program, so they can share uniform registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/program/bytecode.hpp"

namespace tirx::sim {

struct Cta;
class CtaRaces;

inline constexpr std::uint32_t kNoJoin = 0xffffffffU;

/// A divergent region's end: lanes that have arrived wait for the expected ones.
struct JoinState {
  std::uint32_t expected = 0;
  std::uint32_t arrived = 0;
  std::uint32_t parent = kNoJoin;
  const Instr* resume = nullptr;
};

enum class StrandState : std::uint8_t {
  runnable,
  yielded,   // polls memory, or as below: lets the others run first
  barrier,   // a CTA barrier
  cluster,   // the cluster's barrier
  mbarrier,  // the phase `wanted` of the mbarrier at byte `phase`
  warp,      // other lanes of its warp
};

struct Strand {
  const Instr* pc = nullptr;
  std::uint32_t mask = 0;
  std::uint32_t join = kNoJoin;
  StrandState state = StrandState::runnable;
  std::uint32_t object = 0;    // barrier id, or the operation's id
  std::uint32_t wanted = 0;    // warp: the lanes it waits for
  std::uint32_t done = 0;      // warp: its own that have done the operation already
  std::uint32_t expected = 0;  // barrier: threads
  std::uint64_t phase = 0;     // cluster barrier
  const CallSite* site = nullptr;
  std::uint32_t result = 0;  // register that bar.red writes when it completes
  std::uint32_t polls = 0;   // since it last gave way
};

/// Why a handler returned nullptr.
enum class Stop : std::uint8_t { dead, blocked, abort };

struct Warp {
  std::uint32_t mask = 0;  // lanes of the running strand
  std::uint32_t skip = 0;  // lanes whose next access was refused by a check
  std::byte* vectors = nullptr;
  std::uint64_t* uniform = nullptr;
  std::uint32_t* poison = nullptr;
  std::uint8_t* uniform_poison = nullptr;
  std::uint32_t* origin = nullptr;          // of each lane's poison: numbers of Cta::origins
  std::uint32_t* uniform_origin = nullptr;  // … of a scalar
  const Region* regions = nullptr;
  std::uint32_t index = 0;
  std::uint32_t join = kNoJoin;  // of the running strand
  std::uint32_t live = 0;        // lanes that have not returned
  Stop stop = Stop::dead;
  Cta* cta = nullptr;
  CtaRaces* races = nullptr;  // null: races are not looked for
  std::vector<JoinState> joins;
  std::vector<Strand> strands;
  std::size_t running = 0;
  bool interrupted = false;           // … in the middle of its turn
  std::uint64_t cluster_phase = 0;    // the phase of the cluster barrier that it arrived for
  std::uint32_t cluster_arrived = 0;  // lanes that have arrived there and not waited
  const CallSite* cluster_arrival = nullptr;  // … where
  std::uint64_t serial = 0;                   // executed machine operations: seeds choices
  std::uint32_t misnamed = 0;  // lanes of whose masks of lanes something was reported
  // Results that no register or memory determines: clock reads, elections by a seed.
  std::uint64_t chances = 0;

  [[nodiscard]] std::uint32_t* v32(std::uint32_t reg) {
    return reinterpret_cast<std::uint32_t*>(vectors + reg);
  }

  [[nodiscard]] std::uint64_t* v64(std::uint32_t reg) {
    return reinterpret_cast<std::uint64_t*>(vectors + reg);
  }

  /// Poison of a vector register; entries 1..3 belong to the bytes of mixed
  /// local arrays.
  [[nodiscard]] std::uint32_t& poison_of(std::uint32_t reg) { return poison[reg >> 5]; }

  /// Why each lane of a vector register is poisoned, if it is.
  [[nodiscard]] std::uint32_t* origins_of(std::uint32_t reg) {
    return origin + (reg >> 7) * kLanes;
  }

  [[nodiscard]] const std::uint32_t* origins_of(std::uint32_t reg) const {
    return origin + (reg >> 7) * kLanes;
  }

  // Not inline: files for different instruction sets would each bring their own (warp.cpp).
  void set_origin(std::uint32_t reg, std::uint32_t lanes, std::uint32_t number);
  void copy_origin(std::uint32_t reg, std::uint32_t lanes, std::uint32_t from);

  /// The active ones of these lanes of V[d] are poisoned, the others are not;
  /// V[a] says why.
  [[gnu::always_inline]] void set_poison(std::uint32_t d, std::uint32_t lanes, std::uint32_t a) {
    set_poison(d, lanes, a, 0, 0, 0, 0);
  }

  /// … where some of these lanes of V[a], V[b] and V[c] are; the first of them
  /// says why.
  [[gnu::always_inline]] void set_poison(std::uint32_t d,
                                         std::uint32_t a_lanes,
                                         std::uint32_t a,
                                         std::uint32_t b_lanes,
                                         std::uint32_t b,
                                         std::uint32_t c_lanes,
                                         std::uint32_t c) {
    std::uint32_t& bits = poison_of(d);
    const std::uint32_t bad = (a_lanes | b_lanes | c_lanes) & mask;
    bits = (bits & ~mask) | bad;
    if (bad != 0) [[unlikely]] {
      copy_origin(d, bad & a_lanes, a);
      copy_origin(d, bad & b_lanes & ~a_lanes, b);
      copy_origin(d, bad & c_lanes & ~a_lanes & ~b_lanes, c);
    }
  }

  /// Adds a strand; the scheduler will find it.
  void spawn(const Instr* pc, std::uint32_t lanes, std::uint32_t parent) {
    Strand strand;
    strand.pc = pc;
    strand.mask = lanes;
    strand.join = parent;
    strands.push_back(strand);
  }
};

}  // namespace tirx::sim
