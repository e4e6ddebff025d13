// Planted faults: the places that are found, and that a fault there is reported by everybody.
#include "fuzz/negative/misbehaviour.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "dsl/run_script.hpp"
#include "lower/lower.hpp"
#include "sim/simulate.hpp"
#include "sim/tile_eval/tile_evaluate.hpp"

namespace tirx::fuzz {

namespace {

// n is 64: an index moved by the extent is past the end for every thread.
constexpr const char* kScript =
    "@T.prim_func\n"
    "def k(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\")):\n"
    "    T.device_entry()\n"
    "    tx = T.thread_id([32])\n"
    "    s = T.alloc_shared((32,), \"int32\")\n"
    "    x: T.int32 = A[tx]\n"
    "    for i in range(2):\n"
    "        s[tx] = x // (i + 3)\n"
    "        if tx < 32:\n"
    "            B[i * 32 + tx] = s[tx]\n";

std::shared_ptr<const ir::Kernel> kernel() {
  return dsl::collect_kernels(std::make_shared<const Source>("k.tx", kScript)).kernels.at(0);
}

std::vector<ir::Argument> arguments() {
  std::vector<ir::Argument> args;
  for (const bool initialised : {true, false})
    args.emplace_back(ir::make_tensor(num::DType::i32, {64}, initialised));
  return args;
}

std::string kinds(const ir::LaunchOutcome& outcome) {
  std::set<std::string> words;
  for (const ir::Fault& fault : outcome.faults) words.emplace(ir::to_string(fault.kind));
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

TEST_CASE("places where a change makes a program go wrong") {
  const auto own = kernel();
  const std::vector<Mutation> found = fault_mutations(*own);
  const auto count = [&](std::string_view kind) {
    return std::count_if(found.begin(), found.end(),
                         [kind](const Mutation& mutation) { return mutation.kind == kind; });
  };
  CHECK(count("store missing") == 3);  // x, s and B
  // A, s and B stored, s loaded; x has no index to move.
  CHECK(count("last element unwritten") == 2);  // s and B
  CHECK(count("index moved past the end") == 4);
  CHECK(count("index one up") == 4);
  CHECK(count("index one down") == 4);
  CHECK(count("one trip more") == 1);
  CHECK(count("guard missing") == 1);
  CHECK(count("divisor of zero") == 1);
}

TEST_CASE("a planted fault is the one that was meant, for the simulator and for the evaluator") {
  const auto own = kernel();
  const auto expected = [](const std::string& kind) -> std::string {
    if (kind == "index moved past the end" || kind == "one trip more") return "bounds";
    // Thread 31 is past the end of s; of A and B only where the whole tensor is used.
    if (kind == "divisor of zero") return "arith";
    return {};
  };
  for (const Mutation& mutation : fault_mutations(*own)) {
    const std::string want = expected(mutation.kind);
    if (want.empty()) continue;
    CAPTURE(mutation.kind);
    const ir::Kernel changed = mutation.apply(*own);
    const Result<lower::LoweredKernel> lowered = lower::lower(changed, ir::default_target());
    REQUIRE(lowered);
    const auto first = arguments(), second = arguments();
    CHECK(kinds(sim::simulate(*lowered, first, {})).find(want) != std::string::npos);
    CHECK(kinds(sim::tile_evaluate(changed, second, {})).find(want) != std::string::npos);
  }
}

TEST_CASE("misuse of an mbarrier: one report for it, by everybody, and none for what follows") {
  const auto kinds_of_both = [](const std::string& body) {
    const std::string text =
        "@T.prim_func\n"
        "def k(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\")):\n"
        "    T.device_entry()\n"
        "    tx = T.thread_id([32])\n"
        "    s = T.alloc_shared((2,), \"uint64\")\n"
        "    unknown = T.alloc_local((1,), \"uint32\")\n"
        "    token: T.uint64 = 0\n"
        "    done: T.bool = False\n"
        "    n: T.uint32 = T.cast(A[0] * 0, \"uint32\")\n" +
        body + "    if done:\n        B[tx] = 1\n";
    const auto kernels = dsl::collect_kernels(std::make_shared<const Source>("k.tx", text)).kernels;
    REQUIRE(kernels.size() == 1);
    const Result<lower::LoweredKernel> lowered = lower::lower(*kernels[0], ir::default_target());
    REQUIRE(lowered);
    const auto first = arguments(), second = arguments();
    const std::string seen = kinds(sim::simulate(*lowered, first, {}));
    CHECK(kinds(sim::tile_evaluate(*kernels[0], second, {})) == seen);
    return seen;
  };
  const std::string make =
      "    if tx == 0:\n"
      "        T.ptx.mbarrier.init.shared.b64(s.ptr_to([0]), 32)\n"
      "    T.cuda.cta_sync()\n";
  const auto test = [](const std::string& operands) {
    return "    T.ptx.mbarrier.test_wait" + operands + "\n";
  };
  // Nobody made it: the state of the arrival is no value, but to wait for it is the same mistake.
  CHECK(kinds_of_both("    T.ptx.mbarrier.arrive.shared.b64(token, s.ptr_to([0]))\n" +
                      test(".shared.b64(done, s.ptr_to([0]), token)")) == "trap");
  CHECK(kinds_of_both(test(".parity.shared.b64(done, s.ptr_to([0]), 0)")) == "trap");
  CHECK(kinds_of_both("    T.cuda.mbarrier_wait(s.ptr_to([0]), unknown[0])\n") == "trap");
  CHECK(kinds_of_both(make + test(".parity.shared.b64(done, s.ptr_to([0]), 0)")) == "");
  CHECK(kinds_of_both(make + test(".parity.shared.b64(done, s.ptr_to([0]), 2)")) == "trap");
  CHECK(kinds_of_both(make + test(".parity.shared.b64(done, s.ptr_to([0]), unknown[0])")) ==
        "uninit");
  CHECK(kinds_of_both("    if tx == 0:\n"
                      "        T.ptx.mbarrier.init.shared.b64(s.ptr_to([1]), n)\n") == "trap");
  CHECK(kinds_of_both("    if tx == 0:\n"
                      "        T.ptx.mbarrier.init.shared.b64(s.ptr_to([1]), unknown[0])\n") ==
        "uninit");
  CHECK(kinds_of_both(
            make + "    T.ptx.mbarrier.arrive.noComplete.shared.b64(token, s.ptr_to([0]), 1)\n") ==
        "trap");
  CHECK(kinds_of_both(make + "    T.ptx.mbarrier.arrive.shared.b64(token, s.ptr_to([0]), n)\n") ==
        "trap");
}

TEST_CASE("simulator and evaluator agree about planted faults of random programs") {
  std::int64_t faults = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Misbehaviour planted = plant_one(seed, {});
    CAPTURE(planted.what);
    CAPTURE(planted.text);
    CHECK(planted.outcome != MisbehaviourOutcome::disagree);
    faults += planted.outcome == MisbehaviourOutcome::faults ? 1 : 0;
  }
  CHECK(faults >= 8);
}

}  // namespace tirx::fuzz
