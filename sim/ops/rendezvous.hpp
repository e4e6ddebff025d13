// Operations that name lanes of the warp ("…_sync" with a mask) wait until all of them have come:
// PTX ISA, "the executing thread waits until all non-exited threads of membermask have executed the
// same instruction".  The lanes may come as several strands, from several places in the program.
#pragma once

#include <bit>

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

/// What the lanes of the running strand that have not done the operation yet name as its party.
struct Masks {
  std::array<std::uint32_t, kLanes> of{};
  bool one = false;  // all name the same, and nothing is wrong with it
  // Lanes whose party is none (a fault was reported): they wait for nobody.
  std::uint32_t broken = 0;
};

/// `mask_arg`: the operand with the mask, or -1 for all lanes.
[[nodiscard]] Masks read_masks(const Context& c, int mask_arg);

/// The lanes that name the same party as `lane`, here and in the strands that wait at the same
/// operation.  False: some have not come.
[[nodiscard]] bool gather(
    const Context& c, const Masks& masks, int mask_arg, int lane, Party& party);

/// The lanes of the running strand with the mask of `lane`.
[[nodiscard]] std::uint32_t alike(const Context& c, const Masks& masks, int lane);

/// Lets the waiting strands go on whose lanes have all done the operation.
void release(const Context& c, const Party& party);

/// `act(party)` for each set of lanes that name each other: lanes of one warp may execute the same
/// operation with different masks, each set on its own.  A strand goes on when all its lanes have
/// done so.
template <typename Act>
Next exchange(Context& c, int mask_arg, Act&& act) {
  const Masks masks = read_masks(c, mask_arg);
  std::uint32_t rest = c.lanes & ~c.warp.strands[c.warp.running].done;
  std::uint32_t missing = 0;
  while (rest != 0) {
    const int lane = std::countr_zero(rest);
    const std::uint32_t here = alike(c, masks, lane);
    rest &= ~here;
    Party party;
    if (!gather(c, masks, mask_arg, lane, party)) {
      missing |= masks.of[static_cast<std::size_t>(lane)];
      continue;
    }
    act(static_cast<const Party&>(party));
    c.warp.strands[c.warp.running].done |= here;
    release(c, party);
  }
  Strand& strand = c.warp.strands[c.warp.running];
  if (missing != 0) {
    c.block(StrandState::warp).wanted = missing;
    return Next::retry;
  }
  strand.done = 0;
  return Next::go_on;
}

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
