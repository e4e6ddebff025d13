// gemm by mma.sync: the fragment map against the pinned layouts, which instruction is taken, and
// what is refused.  The bits are a matter of tests/unit/sim/gemm_test.cpp.
#include <doctest/doctest.h>

#include "ir/layout/algebra.hpp"
#include "ir/layout/library.hpp"
#include "lower/gemm/instruction.hpp"
#include "lower/lower.hpp"
#include "tests/unit/lower/builder.hpp"

using namespace tirx;           // NOLINT(google-build-using-namespace)
using namespace tirx::testing;  // NOLINT(google-build-using-namespace)
using lower::LoweredKernel;
using num::DType;

namespace {

struct Problem {
  DType a = DType::f16, b = DType::f16, acc = DType::f32;
  std::int64_t m = 16, n = 8, k = 16;
  std::optional<TileLayout> a_layout{}, b_layout{}, d_layout{};
  MemoryScope a_scope = MemoryScope::local;
  std::map<std::string, ConfigValue> config{};
  std::string dispatch{};
  const Target* target = &default_target();
  bool narrowed = false;
  std::int64_t threads = 32;
  ExecScope scope = ExecScope::warp;
  bool c_is_d = false;
};

TileLayout gemm_tiled(const TileLayout& tile, Shape to, Shape from) {
  return tile_to(tile, to, from).value();
}

Result<LoweredKernel> lower_gemm(const Problem& p) {
  KernelBuilder k("gemm");
  k.cta_id(1);
  const Var lane = k.lane_id();
  k.thread_id(p.threads);
  const bool k16 = p.k % 16 == 0;
  const auto a_tile = k16 ? mma_m16n8k16_a() : mma_m16n8k8_a();
  const auto b_tile = k16 ? mma_m16n8k16_b() : mma_m16n8k8_b();
  const std::int64_t step = k16 ? 16 : 8;
  const auto a = k.alloc("A", p.a, {p.m, p.k}, p.a_scope,
                         p.a_layout ? *p.a_layout : gemm_tiled(a_tile, {p.m, p.k}, {16, step}));
  const auto b = k.alloc("B", p.b, {p.k, p.n}, MemoryScope::local,
                         p.b_layout ? *p.b_layout : gemm_tiled(b_tile, {p.k, p.n}, {step, 8}));
  const auto acc =
      p.d_layout ? *p.d_layout : gemm_tiled(mma_m16n8_accumulator(), {p.m, p.n}, {16, 8});
  const auto d = k.alloc("D", p.acc, {p.m, p.n}, MemoryScope::local, acc);
  const auto c = p.c_is_d ? d : k.alloc("C", p.acc, {p.m, p.n}, MemoryScope::local, acc);
  Stmt call{{},
            TileCall{TileOp::gemm,
                     p.scope,
                     {region(d), region(a), region(b), region(c)},
                     p.config,
                     p.dispatch}};
  if (p.narrowed) call = if_then(E(lane) < 16, {call});
  k.body({call});
  return lower::lower(k.kernel(), *p.target);
}

lower::DispatchNote gemm_note_of(const Problem& p) {
  const Result<LoweredKernel> lowered = lower_gemm(p);
  if (!lowered) FAIL(lowered.error().text);
  return lowered->dispatch.at(0);
}

void refused(const Problem& p, const std::string& why) {
  CAPTURE(why);
  const Result<LoweredKernel> lowered = lower_gemm(p);
  REQUIRE(!lowered);
  CAPTURE(lowered.error().text);
  CHECK(lowered.error().text.find(why) != std::string::npos);
}

/// Lane and register of element (i, j) by the layout algebra.
std::pair<std::int64_t, std::int64_t> place(const TileLayout& layout,
                                            std::int64_t i,
                                            std::int64_t j,
                                            const Shape& shape) {
  const std::vector<std::int64_t> at{i, j};
  const AxisValues where = apply(Layout(layout), at, shape).value();
  const auto value = [&](AxisId axis) {
    const auto found = where.find(Axis(axis));
    return found == where.end() ? std::int64_t{0} : found->second;
  };
  return {value(AxisId::laneid), value(AxisId::m)};
}

}  // namespace

TEST_CASE("fragments of 16-bit types are the pinned layouts") {
  const auto check = [](const TileLayout& layout, Shape shape, auto&& of) {
    for (int i = 0; i < shape[0]; ++i) {
      for (int j = 0; j < shape[1]; ++j) {
        const lower::FragmentPlace at = of(i, j);
        const auto [lane, reg] = place(layout, i, j, shape);
        CAPTURE(i);
        CAPTURE(j);
        CHECK(at.lane == lane);
        CHECK(reg == at.word * 2 + at.part);
      }
    }
  };
  const auto a = [](int i, int j) { return lower::place_in_a(i, j, 2); };
  const auto b = [](int i, int j) { return lower::place_in_b(i, j, 2); };
  check(mma_m16n8k8_a(), {16, 8}, a);
  check(mma_m16n8k16_a(), {16, 16}, a);
  check(mma_m16n8k8_b(), {8, 8}, b);
  check(mma_m16n8k16_b(), {16, 8}, b);
  // C and D: registers c0, c1 in row g, c2, c3 in row g + 8.
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 8; ++j) {
      const lower::FragmentPlace at = lower::place_in_d(i, j);
      const auto [lane, reg] = place(mma_m16n8_accumulator(), i, j, {16, 8});
      CHECK(at.lane == lane);
      CHECK(at.word == reg);
    }
  }
}

TEST_CASE("fragments of 8-bit and 32-bit types, from the figures of the PTX ISA") {
  // m16n8k32, .s8: a0..a3 in row g, columns 4t..4t+3; a4..a7 in row g + 8; a8..a15 16 further.
  const auto a = lower::place_in_a(9, 21, 4);  // row g=1 (+8), column 16 + 4*1 + 1
  CHECK(a.lane == 4 * 1 + 1);
  CHECK(a.word == 3);
  CHECK(a.part == 1);
  const auto b = lower::place_in_b(19, 6, 4);  // k = 16 + 4*0 + 3, column g=6
  CHECK(b.lane == 4 * 6);
  CHECK(b.word == 1);
  CHECK(b.part == 3);
  // m16n8k8, .tf32: a0 (g, t), a1 (g + 8, t), a2 (g, t + 4), a3 (g + 8, t + 4).
  const auto t = lower::place_in_a(3, 6, 1);
  CHECK(t.lane == 4 * 3 + 2);
  CHECK(t.word == 2);
  CHECK(t.part == 0);
}

TEST_CASE("the largest k that divides is taken") {
  CHECK(gemm_note_of({}).variant == "mma.m16n8k16");
  CHECK(gemm_note_of({}).rounds == 1);
  CHECK(gemm_note_of({.m = 32, .n = 24, .k = 48}).rounds == 2 * 3 * 3);
  CHECK(gemm_note_of({.k = 8}).variant == "mma.m16n8k8");
  CHECK(gemm_note_of({.k = 24}).variant == "mma.m16n8k8");
  CHECK(gemm_note_of({.k = 32, .dispatch = "mma.m16n8k8"}).variant == "mma.m16n8k8");
  CHECK(gemm_note_of({.a = DType::bf16, .b = DType::bf16}).variant == "mma.m16n8k16");
  CHECK(gemm_note_of({.acc = DType::f16}).variant == "mma.m16n8k16");
  CHECK(gemm_note_of({.config = {{"beta", 1.0}}, .c_is_d = true}).variant == "mma.m16n8k16");
  CHECK(gemm_note_of({.config = {{"alpha", 2.0}, {"beta", 0.5}}}).variant == "mma.m16n8k16");
}

TEST_CASE("refused: types") {
  refused({.a = DType::bf16}, "no mma.sync multiplies bfloat16 by float16");
  refused({.a = DType::bf16, .b = DType::bf16, .acc = DType::f16},
          "no mma.sync accumulates bfloat16 x bfloat16 in float16; use float32");
  refused({.a = DType::f32, .b = DType::f32}, "mma.sync does not multiply float32; cast");
  refused({.a = DType::i32, .b = DType::i32, .acc = DType::i32},
          "mma.sync does not multiply int32");
  refused({.a = DType::e4m3, .b = DType::e4m3, .k = 32, .target = find_target("sm_80")},
          "sm_80 has no mma.sync for dtypes (float8_e4m3fn, float8_e4m3fn, float32, float32); it "
          "is there on sm_89, sm_90a");
}

TEST_CASE("refused: shapes, scopes, memory") {
  refused({.scope = ExecScope::thread}, "exec_scope");
  refused({.narrowed = true}, "all_threads_active");
  refused(
      {.a_layout = TileLayout::row_major(Shape{16, 16}).value(), .a_scope = MemoryScope::shared},
      "registers — A is A, which is shared memory");
  refused({.a_layout = TileLayout::row_major(Shape{16, 16}).value()},
          "A is private to each thread");
  refused({.dispatch = "mma.m16n8k32"}, "no m16n8k32");
}

TEST_CASE("refused: registers in another order than the fragments") {
  // Row-major over lanes: lane 2i holds the first half of row i.
  const auto rows = TileLayout::make({{16, 2, AxisId::laneid}, {2, 1, AxisId::laneid}, {8, 1, {}}});
  refused({.a_layout = rows.value()}, "A does not lie as the instruction asks");
  // Pairs that are no neighbours.
  const auto gapped = TileLayout::make(
      {{2, 1, {}}, {8, 4, AxisId::laneid}, {2, 2, {}}, {4, 1, AxisId::laneid}, {2, 4, {}}});
  refused({.a_layout = gapped.value()}, "the elements of a register are no neighbours");
  // The other operands, too.
  const auto d =
      TileLayout::make({{8, 4, AxisId::laneid}, {2, 2, {}}, {4, 1, AxisId::laneid}, {2, 1, {}}});
  refused({.d_layout = d.value()}, "D does not lie as the instruction asks");
}

TEST_CASE("refused: factors") {
  refused({.config = {{"gamma", 1.0}}}, "gemm takes no gamma");
  refused(
      {.a = DType::i8,
       .b = DType::i8,
       .acc = DType::i32,
       .k = 32,
       .a_layout =
           TileLayout::make(
               {{2, 4, {}}, {8, 4, AxisId::laneid}, {2, 8, {}}, {4, 1, AxisId::laneid}, {4, 1, {}}})
               .value(),
       .b_layout = TileLayout::make(
                       {{2, 4, {}}, {4, 1, AxisId::laneid}, {4, 1, {}}, {8, 4, AxisId::laneid}})
                       .value(),
       .config = {{"alpha", 0.5}}},
      "alpha is 0.5, but D is int32");
}
