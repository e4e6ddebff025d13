// gemm and the moves around it: the simulator of the lowered kernel against the tile-level
// evaluator, which knows neither fragments nor lanes; the same bits, for every type.
#include <random>

#include <doctest/doctest.h>

#include "ir/all_ops.hpp"
#include "ir/layout/algebra.hpp"
#include "ir/layout/library.hpp"
#include "ir/ptx/instruction.hpp"
#include "ir/tensor.hpp"
#include "lower/lower.hpp"
#include "numerics/convert.hpp"
#include "sim/simulate.hpp"
#include "sim/tile_eval/tile_evaluate.hpp"
#include "tests/unit/lower/builder.hpp"

namespace tirx::testing {

namespace {

using num::DType;

Tensor random_bits(DType dtype, Shape shape, unsigned seed) {
  Tensor tensor = make_tensor(dtype, std::move(shape), true);
  std::mt19937 random(seed);
  for (std::byte& byte : tensor.memory->bytes) byte = static_cast<std::byte>(random() & 0xff);
  return tensor;
}

/// Values near 1 with some spread, so that sums round in many places.
Tensor random_values(DType dtype, Shape shape, unsigned seed) {
  if (!num::is_float(dtype)) return random_bits(dtype, std::move(shape), seed);
  Tensor tensor = make_tensor(dtype, shape, true);
  std::mt19937 random(seed);
  const auto size = static_cast<std::size_t>(num::bytes(dtype));
  for (std::size_t at = 0; at < tensor.memory->bytes.size(); at += size) {
    const double value = (static_cast<double>(random() % 4096) - 2048.0) / (1 << random() % 12);
    const num::Bits bits = num::from_double(value, dtype);
    for (std::size_t b = 0; b < size; ++b) {
      tensor.memory->bytes[at + b] = static_cast<std::byte>(bits >> (8 * b));
    }
  }
  return tensor;
}

Tensor copy_of(const Tensor& tensor) {
  Tensor made = tensor;
  made.memory = std::make_shared<Memory>(*tensor.memory);
  return made;
}

/// Runs both on copies of the tensors and compares all that they leave; the last tensor.
Tensor both(const Kernel& kernel,
            const std::vector<Tensor>& inputs,
            const Target& target = default_target()) {
  const Result<lower::LoweredKernel> lowered = lower::lower(kernel, target);
  REQUIRE_MESSAGE(lowered.ok(), (lowered.ok() ? std::string() : lowered.error().text));
  std::vector<Argument> first, second;
  for (const Tensor& tensor : inputs) {
    first.emplace_back(copy_of(tensor));
    second.emplace_back(copy_of(tensor));
  }
  const LaunchOutcome a = sim::simulate(lowered.value(), first);
  sim::TileEvalOptions options;
  options.target = &target;
  const LaunchOutcome b = sim::tile_evaluate(kernel, second, options);
  REQUIRE_MESSAGE(a.status == LaunchStatus::ok,
                  (a.diagnostics.empty() ? std::string() : a.diagnostics[0].text));
  REQUIRE_MESSAGE(b.status == LaunchStatus::ok,
                  (b.diagnostics.empty() ? std::string() : b.diagnostics[0].text));
  REQUIRE_MESSAGE(a.faults.empty(), (a.faults.empty() ? std::string() : a.faults[0].text));
  CHECK(b.faults.empty());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Memory& x = *std::get<Tensor>(first[i]).memory;
    const Memory& y = *std::get<Tensor>(second[i]).memory;
    CHECK(x.valid == y.valid);
    for (std::size_t k = 0; k < x.bytes.size(); ++k) {
      CAPTURE(i);
      CAPTURE(k);
      if (x.is_valid(k, k + 1)) REQUIRE(x.bytes[k] == y.bytes[k]);
    }
  }
  return std::get<Tensor>(first.back());
}

Stmt sync() {
  return {{}, Evaluate{make_expr(kVoid, {}, MachineCall{AllOps::id_of<CtaSync>(), {}, {}})}};
}

TileLayout a_fragment(std::int64_t w, std::int64_t k) {
  return TileLayout::make({{2, w, {}},
                           {8, 4, AxisId::laneid},
                           {k / (4 * w), 2 * w, {}},
                           {4, 1, AxisId::laneid},
                           {w, 1, {}}})
      .value();
}

TileLayout b_fragment(std::int64_t w, std::int64_t k) {
  return TileLayout::make(
             {{k / (4 * w), w, {}}, {4, 1, AxisId::laneid}, {w, 1, {}}, {8, 4, AxisId::laneid}})
      .value();
}

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
  const auto make = bits ? random_bits : random_values;
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

namespace {

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

TEST_CASE("ldmatrix and stmatrix move what reg moves") {
  struct Case {
    TileLayout reg;
    Shape shape;
    std::optional<Layout> shared;
  };

  const std::vector<Case> cases{
      {a_fragment(2, 16), {16, 16}, {}},
      {b_fragment(2, 16), {16, 8}, {}},  // transposed
      {mma_m16n8k8_b(), {8, 8}, {}},
      {tile_to(a_fragment(2, 16), Shape{32, 64}, Shape{16, 16}).value(),
       {32, 64},
       mma_shared_layout(16, SwizzleMode::b128, Shape{32, 64}).value()},
      {tile_to(b_fragment(2, 16), Shape{64, 32}, Shape{16, 8}).value(),
       {64, 32},
       mma_shared_layout(16, SwizzleMode::b64, Shape{64, 32}).value()},
  };
  for (const Case& one : cases) {
    for (const bool load : {true, false}) {
      CAPTURE(load);
      CAPTURE(to_string(one.reg));
      KernelBuilder k("move");
      const Buffer a = k.param("A", DType::f16, one.shape);
      const Buffer b = k.param("B", DType::f16, one.shape);
      k.cta_id(1);
      k.thread_id(32);
      const Buffer s = k.alloc("S", DType::f16, one.shape, MemoryScope::shared, one.shared);
      const Buffer r = k.alloc("R", DType::f16, one.shape, MemoryScope::local, Layout(one.reg));
      const auto warp = ExecScope::warp;
      if (load) {
        k.body({tile_copy(warp, region(s), region(a)), sync(),
                tile_copy(warp, region(r), region(s), "ldstmatrix"),
                tile_copy(warp, region(b), region(r))});
      } else {
        k.body({tile_copy(warp, region(r), region(a)),
                tile_copy(warp, region(s), region(r), "ldstmatrix"), sync(),
                tile_copy(warp, region(b), region(s))});
      }
      const Tensor in = random_bits(DType::f16, one.shape, 5);
      const Tensor out = both(k.kernel(), {in, make_tensor(DType::f16, one.shape, false)});
      CHECK(out.memory->bytes == in.memory->bytes);
    }
  }
}

namespace {

Stmt ptx(const std::string& text, std::vector<Expr> args = {}) {
  return {{}, Evaluate{ir::ptx::call(text, std::move(args))}};
}

Tensor copy_async(DType dtype,
                  Shape tensor,
                  Shape tile,
                  std::pair<int, int> begin,
                  std::map<std::string, ConfigValue> config,
                  const Tensor& in) {
  KernelBuilder k("async");
  const Buffer a = k.param("A", dtype, tensor);
  const Buffer b = k.param("B", dtype, tile);
  const Var row = k.scalar_param("row", kInt32);
  const Var column = k.scalar_param("column", kInt32);
  k.cta_id(1);
  k.thread_id(64);
  const Buffer s = k.alloc("S", dtype, tile, MemoryScope::shared);
  // Columns go by 8, whatever the argument.
  const E first = E(column) * E(8);
  k.body({{{},
           TileCall{TileOp::copy_async,
                    ExecScope::cta,
                    {region(s), region(a, {{E(row), tile[0]}, {first, tile[1]}})},
                    std::move(config),
                    ""}},
          ptx("cp.async.commit_group"),
          ptx("cp.async.wait_group", {make_int(0, {DType::u32, 1})}),
          sync(),
          tile_copy(ExecScope::cta, region(b), region(s))});
  const Result<lower::LoweredKernel> lowered = lower::lower(k.kernel(), default_target());
  REQUIRE_MESSAGE(lowered.ok(), (lowered.ok() ? std::string() : lowered.error().text));
  Tensor results[2];
  for (const bool simulated : {true, false}) {
    std::vector<Argument> arguments;
    arguments.emplace_back(copy_of(in));
    arguments.emplace_back(make_tensor(dtype, tile, false));
    arguments.emplace_back(ScalarValue{DType::i32, static_cast<std::uint32_t>(begin.first)});
    arguments.emplace_back(ScalarValue{DType::i32, static_cast<std::uint32_t>(begin.second / 8)});
    const LaunchOutcome outcome = simulated ? sim::simulate(lowered.value(), arguments)
                                            : sim::tile_evaluate(k.kernel(), arguments);
    REQUIRE(outcome.status == LaunchStatus::ok);
    REQUIRE_MESSAGE(outcome.faults.empty(),
                    (outcome.faults.empty() ? std::string() : outcome.faults[0].text));
    results[simulated ? 0 : 1] = std::get<Tensor>(arguments[1]);
  }
  CHECK(results[0].memory->bytes == results[1].memory->bytes);
  CHECK(results[0].memory->valid == results[1].memory->valid);
  return results[0];
}

}  // namespace

TEST_CASE("cp.async arrives; beyond the tensor there are zeros") {
  const Tensor in = random_bits(DType::f16, {100, 72}, 8);
  const auto element = [](const Tensor& tensor, std::int64_t columns, std::int64_t i,
                          std::int64_t j) {
    const auto at = static_cast<std::size_t>((i * columns + j) * 2);
    return static_cast<int>(tensor.memory->bytes[at]) |
           static_cast<int>(tensor.memory->bytes[at + 1]) << 8;
  };
  const auto check = [&](std::pair<int, int> begin, std::map<std::string, ConfigValue> config,
                         std::int64_t rows = 64, std::int64_t columns = 32) {
    const Tensor out =
        copy_async(DType::f16, {100, 72}, {rows, columns}, begin, std::move(config), in);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        const std::int64_t r = begin.first + i, c = begin.second + j;
        const int expected = r < 100 && c < 72 ? element(in, 72, r, c) : 0;
        REQUIRE(element(out, columns, i, j) == expected);
      }
    }
  };
  const std::map<std::string, ConfigValue> zero{{"fill_mode", std::string("zero")}};
  check({0, 0}, {});
  check({36, 40}, {});
  check({0, 0}, zero);
  check({64, 0}, zero);           // rows beyond the end
  check({0, 64}, zero);           // columns
  check({90, 56}, zero);          // both
  check({0, 0}, zero, 128, 128);  // a tile larger than the tensor
  check({40, 8}, zero, 128, 32);
}

}  // namespace tirx::testing
