// gemm with block scales: the order in which partial sums are scaled and promoted, by simulator and
// tile-level evaluator.
#include <doctest/doctest.h>

#include "ir/layout/algebra.hpp"
#include "ir/layout/library.hpp"
#include "tests/unit/sim/second_opinion.hpp"

namespace tirx::testing {

namespace {

using num::DType;

struct Scaled {
  DType dtype = DType::e4m3;
  std::int64_t k = 128, interval = 64;
  std::int64_t gm = 1, gn = 16, gk = 64;
  std::map<std::string, ConfigValue> config{{"beta", 1.0}};
  bool logical = true;     // else one scale per row and interval
  std::int64_t rows = 32;  // of the scale tensor of A; fewer than 32: the rest are zeros
  bool with_a = true, with_b = true;
};

Tensor run_scaled(const Scaled& c, unsigned seed) {
  constexpr std::int64_t kM = 32, kN = 16;
  const std::int64_t w = 32 / num::bits(c.dtype), step = 8 * w;
  KernelBuilder k("scaled");
  const auto blocks = [](std::int64_t n, std::int64_t g) { return (n + g - 1) / g; };
  const auto scale_layout = [&](std::int64_t n, std::int64_t g) {
    return Layout(TileLayout::make({{blocks(n, g), blocks(c.k, c.gk), {}},
                                    {g, 0, {}},
                                    {blocks(c.k, c.gk), 1, {}},
                                    {c.gk, 0, {}}})
                      .value());
  };
  const Buffer a = k.param("A", c.dtype, {kM, c.k});
  const Buffer b = k.param("B", c.dtype, {c.k, kN});
  const Buffer d = k.param("D", DType::f32, {kM, kN});
  const Shape compact_a{c.rows, c.k / c.interval}, compact_b{c.k / c.interval, kN};
  const Buffer sfa = c.logical
                         ? k.param("SFA", DType::f32, {c.rows, c.k}, scale_layout(c.rows, c.gm))
                         : k.param("SFA", DType::f32, compact_a);
  // B is (k, n), and so are its scales.
  const auto transposed = [&] {
    const Iters s = scale_layout(kN, c.gn).tile.shard();
    return Layout(TileLayout::make({s[2], s[3], s[0], s[1]}).value());
  };
  const Buffer sfb = c.logical ? k.param("SFB", DType::f32, {c.k, kN}, transposed())
                               : k.param("SFB", DType::f32, compact_b);
  k.cta_id(1);
  k.thread_id(32);
  const auto place = [&](const TileLayout& tile, Shape to, Shape from) {
    return Layout(tile_to(tile, to, from).value());
  };
  const auto local = MemoryScope::local;
  const Buffer ar =
      k.alloc("a", c.dtype, {kM, c.k}, local, place(a_fragment(w, step), {kM, c.k}, {16, step}));
  const Buffer br =
      k.alloc("b", c.dtype, {c.k, kN}, local, place(b_fragment(w, step), {c.k, kN}, {step, 8}));
  const Buffer dr =
      k.alloc("d", DType::f32, {kM, kN}, local, place(mma_m16n8_accumulator(), {kM, kN}, {16, 8}));
  std::vector<TileOperand> operands{region(dr), region(ar), region(br), region(dr), {}, {}};
  const std::int64_t along = c.logical ? c.k : c.k / c.interval;
  if (c.with_a) operands[4] = region(sfa, {{0, kM}, {0, along}});
  if (c.with_b) operands[5] = region(sfb);
  auto config = c.config;
  config["promotion_interval"] = c.interval;
  const auto warp = ExecScope::warp;
  k.body({tile_copy(warp, region(ar), region(a)),
          tile_copy(warp, region(br), region(b)),
          tile_copy(warp, region(dr), region(d)),
          {{}, TileCall{TileOp::gemm, warp, std::move(operands), std::move(config), {}}},
          tile_copy(warp, region(d), region(dr))});
  const auto scales = [&](const Buffer& buffer, const Shape& compact, unsigned with) {
    return random_values(DType::f32, c.logical ? Shape{buffer->layout->tile.span()} : compact,
                         with);
  };
  return both(k.kernel(),
              {random_values(c.dtype, {kM, c.k}, seed), random_values(c.dtype, {c.k, kN}, seed + 1),
               random_values(DType::f32, {kM, kN}, seed + 2), scales(sfa, compact_a, seed + 3),
               scales(sfb, compact_b, seed + 4)});
}

}  // namespace

TEST_CASE("gemm with scales: the order of promotion, for every granularity") {
  for (const auto& [gm, gn] : {std::pair{1, 16}, {32, 16}, {16, 1}, {1, 1}}) {
    CAPTURE(gm);
    CAPTURE(gn);
    run_scaled({.gm = gm, .gn = gn}, 51);
    run_scaled({.interval = 32, .gm = gm, .gn = gn}, 52);
  }
  run_scaled({.dtype = DType::f16}, 53);
  run_scaled({.dtype = DType::bf16, .interval = 16}, 54);
  run_scaled({.logical = false}, 55);
  run_scaled({.with_a = false}, 56);
  run_scaled({.with_b = false}, 57);
  run_scaled({.with_a = false, .with_b = false}, 58);
  run_scaled({.config = {{"alpha", 0.3}, {"beta", 0.0}}}, 59);
  run_scaled({.config = {{"alpha", 0.3}, {"beta", -2.0}}}, 60);
  // Rows of the tile beyond the scale tensor.
  run_scaled({.config = {{"beta", 1.0}, {"fill_mode", std::string("zero")}}, .rows = 20}, 61);
}

}  // namespace tirx::testing
