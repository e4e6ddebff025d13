// Exchanges between the lanes of a warp (PTX ISA 9.7.9.6 shfl.sync; 9.7.13 vote, match, redux,
// elect, activemask).
#include <bit>

#include <fmt/format.h>

#include "sim/ops/rendezvous.hpp"

namespace tirx::sim::ops {

namespace {

/// shfl.sync: lane, the operand and the segment give the source lane; outside of the segment the
/// lane keeps its own value.
template <typename Source>
Next shuffle(Context& c, Source&& source) {
  return exchange(c, 0, [&](const Party& party) {
    std::array<std::uint64_t, kLanes> values{};
    std::array<std::uint32_t, kLanes> origins{};  // 0: not poisoned
    for_lanes(party.lanes, [&](int lane) {
      const Context at = party.at(lane);
      values[static_cast<std::size_t>(lane)] = at.bits(1, lane);
      origins[static_cast<std::size_t>(lane)] = at.origin_of(1, lane);
    });
    for_lanes(party.lanes, [&](int lane) {
      const Context at = party.at(lane);
      const auto argument = static_cast<int>(at.integer(2, lane));
      const int width = at.has(3) ? static_cast<int>(at.integer(3, lane)) : 32;
      if (width <= 0 || width > 32 || (width & (width - 1)) != 0) {
        at.fault(ir::FaultKind::trap, lane,
                 fmt::format("a shuffle over segments of {} lanes", width),
                 "the width must be 1, 2, 4, 8, 16 or 32");
        put(c, party, lane, values[static_cast<std::size_t>(lane)], true);
        return;
      }
      const int from = source(lane, argument, width);
      if (!party.has(from)) {
        // The source takes no part: the value is undefined.
        put(c, party, lane, 0, true, absent_origin(at, from));
        return;
      }
      std::uint32_t origin = at.origin_of(2, lane);
      if (origin == 0) origin = origins[static_cast<std::size_t>(from)];
      put(c, party, lane, values[static_cast<std::size_t>(from)], origin != 0, origin);
    });
  });
}

/// One value for all lanes of the party from all their operands.
template <typename Combine>
Next reduce(Context& c, int value_arg, Combine&& combine) {
  return exchange(c, 0, [&](const Party& party) {
    std::array<std::uint64_t, kLanes> values{};
    for_lanes(party.lanes, [&](int lane) {
      values[static_cast<std::size_t>(lane)] = party.at(lane).bits(value_arg, lane);
    });
    const std::uint32_t origin = first_origin(party, value_arg);
    const std::uint64_t result = combine(party.lanes, values);
    for_lanes(party.lanes, [&](int lane) { put(c, party, lane, result, origin != 0, origin); });
  });
}

template <typename Fold>
Next redux(Context& c, Fold&& fold) {
  const num::DType dtype = c.operand(1).type.dtype;
  return reduce(c, 1, [&](std::uint32_t lanes, const std::array<std::uint64_t, kLanes>& values) {
    bool first = true;
    std::uint64_t result = 0;
    for_lanes(lanes, [&](int lane) {
      const std::uint64_t v = values[static_cast<std::size_t>(lane)];
      result = first ? v : fold(result, v, dtype);
      first = false;
    });
    return result;
  });
}

std::uint64_t ballot(std::uint32_t lanes, const std::array<std::uint64_t, kLanes>& values) {
  std::uint64_t bits = 0;
  for_lanes(lanes, [&](int lane) {
    if (values[static_cast<std::size_t>(lane)] != 0) bits |= std::uint64_t{1} << lane;
  });
  return bits;
}

}  // namespace

Next eval(ir::WarpSync, Context& c) {
  return exchange(c, 0, [&](const Party& party) {
    if (c.warp.races != nullptr) c.warp.races->warp_sync(c.warp, party.lanes, c.site);
  });
}

Next eval(ir::ShuffleIdx, Context& c) {
  return shuffle(c, [](int lane, int argument, int width) {
    return (lane & ~(width - 1)) | (argument & (width - 1));
  });
}

Next eval(ir::ShuffleUp, Context& c) {
  return shuffle(c, [](int lane, int delta, int width) {
    const int from = lane - (delta & 31);
    return from < (lane & ~(width - 1)) ? lane : from;
  });
}

Next eval(ir::ShuffleDown, Context& c) {
  return shuffle(c, [](int lane, int delta, int width) {
    const int from = lane + (delta & 31);
    return from > (lane | (width - 1)) ? lane : from;
  });
}

Next eval(ir::ShuffleXor, Context& c) {
  return shuffle(c, [](int lane, int mask, int width) {
    const int from = lane ^ (mask & 31);
    return from > (lane | (width - 1)) ? lane : from;
  });
}

Next eval(ir::VoteAll, Context& c) {
  return reduce(c, 1, [](std::uint32_t lanes, const auto& values) {
    return static_cast<std::uint64_t>(ballot(lanes, values) == lanes);
  });
}

Next eval(ir::VoteAny, Context& c) {
  return reduce(c, 1, [](std::uint32_t lanes, const auto& values) {
    return static_cast<std::uint64_t>(ballot(lanes, values) != 0);
  });
}

Next eval(ir::VoteBallot, Context& c) {
  return reduce(c, 1,
                [](std::uint32_t lanes, const auto& values) { return ballot(lanes, values); });
}

Next eval(ir::MatchAny, Context& c) {
  return exchange(c, 0, [&](const Party& party) {
    const std::uint32_t origin = first_origin(party, 1);
    for_lanes(party.lanes, [&](int lane) {
      std::uint64_t same = 0;
      for_lanes(party.lanes, [&](int other) {
        if (party.at(other).bits(1, other) == party.at(lane).bits(1, lane)) {
          same |= std::uint64_t{1} << other;
        }
      });
      put(c, party, lane, same, origin != 0, origin);
    });
  });
}

Next eval(ir::ActiveMask, Context& c) {
  for_lanes(c.lanes, [&](int lane) { c.result(lane, c.lanes); });
  return Next::go_on;
}

Next eval(ir::ElectSync, Context& c) {
  return exchange(c, 0, [&](const Party& party) {
    const int chosen = elected_lane(c, party);
    for_lanes(party.lanes, [&](int lane) { put(c, party, lane, lane == chosen ? 1 : 0, false); });
  });
}

Next eval(ir::ReduxAdd, Context& c) {
  return redux(c, [](std::uint64_t a, std::uint64_t b, num::DType dtype) {
    return num::evaluate(num::ScalarOp::add, dtype, a, b).value;
  });
}

Next eval(ir::ReduxMin, Context& c) {
  return redux(c, [](std::uint64_t a, std::uint64_t b, num::DType dtype) {
    return num::evaluate(num::ScalarOp::min, dtype, a, b).value;
  });
}

Next eval(ir::ReduxMax, Context& c) {
  return redux(c, [](std::uint64_t a, std::uint64_t b, num::DType dtype) {
    return num::evaluate(num::ScalarOp::max, dtype, a, b).value;
  });
}

Next eval(ir::ReduxAnd, Context& c) {
  return redux(c, [](std::uint64_t a, std::uint64_t b, num::DType) { return a & b; });
}

Next eval(ir::ReduxOr, Context& c) {
  return redux(c, [](std::uint64_t a, std::uint64_t b, num::DType) { return a | b; });
}

Next eval(ir::ReduxXor, Context& c) {
  return redux(c, [](std::uint64_t a, std::uint64_t b, num::DType) { return a ^ b; });
}

}  // namespace tirx::sim::ops
