// Whole launches of small kernels: data moves, loops, branches, barriers.
#include <doctest/doctest.h>

#include "tests/unit/sim/builder.hpp"

namespace tirx::test {

TEST_CASE("vector add with a tail") {
  constexpr std::int64_t kN = 1000;
  Builder b(256, 4);
  const Expr i = b.cta() * i32(256) + b.tid();
  const Buffer x = b.param("x", DType::f32, {kN});
  const Buffer y = b.param("y", DType::f32, {kN});
  const Buffer z = b.param("z", DType::f32, {kN});
  b.add(Builder::when(lt(i, i32(kN)),
                      {Builder::store(z, {i}, Builder::load(x, {i}) + Builder::load(y, {i}))}));
  const ir::Tensor tx = tensor(DType::f32, {kN}, [](std::int64_t k) { return k; });
  const ir::Tensor ty =
      tensor(DType::f32, {kN}, [](std::int64_t k) { return 0.5 * static_cast<double>(k); });
  for (const sim::CheckSet checks :
       {sim::CheckSet::none(), sim::CheckSet::mem(), sim::CheckSet::all()}) {
    const ir::Tensor tz = empty(DType::f32, {kN});
    sim::SimOptions options;
    options.checks = checks;
    const ir::LaunchOutcome outcome = b.simulate({tx, ty, tz}, options);
    CHECK(outcome.status == ir::LaunchStatus::ok);
    CHECK(outcome.faults.empty());
    for (std::int64_t k = 0; k < kN; ++k) {
      REQUIRE(value_at(tz, k) == 1.5 * static_cast<double>(k));
      REQUIRE(written(tz, k));
    }
  }
}

/// Transpose of a 32 x 32 tile through shared memory, 32 x 8 threads.
static Builder transpose(bool barrier) {
  Builder b(32);
  b.kernel.launch.block = {32, 8, 1};
  const Expr tx = b.tid(0), ty = b.tid(1);
  const Buffer in = b.param("A", DType::f32, {32, 32});
  const Buffer out = b.param("B", DType::f32, {32, 32});
  const Buffer tile = b.shared("tile", DType::f32, {32, 33});
  b.add(Builder::allocate(tile));
  b.add(Builder::loop(i32(0), i32(4), [&](const Expr& k) {
    const Expr row = k * i32(8) + ty;
    return ir::Body{Builder::store(tile, {row, tx}, Builder::load(in, {row, tx}))};
  }));
  if (barrier) b.add(Builder::run<ir::CtaSync>());
  b.add(Builder::loop(i32(0), i32(4), [&](const Expr& k) {
    const Expr row = k * i32(8) + ty;
    return ir::Body{Builder::store(out, {row, tx}, Builder::load(tile, {tx, row}))};
  }));
  return b;
}

TEST_CASE("transpose through shared memory, all schedules") {
  const Builder b = transpose(true);
  const ir::Tensor in = tensor(DType::f32, {32, 32}, [](std::int64_t k) { return k; });
  for (const sim::Schedule schedule :
       {sim::Schedule::roundrobin, sim::Schedule::reverse, sim::Schedule::random}) {
    const ir::Tensor out = empty(DType::f32, {32, 32});
    sim::SimOptions options;
    options.schedule = schedule;
    options.seed = 7;
    const ir::LaunchOutcome outcome = b.simulate({in, out}, options);
    CHECK(outcome.status == ir::LaunchStatus::ok);
    CHECK(outcome.faults.empty());
    for (std::int64_t i = 0; i < 32; ++i) {
      for (std::int64_t j = 0; j < 32; ++j)
        REQUIRE(value_at(out, i * 32 + j) == value_at(in, j * 32 + i));
    }
  }
}

TEST_CASE(
    "semantics: data read before another warp wrote it is poison, and stays so in the output") {
  const Builder b = transpose(false);
  const ir::Tensor in = tensor(DType::f32, {32, 32}, [](std::int64_t k) { return k; });
  const ir::Tensor out = empty(DType::f32, {32, 32});
  const ir::LaunchOutcome outcome = b.simulate({in, out});
  CHECK(outcome.status == ir::LaunchStatus::ok);
  std::int64_t unwritten = 0;
  for (std::int64_t k = 0; k < 1024; ++k) unwritten += written(out, k) ? 0 : 1;
  CHECK(unwritten > 0);
}

TEST_CASE("a divergent loop runs each lane as often as its bound says") {
  Builder b(64);
  const Expr t = b.tid();
  const Buffer out = b.param("out", DType::i32, {64});
  const Buffer sum = b.mutable_scalar("sum", DType::i32);
  b.add(Builder::allocate(sum));
  b.add(Builder::set(sum, i32(0)));
  b.add(Builder::loop(i32(0), t, [&](const Expr& k) {
    return ir::Body{Builder::set(sum, Builder::get(sum) + k)};
  }));
  b.add(Builder::store(out, {t}, Builder::get(sum)));
  const ir::Tensor to = empty(DType::i32, {64});
  const ir::LaunchOutcome outcome = b.simulate({to});
  CHECK(outcome.faults.empty());
  for (std::int64_t k = 0; k < 64; ++k)
    REQUIRE(value_at(to, k) == static_cast<double>(k * (k - 1) / 2));
}

TEST_CASE("break, continue and return take only the lanes that execute them") {
  Builder b(32);
  const Expr t = b.tid();
  const Buffer out = b.param("out", DType::i32, {32});
  const Buffer n = b.mutable_scalar("n", DType::i32);
  b.add(Builder::allocate(n));
  b.add(Builder::set(n, i32(0)));
  b.add(Builder::when(lt(i32(29), t), {stmt(ir::Return{})}));
  b.add(Builder::loop(i32(0), i32(100), [&](const Expr& k) {
    return ir::Body{
        Builder::when(eq(k, t), {stmt(ir::Break{})}),
        Builder::when(eq(floormod(k, i32(2)), i32(1)), {stmt(ir::Continue{})}),
        Builder::when(eq(floormod(k + t, i32(3)), i32(0)), {stmt(ir::Continue{})}),
        Builder::set(n, Builder::get(n) + i32(1)),
    };
  }));
  b.add(Builder::store(out, {t}, Builder::get(n)));
  const ir::Tensor to = empty(DType::i32, {32});
  const ir::LaunchOutcome outcome = b.simulate({to});
  CHECK(outcome.faults.empty());
  for (std::int64_t lane = 0; lane < 32; ++lane) {
    std::int64_t expected = 0;
    for (std::int64_t k = 0; k < lane; ++k) expected += k % 2 == 0 && (k + lane) % 3 != 0 ? 1 : 0;
    if (lane > 29) {
      REQUIRE_FALSE(written(to, lane));
    } else {
      REQUIRE(value_at(to, lane) == static_cast<double>(expected));
    }
  }
}

TEST_CASE("a while loop with a lane-dependent condition") {
  Builder b(32);
  const Expr t = b.tid();
  const Buffer out = b.param("out", DType::i32, {32});
  const Buffer x = b.mutable_scalar("x", DType::i32);
  const Buffer n = b.mutable_scalar("n", DType::i32);
  for (const Buffer& v : {x, n}) b.add(Builder::allocate(v));
  b.add(Builder::set(x, t + i32(1)));
  b.add(Builder::set(n, i32(0)));
  const Expr odd = eq(floormod(Builder::get(x), i32(2)), i32(1));
  b.add(
      Builder::loop_while(scalar(ScalarOp::ne, {Builder::get(x), i32(1)}),
                          {Builder::when(odd, {Builder::set(x, Builder::get(x) * i32(3) + i32(1))},
                                         {Builder::set(x, floordiv(Builder::get(x), i32(2)))}),
                           Builder::set(n, Builder::get(n) + i32(1))}));
  b.add(Builder::store(out, {t}, Builder::get(n)));
  const ir::Tensor to = empty(DType::i32, {32});
  const ir::LaunchOutcome outcome = b.simulate({to});
  CHECK(outcome.faults.empty());
  for (std::int64_t lane = 0; lane < 32; ++lane) {
    std::int64_t v = lane + 1, steps = 0;
    for (; v != 1; ++steps) v = v % 2 == 1 ? 3 * v + 1 : v / 2;
    REQUIRE(value_at(to, lane) == static_cast<double>(steps));
  }
}

TEST_CASE("local arrays: known, uniform and lane-dependent indices, views of another width") {
  Builder b(32);
  const Expr t = b.tid();
  const Buffer out = b.param("out", DType::i32, {32, 4});
  const Buffer a = b.local("a", DType::i32, {8});
  const Buffer bytes =
      Builder::view("bytes", DType::u8, {16}, b.local("w", DType::i32, {4})->storage);
  const Buffer words = Builder::view("words", DType::i32, {4}, bytes->storage);
  b.add(Builder::allocate(a));
  b.add(Builder::allocate(words));
  b.add(Builder::loop(i32(0), i32(8), [&](const Expr& k) {
    return ir::Body{Builder::store(a, {k}, k * i32(10) + t)};
  }));
  b.add(Builder::store(a, {i32(3)}, Builder::load(a, {i32(3)}) + i32(1000)));
  b.add(Builder::store(out, {t, i32(0)}, Builder::load(a, {floormod(t, i32(8))})));
  b.add(Builder::store(out, {t, i32(1)}, Builder::load(a, {i32(7)})));
  b.add(Builder::store(words, {i32(1)}, i32(0x11223344)));
  b.add(Builder::store(bytes, {i32(5)}, cast(t, DType::u8)));
  b.add(Builder::store(out, {t, i32(2)}, Builder::load(words, {i32(1)})));
  b.add(Builder::store(out, {t, i32(3)}, cast(Builder::load(bytes, {i32(7)}), DType::i32)));
  const ir::Tensor to = empty(DType::i32, {32, 4});
  const ir::LaunchOutcome outcome = b.simulate({to});
  CHECK(outcome.faults.empty());
  for (std::int64_t lane = 0; lane < 32; ++lane) {
    const std::int64_t k = lane % 8;
    REQUIRE(value_at(to, lane * 4) == static_cast<double>(k * 10 + lane + (k == 3 ? 1000 : 0)));
    REQUIRE(value_at(to, lane * 4 + 1) == static_cast<double>(70 + lane));
    REQUIRE(value_at(to, lane * 4 + 2) == static_cast<double>(0x11220044 | lane << 8));
    REQUIRE(value_at(to, lane * 4 + 3) == 0x11);
  }
}

TEST_CASE("vector loads and stores move several elements") {
  Builder b(32);
  const Expr t = b.tid();
  const Buffer in = b.param("in", DType::f16, {256});
  const Buffer out = b.param("out", DType::f16, {256});
  b.add(Builder::store(out, {t * i32(8)}, Builder::load(in, {t * i32(8)}, 8)));
  const ir::Tensor ti = tensor(DType::f16, {256}, [](std::int64_t k) { return k; });
  const ir::Tensor to = empty(DType::f16, {256});
  const ir::LaunchOutcome outcome = b.simulate({ti, to});
  CHECK(outcome.faults.empty());
  for (std::int64_t k = 0; k < 256; ++k) REQUIRE(value_at(to, k) == static_cast<double>(k));
}

TEST_CASE("a name keeps the value of a mutable variable, also inside an index and a cast") {
  for (const bool uniform : {true, false}) {
    Builder b(32);
    const Expr t = b.tid();
    const Buffer out = b.param("out", DType::i32, {32, 4});
    const Buffer x = b.mutable_scalar("x", DType::i32);
    const auto named = [](const char* name, ir::Type type) {
      return std::make_shared<const ir::Variable>(ir::Variable{name, type, {}});
    };
    const ir::Var y = named("y", ir::kInt32), z = named("z", ir::kInt64),
                  p = named("p", ir::kInt32);
    b.add(Builder::allocate(x));
    b.add(Builder::set(x, uniform ? i32(1) : floormod(t, i32(2))));
    b.add(stmt(ir::Let{p, Builder::get(x)}));
    b.add(stmt(ir::Let{y, Builder::get(x) + i32(1)}));
    b.add(stmt(ir::Let{z, cast(Builder::get(x), DType::i64)}));
    b.add(Builder::set(x, i32(3)));
    b.add(Builder::store(out, {t, ir::make_var(y)}, i32(7)));
    b.add(Builder::store(out, {t, Builder::get(x)},
                         cast(ir::make_var(z), DType::i32) + ir::make_var(p)));
    const ir::Tensor to = tensor(DType::i32, {32, 4}, [](std::int64_t) { return 0; });
    CHECK(b.simulate({to}).faults.empty());
    for (std::int64_t lane = 0; lane < 32; ++lane) {
      const std::int64_t v = uniform ? 1 : lane % 2;
      REQUIRE(value_at(to, lane * 4 + v + 1) == 7);
      REQUIRE(value_at(to, lane * 4 + 3) == static_cast<double>(2 * v));
    }
  }
}

}  // namespace tirx::test
