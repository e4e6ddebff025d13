// A launch says how far it is, and ends where it is told to.
#include <doctest/doctest.h>

#include "tests/unit/sim/builder.hpp"

namespace tirx::test {

namespace {

/// 4096 CTAs of four warps, each with a loop.
Builder many_ctas() {
  Builder b(128, 4096);
  const Expr i = b.cta() * i32(128) + b.tid();
  const Buffer out = b.param("out", DType::i32, {std::int64_t{4096} * 128});
  b.add(Builder::loop(i32(0), i32(20),
                      [&](const Expr& k) { return ir::Body{Builder::store(out, {i}, k)}; }));
  return b;
}

}  // namespace

TEST_CASE("semantics: a launch that is watched tells of more and more CTAs") {
  for (const int threads : {1, 2}) {
    CAPTURE(threads);
    const Builder b = many_ctas();
    std::int64_t calls = 0, last = 0;
    bool ordered = true;
    sim::SimOptions options;
    options.threads = threads;
    options.watch = [&](const sim::Progress& progress) {
      ++calls;
      ordered = ordered && progress.ended >= last && progress.ctas == 4096;
      last = progress.ended;
      return true;
    };
    const ir::Tensor out = empty(DType::i32, {std::int64_t{4096} * 128});
    const ir::LaunchOutcome outcome = b.simulate({out}, options);
    CHECK(outcome.status == ir::LaunchStatus::ok);
    CHECK(outcome.diagnostics.empty());
    if (threads == 1) CHECK(calls > 3);
    CHECK(ordered);
    CHECK(last <= 4096);
  }
}

TEST_CASE("semantics: a launch that is told to end is incomplete, and says how far it came") {
  for (const int threads : {1, 2}) {
    CAPTURE(threads);
    const Builder b = many_ctas();
    sim::SimOptions options;
    options.threads = threads;
    options.watch = [](const sim::Progress&) { return false; };
    const ir::Tensor out = empty(DType::i32, {std::int64_t{4096} * 128});
    const ir::LaunchOutcome outcome = b.simulate({out}, options);
    CHECK(outcome.status == ir::LaunchStatus::incomplete);
    CHECK(outcome.faults.empty());
    REQUIRE(outcome.diagnostics.size() == 1);
    const std::string& text = outcome.diagnostics[0].text;
    CHECK(text.starts_with("time limit: "));
    CHECK(text.find(" of 4096 CTAs had ended after ") != std::string::npos);
    CHECK(text.find(" 4096 of 4096") == std::string::npos);
  }
}

TEST_CASE("semantics: a CTA that does not end is watched on whichever host thread it runs") {
  Builder b(128, 1024);
  const Buffer out = b.param("out", DType::i32, {1024});
  b.add(Builder::loop(i32(0), i32(1) + cast(eq(b.cta(), i32(1023)), DType::i32) * i32(500'000'000),
                      [&](const Expr& k) { return ir::Body{Builder::store(out, {b.cta()}, k)}; }));
  sim::SimOptions options;
  options.threads = 2;
  options.checks = sim::CheckSet::none();
  std::int64_t calls = 0;
  options.watch = [&](const sim::Progress& progress) {
    // Long after all others have ended.
    calls += progress.ended >= 1023 ? 1 : 0;
    return calls < 20;
  };
  const ir::Tensor tensor = empty(DType::i32, {1024});
  const ir::LaunchOutcome outcome = b.simulate({tensor}, options);
  CHECK(outcome.status == ir::LaunchStatus::incomplete);
  REQUIRE(outcome.diagnostics.size() == 1);
  CHECK(outcome.diagnostics[0].text.starts_with("time limit: "));
  CHECK(outcome.warp_instructions < 500'000'000);
}

TEST_CASE("semantics: one CTA that does not end is watched, too") {
  Builder b(32, 1);
  const Buffer out = b.param("out", DType::i32, {32});
  b.add(Builder::loop(i32(0), i32(100'000'000),
                      [&](const Expr& k) { return ir::Body{Builder::store(out, {b.tid()}, k)}; }));
  std::int64_t calls = 0;
  sim::SimOptions options;
  options.watch = [&](const sim::Progress& progress) {
    ++calls;
    return progress.steps < 10'000'000;
  };
  const ir::Tensor tensor = empty(DType::i32, {32});
  const ir::LaunchOutcome outcome = b.simulate({tensor}, options);
  CHECK(outcome.status == ir::LaunchStatus::incomplete);
  CHECK(calls == 3);
  CHECK(outcome.warp_instructions == 3 * (std::uint64_t{1} << 22));
}

}  // namespace tirx::test
