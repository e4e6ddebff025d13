// Operations that name lanes of the warp ("…_sync" with a mask) wait until all of them have come:
// PTX ISA, "the executing thread waits until all non-exited threads of membermask have executed the
// same instruction".  The lanes may come as several strands, from several places in the program.
#pragma once

#include "sim/ops/context.hpp"

namespace tirx::sim::ops {

/// Lanes that exchange values, and where each one's operands are.
struct Party {
  std::uint32_t lanes = 0;
  const Context* context = nullptr;
  std::array<const CallSite*, kLanes> site{};
  std::array<std::uint32_t, kLanes> result{};

  [[nodiscard]] bool has(int lane) const {
    return lane >= 0 && lane < kLanes && (lanes >> lane & 1) != 0;
  }

  [[nodiscard]] Context at(int lane) const {
    return Context{context->pc, context->warp, *site[static_cast<std::size_t>(lane)],
                   context->lanes};
  }
};

/// Gathers the lanes of the mask.  `ready` says whether all are here; else the strand waits.
struct Gathered {
  bool ready = false;
  Next next = Next::go_on;
  Party party;
};

/// `mask_arg`: the operand with the mask, or -1 for all lanes.
[[nodiscard]] Gathered gather(Context& c, int mask_arg);

/// Lets the waiting strands of the party go on after the operation.
void release(const Context& c, const Party& party);

/// The lane that elect chooses: not specified, the seed decides.
[[nodiscard]] int elected_lane(const Context& c, const Party& party);

/// Writes register `k` of the result of one lane of the party.  `from`: why it
/// is poisoned; 0: the operation met poison.
void put_lane(const Context& c,
              const Party& party,
              int k,
              int lane,
              std::uint64_t value,
              bool poison,
              std::uint32_t from = 0);

/// Writes the result of one lane of the party.
void put(const Context& c,
         const Party& party,
         int lane,
         std::uint64_t value,
         bool poison,
         std::uint32_t from = 0);

/// Why the first poisoned one of the party's operands is poisoned; 0: none is.
[[nodiscard]] std::uint32_t first_origin(const Party& party, int arg);

/// Why a lane has no value: its source takes no part in the operation.
[[nodiscard]] std::uint32_t absent_origin(const Context& at, int source);

}  // namespace tirx::sim::ops
