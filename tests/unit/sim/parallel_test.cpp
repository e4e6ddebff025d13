// The number of host threads changes nothing: not the bytes, not the report.
#include <doctest/doctest.h>

#include "tests/unit/sim/builder.hpp"

namespace tirx::test {

namespace {

struct Run {
  ir::LaunchOutcome outcome;
  ir::Tensor out;
};

Run run(const Builder& b, const ir::Tensor& in, std::int64_t size, int threads) {
  Run r;
  r.out = empty(DType::i32, {size});
  sim::SimOptions options;
  options.threads = threads;
  r.outcome = b.simulate({in, r.out}, options);
  return r;
}

void same_for_all_threads(const Builder& b, std::int64_t size) {
  const ir::Tensor in = tensor(DType::i32, {size}, [](std::int64_t k) { return k * 7 % 1001; });
  const Run one = run(b, in, size, 1);
  for (const int threads : {2, 3, 8}) {
    const Run many = run(b, in, size, threads);
    CHECK(many.out.memory->bytes == one.out.memory->bytes);
    CHECK(many.out.memory->valid == one.out.memory->valid);
    CHECK(many.outcome.output == one.outcome.output);
    CHECK(many.outcome.warp_instructions == one.outcome.warp_instructions);
    REQUIRE(many.outcome.faults.size() == one.outcome.faults.size());
    for (std::size_t i = 0; i < one.outcome.faults.size(); ++i) {
      CHECK(many.outcome.faults[i].text == one.outcome.faults[i].text);
      CHECK(many.outcome.faults[i].count == one.outcome.faults[i].count);
      CHECK(many.outcome.faults[i].first.thread.cta == one.outcome.faults[i].first.thread.cta);
    }
  }
}

}  // namespace

TEST_CASE("semantics: independent CTAs, with faults in some of them") {
  constexpr std::int64_t kN = 64 * 128;
  Builder b(128, 66);  // two CTAs beyond the end
  const Expr i = b.cta() * i32(128) + b.tid();
  const Buffer in = b.param("in", DType::i32, {kN});
  const Buffer out = b.param("out", DType::i32, {kN});
  b.add(Builder::loop(i32(0), i32(20), [&](const Expr& k) {
    return ir::Body{Builder::store(out, {i}, Builder::load(in, {i}) * k)};
  }));
  same_for_all_threads(b, kN);
}

TEST_CASE("semantics: CTAs that write the same words take turns") {
  constexpr std::int64_t kN = 128;
  Builder b(128, 500);
  const Expr t = b.tid(), cta = b.cta();
  const Buffer in = b.param("in", DType::i32, {kN});
  const Buffer out = b.param("out", DType::i32, {kN});
  b.add(Builder::when(eq(cta, i32(0)), {Builder::store(out, {t}, i32(1))}));
  b.add(Builder::store(out, {t}, Builder::load(out, {t}) * i32(3) + cta));
  same_for_all_threads(b, kN);
  static_cast<void>(in);
}

}  // namespace tirx::test
