// Each kind of fault: found with the right words, at the right element, and the run goes on.
#include <doctest/doctest.h>

#include "tests/unit/sim/builder.hpp"

namespace tirx::test {

using ir::FaultKind;

namespace {

const ir::Fault* find(const ir::LaunchOutcome& outcome, FaultKind kind) {
  for (const ir::Fault& fault : outcome.faults) {
    if (fault.kind == kind) return &fault;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("bounds: in the buffer's own shape, also inside the storage; the store is dropped") {
  Builder b(64);
  const Expr t = b.tid();
  const Buffer out = b.param("out", DType::i32, {64});
  const Buffer as = b.shared("As", DType::i32, {4, 32});
  b.add(Builder::allocate(as));
  // Column t % 32 + 8 leaves a row of 32 but not the storage.
  b.add(Builder::store(as, {floordiv(t, i32(32)), floormod(t, i32(32)) + i32(8)}, t));
  b.add(Builder::store(out, {t}, t));
  const ir::Tensor to = empty(DType::i32, {64});
  const ir::LaunchOutcome outcome = b.simulate({to});
  CHECK(outcome.status == ir::LaunchStatus::ok);
  REQUIRE(outcome.faults.size() == 1);
  const ir::Fault& fault = outcome.faults[0];
  CHECK(fault.kind == FaultKind::bounds);
  CHECK(fault.element == "As[0, 32]");
  CHECK(fault.text == "As[0, 32] is outside of As: shape (4, 32)");
  CHECK(fault.space == "shared");
  CHECK(fault.first.what == "write");
  CHECK(fault.first.thread.warp == 0);
  CHECK(fault.first.thread.lane == 24);
  CHECK(fault.count == 16);
  for (std::int64_t k = 0; k < 64; ++k) REQUIRE(value_at(to, k) == static_cast<double>(k));
}

TEST_CASE("bounds: a load outside gives poison, which the output keeps") {
  Builder b(32, 2);
  const Expr i = b.cta() * i32(32) + b.tid();
  const Buffer in = b.param("in", DType::f32, {50});
  const Buffer out = b.param("out", DType::f32, {64});
  b.add(Builder::store(out, {i}, Builder::load(in, {i}) + f32(1)));
  const ir::Tensor ti = tensor(DType::f32, {50}, [](std::int64_t k) { return k; });
  const ir::Tensor to = empty(DType::f32, {64});
  const ir::LaunchOutcome outcome = b.simulate({ti, to});
  REQUIRE(outcome.faults.size() == 1);
  CHECK(outcome.faults[0].text == "in[50] is outside of in: shape (50,)");
  CHECK(outcome.faults[0].first.thread.cta[0] == 1);
  CHECK(outcome.faults[0].first.thread.lane == 18);
  CHECK(outcome.faults[0].count == 14);
  for (std::int64_t k = 0; k < 64; ++k) {
    REQUIRE(written(to, k) == (k < 50));
    if (k < 50) REQUIRE(value_at(to, k) == static_cast<double>(k + 1));
  }
}

TEST_CASE("bounds: without checks nothing is reported and nothing outside is touched") {
  Builder b(32);
  const Expr t = b.tid();
  const Buffer out = b.param("out", DType::i32, {8});
  b.add(Builder::store(out, {t - i32(4)}, t));
  const ir::Tensor to = empty(DType::i32, {8});
  sim::SimOptions options;
  options.checks = sim::CheckSet::none();
  const ir::LaunchOutcome outcome = b.simulate({to}, options);
  CHECK(outcome.faults.empty());
  for (std::int64_t k = 0; k < 8; ++k) REQUIRE(value_at(to, k) == static_cast<double>(k + 4));
}

TEST_CASE("bounds: data-dependent index, negative included") {
  Builder b(32);
  const Expr t = b.tid();
  const Buffer index = b.param("index", DType::i32, {32});
  const Buffer out = b.param("out", DType::i32, {16});
  b.add(Builder::store(out, {Builder::load(index, {t})}, t));
  const ir::Tensor ti = tensor(DType::i32, {32}, [](std::int64_t k) { return k - 3; });
  const ir::Tensor to = empty(DType::i32, {16});
  const ir::LaunchOutcome outcome = b.simulate({ti, to});
  REQUIRE(outcome.faults.size() == 1);
  CHECK(outcome.faults[0].element == "out[-3]");
  CHECK(outcome.faults[0].count == 16);
  for (std::int64_t k = 0; k < 16; ++k) REQUIRE(value_at(to, k) == static_cast<double>(k + 3));
}

TEST_CASE("align: a vector that begins between vectors") {
  Builder b(32);
  const Expr t = b.tid();
  const Buffer in = b.param("in", DType::f32, {256});
  const Buffer out = b.param("out", DType::f32, {256});
  b.add(Builder::store(out, {t * i32(4)}, Builder::load(in, {t * i32(4) + i32(2)}, 4)));
  const ir::Tensor ti = tensor(DType::f32, {256}, [](std::int64_t k) { return k; });
  const ir::LaunchOutcome outcome = b.simulate({ti, empty(DType::f32, {256})});
  const ir::Fault* fault = find(outcome, FaultKind::align);
  REQUIRE(fault != nullptr);
  CHECK(fault->element == "in[2:6]");
  CHECK(fault->count == 32);
}

TEST_CASE("arith: integer division by zero gives poison where the divisor is zero") {
  Builder b(32);
  const Expr t = b.tid();
  const Buffer in = b.param("in", DType::i32, {32});
  const Buffer out = b.param("out", DType::i32, {32});
  b.add(Builder::store(out, {t}, floordiv(i32(100), Builder::load(in, {t}))));
  const ir::Tensor ti = tensor(DType::i32, {32}, [](std::int64_t k) { return k % 4; });
  const ir::Tensor to = empty(DType::i32, {32});
  const ir::LaunchOutcome outcome = b.simulate({ti, to});
  REQUIRE(outcome.faults.size() == 1);
  CHECK(outcome.faults[0].kind == FaultKind::arith);
  CHECK(outcome.faults[0].count == 8);
  for (std::int64_t k = 0; k < 32; ++k) {
    REQUIRE(written(to, k) == (k % 4 != 0));
    if (k % 4 != 0) REQUIRE(value_at(to, k) == static_cast<double>(100 / (k % 4)));
  }
}

TEST_CASE("overflow: an index computation that leaves int32") {
  Builder b(32);
  const Expr t = b.tid();
  const Buffer in = b.param("in", DType::i32, {32});
  const Buffer out = b.param("out", DType::i32, {1024});
  const Expr big = Builder::load(in, {t}) * i32(65536);
  b.add(Builder::store(out, {floordiv(big, i32(65536 * 64))}, t));
  const ir::Tensor ti = tensor(DType::i32, {32}, [](std::int64_t k) { return k * 2048; });
  const ir::LaunchOutcome outcome = b.simulate({ti, empty(DType::i32, {1024})});
  REQUIRE(outcome.faults.size() == 1);
  CHECK(outcome.faults[0].kind == FaultKind::overflow);
  CHECK(outcome.faults[0].text == "the computation of an index of out overflows int32");
  CHECK(outcome.faults[0].count == 16);
}

TEST_CASE("uninit: reported where poison becomes an address or a condition, not at the load") {
  Builder b(32);
  const Expr t = b.tid();
  const Buffer out = b.param("out", DType::i32, {32});
  const Buffer s = b.shared("s", DType::i32, {32});
  b.add(Builder::allocate(s));
  SUBCASE("only stored: silent, and the output is poisoned") {
    b.add(Builder::store(out, {t}, Builder::load(s, {t}) + i32(1)));
    const ir::Tensor to = empty(DType::i32, {32});
    const ir::LaunchOutcome outcome = b.simulate({to});
    CHECK(outcome.faults.empty());
    CHECK_FALSE(written(to, 0));
  }
  SUBCASE("an index") {
    b.add(Builder::store(out, {Builder::load(s, {t})}, t));
    const ir::LaunchOutcome outcome = b.simulate({empty(DType::i32, {32})});
    REQUIRE(outcome.faults.size() == 1);
    CHECK(outcome.faults[0].kind == FaultKind::uninit);
    CHECK(outcome.faults[0].text.find("the index of out depends on") == 0);
    CHECK(outcome.faults[0].text.find("s[0]") != std::string::npos);  // the origin
    CHECK(outcome.faults[0].count == 32);
  }
  SUBCASE("a condition") {
    b.add(Builder::when(lt(Builder::load(s, {t}), i32(3)), {Builder::store(out, {t}, t)}));
    const ir::LaunchOutcome outcome = b.simulate({empty(DType::i32, {32})});
    REQUIRE(outcome.faults.size() == 1);
    CHECK(outcome.faults[0].kind == FaultKind::uninit);
  }
  SUBCASE("a mutable variable that was never assigned") {
    const Buffer x = b.mutable_scalar("x", DType::i32);
    b.add(Builder::allocate(x));
    b.add(Builder::when(eq(Builder::get(x), i32(3)), {Builder::store(out, {t}, t)}));
    const ir::LaunchOutcome outcome = b.simulate({empty(DType::i32, {32})});
    CHECK(find(outcome, FaultKind::uninit) != nullptr);
  }
  SUBCASE("select takes only the chosen side's poison") {
    const Expr bad = Builder::load(s, {t});
    b.add(Builder::store(
        out, {t}, ir::make_expr(ir::kInt32, {}, ir::Select{lt(t, i32(16)), t * i32(2), bad})));
    const ir::Tensor to = empty(DType::i32, {32});
    const ir::LaunchOutcome outcome = b.simulate({to});
    CHECK(outcome.faults.empty());
    for (std::int64_t k = 0; k < 32; ++k) REQUIRE(written(to, k) == (k < 16));
  }
}

TEST_CASE("trap: an assertion that fails, with its message") {
  Builder b(64);
  const Expr t = b.tid();
  b.add(stmt(ir::Assert{lt(t, i32(60)), "too many threads"}));
  const ir::LaunchOutcome outcome = b.simulate({});
  REQUIRE(outcome.faults.size() == 1);
  CHECK(outcome.faults[0].kind == FaultKind::trap);
  CHECK(outcome.faults[0].text == "assertion failed: too many threads");
  CHECK(outcome.faults[0].first.thread.thread == 60);
  CHECK(outcome.faults[0].count == 4);
}

TEST_CASE("divergence: some lanes of a warp are missing at cta_sync") {
  Builder b(64);
  const Expr t = b.tid();
  b.add(Builder::when(lt(t, i32(5)), {Builder::run<ir::CtaSync>()}));
  const ir::LaunchOutcome outcome = b.simulate({});
  const ir::Fault* fault = find(outcome, FaultKind::divergence);
  REQUIRE(fault != nullptr);
  CHECK(find(outcome, FaultKind::deadlock) == nullptr);
  CHECK(fault->text.find("missing at cta_sync") != std::string::npos);
}

TEST_CASE("deadlock: a named barrier that one warp never reaches, with the wait-for table") {
  Builder b(64);
  const Expr t = b.tid();
  b.add(Builder::when(lt(t, i32(32)), {Builder::run<ir::NamedBarrierSync>({i32(1), i32(64)})}));
  const ir::LaunchOutcome outcome = b.simulate({});
  const ir::Fault* fault = find(outcome, FaultKind::deadlock);
  REQUIRE(fault != nullptr);
  REQUIRE(fault->notes.size() == 2);
  CHECK(fault->notes[0].text.find("warp 0 waits for barrier 1: 32 of 64 threads have arrived") !=
        std::string::npos);
  CHECK(fault->notes[1].text.find("takes 64 threads, and warp 1 will not come") !=
        std::string::npos);
}

TEST_CASE("exited threads count as arrived at cta_sync") {
  Builder b(96);
  const Expr t = b.tid();
  const Buffer out = b.param("out", DType::i32, {96});
  b.add(Builder::when(lt(t, i32(32)), {stmt(ir::Return{})}));
  b.add(Builder::run<ir::CtaSync>());
  b.add(Builder::store(out, {t}, t));
  const ir::Tensor to = empty(DType::i32, {96});
  const ir::LaunchOutcome outcome = b.simulate({to});
  CHECK(outcome.faults.empty());
  CHECK(value_at(to, 95) == 95);
}

TEST_CASE(
    "a spin on a plain load is refused; one on an acquire load that nobody ends is a deadlock") {
  Builder b(32);
  const Buffer flag = b.param("flag", DType::i32, {1});
  const ir::Tensor tf = tensor(DType::i32, {1}, [](std::int64_t) { return 0; });
  SUBCASE("plain") {
    b.add(Builder::loop_while(eq(Builder::load(flag, {i32(0)}), i32(0)), {}));
    const ir::LaunchOutcome outcome = b.simulate({tf});
    CHECK(outcome.status != ir::LaunchStatus::ok);
    REQUIRE(outcome.diagnostics.size() == 1);
    CHECK(outcome.diagnostics[0].text.find("spins on a plain load of flag") != std::string::npos);
  }
  SUBCASE("acquire") {
    b.add(Builder::loop_while(
        eq(Builder::call<ir::LoadAcquire>({Builder::pointer(flag, {i32(0)})}, ir::kInt32), i32(0)),
        {}));
    const ir::LaunchOutcome outcome = b.simulate({tf});
    CHECK(find(outcome, FaultKind::deadlock) != nullptr);
  }
}

TEST_CASE("CTA 0 waits for a flag that CTA 1 sets: both are resident") {
  Builder b(32, 2);
  const Expr t = b.tid(), cta = b.cta();
  const Buffer flag = b.param("flag", DType::i32, {1});
  const Buffer out = b.param("out", DType::i32, {1});
  const ir::Stmt wait = Builder::loop_while(
      eq(Builder::call<ir::LoadAcquire>({Builder::pointer(flag, {i32(0)})}, ir::kInt32), i32(0)),
      {});
  const ir::Stmt first_writes =
      Builder::when(eq(t, i32(0)), {Builder::store(out, {i32(0)}, i32(42))});
  b.add(
      Builder::when(eq(cta, i32(0)), {wait, first_writes},
                    {Builder::run<ir::StoreRelease>({Builder::pointer(flag, {i32(0)}), i32(1)})}));
  const ir::Tensor tf = tensor(DType::i32, {1}, [](std::int64_t) { return 0; });
  const ir::Tensor to = empty(DType::i32, {1});
  const ir::LaunchOutcome outcome = b.simulate({tf, to});
  CHECK(outcome.faults.empty());
  CHECK(value_at(to, 0) == 42);
  SUBCASE("with one CTA at a time it is a deadlock, as on the GPU") {
    tf.memory->bytes.assign(4, std::byte{0});
    sim::SimOptions options;
    options.resident = 1;
    CHECK(find(b.simulate({tf, to}, options), FaultKind::deadlock) != nullptr);
  }
}

TEST_CASE("the step limit ends an endless loop") {
  Builder b(32);
  b.add(Builder::loop_while(ir::make_bool(true), {}));
  sim::SimOptions options;
  options.max_steps = 10000;
  const ir::LaunchOutcome outcome = b.simulate({}, options);
  CHECK(outcome.status == ir::LaunchStatus::incomplete);
  REQUIRE(outcome.diagnostics.size() == 1);
  CHECK(outcome.diagnostics[0].text.find("step limit") == 0);
}

TEST_CASE("arguments: shape, dtype and overlap are checked") {
  Builder b(32);
  const Expr t = b.tid();
  const Buffer in = b.param("in", DType::f32, {32});
  const Buffer out = b.param("out", DType::f32, {32});
  b.add(Builder::store(out, {t}, Builder::load(in, {t})));
  const auto zero = [](std::int64_t) { return 0; };
  const ir::Tensor good = tensor(DType::f32, {32}, zero);
  CHECK(b.simulate({good, tensor(DType::f32, {31}, zero)}).status == ir::LaunchStatus::refused);
  CHECK(b.simulate({good, tensor(DType::i32, {32}, zero)}).status == ir::LaunchStatus::refused);
  CHECK(b.simulate({good, good}).status == ir::LaunchStatus::refused);
  CHECK(b.simulate({good}).status == ir::LaunchStatus::refused);
  CHECK(b.simulate({good, empty(DType::f32, {32})}).status == ir::LaunchStatus::ok);
}

}  // namespace tirx::test
