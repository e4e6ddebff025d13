// copy / reg: register tiles against global and shared memory.
#include <random>

#include <doctest/doctest.h>

#include "ir/layout/library.hpp"
#include "ir/print.hpp"
#include "lower/lower.hpp"
#include "tests/unit/lower/builder.hpp"
#include "tests/unit/lower/interpreter.hpp"
#include "tests/unit/sanitized.hpp"

using namespace tirx;           // NOLINT(google-build-using-namespace)
using namespace tirx::testing;  // NOLINT(google-build-using-namespace)
using lower::LoweredKernel;
using num::DType;

namespace {

constexpr int kRegisterRounds = kSanitized ? 80 : 400;

Layout tile(Iters shard, Iters replica = {}) {
  return Layout(TileLayout::make(std::move(shard), std::move(replica)).value());
}

struct Lowered {
  KernelBuilder k{"copy"};
  Buffer reg, memory;
  Result<LoweredKernel> result = Diagnostic{};

  Lowered(DType dtype,
          const Shape& shape,
          const Layout& reg_layout,
          std::int64_t threads,
          ExecScope scope,
          bool load = true,
          std::optional<Layout> memory_layout = {},
          MemoryScope memory_scope = MemoryScope::global,
          const std::string& dispatch = {}) {
    if (memory_scope == MemoryScope::global) {
      memory = k.param("A", dtype, shape, std::move(memory_layout));
    }
    k.thread_id(threads);
    if (memory_scope != MemoryScope::global) {
      memory = k.alloc("A", dtype, shape, memory_scope, std::move(memory_layout));
    }
    reg = k.alloc("R", dtype, shape, MemoryScope::local, reg_layout);
    k.body({load ? tile_copy(scope, region(reg), region(memory), dispatch)
                 : tile_copy(scope, region(memory), region(reg), dispatch)});
    result = lower::lower(k.kernel(), default_target());
  }

  [[nodiscard]] const lower::DispatchNote& note() const {
    if (!result) FAIL(result.error().text);
    return result->dispatch[0];
  }

  /// Runs it and compares every element a thread holds with its place in memory.
  void check_moves(bool load) {
    if (!result) FAIL(result.error().text);
    ElementInterpreter run(*result);
    const std::int64_t threads = result->launch.threads();
    constexpr std::int64_t kSize = 1 << 14;
    const auto fill = [](Tags& tags, std::int64_t base) {
      tags.value.resize(kSize);
      for (std::size_t i = 0; i < kSize; ++i) tags.value[i] = base + static_cast<std::int64_t>(i);
      tags.writes.assign(kSize, 0);
    };
    const auto clear = [](Tags& tags) {
      tags.value.assign(kSize, -1);
      tags.writes.assign(kSize, 0);
    };
    if (load) {
      fill(run.memory(memory->storage), 0);
      for (std::int64_t t = 0; t < threads; ++t) clear(run.memory(reg->storage, t));
    } else {
      clear(run.memory(memory->storage));
      for (std::int64_t t = 0; t < threads; ++t) fill(run.memory(reg->storage, t), t * kSize);
    }
    run.run();
    // Count what each element of the tile received, from the register side.
    const auto shape = static_shape(*reg).value();
    std::int64_t elements = 1;
    for (const std::int64_t extent : shape) elements *= extent;
    std::int64_t moved = 0;
    for (std::int64_t t = 0; t < threads; ++t) {
      Tags& own = run.memory(reg->storage, t);
      for (std::int64_t e = 0; e < elements; ++e) {
        Shape index(shape.size());
        std::int64_t rest = e;
        for (std::size_t i = shape.size(); i-- > 0;) {
          index[i] = rest % shape[i];
          rest /= shape[i];
        }
        run.set_thread(t);
        if (!run.is_held(*reg, index)) continue;
        const auto r = static_cast<std::size_t>(run.place(*reg, index));
        const auto m = static_cast<std::size_t>(run.place(*memory, index));
        ++moved;
        if (load) {
          REQUIRE(own.value[r] == static_cast<std::int64_t>(m));
          REQUIRE(own.writes[r] == 1);
        } else {
          REQUIRE(run.memory(memory->storage).value[m] == t * kSize + static_cast<std::int64_t>(r));
          REQUIRE(run.memory(memory->storage).writes[m] == 1);
        }
      }
    }
    REQUIRE(moved >= elements);
  }
};

}  // namespace

TEST_CASE("each lane's own row of eight halves is one vector") {
  Lowered c(DType::f16, {32, 8}, tile({{32, 1, AxisId::laneid}, {8, 1, AxisId::m}}), 32,
            ExecScope::warp);
  CHECK(c.note().variant == "reg");
  CHECK(c.note().vector == 8);
  CHECK(c.note().rounds == 1);
  CHECK(c.note().refused[0].reason.find("scope_allowed") != std::string::npos);
  c.check_moves(true);
}

TEST_CASE("a swizzle chunk of 4 caps it") {
  Lowered c(DType::f16, {32, 8}, tile({{32, 1, AxisId::laneid}, {8, 1, AxisId::m}}), 32,
            ExecScope::warp, true,
            Layout(make_swizzle(2, 3, 3).value(), TileLayout::row_major(Shape{32, 8}).value()),
            MemoryScope::shared);
  CHECK(c.note().vector == 4);
  CHECK(c.note().rounds == 2);
  c.check_moves(true);
}

TEST_CASE("registers out of order: (32, 2, 2) : (1@laneid, 2, 4)") {
  // In the order of the tile the registers are 0, 4, 2, 6: nothing wider than one element.
  Lowered c(DType::f32, {32, 4},
            tile({{32, 1, AxisId::laneid}, {2, 2, AxisId::m}, {2, 4, AxisId::m}}), 32,
            ExecScope::warp);
  CHECK(c.note().vector == 1);
  CHECK(c.note().rounds == 4);
  c.check_moves(true);
}

TEST_CASE("registers with gaps in memory's order are not read as a run") {
  // (32, 2, 2) : (1@laneid, 4, 2) against rows: memory is contiguous, registers are 0, 2, 4, 6.
  Lowered c(DType::f32, {32, 4},
            tile({{32, 1, AxisId::laneid}, {2, 4, AxisId::m}, {2, 2, AxisId::m}}), 32,
            ExecScope::warp);
  CHECK(c.note().vector == 1);
  c.check_moves(true);
}

TEST_CASE("an accumulator fragment: pairs of columns") {
  const Layout fragment = Layout(mma_m16n8_accumulator());
  Lowered load(DType::f32, {16, 8}, fragment, 32, ExecScope::warp);
  CHECK(load.note().vector == 2);
  CHECK(load.note().rounds == 2);
  load.check_moves(true);
  Lowered store(DType::f32, {16, 8}, fragment, 32, ExecScope::warp, false);
  CHECK(store.note().vector == 2);
  store.check_moves(false);
}

TEST_CASE("a tile over all warps of the CTA, on tx") {
  Lowered c(DType::f16, {128, 16},
            tile({{4, 1, AxisId::warpid}, {32, 1, AxisId::laneid}, {16, 1, AxisId::m}}), 128,
            ExecScope::cta, false);
  CHECK(c.note().vector == 8);
  CHECK(c.note().rounds == 2);
  c.check_moves(false);
}

TEST_CASE("replicas are loaded by all who hold them, and never stored") {
  const Layout replicated =
      tile({{8, 4, AxisId::laneid}, {4, 1, AxisId::m}}, {{4, 1, AxisId::laneid}});
  Lowered load(DType::f32, {8, 4}, replicated, 32, ExecScope::warp);
  CHECK(load.note().vector == 4);
  load.check_moves(true);
  const Lowered store(DType::f32, {8, 4}, replicated, 32, ExecScope::warp, false);
  REQUIRE_FALSE(store.result.ok());
  CHECK(store.result.error().text.find("each element is held by 4 threads") != std::string::npos);
  CHECK(store.result.error().text.find("R is spread over threads") != std::string::npos);
}

TEST_CASE("a thread's own registers at thread scope") {
  KernelBuilder k("copy");
  const Buffer a = k.param("A", DType::f32, {256});
  const Var tx = k.thread_id(32);
  const Buffer r = k.alloc("r", DType::f32, {8}, MemoryScope::local);
  k.body({tile_copy(ExecScope::thread, region(r), region(a, {{E(tx) * 8, 8}}))});
  const auto lowered = lower::lower(k.kernel(), default_target());
  REQUIRE(lowered.ok());
  CHECK(lowered->dispatch[0].variant == "reg");
  CHECK(lowered->dispatch[0].vector == 4);
  CHECK(lowered->dispatch[0].rounds == 2);
  const auto& loop = std::get<For>(std::get<Group>(lowered->body.back().node).body[0].node);
  CHECK(loop.kind == LoopKind::unroll);
  const Store& store = std::get<Store>(loop.body[0].node);
  CHECK(to_string(store.to.flat, PrintLevel::thread) == "f * 4");
  CHECK(to_string(std::get<Load>(store.value->node).from.flat, PrintLevel::thread) ==
        "tx * 8 + f * 4");
}

TEST_CASE("tiles that belong to a larger scope, or leave threads out, are refused") {
  const Lowered above(DType::f32, {128, 4},
                      tile({{4, 1, AxisId::warpid}, {32, 1, AxisId::laneid}, {4, 1, AxisId::m}}),
                      128, ExecScope::warp);
  REQUIRE_FALSE(above.result.ok());
  CHECK(above.result.error().text.find("is above the op's scope warp") != std::string::npos);
  const Lowered part(DType::f32, {16, 4}, tile({{16, 1, AxisId::laneid}, {4, 1, AxisId::m}}), 32,
                     ExecScope::warp);
  REQUIRE_FALSE(part.result.ok());
  CHECK(part.result.error().text.find("spans 16 instances, not all 32") != std::string::npos);
}

TEST_CASE("indexing a spread tile directly is an error that names the way out") {
  KernelBuilder k("kernel");
  const Var tx = k.thread_id(32);
  const Buffer r = k.alloc("acc", DType::f32, {32, 4}, MemoryScope::local,
                           tile({{32, 1, AxisId::laneid}, {4, 1, AxisId::m}}));
  k.body({store(r, {tx, 0}, load(r, {tx, 1}))});
  const auto lowered = lower::lower(k.kernel(), default_target());
  REQUIRE_FALSE(lowered.ok());
  CHECK(lowered.error().text.find("thread-axis layout") != std::string::npos);
  CHECK(lowered.error().text.find("Use .view() + .local()") != std::string::npos);
}

TEST_CASE("random register tiles") {
  std::mt19937 random(5);
  const auto pick = [&](std::int64_t below) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
  };
  for (int round = 0; round < kRegisterRounds; ++round) {
    // 32 lanes as factors, and registers, over two dimensions in a random order.
    Iters shard;
    std::int64_t lanes = 1;
    while (lanes < 32) {
      const std::int64_t factor =
          std::min<std::int64_t>(std::int64_t{1} << (1 + pick(3)), 32 / lanes);
      shard.push_back({factor, lanes, AxisId::laneid});
      lanes *= factor;
    }
    std::int64_t registers = 1;
    for (std::int64_t i = pick(3); i-- > 0;) {
      const std::int64_t factor = 2 + pick(3);
      shard.push_back({factor, registers, AxisId::m});
      registers *= factor;
      if (pick(6) == 0) registers += 1;
    }
    std::shuffle(shard.begin(), shard.end(), random);
    const std::size_t cut = static_cast<std::size_t>(pick(static_cast<std::int64_t>(shard.size())));
    Shape shape{1, 1};
    for (std::size_t i = 0; i < shard.size(); ++i) shape[i < cut ? 0 : 1] *= shard[i].extent;
    std::optional<Layout> memory;
    if (pick(3) == 0) memory = Layout(TileLayout::strided(shape, Shape{1, shape[0]}).value());
    if (pick(4) == 0) {
      memory = Layout(make_swizzle(2, 2, 3).value(), TileLayout::row_major(shape).value());
    }
    const bool is_load = pick(2) == 0;
    Lowered c(pick(2) == 0 ? DType::f16 : DType::f32, shape, tile(shard), 32, ExecScope::warp,
              is_load, memory, MemoryScope::shared, "reg");  // some are fragments, too
    INFO("round " << round << " " << to_string(*c.reg->layout) << " memory "
                  << to_string(*c.memory->layout));
    CHECK(c.note().variant == "reg");
    c.check_moves(is_load);
  }
}
