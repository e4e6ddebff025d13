// Copies whose region, strides or threads are less plain: run-time begins, symbolic tensors, blocks
// of several dimensions, single threads, forced widths.
#include <doctest/doctest.h>

#include "ir/print.hpp"
#include "ir/visit.hpp"
#include "lower/lower.hpp"
#include "tests/unit/lower/builder.hpp"
#include "tests/unit/lower/interpreter.hpp"

using namespace tirx;           // NOLINT(google-build-using-namespace)
using namespace tirx::testing;  // NOLINT(google-build-using-namespace)
using lower::LoweredKernel;
using num::DType;

namespace {

LoweredKernel must_lower_region(KernelBuilder& k) {
  Result<LoweredKernel> lowered = lower::lower(k.kernel(), default_target());
  if (!lowered) FAIL(lowered.error().text);
  return std::move(lowered).value();
}

/// The first store of a tile call's expansion.
const Store& moved(const LoweredKernel& kernel) {
  const Store* found = nullptr;
  for_each_in_body(
      kernel.body,
      [&](const Stmt& stmt) {
        const auto* store = std::get_if<Store>(&stmt.node);
        if (store != nullptr && found == nullptr && !store->to.buffer->scalar) found = store;
      },
      [](const Expr&) {});
  REQUIRE(found != nullptr);
  return *found;
}

std::string flat(const Access& access) {
  return to_string(access.flat, PrintLevel::thread);
}

const Access& source(const Store& store) {
  return std::get<Load>(store.value->node).from;
}

}  // namespace

TEST_CASE("a region that starts at a multiple keeps its vectors") {
  KernelBuilder k("copy");
  const Buffer a = k.param("A", DType::f32, {256, 256});
  const Var bx = k.cta_id(4);
  k.thread_id(128);
  const Buffer s = k.alloc("S", DType::f32, {64, 32}, MemoryScope::shared);
  const Var step = make_variable("step");
  For loop{step, make_int(0), make_int(256), make_int(32), LoopKind::serial, 0, {}};
  loop.body.push_back(
      tile_copy(ExecScope::cta, region(s), region(a, {{E(bx) * 64, 64}, {step, 32}})));
  k.body({Stmt{{}, loop}});
  const LoweredKernel kernel = must_lower_region(k);
  // The last step is 224: nothing lies outside.
  CHECK(kernel.dispatch[0].variant == "gmem_smem");
  CHECK(kernel.warnings.empty());
  CHECK(kernel.dispatch[0].vector == 4);
  CHECK(kernel.dispatch[0].rounds == 4);
  CHECK(flat(source(moved(kernel))) == "bx * 16384 + step + f * 4096 + tx // 8 * 256 + tx % 8 * 4");
  CHECK(to_string(source(moved(kernel)).indices[0], PrintLevel::thread) ==
        "bx * 64 + f * 16 + tx // 8");
  CHECK(to_string(source(moved(kernel)).indices[1], PrintLevel::thread) == "step + tx % 8 * 4");
}

TEST_CASE("a begin that can change is read once, before the copy") {
  KernelBuilder k("copy");
  const Buffer a = k.param("A", DType::f32, {256, 32});
  k.thread_id(32);
  const Buffer s = k.alloc("S", DType::f32, {32, 32}, MemoryScope::shared);
  auto scalar =
      std::make_shared<BufferNode>(*make_buffer("row", DType::i32, {1}, MemoryScope::local));
  scalar->scalar = true;
  const Buffer row = scalar;
  k.body(
      {Stmt{{}, Allocate{row}}, store(row, {0}, E(32)), store(row, {0}, E(load(row, {0})) + 32),
       tile_copy(ExecScope::warp, region(s), region(a, {{E(load(row, {0})) * 4, 32}, {0, 32}}))});
  const LoweredKernel kernel = must_lower_region(k);
  const auto& group = std::get<Group>(kernel.body.back().node);
  const auto* let = std::get_if<Let>(&group.body[0].node);
  REQUIRE(let != nullptr);
  CHECK(let->var->name == "A_i");
  CHECK(kernel.dispatch[0].vector == 4);
  CHECK(flat(source(moved(kernel))) == "A_i * 32 + f * 128 + tx * 4");
}

TEST_CASE("symbolic tensors arrive too") {
  KernelBuilder k("copy");
  const Var m = k.symbol("m");
  const Var n = k.symbol("n");
  const Buffer a = k.param_strided("A", DType::f16, exprs({m, E(n) * 8}));
  const Buffer b = k.param_strided("B", DType::f16, exprs({m, n, 16}), exprs({1, E(m) * 16, m}));
  k.thread_id(64);
  const Buffer s = k.alloc("S", DType::f16, {32, 16}, MemoryScope::shared);
  const Buffer t = k.alloc("S2", DType::f16, {32, 1, 16}, MemoryScope::shared);
  k.body({tile_copy(ExecScope::cta, region(s), region(a, {{8, 32}, {E(n) * 8 - 16, 16}})),
          tile_copy(ExecScope::cta, region(t), region(b, {{E(m) - 32, 32}, {2, 1}, {0, 16}}))});
  const LoweredKernel kernel = must_lower_region(k);
  CHECK(kernel.dispatch[0].vector == 8);
  CHECK(kernel.dispatch[1].vector == 1);
  ElementInterpreter run(kernel);
  const std::map<const Variable*, std::int64_t> symbols = {{m.get(), 40}, {n.get(), 3}};
  for (const Buffer& buffer : {a, b}) {
    Tags& tags = run.memory(buffer->storage);
    for (std::int64_t i = 0; i < 40 * 3 * 16; ++i) tags.value.push_back(i);
  }
  run.run(symbols);
  for (std::int64_t i = 0; i < 32; ++i) {
    for (std::int64_t j = 0; j < 16; ++j) {
      const auto at = static_cast<std::size_t>(i * 16 + j);
      CHECK(run.memory(s->storage).value[at] == (i + 8) * 24 + 24 - 16 + j);
      CHECK(run.memory(s->storage).writes[at] == 1);
      CHECK(run.memory(t->storage).value[at] == (8 + i) + 2 * 40 * 16 + j * 40);
    }
  }
}

TEST_CASE("blocks of several dimensions count their threads linearly") {
  KernelBuilder k("copy");
  const Buffer a = k.param("A", DType::f32, {64, 32});
  ScopeIdDef def{
      ScopeIdKind::thread_id, {make_variable("x"), make_variable("y")}, exprs({16, 8}), {}, {}};
  k.kernel().scope_ids.push_back(def);
  const Buffer s = k.alloc("S", DType::f32, {64, 32}, MemoryScope::shared);
  k.body({tile_copy(ExecScope::cta, region(s), region(a))});
  const LoweredKernel kernel = must_lower_region(k);
  CHECK(flat(moved(kernel).to) == "f * 512 + x * 4 + y * 64");
  ElementInterpreter run(kernel);
  for (std::int64_t i = 0; i < 64 * 32; ++i) run.memory(a->storage).value.push_back(i);
  run.run();
  for (std::int64_t i = 0; i < 64 * 32; ++i) {
    CHECK(run.memory(s->storage).value[static_cast<std::size_t>(i)] == i);
    CHECK(run.memory(s->storage).writes[static_cast<std::size_t>(i)] == 1);
  }
}

TEST_CASE("warpgroups copy with their own 128 threads") {
  KernelBuilder k("copy");
  const Buffer a = k.param("A", DType::f32, {64, 32});
  k.thread_id(256);
  const Var wg = k.scope_id(ScopeIdKind::warpgroup_id, "wg", 2);
  const Buffer s = k.alloc("S", DType::f32, {64, 32}, MemoryScope::shared);
  k.body({if_then(E(wg) == E(1), {tile_copy(ExecScope::warpgroup, region(s), region(a))})});
  const LoweredKernel kernel = must_lower_region(k);
  CHECK(kernel.dispatch[0].variant == "gmem_smem");
  CHECK(kernel.dispatch[0].threads == 128);
  CHECK(kernel.dispatch[0].rounds == 4);
  CHECK(flat(moved(kernel).to) == "f * 512 + tid_in_wg * 4");
}

TEST_CASE("a single thread copies alone, without a guard") {
  KernelBuilder k("copy");
  const Buffer a = k.param("A", DType::u8, {64});
  const Var tx = k.thread_id(2);
  const Buffer s = k.alloc("S", DType::u8, {64}, MemoryScope::shared);
  k.body(
      {tile_copy(ExecScope::thread, region(s, {{E(tx) * 32, 32}}), region(a, {{E(tx) * 32, 32}}))});
  const LoweredKernel kernel = must_lower_region(k);
  CHECK(kernel.dispatch[0].vector == 16);
  CHECK(kernel.dispatch[0].rounds == 2);
  CHECK(flat(moved(kernel).to) == "tx * 32 + f * 16");
}

TEST_CASE("forced widths are one access, of exactly that many elements") {
  const auto forced = [](const char* name, std::int64_t count, std::int64_t begin = 0) {
    KernelBuilder k("copy");
    const Buffer a = k.param("A", DType::f16, {64});
    k.thread_id(1);
    const Buffer s = k.alloc("S", DType::f16, {64}, MemoryScope::shared);
    k.body(
        {tile_copy(ExecScope::thread, region(s, {{0, count}}), region(a, {{begin, count}}), name)});
    const auto lowered = lower::lower(k.kernel(), default_target());
    if (!lowered) return lowered.error().text;
    const Store& store = moved(*lowered);
    return lowered->dispatch[0].variant + " x" + std::to_string(store.value->type.lanes) + " at " +
           flat(source(store));
  };
  CHECK(forced("vec_256b", 16) == "vec_256b x16 at 0");
  CHECK(forced("vec_128b", 8) == "vec_128b x8 at 0");
  CHECK(forced("vec_64b", 4, 4) == "vec_64b x4 at 4");
  CHECK(forced("vec_32b", 2) == "vec_32b x2 at 0");
  CHECK(forced("vec_16b", 1) == "vec_16b x1 at 0");
  CHECK(forced("vec_128b", 4).find("does not contain exactly 8 elements") != std::string::npos);
}

TEST_CASE("column-major vectors keep the indices of every lane") {
  KernelBuilder k("copy");
  const Layout columns = Layout(TileLayout::strided(Shape{32, 32}, Shape{1, 32}).value());
  const Buffer a = k.param("A", DType::f32, {32, 32}, columns);
  k.thread_id(32);
  const Buffer s = k.alloc("S", DType::f32, {32, 32}, MemoryScope::shared, columns);
  k.body({tile_copy(ExecScope::warp, region(s), region(a))});
  const LoweredKernel kernel = must_lower_region(k);
  CHECK(kernel.dispatch[0].vector == 4);
  const Access& to = moved(kernel).to;
  REQUIRE(to.lane_indices.size() == 3);
  CHECK(to_string(to.indices[0], PrintLevel::thread) == "tx % 8 * 4");
  CHECK(to_string(to.lane_indices[1][0], PrintLevel::thread) == "tx % 8 * 4 + 2");
  CHECK(to_string(to.lane_indices[1][1], PrintLevel::thread) == "f * 4 + tx // 8");
}
