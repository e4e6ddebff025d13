// What the simulated machine has for few programs: operations of barriers and of warps, and the
// right lines beside each fault that a run shows (planted.hpp).
#include <array>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"
#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

void beside(Draft& draft) {
  beside_a_fault(draft, false);
}

/// What nothing may rely on, used so that nothing does: the elected lane, the lanes that happen to
/// run together, a clock, a pause.
void unspecified(Draft& draft) {
  const std::string m = draft.fresh("m"), p = draft.fresh("p"), d = draft.fresh("d");
  draft.line("{}: T.int32 = 0", m);
  switch (draft.dice.one_of({0, 1, 1, 2, 2, 3})) {
    case 0:
      // One lane of each warp adds 5, whichever.
      draft.line("if T.cuda.elect_sync():");
      {
        const Draft::Block block(draft);
        draft.line("{} = 5", m);
      }
      draft.line("{0} = T.cuda.__reduce_add_sync(T.uint32(0xffffffff), {0})", m);
      break;
    case 1:
      draft.line("{}: T.bool = False", p);
      draft.line("{}: T.uint32 = 0", d);
      draft.line("T.ptx.elect.sync({}, {}, T.uint32(0xffffffff))", d, p);
      draft.line(
          "{} = T.popc(T.cuda.__ballot_sync(T.uint32(0xffffffff), {} and T.cast(lane, "
          "\"uint32\") == {}))",
          m, p, d);
      break;
    case 2:
      draft.line("{}: T.uint32 = 0", d);
      draft.line("T.ptx.activemask.b32({})", d);
      draft.line(
          "{} = T.cast(((T.cuda.__activemask() & {}) >> T.cast(lane, \"uint32\")) & T.uint32(1), "
          "\"int32\")",
          m, d);
      break;
    default:
      draft.line("{}: T.let = T.cuda.clock()", d);
      draft.line("T.cuda.nano_sleep({})", draft.dice.between(1, 40));
      draft.line("{0} = T.if_then_else({1} == {1}, {2}, 0)", m, d, draft.dice.below(9));
  }
  draft.mark("unspecified, and not relied upon");
  keep_result(draft, m, DType::i32);
}

/// States of an mbarrier's phases, by one thread: what is pending, what is complete.
void states(Draft& draft) {
  const std::string bar = draft.fresh("S"), t = draft.fresh("t"), n = draft.fresh("n"),
                    sum = draft.fresh("m"), p = draft.fresh("p");
  const int count = draft.dice.between(3, 900), some = draft.dice.between(1, count - 2);
  draft.line("{} = T.alloc_shared((2,), \"uint64\")", bar);
  draft.line("{}: T.uint64 = 0", t);
  draft.line("{}: T.uint32 = 0", n);
  draft.line("{}: T.int32 = 0", sum);
  draft.line("{}: T.bool = False", p);
  draft.line("if tx == {}:", draft.dice.below(draft.threads));
  {
    const Draft::Block block(draft);
    const auto look = [&] {
      draft.line("T.ptx.mbarrier.pending_count.b64({}, {})", n, t);
      draft.line("T.ptx.mbarrier.test_wait.shared.b64({}, {}.ptr_to([1]), {})", p, bar, t);
      draft.line("{0} = {0} * 3 + T.cast({1}, \"int32\") + T.if_then_else({2}, 1, 0)", sum, n, p);
    };
    draft.line("T.ptx.mbarrier.init.shared.b64({}.ptr_to([1]), {})", bar, count);
    draft.line("T.ptx.mbarrier.arrive.noComplete.shared.b64({}, {}.ptr_to([1]), {})", t, bar, some);
    look();
    if (draft.dice.chance(50)) {
      draft.line("T.ptx.mbarrier.arrive_drop.shared.b64({}, {}.ptr_to([1]))", t, bar);
    } else if (draft.dice.chance(50)) {
      draft.line("T.ptx.mbarrier.arrive.expect_tx.shared.b64({}, {}.ptr_to([1]), 0)", t, bar);
    } else {
      draft.line("T.ptx.mbarrier.expect_tx.shared.b64({}.ptr_to([1]), 0)", bar);
      draft.line("T.ptx.mbarrier.arrive.shared.b64({}, {}.ptr_to([1]))", t, bar);
    }
    look();
    draft.line("T.ptx.mbarrier.arrive.shared.b64({}, {}.ptr_to([1]), {})", t, bar,
               count - some - 1);
    look();
    draft.line("T.ptx.mbarrier.try_wait.parity.shared.b64({}, {}.ptr_to([1]), {})", p, bar,
               draft.dice.below(2));
    draft.line("{0} = {0} * 2 + T.if_then_else({1}, 1, 0)", sum, p);
    draft.line("T.ptx.mbarrier.inval.shared.b64({}.ptr_to([1]))", bar);
  }
  draft.mark("states of an mbarrier");
  keep_result(draft, sum, DType::i32);
}

/// Loops whose bounds are known when they run, up and down, the same in all lanes and not; bounds
/// are read once.
void bounds_at_run_time(Draft& draft) {
  const std::string sum = draft.fresh("m"), i = draft.fresh("i"), begin = draft.fresh("m"),
                    end = draft.fresh("m"), s = draft.fresh("S");
  draft.line("{} = T.alloc_shared((4,), \"int32\")", s);
  draft.line("if tx < 4:");
  {
    const Draft::Block block(draft);
    draft.line("{}[tx] = tx * {} - {}", s, draft.dice.below(5), draft.dice.below(9));
  }
  cta_barrier(draft);
  draft.line("{}: T.int32 = 0", sum);
  draft.line("{}: T.int32 = {}[{}]", begin, s, draft.dice.below(4));
  draft.line("{}: T.int32 = {}[{}]", end, s, draft.dice.below(4));
  const int step = draft.dice.between(1, 4) * draft.dice.one_of({1, -1});
  draft.line("for {} in range({}{}, {}, {}):", i, begin,
             draft.dice.chance(70) ? "" : " + (lane & 1)", end, step);
  {
    const Draft::Block block(draft);
    draft.line("{0} = {0} * 3 + {1}", sum, i);
    if (draft.dice.chance(50)) draft.line("{0} = {0} + 1", end);
    if (draft.dice.chance(30)) {
      draft.line("if {} > 1000:", sum);
      const Draft::Block inner(draft);
      draft.line("break");
    }
  }
  draft.mark("bounds at run time");
  keep_result(draft, fmt::format("{} + {}", sum, end), DType::i32);
  cta_barrier(draft);
}

/// Halves of a warp that come to an exchange from two places.
void two_places(Draft& draft) {
  const std::string m = draft.fresh("m"), s = draft.fresh("S");
  const int by = draft.dice.between(1, 31);
  draft.line("{} = T.alloc_shared(({},), \"int32\")", s, draft.threads);
  draft.line("{}: T.int32 = tx", m);
  draft.line("{}[tx] = {}", s, expression(draft, DType::i32, 1));
  const std::string half = draft.dice.one_of<std::string>(
      {"lane < 16", "lane % 2 == 0", "lane > 27", "(lane & 6) == 2"});
  draft.line("if {}:", half);
  {
    const Draft::Block block(draft);
    draft.line("{} = 1", m);
    draft.line("T.cuda.warp_sync()");
  }
  draft.line("else:");
  {
    const Draft::Block block(draft);
    draft.line("{} = 2", m);
    draft.line("T.cuda.warp_sync()");
  }
  draft.mark("warp_sync from two places");
  keep_result(draft, fmt::format("{} + {}[tx ^ {}]", m, s, by), DType::i32);
  cta_barrier(draft);
}

/// match with its predicate, of values that are alike in some warps.
void all_alike(Draft& draft) {
  const std::string d = draft.fresh("m"), p = draft.fresh("p");
  draft.line("{}: T.uint32 = 0", d);
  draft.line("{}: T.bool = False", p);
  const std::string value = draft.dice.one_of<std::string>({"T.cast(warp * 7, \"uint32\")",
                                                            "T.cast(tx // 64, \"uint32\")",
                                                            "T.cast(lane // 31, \"uint32\")"});
  draft.line("T.ptx.match.all.sync.b32({}, {}, {}, T.uint32(0xffffffff))", d, p, value);
  draft.mark("match.all with its predicate");
  keep_result(draft, fmt::format("T.cast({}, \"int32\") * 2 + T.if_then_else({}, 1, 0)", d, p),
              DType::i32);
}

/// What an operation does stays where nobody takes what it returns.
void unused_result(Draft& draft) {
  const std::string s = draft.fresh("S"), u = draft.fresh("u"), m = draft.fresh("m");
  draft.line("{} = T.alloc_shared((4,), \"int32\")", s);
  draft.line("if tx < 4:");
  {
    const Draft::Block block(draft);
    draft.line("{}[tx] = {}", s, draft.dice.below(9));
  }
  cta_barrier(draft);
  const int by = draft.dice.between(1, 5);
  draft.line("{}: T.let = T.cuda.atomic_add({}.ptr_to([{}]), tx + {})", u, s, draft.dice.below(4),
             by);
  if (draft.dice.chance(50)) {
    draft.line("if tx % {} == 0:", draft.dice.between(2, 5));
    const Draft::Block block(draft);
    draft.line("{}: T.let = T.cuda.atomic_add({}.ptr_to([{}]), {})", draft.fresh("u"), s,
               draft.dice.below(4), by);
  }
  draft.line("{}: T.let = T.cuda.__shfl_xor_sync(T.uint32(0xffffffff), tx, {})", draft.fresh("u"),
             by);
  cta_barrier(draft);
  draft.line("{0}: T.int32 = {1}[0] + {1}[1] * 3 + {1}[2] * 5 + {1}[3] * 7", m, s);
  draft.mark("results that are not used");
  keep_result(draft, m, DType::i32);
}

/// A word of a warp with its highest bit set, made wider: it has no sign.
void widened_word(Draft& draft) {
  const std::string value = fmt::format(
      "T.cast({}, \"uint32\") * T.uint32({}) + T.uint32(2147483648)",
      draft.dice.one_of<const char*>({"tx", "lane", "lane // 3"}), draft.dice.between(1, 99));
  std::string word;
  const int which = draft.dice.below(8);
  if (which < 6) {
    constexpr auto kFolds = std::to_array<const char*>({"and", "or", "xor", "add", "min", "max"});
    word = fmt::format("T.cuda.__reduce_{}_sync(T.uint32(0xffffffff), {})",
                       kFolds[static_cast<std::size_t>(which)], value);
  } else if (which == 6) {
    word = "T.cuda.__ballot_sync(T.uint32(0xffffffff), lane > 3)";
  } else {
    word = fmt::format("T.cuda.__match_any_sync(T.uint32(0xffffffff), {} // 17)", value);
  }
  draft.mark("a warp's word, made wider");
  keep_result(draft, fmt::format("T.cast({}, \"int64\") // 3", word), DType::i64);
}

constexpr auto kMachineCorners = std::to_array<Corner>({
    {"lines beside a fault", beside, 2},
    {"unspecified, and not relied upon", unspecified},
    {"states of an mbarrier", states},
    {"bounds at run time", bounds_at_run_time},
    {"warp_sync from two places", two_places},
    {"match.all with its predicate", all_alike},
    {"results that are not used", unused_result},
    {"a warp's word, made wider", widened_word},
});

}  // namespace

void beside_a_fault(Draft& draft, bool last) {
  if (draft.features.contains("lines beside a fault")) return;
  for (int tries = 4; tries > 0; --tries) {
    const std::size_t number = any_planted(draft.dice, Ground::threads);
    const PlantedFault& fault = planted_fault(number);
    // Where threads have returned, much of what may follow is refused.
    const bool returns = fault.right.find("return") != std::string_view::npos ||
                         fault.common.find("return") != std::string_view::npos;
    if (!has_room(draft, fault) || (returns && !last)) continue;
    cta_barrier(draft);
    plant(draft, number, false);
    draft.mark("lines beside a fault");
    return;
  }
}

std::span<const Corner> machine_corners() {
  return kMachineCorners;
}

}  // namespace tirx::fuzz
