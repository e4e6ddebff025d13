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

TEST_CASE("semantics: neighbouring CTAs that share a line, some of which race") {
  // One word a CTA, as a reduction leaves it: eight share a line, and a host thread runs them all.
  constexpr std::int64_t kN = 1024;
  for (const bool racy : {false, true}) {
    CAPTURE(racy);
    Builder b(128, kN);
    const Expr t = b.tid(), cta = b.cta();
    const Buffer in = b.param("in", DType::i32, {kN});
    const Buffer out = b.param("out", DType::i32, {kN});
    // CTAs 102 and 103 write word 103.
    const Expr to = racy ? cta + cast(eq(cta, i32(102)), DType::i32) : cta;
    b.add(Builder::when(eq(t, i32(0)), {Builder::store(out, {to}, Builder::load(in, {cta}))}));
    same_for_all_threads(b, kN);
    const ir::Tensor values = tensor(DType::i32, {kN}, [](std::int64_t k) { return k; });
    sim::SimOptions options;
    options.threads = 2;
    const ir::LaunchOutcome outcome = b.simulate({values, empty(DType::i32, {kN})}, options);
    CHECK(outcome.faults.size() == (racy ? 1 : 0));
  }
}

TEST_CASE("semantics: what a CTA leaves poisoned, its neighbour on the same host thread reads") {
  // CTA 77 stores what was never written; CTA 78 reads it: its origin is named as in turns.
  constexpr std::int64_t kN = 1024;
  Builder b(128, kN);
  const Expr t = b.tid(), cta = b.cta();
  const Buffer in = b.param("in", DType::i32, {kN});
  const Buffer out = b.param("out", DType::i32, {kN});
  b.add(Builder::when(eq(t, i32(0)), {Builder::store(out, {cta}, Builder::load(out, {cta}))}));
  b.add(Builder::when(eq(cta, i32(78)),
                      {Builder::store(out, {i32(1000)}, Builder::load(out, {i32(77)}))}));
  same_for_all_threads(b, kN);
  static_cast<void>(in);
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
