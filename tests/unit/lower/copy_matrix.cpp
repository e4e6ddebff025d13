// copy / ldstmatrix and copy_async / ldgsts: which calls they take and what they become.  What they
// move is a matter of tests/unit/sim/matrix_moves_test.cpp.
#include <doctest/doctest.h>

#include "ir/layout/algebra.hpp"
#include "ir/layout/library.hpp"
#include "ir/print.hpp"
#include "ir/visit.hpp"
#include "lower/lower.hpp"
#include "tests/unit/lower/builder.hpp"

using namespace tirx;           // NOLINT(google-build-using-namespace)
using namespace tirx::testing;  // NOLINT(google-build-using-namespace)
using lower::LoweredKernel;
using num::DType;

namespace {

struct Fragment {
  DType dtype = DType::f16;
  Shape shape = {16, 16};
  TileLayout reg = mma_m16n8k16_a();
  std::optional<Layout> shared{};
  bool load = true;
  const Target* target = &default_target();
  std::int64_t threads = 32;
  ExecScope scope = ExecScope::warp;
  std::string dispatch{};
};

Result<LoweredKernel> lower_fragment(const Fragment& f) {
  KernelBuilder k("move");
  k.cta_id(1);
  k.thread_id(f.threads);
  const Buffer s = k.alloc("S", f.dtype, f.shape, MemoryScope::shared, f.shared);
  const Buffer r = k.alloc("R", f.dtype, f.shape, MemoryScope::local, Layout(f.reg));
  k.body({f.load ? tile_copy(f.scope, region(r), region(s), f.dispatch)
                 : tile_copy(f.scope, region(s), region(r), f.dispatch)});
  return lower::lower(k.kernel(), *f.target);
}

lower::DispatchNote note_of(const Fragment& f) {
  const Result<LoweredKernel> lowered = lower_fragment(f);
  if (!lowered) FAIL(lowered.error().text);
  return lowered->dispatch.at(0);
}

/// Texts of the machine operations, in order.
void collect(const Body& body, std::vector<std::string>& out) {
  for (const Stmt& stmt : body) {
    if (const auto* group = std::get_if<Group>(&stmt.node)) collect(group->body, out);
    if (const auto* loop = std::get_if<For>(&stmt.node)) collect(loop->body, out);
    if (const auto* branch = std::get_if<If>(&stmt.node)) collect(branch->then_body, out);
    const auto of = [&](const Expr& expr) {
      if (const auto* call = as<MachineCall>(expr)) out.push_back(call->text);
    };
    if (const auto* let = std::get_if<Let>(&stmt.node)) of(let->value);
    if (const auto* store = std::get_if<Store>(&stmt.node)) of(store->value);
    if (const auto* evaluate = std::get_if<Evaluate>(&stmt.node)) of(evaluate->call);
  }
}

std::vector<std::string> instructions(const Result<LoweredKernel>& lowered) {
  if (!lowered) FAIL(lowered.error().text);
  std::vector<std::string> out;
  collect(lowered->body, out);
  return out;
}

using Texts = std::vector<std::string>;

/// Why ldstmatrix was not taken: from the note of the variant that was, or from the error.
void not_matrix(Fragment f, const std::string& why) {
  CAPTURE(why);
  f.dispatch = "ldstmatrix";
  const Result<LoweredKernel> lowered = lower_fragment(f);
  REQUIRE(!lowered);
  CAPTURE(lowered.error().text);
  CHECK(lowered.error().text.find(why) != std::string::npos);
}

TileLayout tiled(const TileLayout& tile, Shape to, Shape from) {
  return tile_to(tile, to, from).value();
}

/// B of m16n8k16 as (n, k): columns of the operand are rows in memory.
TileLayout b_by_rows() {
  return TileLayout::make({{8, 4, AxisId::laneid}, {2, 2, {}}, {4, 1, AxisId::laneid}, {2, 1, {}}})
      .value();
}

}  // namespace

TEST_CASE("ldmatrix: how many matrices, and whether they are transposed") {
  CHECK(note_of({}).variant == "ldstmatrix");
  CHECK(instructions(lower_fragment({})) == Texts{"ldmatrix.sync.aligned.m8n8.x4.shared.b16"});
  CHECK(instructions(lower_fragment({.shape = {8, 16}, .reg = b_by_rows()})) ==
        Texts{"ldmatrix.sync.aligned.m8n8.x2.shared.b16"});
  // (k, n) in memory, with n contiguous: B is read transposed.
  CHECK(instructions(lower_fragment({.shape = {16, 8}, .reg = mma_m16n8k16_b()})) ==
        Texts{"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16"});
  CHECK(instructions(lower_fragment({.shape = {8, 8}, .reg = mma_m16n8k8_b()})) ==
        Texts{"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16"});
  // Two tiles of 16 x 16 are two instructions.
  const auto two = tiled(mma_m16n8k16_a(), {32, 16}, {16, 16});
  CHECK(note_of({.shape = {32, 16}, .reg = two}).rounds == 2);
}

TEST_CASE("ldmatrix: swizzled shared memory, warps side by side") {
  const auto swizzled = mma_shared_layout(16, SwizzleMode::b128, Shape{16, 64}).value();
  const auto wide = tiled(mma_m16n8k16_a(), {16, 64}, {16, 16});
  CHECK(note_of({.shape = {16, 64}, .reg = wide, .shared = swizzled}).rounds == 4);
  const auto four_warps =
      tile(mma_m16n8k16_a(), TileLayout::make({{4, 1, AxisId::warpid}, {1, 1, {}}}).value(),
           Shape{4, 1}, Shape{16, 16})
          .value();
  CHECK(note_of({.shape = {64, 16}, .reg = four_warps, .threads = 128, .scope = ExecScope::cta})
            .variant == "ldstmatrix");
}

TEST_CASE("stmatrix needs sm_90") {
  Fragment f{.load = false};
  CHECK(instructions(lower_fragment(f)) == Texts{"stmatrix.sync.aligned.m8n8.x4.shared.b16"});
  f.target = find_target("sm_80");
  CHECK(note_of(f).variant == "reg");
  not_matrix(f, "arch — stmatrix needs sm_90, not sm_80");
}

TEST_CASE("ldmatrix refuses") {
  // Without the check of the dtype, 32-bit elements in this layout would be taken for 16-bit ones.
  not_matrix({.dtype = DType::f32}, "dtype — the matrices have 16-bit elements, not float32");
  CHECK(note_of({.dtype = DType::f32}).variant == "reg");
  not_matrix({.scope = ExecScope::thread}, "exec_scope");
  not_matrix({.shared = bare_swizzle(Swizzle{2, 3, 3}).value().tile.size() > 0
                            ? Layout(Swizzle{2, 3, 3}, TileLayout::row_major(Shape{16, 16}).value())
                            : Layout()},
             "swizzle — it keeps only 4 elements together");
  // Rows of 20 elements do not start at multiples of 16 bytes.
  not_matrix({.shared = Layout(TileLayout::strided(Shape{16, 16}, Shape{20, 1}).value())},
             "do not hold 8 x 8 matrices");
  const auto plain =
      TileLayout::make({{16, 2, AxisId::laneid}, {2, 1, AxisId::laneid}, {8, 1, {}}});
  not_matrix({.reg = plain.value()}, "do not hold 8 x 8 matrices");
  CHECK(note_of({.reg = plain.value()}).variant == "reg");
  const auto copies =
      TileLayout::make({{8, 4, AxisId::laneid}, {8, 1, {}}}, {{4, 1, AxisId::laneid}});
  not_matrix({.shape = {8, 8}, .reg = copies.value()}, "no_replicas");
}

namespace {

struct Async {
  DType dtype = DType::f16;
  Shape shape = {128, 32};
  std::int64_t threads = 128;
  ExecScope scope = ExecScope::cta;
  std::optional<Layout> global{};
  std::map<std::string, ConfigValue> config{};
  bool back = false;
};

Result<LoweredKernel> lower_async(const Async& c) {
  KernelBuilder k("async");
  const Buffer a = k.param("A", c.dtype, c.shape, c.global);
  k.cta_id(1);
  k.thread_id(c.threads);
  const Buffer s = k.alloc("S", c.dtype, c.shape, MemoryScope::shared);
  k.body({{{},
           TileCall{TileOp::copy_async,
                    c.scope,
                    {region(c.back ? a : s), region(c.back ? s : a)},
                    c.config,
                    ""}}});
  return lower::lower(k.kernel(), default_target());
}

lower::DispatchNote async_note(const Async& c) {
  const Result<LoweredKernel> lowered = lower_async(c);
  if (!lowered) FAIL(lowered.error().text);
  return lowered->dispatch.at(0);
}

void async_refused(const Async& c, const std::string& why) {
  CAPTURE(why);
  const Result<LoweredKernel> lowered = lower_async(c);
  REQUIRE(!lowered);
  CAPTURE(lowered.error().text);
  CHECK(lowered.error().text.find(why) != std::string::npos);
}

}  // namespace

TEST_CASE("cp.async: vectors of 16, 8 and 4 bytes") {
  CHECK(async_note({}).variant == "ldgsts");
  CHECK(async_note({}).vector == 8);
  CHECK(async_note({}).rounds == 4);
  CHECK(instructions(lower_async({})) == Texts{"cp.async.cg.shared.global"});
  // A row stride of 20 halves allows 8 bytes.
  const auto pitch = [](std::int64_t stride) {
    return Layout(TileLayout::strided(Shape{128, 16}, Shape{stride, 1}).value());
  };
  CHECK(async_note({.shape = {128, 16}, .global = pitch(20)}).vector == 4);
  CHECK(instructions(lower_async({.shape = {128, 16}, .global = pitch(20)})) ==
        Texts{"cp.async.ca.shared.global"});
  CHECK(async_note({.shape = {128, 16}, .global = pitch(18)}).vector == 2);
  async_refused({.shape = {128, 16}, .global = pitch(17)},
                "ldgsts: cannot find a cp.async-compatible vec_len for elem_bits=16");
  CHECK(instructions(lower_async({.config = {{"prefetch_size", std::int64_t{128}}}})) ==
        Texts{"cp.async.cg.shared.global.L2::128B"});
  CHECK(async_note({.dtype = DType::f32,
                    .shape = {4, 1},
                    .threads = 32,
                    .scope = ExecScope::thread,
                    .config = {{"direct", true}}})
            .vector == 4);
}

TEST_CASE("cp.async refuses") {
  async_refused({.back = true}, "cp.async copies from global to shared, not shared -> global");
  async_refused({.shape = {5, 5}, .threads = 32, .scope = ExecScope::warp},
                "region size 25 not divisible by thread_cnt=32");
  async_refused({.config = {{"prefetch_size", std::int64_t{32}}}},
                "prefetch_size is 64, 128 or 256");
  async_refused({.config = {{"fill_mode", std::string("nan")}}}, "fill_mode is \"zero\"");
  async_refused({.config = {{"cache", std::string("nc")}}}, "ldgsts takes no cache");
  async_refused({.config = {{"direct", true}}}, "direct — one transfer of one thread");
}
