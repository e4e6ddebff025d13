// Every instruction set gives the same bytes, under full and partial masks, with and without
// checks.
#include <random>

#include <doctest/doctest.h>

#include "tests/unit/sim/builder.hpp"

namespace tirx::test {

namespace {

/// Arithmetic, gathers, vectors, shared tiles and divergent code over `dtype`.
Builder mixed(DType dtype, std::int64_t threads) {
  Builder b(threads, 2);
  b.kernel.launch.block = {16, threads / 16, 1};
  const Expr tx = b.tid(0), ty = b.tid(1), cta = b.cta();
  const Expr t = ty * i32(16) + tx;
  const std::int64_t n = 2 * threads;
  const Buffer x = b.param("x", dtype, {n * 4});
  const Buffer index = b.param("index", DType::i32, {n});
  const Buffer out = b.param("out", dtype, {n, 8});
  const Buffer s = b.shared("s", dtype, {threads / 16, 17});
  const Buffer v = b.mutable_scalar("v", dtype);
  const Expr g = cta * i32(threads) + t;
  b.add(Builder::allocate(s));
  b.add(Builder::allocate(v));
  b.add(Builder::store(s, {ty, tx}, Builder::load(x, {g})));
  b.add(Builder::run<ir::CtaSync>());
  b.add(Builder::set(v, Builder::load(s, {ty, floormod(tx * i32(5), i32(16))})));
  b.add(Builder::store(out, {g, i32(0)}, Builder::get(v) + Builder::load(x, {i32(n) + g})));
  b.add(Builder::store(out, {g, i32(1)},
                       Builder::get(v) * Builder::load(x, {Builder::load(index, {g})})));
  b.add(Builder::when(lt(tx, i32(7)),
                      {Builder::set(v, Builder::get(v) - Builder::load(s, {ty, i32(3)}))},
                      {Builder::store(out, {g, i32(2)}, Builder::get(v))}));
  b.add(Builder::store(out, {g, i32(3)}, Builder::get(v)));
  b.add(Builder::store(out, {g, i32(4)}, Builder::load(x, {g * i32(4)}, 4)));
  return b;
}

}  // namespace

TEST_CASE("instruction sets agree") {
  std::mt19937 random(1);
  for (const DType dtype :
       {DType::f32, DType::i32, DType::u8, DType::i16, DType::f16, DType::f64, DType::i64}) {
    for (const std::int64_t threads : {64, 48}) {
      const Builder b = mixed(dtype, threads);
      const std::int64_t n = 2 * threads;
      ir::Tensor x = ir::make_tensor(dtype, {n * 4}, true);
      for (std::byte& byte : x.memory->bytes) byte = static_cast<std::byte>(random() & 0xff);
      const ir::Tensor index =
          tensor(DType::i32, {n}, [&](std::int64_t k) { return k * 37 % (n * 4); });
      std::optional<ir::Tensor> first;
      std::uint64_t steps = 0;
      for (const auto isa : {num::LaneIsa::baseline, num::LaneIsa::avx2, num::LaneIsa::avx512}) {
        if (isa > num::best_lane_isa()) continue;
        for (const auto checks : {sim::CheckSet::none(), sim::CheckSet::all()}) {
          const ir::Tensor out = ir::make_tensor(dtype, {n, 8}, true);
          sim::SimOptions options;
          options.isa = isa;
          options.checks = checks;
          const ir::LaunchOutcome outcome = b.simulate({x, index, out}, options);
          REQUIRE(outcome.status == ir::LaunchStatus::ok);
          CHECK(outcome.faults.empty());
          if (!first) first = out;
          CHECK(out.memory->bytes == first->memory->bytes);
          steps = outcome.warp_instructions;
        }
      }
      CHECK(steps > 0);
    }
  }
}

}  // namespace tirx::test
