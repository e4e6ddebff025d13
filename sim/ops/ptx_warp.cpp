// Exchanges between lanes by name: the definitions of the PTX ISA (9.7.9.6; 9.7.13.10-13, 16).
#include <bit>

#include <fmt/format.h>

#include "numerics/scalar.hpp"
#include "sim/ops/rendezvous.hpp"

namespace tirx::sim::ops {

namespace {

/// Values of an operand in all lanes, before any result is written.
struct Column {
  std::array<std::uint64_t, kLanes> bits{};
  std::uint32_t poison = 0;
  std::array<std::uint32_t, kLanes> origins{};

  Column(const Party& party, int arg) {
    for_lanes(party.lanes, [&](int lane) {
      const Context at = party.at(lane);
      bits[static_cast<std::size_t>(lane)] = at.bits(arg, lane);
      origins[static_cast<std::size_t>(lane)] = at.origin_of(arg, lane);
      if (at.poisoned(arg, lane)) poison |= 1U << lane;
    });
  }

  /// Why the lane's value is poisoned, or that of the first lane that is.
  [[nodiscard]] std::uint32_t origin(int lane) const {
    return origins[static_cast<std::size_t>(lane)];
  }

  [[nodiscard]] std::uint32_t origin() const {
    return poison == 0 ? 0 : origin(std::countr_zero(poison));
  }

  [[nodiscard]] std::uint64_t operator[](int lane) const {
    return bits[static_cast<std::size_t>(lane)];
  }
};

/// The lane that shfl reads, and whether it is in range.
struct Source {
  int lane = 0;
  bool in_range = false;
};

Source source_of(int mode, int lane, std::uint32_t b, std::uint32_t c) {
  const auto l = static_cast<std::uint32_t>(lane);
  const std::uint32_t step = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  const std::uint32_t last = (l & segment) | (clamp & ~segment);
  const std::uint32_t first = l & segment;
  std::int64_t from = 0;
  bool inside = false;
  if (mode == ptx_mode::up) {
    from = std::int64_t{l} - step;
    inside = from >= std::int64_t{last};
  } else if (mode == ptx_mode::down) {
    from = std::int64_t{l} + step;
    inside = from <= std::int64_t{last};
  } else if (mode == ptx_mode::bfly) {
    from = l ^ step;
    inside = from <= std::int64_t{last};
  } else {
    from = first | (step & ~segment);
    inside = from <= std::int64_t{last};
  }
  return inside ? Source{static_cast<int>(from), true} : Source{lane, false};
}

std::uint32_t true_lanes(const Party& party, const Column& values) {
  std::uint32_t bits = 0;
  for_lanes(party.lanes,
            [&](int lane) { bits |= static_cast<std::uint32_t>(values[lane] != 0) << lane; });
  return bits;
}

}  // namespace

Next eval(ir::PtxShfl, Context& c) {
  return exchange(c, 3, [&](const Party& party) {
    const Column values(party, 0), steps(party, 1), clamps(party, 2);
    const int mode = c.site.form.mode;
    for_lanes(party.lanes, [&](int lane) {
      const Source from = source_of(mode, lane, static_cast<std::uint32_t>(steps[lane]),
                                    static_cast<std::uint32_t>(clamps[lane]));
      // A lane that takes no part has no value.
      const bool there = party.has(from.lane);
      const bool bad = !there || ((steps.poison | clamps.poison) >> lane & 1) != 0 ||
                       (values.poison >> from.lane & 1) != 0;
      const std::uint32_t origin = !there ? absent_origin(party.at(lane), from.lane)
                                   : values.origin(from.lane) != 0 ? values.origin(from.lane)
                                   : steps.origin(lane) != 0       ? steps.origin(lane)
                                                                   : clamps.origin(lane);
      put(c, party, lane, there ? values[from.lane] : 0, bad, origin);
      if (party.site[static_cast<std::size_t>(lane)]->result.is_vector()) {
        put_lane(c, party, 1, lane, from.in_range ? 1 : 0, (steps.poison >> lane & 1) != 0,
                 steps.origin(lane));
      }
    });
  });
}

Next eval(ir::PtxVote, Context& c) {
  return exchange(c, 1, [&](const Party& party) {
    const Column values(party, 0);
    const std::uint32_t yes = true_lanes(party, values);
    const int mode = c.site.form.mode;
    const std::uint32_t result =
        mode == ptx_mode::ballot ? yes
        : mode == ptx_mode::all  ? static_cast<std::uint32_t>(yes == party.lanes)
        : mode == ptx_mode::any  ? static_cast<std::uint32_t>(yes != 0)
                                 : static_cast<std::uint32_t>(yes == 0 || yes == party.lanes);
    for_lanes(party.lanes,
              [&](int lane) { put(c, party, lane, result, values.poison != 0, values.origin()); });
  });
}

Next eval(ir::PtxMatch, Context& c) {
  return exchange(c, 1, [&](const Party& party) {
    const Column values(party, 0);
    const bool all = c.site.instruction->word(0) == "all";
    for_lanes(party.lanes, [&](int lane) {
      std::uint32_t same = 0;
      for_lanes(party.lanes, [&](int other) {
        if (values[other] == values[lane]) same |= 1U << other;
      });
      const bool everyone = same == party.lanes;
      put(c, party, lane, all && !everyone ? 0 : same, values.poison != 0, values.origin());
      if (party.site[static_cast<std::size_t>(lane)]->result.is_vector()) {
        put_lane(c, party, 1, lane, everyone ? 1 : 0, values.poison != 0, values.origin());
      }
    });
  });
}

Next eval(ir::PtxRedux, Context& c) {
  return exchange(c, 1, [&](const Party& party) {
    const Column values(party, 0);
    const num::DType dtype = c.operand(0).type.dtype;
    const num::ScalarOp fold = c.site.form.op;
    std::uint64_t result = 0;
    bool started = false;
    for_lanes(party.lanes, [&](int lane) {
      result = started ? num::evaluate(fold, dtype, result, values[lane]).value : values[lane];
      started = true;
    });
    for_lanes(party.lanes,
              [&](int lane) { put(c, party, lane, result, values.poison != 0, values.origin()); });
  });
}

Next eval(ir::PtxElect, Context& c) {
  return exchange(c, 0, [&](const Party& party) {
    const int chosen = elected_lane(c, party);
    for_lanes(party.lanes, [&](int lane) {
      put(c, party, lane, static_cast<std::uint64_t>(chosen), false);
      put_lane(c, party, 1, lane, lane == chosen ? 1 : 0, false);
    });
  });
}

Next eval(ir::PtxActivemask, Context& c) {
  for_lanes(c.lanes, [&](int lane) { c.result(lane, c.lanes); });
  return Next::go_on;
}

Next eval(ir::PtxBarWarpSync, Context& c) {
  return exchange(c, 0, [&](const Party& party) {
    if (c.warp.races != nullptr) c.warp.races->warp_sync(c.warp, party.lanes, c.site);
  });
}

}  // namespace tirx::sim::ops
