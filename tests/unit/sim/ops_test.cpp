// Machine operations: expected values from PTX's definitions, written out lane by lane.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/unit/sim/builder.hpp"

namespace tirx::test {

namespace {

const Expr kAll = ir::make_int(0xffffffff, ir::Type{DType::u32, 1});

/// out[t] = f(t), one warp.
template <typename Make>
ir::Tensor run_warp(Make&& make, DType dtype = DType::i32, std::int64_t threads = 32) {
  Builder b(threads);
  const Expr t = b.tid();
  const Buffer out = b.param("out", dtype, {threads});
  b.add(Builder::store(out, {t}, make(t)));
  const ir::Tensor to = empty(dtype, {threads});
  const ir::LaunchOutcome outcome = b.simulate({to});
  CHECK(outcome.status == ir::LaunchStatus::ok);
  CHECK(outcome.faults.empty());
  return to;
}

}  // namespace

TEST_CASE("shuffles, with segments") {
  for (const int width : {4, 16, 32}) {
    const auto w = i32(width);
    const ir::Tensor down = run_warp([&](const Expr& t) {
      return Builder::call<ir::ShuffleDown>({kAll, t * t, i32(3), w}, ir::kInt32);
    });
    const ir::Tensor up = run_warp([&](const Expr& t) {
      return Builder::call<ir::ShuffleUp>({kAll, t * t, i32(3), w}, ir::kInt32);
    });
    const ir::Tensor flip = run_warp([&](const Expr& t) {
      return Builder::call<ir::ShuffleXor>({kAll, t * t, i32(5), w}, ir::kInt32);
    });
    const ir::Tensor idx = run_warp([&](const Expr& t) {
      return Builder::call<ir::ShuffleIdx>({kAll, t * t, t * i32(7) + i32(2), w}, ir::kInt32);
    });
    for (int lane = 0; lane < 32; ++lane) {
      const auto square = [](int v) { return static_cast<double>(v * v); };
      const int base = lane / width * width;
      REQUIRE(value_at(down, lane) == square(lane + 3 < base + width ? lane + 3 : lane));
      REQUIRE(value_at(up, lane) == square(lane - 3 >= base ? lane - 3 : lane));
      // shfl.bfly: a source beyond the segment's end keeps the lane's own value.
      const int other = lane ^ 5;
      REQUIRE(value_at(flip, lane) == square(other < base + width ? other : lane));
      REQUIRE(value_at(idx, lane) == square(base + (lane * 7 + 2) % width));
    }
  }
}

TEST_CASE("votes, match and redux") {
  const ir::Tensor ballot = run_warp(
      [](const Expr& t) {
        return Builder::call<ir::VoteBallot>({kAll, lt(floormod(t, i32(3)), i32(1))},
                                             ir::Type{DType::u32, 1});
      },
      DType::u32);
  std::uint32_t expected = 0;
  for (int lane = 0; lane < 32; lane += 3) expected |= 1U << lane;
  CHECK(bits_at(ballot, 5) == expected);
  const auto vote = [](const Expr& t, auto op, std::int64_t limit) {
    return cast(Builder::call<decltype(op)>({kAll, lt(t, i32(limit))}, ir::kBool), DType::i32);
  };
  CHECK(value_at(run_warp([&](const Expr& t) { return vote(t, ir::VoteAll{}, 32); }), 3) == 1);
  CHECK(value_at(run_warp([&](const Expr& t) { return vote(t, ir::VoteAll{}, 31); }), 3) == 0);
  CHECK(value_at(run_warp([&](const Expr& t) { return vote(t, ir::VoteAny{}, 1); }), 3) == 1);
  CHECK(value_at(run_warp([&](const Expr& t) { return vote(t, ir::VoteAny{}, 0); }), 3) == 0);
  const ir::Tensor match = run_warp(
      [](const Expr& t) {
        return Builder::call<ir::MatchAny>({kAll, floormod(t, i32(8))}, ir::Type{DType::u32, 1});
      },
      DType::u32);
  CHECK(bits_at(match, 3) == (0x01010101U << 3));
  const auto redux = [](auto op) {
    return value_at(run_warp([&](const Expr& t) {
                      return Builder::call<decltype(op)>({kAll, t - i32(10)}, ir::kInt32);
                    }),
                    7);
  };
  CHECK(redux(ir::ReduxAdd{}) == 31 * 16 - 320);
  CHECK(redux(ir::ReduxMin{}) == -10);
  CHECK(redux(ir::ReduxMax{}) == 21);
}

TEST_CASE("elect takes exactly one lane; the seed says which") {
  for (const std::uint64_t seed : {0U, 1U, 2U}) {
    Builder b(64);
    const Expr t = b.tid();
    const Buffer out = b.param("out", DType::i32, {64});
    b.add(Builder::store(out, {t}, cast(Builder::call<ir::ElectSync>({}, ir::kBool), DType::i32)));
    const ir::Tensor to = empty(DType::i32, {64});
    sim::SimOptions options;
    options.seed = seed;
    CHECK(b.simulate({to}, options).faults.empty());
    for (std::int64_t warp = 0; warp < 2; ++warp) {
      double sum = 0;
      for (std::int64_t lane = 0; lane < 32; ++lane) sum += value_at(to, warp * 32 + lane);
      CHECK(sum == 1);
    }
  }
}

TEST_CASE("lanes that meet in a shuffle from two branches") {
  Builder b(32);
  const Expr t = b.tid();
  const Buffer out = b.param("out", DType::i32, {32});
  const auto flip = [&](const Expr& v) {
    return Builder::call<ir::ShuffleXor>({kAll, v, i32(16)}, ir::kInt32);
  };
  b.add(Builder::when(lt(t, i32(16)), {Builder::store(out, {t}, flip(t * i32(2)))},
                      {Builder::store(out, {t}, flip(t * i32(3)))}));
  const ir::Tensor to = empty(DType::i32, {32});
  const ir::LaunchOutcome outcome = b.simulate({to});
  CHECK(outcome.faults.empty());
  for (std::int64_t k = 0; k < 16; ++k) {
    REQUIRE(value_at(to, k) == static_cast<double>((k + 16) * 3));
    REQUIRE(value_at(to, k + 16) == static_cast<double>(k * 2));
  }
}

TEST_CASE("a shuffle whose mask names lanes that never come is a divergence") {
  Builder b(32);
  const Expr t = b.tid();
  const Buffer out = b.param("out", DType::i32, {32});
  const Expr never = Builder::call<ir::ShuffleXor>({kAll, t, i32(1)}, ir::kInt32);
  b.add(Builder::when(lt(t, i32(16)), {Builder::store(out, {t}, never)},
                      {Builder::run<ir::CtaSync>()}));
  const ir::LaunchOutcome outcome = b.simulate({empty(DType::i32, {32})});
  REQUIRE_FALSE(outcome.faults.empty());
  CHECK(outcome.faults[0].kind == ir::FaultKind::divergence);
}

TEST_CASE("a producer half-warp and a consumer half-warp meet at warp_sync") {
  Builder b(32);
  const Expr t = b.tid();
  const Buffer out = b.param("out", DType::i32, {16});
  const Buffer s = b.shared("s", DType::i32, {16});
  b.add(Builder::allocate(s));
  b.add(
      Builder::when(lt(t, i32(16)),
                    {Builder::run<ir::WarpSync>(), Builder::store(out, {t}, Builder::load(s, {t}))},
                    {Builder::store(s, {t - i32(16)}, t), Builder::run<ir::WarpSync>()}));
  const ir::Tensor to = empty(DType::i32, {16});
  const ir::LaunchOutcome outcome = b.simulate({to});
  CHECK(outcome.faults.empty());
  for (std::int64_t k = 0; k < 16; ++k) REQUIRE(value_at(to, k) == static_cast<double>(k + 16));
}

TEST_CASE("atomics return the old value; every increment counts") {
  Builder b(128, 3);
  const Expr t = b.tid();
  const Buffer counter = b.param("counter", DType::i32, {2});
  const Buffer seen = b.param("seen", DType::i32, {384});
  const Buffer old = b.mutable_scalar("old", DType::i32);
  b.add(Builder::allocate(old));
  b.add(Builder::set(old, Builder::call<ir::AtomicAdd>(
                              {Builder::pointer(counter, {i32(0)}), i32(1)}, ir::kInt32)));
  b.add(Builder::store(seen, {Builder::get(old)}, i32(1)));
  b.add(Builder::run<ir::AtomicMax>({Builder::pointer(counter, {i32(1)}), t}));
  const ir::Tensor tc = tensor(DType::i32, {2}, [](std::int64_t) { return 0; });
  const ir::Tensor ts = empty(DType::i32, {384});
  const ir::LaunchOutcome outcome = b.simulate({tc, ts});
  CHECK(outcome.faults.empty());
  CHECK(value_at(tc, 0) == 384);
  CHECK(value_at(tc, 1) == 127);
  for (std::int64_t k = 0; k < 384; ++k) REQUIRE(value_at(ts, k) == 1);
}

TEST_CASE("float atomics: global additions flush subnormals, shared ones do not") {
  Builder b(1);
  const Buffer g = b.param("g", DType::f32, {2});
  const Buffer s = b.shared("s", DType::f32, {1});
  const Expr tiny = ir::make_expr(ir::Type{DType::f32, 1}, {}, ir::Const{1});  // 2^-149
  b.add(Builder::allocate(s));
  b.add(Builder::store(s, {i32(0)}, tiny));
  b.add(Builder::run<ir::AtomicAdd>({Builder::pointer(g, {i32(0)}), tiny}));
  b.add(Builder::run<ir::AtomicAdd>({Builder::pointer(s, {i32(0)}), tiny}));
  b.add(Builder::store(g, {i32(1)}, Builder::load(s, {i32(0)})));
  const ir::Tensor tg = tensor(DType::f32, {2}, [](std::int64_t) { return 0; });
  CHECK(b.simulate({tg}).faults.empty());
  CHECK(bits_at(tg, 0) == 0);
  CHECK(bits_at(tg, 1) == 2);
}

TEST_CASE("a spin lock by compare-and-swap inside one warp ends: strands are scheduled") {
  Builder b(32);
  const Expr t = b.tid();
  const Buffer lock = b.param("lock", DType::i32, {1});
  const Buffer sum = b.param("sum", DType::i32, {1});
  const Buffer done = b.mutable_scalar("done", DType::i32);
  b.add(Builder::allocate(done));
  b.add(Builder::set(done, i32(0)));
  const Expr taken =
      eq(Builder::call<ir::AtomicCas>({Builder::pointer(lock, {i32(0)}), i32(0), i32(1)},
                                      ir::kInt32, "acquire.gpu"),
         i32(0));
  b.add(Builder::loop_while(
      eq(Builder::get(done), i32(0)),
      {Builder::when(taken, {Builder::store(sum, {i32(0)}, Builder::load(sum, {i32(0)}) + t),
                             Builder::set(done, i32(1)),
                             Builder::run<ir::AtomicExchange>(
                                 {Builder::pointer(lock, {i32(0)}), i32(0)}, "release.gpu")})}));
  const ir::Tensor tl = tensor(DType::i32, {1}, [](std::int64_t) { return 0; });
  const ir::Tensor ts = tensor(DType::i32, {1}, [](std::int64_t) { return 0; });
  const ir::LaunchOutcome outcome = b.simulate({tl, ts});
  CHECK(outcome.faults.empty());
  CHECK(value_at(ts, 0) == 31 * 16);
}

TEST_CASE("named barriers: a producer warp and a consumer warp") {
  Builder b(64);
  const Expr t = b.tid();
  const Buffer out = b.param("out", DType::i32, {32});
  const Buffer s = b.shared("s", DType::i32, {32});
  b.add(Builder::allocate(s));
  b.add(Builder::when(lt(t, i32(32)),
                      {Builder::run<ir::NamedBarrierSync>({i32(3), i32(64)}),
                       Builder::store(out, {t}, Builder::load(s, {t}))},
                      {Builder::store(s, {t - i32(32)}, t),
                       Builder::run<ir::NamedBarrierArrive>({i32(3), i32(64)})}));
  const ir::Tensor to = empty(DType::i32, {32});
  const ir::LaunchOutcome outcome = b.simulate({to});
  CHECK(outcome.faults.empty());
  for (std::int64_t k = 0; k < 32; ++k) REQUIRE(value_at(to, k) == static_cast<double>(k + 32));
}

TEST_CASE("the cluster's barrier orders CTAs of a cluster") {
  Builder b(32, 4);
  b.kernel.launch.cluster = {2, 1, 1};
  const Expr t = b.tid(), cta = b.cta();
  const Expr rank = b.thread_var(ir::ScopeIdKind::cta_id_in_cluster, 0, "rank");
  const Buffer a = b.param("a", DType::i32, {4, 32});
  const Buffer out = b.param("out", DType::i32, {4, 32});
  b.add(Builder::store(a, {cta, t}, cta * i32(100) + t));
  b.add(Builder::run<ir::ClusterArrive>());
  b.add(Builder::run<ir::ClusterWait>());
  b.add(Builder::store(out, {cta, t}, Builder::load(a, {cta + i32(1) - rank * i32(2), t})));
  const ir::Tensor ta = empty(DType::i32, {4, 32}), to = empty(DType::i32, {4, 32});
  const ir::LaunchOutcome outcome = b.simulate({ta, to});
  CHECK(outcome.faults.empty());
  for (std::int64_t c = 0; c < 4; ++c) {
    for (std::int64_t k = 0; k < 32; ++k) {
      REQUIRE(value_at(to, c * 32 + k) == static_cast<double>((c ^ 1) * 100 + k));
    }
  }
}

TEST_CASE("output: one line a thread, in order, the same for every number of host threads") {
  Builder b(2, 2);
  const Expr t = b.tid(), cta = b.cta();
  b.add(Builder::run<ir::Printf>({cta, t, f32(0.5)}, "%d.%d %5.2f%%\n"));
  for (const int threads : {1, 4}) {
    sim::SimOptions options;
    options.threads = threads;
    CHECK(b.simulate({}, options).output == "0.0  0.50%\n0.1  0.50%\n1.0  0.50%\n1.1  0.50%\n");
  }
}

TEST_CASE("short circuit: the right side runs only where the left one does not decide") {
  Builder b(64);
  const Expr t = b.tid();
  const Buffer in = b.param("in", DType::i32, {32});
  const Buffer out = b.param("out", DType::i32, {64});
  const Expr guarded =
      ir::make_expr(ir::kBool, {}, ir::And{lt(t, i32(32)), eq(Builder::load(in, {t}), i32(7))});
  b.add(Builder::store(
      out, {t},
      ir::make_expr(ir::kInt32, {},
                    ir::IfThenElse{guarded, Builder::load(in, {t}) * i32(2), i32(-1)})));
  const ir::Tensor ti = tensor(DType::i32, {32}, [](std::int64_t k) { return k % 2 == 0 ? 7 : 1; });
  const ir::Tensor to = empty(DType::i32, {64});
  const ir::LaunchOutcome outcome = b.simulate({ti, to});
  CHECK(outcome.faults.empty());
  for (std::int64_t k = 0; k < 64; ++k)
    REQUIRE(value_at(to, k) == (k < 32 && k % 2 == 0 ? 14 : -1));
}

}  // namespace tirx::test
