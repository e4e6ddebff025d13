// gemm: the simulator of the lowered kernel against the tile-level evaluator; the same bits, for
// every type.
#include <doctest/doctest.h>

#include "ir/layout/algebra.hpp"
#include "ir/layout/library.hpp"
#include "tests/unit/sim/second_opinion.hpp"

namespace tirx::testing {

namespace {

using num::DType;

struct Gemm {
  DType a = DType::f16, b = DType::f16, acc = DType::f32;
  std::int64_t m = 32, n = 16, k = 32;
  std::map<std::string, ConfigValue> config{{"beta", 1.0}};
  std::string dispatch{};
  const Target* target = &default_target();
  bool in_place = true;
  bool with_c = true;
};

std::int64_t fragment_k(const Gemm& g, std::int64_t w) {
  for (const std::int64_t k : {32, 16, 8, 4}) {
    if (k <= 8 * w && g.k % k == 0) return k;
  }
  return 4 * w;
}

Tensor run(const Gemm& g, unsigned seed, bool bits = false) {
  const std::int64_t w = 32 / num::bits(g.a);
  const std::int64_t step = fragment_k(g, w);
  KernelBuilder k("gemm");
  const Buffer a = k.param("A", g.a, {g.m, g.k});
  const Buffer b = k.param("B", g.b, {g.k, g.n});
  const Buffer c = k.param("C", g.acc, {g.m, g.n});
  const Buffer d = k.param("D", g.acc, {g.m, g.n});
  k.cta_id(1);
  k.thread_id(32);
  const auto place = [&](const TileLayout& tile, Shape to, Shape from) {
    return Layout(tile_to(tile, to, from).value());
  };
  const Buffer ar = k.alloc("a", g.a, {g.m, g.k}, MemoryScope::local,
                            place(a_fragment(w, step), {g.m, g.k}, {16, step}));
  const Buffer br = k.alloc("b", g.b, {g.k, g.n}, MemoryScope::local,
                            place(b_fragment(w, step), {g.k, g.n}, {step, 8}));
  const Layout sums = place(mma_m16n8_accumulator(), {g.m, g.n}, {16, 8});
  const Buffer cr = k.alloc("c", g.acc, {g.m, g.n}, MemoryScope::local, sums);
  const Buffer dr = g.in_place ? cr : k.alloc("d", g.acc, {g.m, g.n}, MemoryScope::local, sums);
  std::vector<TileOperand> operands{region(dr), region(ar), region(br)};
  if (g.with_c) {
    operands.emplace_back(region(cr));
  } else {
    operands.emplace_back();
  }
  const auto warp = ExecScope::warp;
  k.body({tile_copy(warp, region(ar), region(a)),
          tile_copy(warp, region(br), region(b)),
          tile_copy(warp, region(cr), region(c)),
          {{}, TileCall{TileOp::gemm, warp, std::move(operands), g.config, g.dispatch}},
          tile_copy(warp, region(d), region(dr))});
  const auto make = bits ? random_bytes : random_values;
  return both(k.kernel(),
              {make(g.a, {g.m, g.k}, seed), make(g.b, {g.k, g.n}, seed + 1),
               make(g.acc, {g.m, g.n}, seed + 2), make_tensor(g.acc, {g.m, g.n}, false)},
              *g.target);
}

}  // namespace

TEST_CASE("gemm: every pair of types, on every architecture that has it") {
  struct Types {
    DType a, b, acc;
  };

  std::vector<Types> all{{DType::f16, DType::f16, DType::f32},
                         {DType::f16, DType::f16, DType::f16},
                         {DType::bf16, DType::bf16, DType::f32},
                         {DType::tf32, DType::tf32, DType::f32}};
  for (const DType a : {DType::e4m3, DType::e5m2}) {
    for (const DType b : {DType::e4m3, DType::e5m2}) {
      all.push_back({a, b, DType::f32});
      all.push_back({a, b, DType::f16});
    }
  }
  for (const DType a : {DType::i8, DType::u8}) {
    for (const DType b : {DType::i8, DType::u8}) all.push_back({a, b, DType::i32});
  }
  int checked = 0;
  for (const Target& target : targets()) {
    for (const Types& t : all) {
      if (num::bits(t.a) == 8 && num::is_float(t.a) && target.sm < 89) continue;
      CAPTURE(target.name);
      CAPTURE(num::name(t.a));
      CAPTURE(num::name(t.b));
      CAPTURE(num::name(t.acc));
      run({.a = t.a, .b = t.b, .acc = t.acc, .k = 64, .target = &target}, 11);
      ++checked;
    }
  }
  // 16 combinations; sm_80 and sm_86 lack the 8 of fp8.
  CHECK(checked == 6 * 16 - 2 * 8);
}

TEST_CASE("gemm: the short instructions, forced and needed") {
  run({.k = 8}, 21);
  run({.k = 24}, 22);
  run({.k = 32, .dispatch = "mma.m16n8k8"}, 23);
  run({.a = DType::tf32, .b = DType::tf32, .k = 12}, 24);
  run({.a = DType::i8, .b = DType::u8, .acc = DType::i32, .k = 48}, 25);
  run({.a = DType::e4m3, .b = DType::e5m2, .k = 16}, 26);
  // On Hopper one instruction of k = 16 rounds once where two of k = 8 round twice.
  const Tensor once = run({.k = 32}, 23);
  const Tensor twice = run({.k = 32, .dispatch = "mma.m16n8k8"}, 23);
  CHECK(once.memory->bytes != twice.memory->bytes);
}

TEST_CASE("gemm: infinities, NaN and subnormals of every kind") {
  for (const DType type : {DType::f16, DType::bf16, DType::tf32, DType::e5m2}) {
    run({.a = type, .b = type}, 31, true);
  }
  run({.acc = DType::f16}, 32, true);
}

TEST_CASE("gemm: alpha and beta") {
  const auto with = [](double alpha, double beta) {
    return std::map<std::string, ConfigValue>{{"alpha", alpha}, {"beta", beta}};
  };
  for (const DType acc : {DType::f32, DType::f16}) {
    for (const bool in_place : {true, false}) {
      for (const auto& config : {with(1, 0), with(1, 1), with(1.7, 0), with(-0.3, 1), with(1, 0.1),
                                 with(2.5, -0.7), with(0, 1)}) {
        run({.acc = acc, .config = config, .in_place = in_place}, 41);
      }
    }
  }
  run({.a = DType::i8, .b = DType::i8, .acc = DType::i32, .config = with(-3, 7)}, 42);
  run({.config = with(1.5, 0), .in_place = false, .with_c = false}, 43);
  // beta == 0: C is not read, whatever it holds.
  run({.config = with(1.5, 0), .in_place = false}, 44, true);
}

TEST_CASE("gemm: transposed operands") {
  KernelBuilder k("gemm");
  const Buffer a = k.param("A", DType::f16, {16, 16});  // (k, m)
  const Buffer b = k.param("B", DType::f16, {8, 16});   // (n, k)
  const Buffer d = k.param("D", DType::f32, {16, 8});
  k.cta_id(1);
  k.thread_id(32);
  // The fragments with the iters of the second dimension first.
  const auto swapped = [](const TileLayout& layout, std::size_t first) {
    const Iters& shard = layout.shard();
    Iters made(shard.begin() + static_cast<std::ptrdiff_t>(first), shard.end());
    made.insert(made.end(), shard.begin(), shard.begin() + static_cast<std::ptrdiff_t>(first));
    return Layout(TileLayout::make(made).value());
  };
  const auto local = MemoryScope::local;
  const Buffer ar = k.alloc("a", DType::f16, {16, 16}, local, swapped(a_fragment(2, 16), 2));
  const Buffer br = k.alloc("b", DType::f16, {8, 16}, local, swapped(b_fragment(2, 16), 3));
  const Buffer dr = k.alloc("d", DType::f32, {16, 8}, local, Layout(mma_m16n8_accumulator()));
  const auto warp = ExecScope::warp;
  k.body({tile_copy(warp, region(ar), region(a)),
          tile_copy(warp, region(br), region(b)),
          {{},
           TileCall{TileOp::gemm,
                    warp,
                    {region(dr), region(ar), region(br), TileOperand{}},
                    {{"transpose_A", true}, {"transpose_B", true}},
                    {}}},
          tile_copy(warp, region(d), region(dr))});
  both(k.kernel(), {random_values(DType::f16, {16, 16}, 1), random_values(DType::f16, {8, 16}, 2),
                    make_tensor(DType::f32, {16, 8}, false)});
}

TEST_CASE("gemm by a CTA: rows over four warps, one B for all of them") {
  KernelBuilder k("gemm");
  const Buffer a = k.param("A", DType::f16, {64, 32});
  const Buffer b = k.param("B", DType::f16, {32, 16});
  const Buffer d = k.param("D", DType::f32, {64, 16});
  k.cta_id(1);
  k.thread_id(128);
  const auto over_warps = TileLayout::make({{4, 1, AxisId::warpid}, {2, 1, {}}}).value();
  const auto rows = [&](const TileLayout& of, std::int64_t columns) {
    return Layout(tile(of, over_warps, Shape{4, 2}, Shape{16, columns}).value());
  };
  const TileLayout for_one = tile_to(b_fragment(2, 16), Shape{32, 16}, Shape{16, 8}).value();
  const auto local = MemoryScope::local;
  const Buffer ar = k.alloc("a", DType::f16, {64, 32}, local, rows(a_fragment(2, 16), 16));
  const Buffer br =
      k.alloc("b", DType::f16, {32, 16}, local,
              Layout(TileLayout::make(for_one.shard(), {{4, 1, AxisId::warpid}}).value()));
  const Buffer dr = k.alloc("d", DType::f32, {64, 16}, local, rows(mma_m16n8_accumulator(), 8));
  const auto cta = ExecScope::cta;
  k.body(
      {tile_copy(cta, region(ar), region(a)),
       tile_copy(cta, region(br), region(b)),
       {{},
        TileCall{TileOp::gemm, cta, {region(dr), region(ar), region(br), TileOperand{}}, {}, {}}},
       tile_copy(cta, region(d), region(dr))});
  both(k.kernel(), {random_values(DType::f16, {64, 32}, 3), random_values(DType::f16, {32, 16}, 4),
                    make_tensor(DType::f32, {64, 16}, false)});
}

}  // namespace tirx::testing
