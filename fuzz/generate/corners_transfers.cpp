// Copies that tell an mbarrier when they are there, in every form; atomics on an element of the
// thread's own, so that sums of floats have an order; loops that never begin.
#include <array>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

void copies_tell(Draft& draft) {
  const std::string bar = draft.fresh("S"), s = draft.fresh("S"), i = draft.fresh("i");
  const int wide = draft.dice.one_of({1, 2, 4}), stages = draft.dice.between(1, 3);
  const std::string in =
      draft.tile_input(fmt::format("{}, {}", draft.threads, wide * stages), DType::i32, "bits");
  draft.line("{} = T.alloc_shared((1,), \"uint64\")", bar);
  draft.line("{} = T.alloc_shared(({}, {}, {}), \"int32\")", s, stages, draft.threads, wide);
  // With .noinc an arrival is one of the count; without, it adds itself, and the thread arrives
  // for itself.
  const bool counted = draft.dice.chance(40), waits = draft.dice.chance(40);
  draft.line("if tx == {}:", draft.dice.below(draft.threads));
  {
    const Draft::Block block(draft);
    draft.line("T.ptx.mbarrier.init.shared.b64({}.ptr_to([0]), {})", bar,
               draft.threads * (counted ? 2 : 1));
  }
  cta_barrier(draft);
  draft.line("for {} in range({}):", i, stages);
  {
    const Draft::Block block(draft);
    draft.line(
        "T.ptx.cp.async_.ca.shared.global_({0}.ptr_to([{1}, tx, 0]), {2}.ptr_to([bx, tx, {1} "
        "* {3}]), {4})",
        s, i, in, wide, 4 * wide);
  }
  draft.line("T.ptx.cp.async_.mbarrier.arrive{}.shared.b64({}.ptr_to([0]))",
             counted ? ".noinc" : "", bar);
  if (waits) draft.line("T.ptx.cp.async_.wait_all()");
  draft.line("T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, {}.ptr_to([0]))", bar);
  draft.line("T.cuda.mbarrier_wait({}.ptr_to([0]), 0)", bar);
  draft.mark("copies tell an mbarrier");
  keep_result(draft,
              fmt::format("{}[{}, (tx * {} + {}) % {}, {}]", s, draft.dice.below(stages),
                          draft.dice.one_of({1, 3, 5}), draft.dice.below(draft.threads),
                          draft.threads, draft.dice.below(wide)),
              DType::i32);
  cta_barrier(draft);
}

/// Copies of some warps that tell an mbarrier while others wait for copies of their own, and for
/// that mbarrier: what is in flight is whose it is.
void copies_of_other_warps(Draft& draft) {
  const std::string bar = draft.fresh("S"), s = draft.fresh("S"), own = draft.fresh("S");
  const int wide = draft.dice.one_of({1, 2, 4}), tellers = draft.dice.between(1, draft.warps());
  const std::string in =
      draft.tile_input(fmt::format("{}, {}", draft.threads, 2 * wide), DType::i32, "bits");
  const auto copy = [&](const std::string& to, int from) {
    draft.line("T.ptx.cp.async_.ca.shared.global_({}.ptr_to([tx, 0]), {}.ptr_to([bx, tx, {}]), {})",
               to, in, from, 4 * wide);
  };
  const auto wait = [&] {
    if (draft.dice.chance(40)) return draft.line("T.ptx.cp.async_.wait_all()");
    draft.line("T.ptx.cp.async_.commit_group()");
    draft.line("T.ptx.cp.async_.wait_group(0)");
  };
  draft.line("{} = T.alloc_shared((1,), \"uint64\")", bar);
  draft.line("{} = T.alloc_shared(({}, {}), \"int32\")", s, draft.threads, wide);
  draft.line("{} = T.alloc_shared(({}, {}), \"int32\")", own, draft.threads, wide);
  // Without .noinc an arrival adds itself: the phase needs one more, which comes last.
  const bool counted = draft.dice.chance(60);
  draft.line("if tx == {}:", draft.dice.below(draft.threads));
  {
    const Draft::Block block(draft);
    draft.line("T.ptx.mbarrier.init.shared.b64({}.ptr_to([0]), {})", bar,
               counted ? 32 * tellers : 1);
  }
  cta_barrier(draft);
  const bool before = draft.dice.chance(30);
  if (before) copy(own, wide);
  draft.line("if warp < {}:", tellers);
  {
    const Draft::Block block(draft);
    copy(s, 0);
    draft.line("T.ptx.cp.async_.mbarrier.arrive{}.shared.b64({}.ptr_to([0]))",
               counted ? ".noinc" : "", bar);
  }
  cta_barrier(draft);
  if (!counted) {
    draft.line("if tx == {}:", draft.dice.below(draft.threads));
    const Draft::Block block(draft);
    draft.line("T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, {}.ptr_to([0]))", bar);
  }
  // Some wait for their own copies first, some not, some have none.
  draft.line("if {}:", draft.dice.one_of<std::string>(
                           {one_warp(draft), fmt::format("warp >= {}", draft.dice.below(2)),
                            fmt::format("(lane + warp) % 3 == {}", draft.dice.below(3))}));
  {
    const Draft::Block block(draft);
    if (!before) copy(own, wide);
    wait();
    draft.line("assert {0}[tx, {1}] == {2}[bx, tx, {3}]", own, wide - 1, in, 2 * wide - 1);
  }
  draft.line("T.cuda.mbarrier_wait({}.ptr_to([0]), 0)", bar);
  draft.mark("copies of other warps tell an mbarrier");
  keep_result(draft,
              fmt::format("{}[(tx * {} + {}) % {}, {}]", s, draft.dice.one_of({1, 3, 5}),
                          draft.dice.below(32 * tellers), 32 * tellers, draft.dice.below(wide)),
              DType::i32);
  if (before) draft.line("T.ptx.cp.async_.wait_all()");
  cta_barrier(draft);
}

void own_atomics(Draft& draft) {
  const bool shared = draft.dice.chance(40);
  const std::string place = shared ? draft.fresh("S") : draft.fresh("Acc");
  const bool packed = draft.dice.chance(50);
  const DType dtype = packed ? draft.dice.one_of({DType::f16, DType::bf16})
                             : draft.dice.one_of({DType::f32, DType::f64});
  const int wide = packed ? 2 : 1;
  if (shared) {
    draft.line("{} = T.alloc_shared(({}, {}), \"{}\")", place, draft.threads, wide,
               type_name(dtype));
    for (int k = 0; k < wide; ++k)
      draft.line("{}[tx, {}] = T.cast(lane - {}, \"{}\")", place, k, draft.dice.below(32),
                 type_name(dtype));
    cta_barrier(draft);
  } else {
    const std::string shape = fmt::format("({}, {}, {})", draft.ctas, draft.threads, wide);
    draft.parameter(place, shape, dtype,
                    fmt::format("tirx.random({}, \"{}\", seed={}, kind=\"normal\")", shape,
                                type_name(dtype), draft.dice.below(100000)));
  }
  const std::string at = fmt::format("{}.ptr_to([{}tx, 0])", place, shared ? "" : "bx, ");
  const std::string space = shared ? "shared" : "global_";
  const int times = draft.dice.between(1, 3);
  for (int k = 0; k < times; ++k) {
    if (packed) {
      // Finite halves: 1, 2, -0.5, small ones.
      const std::string pair = dtype == DType::f16
                                   ? draft.dice.one_of<const char*>(
                                         {"0x3C004000", "0xB8003555", "0x00010001", "0x7BFF0401"})
                                   : draft.dice.one_of<const char*>(
                                         {"0x3F804000", "0xBF003EAB", "0x00010001", "0x7F7F0081"});
      draft.line("T.ptx.red.{}.add.noftz.{}x2({}, T.uint32({}))", space,
                 dtype == DType::f16 ? "f16" : "bf16", at, pair);
    } else if (draft.dice.chance(50)) {
      draft.line("T.cuda.atomic_add({}, T.{}({}))", at, type_name(dtype),
                 draft.dice.one_of<const char*>({"0.1", "-3.5", "1e-40", "1e30"}));
    } else {
      draft.line("T.ptx.red.{}.add.{}({}, T.{}({}))", space, dtype == DType::f32 ? "f32" : "f64",
                 at, type_name(dtype),
                 draft.dice.one_of<const char*>({"0.1", "-3.5", "1e-40", "1e30"}));
    }
  }
  draft.mark("atomics on an element of one's own");
  if (shared) keep_result(draft, fmt::format("{}[tx, {}]", place, draft.dice.below(wide)), dtype);
  cta_barrier(draft);
}

void never_begins(Draft& draft) {
  const std::string m = draft.fresh("m");
  draft.line("{}: T.int32 = {}", m, draft.dice.below(100));
  draft.line("while {}:", draft.dice.one_of<std::string>(
                              {"lane > 40", "tx < 0", fmt::format("warp >= {}", draft.warps()),
                               fmt::format("bx > {}", draft.ctas + 3), "tx * 2 < lane - 40"}));
  {
    const Draft::Block block(draft);
    draft.line("{0} = {0} + 1", m);
  }
  draft.line("for i_ in range({}, {}):", draft.dice.between(2, 5), draft.dice.below(3));
  {
    const Draft::Block block(draft);
    draft.line("{0} = {0} + i_", m);
  }
  draft.mark("loop that never begins");
  keep_result(draft, m, DType::i32);
}

constexpr auto kTransfersCorners = std::to_array<Corner>({
    {"copies tell an mbarrier", copies_tell},
    {"copies of other warps tell an mbarrier", copies_of_other_warps, 2},
    {"atomics on an element of one's own", own_atomics},
    {"loop that never begins", never_begins},
});

}  // namespace

std::span<const Corner> transfer_corners() {
  return kTransfersCorners;
}

}  // namespace tirx::fuzz
