// Threads that meet again, or not all of them: sums that are subnormal, a named barrier in a loop,
// exchanges without the first lane.
#include <array>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

/// A sum of two float32, both or one of them smaller than the smallest normal number: additions in
/// global memory flush them, those in shared memory do not.
void subnormal_atomics(Draft& draft) {
  const bool shared = draft.dice.chance(40);
  const std::string place = draft.fresh(shared ? "S" : "Sub");
  const std::string number = shared ? "tx" : "bx, tx";
  if (shared) {
    draft.line("{} = T.alloc_shared(({},), \"float32\")", place, draft.threads);
  } else {
    const std::string shape = fmt::format("({}, {})", draft.ctas, draft.threads);
    draft.parameter(place, shape, DType::f32, fmt::format("tirx.zeros({}, \"float32\")", shape));
  }
  const auto small = [&] {
    return fmt::format(
        "T.reinterpret(\"float32\", T.uint32({}) + T.cast(lane * {}, \"uint32\"))",
        draft.dice.one_of<const char*>({"0x00000001", "0x00400000", "0x007FFF00", "0x00800000",
                                        "0x80000003", "0x80400000", "0x80800000"}),
        draft.dice.between(1, 9));
  };
  draft.line("{}[{}] = {}", place, number, small());
  for (int times = draft.dice.between(1, 2); times > 0; --times) {
    if (draft.dice.chance(50)) {
      draft.line("T.cuda.atomic_add({}.ptr_to([{}]), {})", place, number, small());
    } else {
      draft.line("T.ptx.red.{}.add.f32({}.ptr_to([{}]), {})", shared ? "shared" : "global_", place,
                 number, small());
    }
  }
  draft.mark("atomics of subnormal numbers");
  keep_result(draft, fmt::format("T.reinterpret(\"uint32\", {}[{}])", place, number), DType::u32);
  cta_barrier(draft);
}

/// One named barrier, again and again: each time all must have come anew.
void barrier_again(Draft& draft) {
  const std::string s = draft.fresh("S"), m = draft.fresh("m"), i = draft.fresh("i");
  const int id = draft.dice.between(1, 7), far = draft.dice.between(1, draft.threads - 1);
  draft.line("{} = T.alloc_shared(({},), \"int32\")", s, draft.threads);
  draft.line("{}: T.int32 = 0", m);
  draft.line("for {} in range({}):", i, draft.dice.between(2, 4));
  {
    const Draft::Block block(draft);
    draft.line("{}[tx] = tx * {} + {} * 1000", s, draft.dice.between(1, 9), i);
    draft.line("T.ptx.bar.sync({}, {})", id, draft.threads);
    draft.line("{0} = {0} * 3 + {1}[(tx + {2}) % {3}]", m, s, far, draft.threads);
    draft.line("T.ptx.bar.sync({}, {})", id, draft.threads);
  }
  draft.mark("named barrier used again");
  keep_result(draft, m, DType::i32);
}

/// Lanes that exchange among themselves, the first of the warp not among them, by PTX names.
void some_lanes_by_name(Draft& draft) {
  const int first = draft.dice.between(1, 28);
  const std::string mask = fmt::format("T.uint32(0x{:08X})", 0xffffffffU << first),
                    m = draft.fresh("m"), p = draft.fresh("p"), u = draft.fresh("u");
  draft.line("{}: T.int32 = 0", m);
  draft.line("{}: T.uint32 = 0", u);
  draft.line("{}: T.bool = False", p);
  draft.line("if lane >= {}:", first);
  {
    const Draft::Block block(draft);
    const std::string condition =
        draft.dice.one_of<std::string>({"lane >= 0", "lane > 31", fmt::format("lane > {}", first),
                                        fmt::format("lane % {} == 1", draft.dice.between(2, 3))});
    switch (draft.dice.below(4)) {
      case 0:
        draft.line("T.ptx.vote.sync.{}.pred({}, {}, {})",
                   draft.dice.one_of<const char*>({"all", "any", "uni"}), p, condition, mask);
        break;
      case 1:
        draft.line("T.ptx.vote.sync.ballot.b32({}, {}, {})", u, condition, mask);
        break;
      case 2:
        draft.line("T.ptx.match.all.sync.b32({}, {}, T.cast(lane // {}, \"uint32\"), {})", u, p,
                   draft.dice.one_of({1, 16, 64}), mask);
        break;
      default:
        draft.line("T.ptx.redux.sync.{}.s32({}, lane * {} - 40, {})",
                   draft.dice.one_of<const char*>({"add", "min", "max"}), m,
                   draft.dice.between(1, 9), mask);
    }
    draft.line("{0} = {0} + T.if_then_else({1}, 1000, 1)", m, p);
  }
  draft.mark("exchange of some lanes by name");
  keep_result(draft, fmt::format("{} + T.cast({}, \"int32\")", m, u), DType::i32);
}

constexpr auto kLanesCorners = std::to_array<Corner>({
    {"atomics of subnormal numbers", subnormal_atomics},
    {"named barrier used again", barrier_again},
    {"exchange of some lanes by name", some_lanes_by_name},
});

}  // namespace

std::span<const Corner> lane_corners() {
  return kLanesCorners;
}

}  // namespace tirx::fuzz
