// The scope ids beside cta, warp, lane and thread, as values, indices and guards; and guards of
// tile operations by residue, with coordinates that start elsewhere.
#include <array>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

void in_a_warpgroup(Draft& draft) {
  const std::string warp = draft.fresh("id"), thread = draft.fresh("id"), group = draft.fresh("id");
  draft.line("{} = T.warp_id_in_wg([4])", warp);
  draft.line("{} = T.thread_id_in_wg([128])", thread);
  draft.line("{} = T.warpgroup_id([{}])", group, draft.threads / 128);
  const std::string s = draft.fresh("S");
  draft.line("{} = T.alloc_shared(({}, 4, 32), \"int32\")", s, draft.threads / 128);
  draft.line("{}[{}, {}, lane] = {}", s, group, warp, expression(draft, DType::i32, 1));
  cta_barrier(draft);
  draft.mark("ids in a warpgroup");
  keep_result(draft,
              fmt::format("{}[{}, {} - {}, ({} * {} + {}) % 32] + {} * {} + {}", s, group, 3, warp,
                          thread, draft.dice.one_of({1, 3, 5}), draft.dice.below(32), warp,
                          draft.dice.between(1, 1000), group),
              DType::i32);
  const std::string shape = fmt::format("{}, 4, 64", draft.threads / 128);
  const std::string in = draft.tile_input(shape, DType::f32, "bits"), out = draft.fresh("Tout");
  const std::string full = fmt::format("({}, {})", draft.ctas, shape);
  draft.parameter(out, full, DType::f32, fmt::format("tirx.zeros({}, \"float32\")", full));
  const int chosen = draft.dice.below(4);
  draft.line(
      "if {}:",
      draft.dice.one_of<std::string>(
          {fmt::format("{} == {}", warp, chosen), fmt::format("{} >= {}", warp, chosen),
           fmt::format("{} != {}", warp, chosen), fmt::format("{} % 2 == {}", warp, chosen % 2)}));
  {
    const Draft::Block block(draft);
    draft.line("Tx.warp.copy({0}[bx, {3}, {1}, :], {2}[bx, {3}, {1}, :])", out, warp, in, group);
  }
  cta_barrier(draft);
}

void in_a_cluster(Draft& draft) {
  const std::string pair = draft.fresh("id"), cluster = draft.fresh("id");
  draft.line("{} = T.cta_id_in_pair()", pair);
  draft.line("{} = T.cluster_id([{}])", cluster, draft.ctas / 2);
  draft.mark("ids in a cluster");
  keep_result(draft,
              fmt::format("{} * {} + {} * {} + {}[({} * 7 + tx + {}) % {}]", pair,
                          draft.dice.between(1, 100), cluster, draft.dice.between(100, 200),
                          draft.input(DType::i32), pair, cluster, Draft::kInputs),
              DType::i32);
  const std::string out = draft.fresh("Pair");
  draft.parameter(out, "(2,)", DType::i32, "tirx.zeros((2,), \"int32\")");
  draft.line("if tx == {}:", draft.dice.below(draft.threads));
  const Draft::Block block(draft);
  draft.line("{0}[{1}] = bx + {1} * 10 + {2}", out, pair, cluster);
}

/// The warps, or a part of the lanes' CTAs, of one residue: `(id + c) % n REL r`.
void by_residue(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::i32, DType::u8, DType::f16});
  const std::string shape = fmt::format("{}, 64", draft.warps());
  const std::string in = draft.tile_input(shape, dtype, "bits"), out = draft.fresh("Tout");
  const std::string full = fmt::format("({}, {})", draft.ctas, shape);
  draft.parameter(out, full, dtype, fmt::format("tirx.zeros({}, \"{}\")", full, type_name(dtype)));
  const int n = draft.dice.between(2, 5);
  const std::string id = draft.dice.one_of<const char*>({"warp", "(tx // 32)"});
  const int offset = draft.dice.below(9);
  const std::string moved = offset == 0 ? id : fmt::format("({} + {})", id, offset);
  const std::string residue =
      fmt::format("{} % {} {} {}", moved, n, draft.dice.one_of<const char*>({"==", "==", "!="}),
                  draft.dice.below(n));
  draft.line("if {}:", residue);
  const std::string way = draft.dice.one_of<std::string>(
      {"warp", fmt::format("{} - warp", draft.warps() - 1),
       fmt::format("(warp + {}) % {}", draft.dice.between(1, 3), draft.warps())});
  {
    const Draft::Block block(draft);
    draft.line("Tx.warp.copy({0}[bx, {1}, :], {2}[bx, {1}, :])", out, way, in);
  }
  if (draft.dice.chance(40)) {
    draft.line("else:");
    const Draft::Block block(draft);
    draft.line("Tx.warp.fill({}[bx, {}, :], {})", out, way, draft.dice.between(1, 9));
  }
  draft.mark("tile operation of a residue");
  cta_barrier(draft);
}

/// Three dimensions that no vector and no number of threads divides: the middle coordinates wrap.
void three_odd_dimensions(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::i32, DType::u8, DType::f16});
  const int a = draft.dice.between(2, 5), b = draft.dice.one_of({3, 5, 7}),
            c = draft.dice.one_of({3, 5, 9, 11, 16});
  const std::string inner = fmt::format("{}, {}, {}", a - draft.dice.below(2), b - 1, c);
  const std::string shape = fmt::format("{}, {}, {}", a, b, c);
  const std::string in = draft.tile_input(inner, dtype, "bits"), s = draft.fresh("S"),
                    out = draft.tile_output(shape, dtype);
  const std::string all = fmt::format("0:{}, 0:{}, 0:{}", a, b, c);
  draft.line("{} = T.alloc_shared(({}), \"{}\")", s, shape, type_name(dtype));
  const char* scope = draft.dice.one_of<const char*>({"cta", "cta", "warp"});
  const std::string guard = one_warp(draft);
  const auto copy = [&](const std::string& text) {
    if (scope[0] == 'c') return draft.line("Tx.cta.copy({})", text);
    draft.line("if {}:", guard);
    const Draft::Block block(draft);
    draft.line("Tx.warp.copy({})", text);
  };
  copy(fmt::format("{}[:, :, :], {}[bx, {}], fill={}", s, in, all, draft.dice.below(3)));
  cta_barrier(draft);
  copy(fmt::format("{}[bx, {}], {}[:, :, :], clip=True", out, all, s));
  cta_barrier(draft);
  draft.mark("copy of three odd dimensions");
}

constexpr auto kIdsCorners = std::to_array<Corner>({
    {"ids in a warpgroup", in_a_warpgroup, 4},
    {"ids in a cluster", in_a_cluster, 1, true},
    {"tile operation of a residue", by_residue, 2},
    {"copy of three odd dimensions", three_odd_dimensions},
});

}  // namespace

std::span<const Corner> id_corners() {
  return kIdsCorners;
}

}  // namespace tirx::fuzz
