// Every planted fault that breaks a static rule is refused for it: the same kernel with the right
// lines runs clean.
#include "fuzz/check/refused.hpp"

#include <set>

#include <doctest/doctest.h>

#include "dsl/run_script.hpp"
#include "fuzz/check/arguments.hpp"
#include "fuzz/check/expected.hpp"
#include "fuzz/expect/expectation.hpp"
#include "fuzz/generate/planted.hpp"
#include "fuzz/generate/program.hpp"
#include "lower/lower.hpp"
#include "tests/unit/sanitized.hpp"

namespace tirx::fuzz {

namespace {

bool is_refused(std::size_t fault) {
  return expects_refusal(expectations_of(planted_fault(fault).wrong));
}

std::string kind_of(const std::string& text) {
  const auto finding = check_expected(text, {}).finding;
  return finding ? finding->kind : "";
}

}  // namespace

TEST_CASE("refused: each planted fault is refused, and its right twin runs without a finding") {
  OracleOptions options;
  options.all_opinions = false;
  options.alternative = false;
  for (std::size_t fault = 0; fault < planted_faults(); ++fault) {
    if (!is_refused(fault)) continue;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      if (testing::kSanitized && (fault + seed) % 3 != 0) continue;
      CAPTURE(planted_fault(fault).name);
      CAPTURE(seed);
      const bool bare = seed != 1;
      const std::string wrong = generate(seed, {.planted = Planting{fault, true, bare}}).text;
      const std::string right = generate(seed, {.planted = Planting{fault, false, bare}}).text;
      CHECK(wrong.find('$') == std::string::npos);
      const auto accepted = check_expected(wrong, options).finding;
      CHECK((accepted ? accepted->text : "") == "");
      const auto finding = check_expected(right, options).finding;
      CHECK((finding ? finding->text : "") == "");
    }
  }
}

TEST_CASE("refused: a kernel that nothing is wrong with is a finding there") {
  const std::string text = generate(9, {.planted = Planting{0, false, true}}).text;
  const auto finding = check_refused(text, {});
  REQUIRE(finding.has_value());
  CHECK(finding->kind == "accepted");
  CHECK(kind_of(text + "#! refused dtypes differ\n") == "accepted");
}

TEST_CASE("refused: for another reason, or at another line, is a finding") {
  const std::string head = "@T.prim_func\ndef k(B: T.Buffer((64,), \"int32\")):\n    B[0] = by";
  CHECK(kind_of(head + "  #! refused name 'by' is not defined\n") == "");
  CHECK(kind_of(head + "\n#! refused name 'by' is not defined\n") == "");
  CHECK(kind_of(head + "  #! refused two of them\n") == "hidden");
  CHECK(kind_of(head + "\n    B[1] = 1  #! refused name 'by' is not defined\n") == "hidden");
  CHECK(kind_of(head + "\n#! refused\n") == "expectation");
}

TEST_CASE("refused: a fault that only a run shows is not a refusal") {
  const std::string text =
      "@T.prim_func\n"
      "def k(B: T.Buffer((64,), \"int32\")):\n"
      "    T.device_entry()\n"
      "    T.cta_id([1])\n"
      "    tx = T.thread_id([64])\n"
      "    B[tx + 1] = tx\n"
      "k(tirx.zeros((64,), \"int32\"))\n";
  const auto finding = check_refused(text, {});
  REQUIRE(finding.has_value());
  CHECK(finding->text.find("fault bounds") != std::string::npos);
}

TEST_CASE("refused: a launch's arguments, changed in one place each") {
  const dsl::ScriptResult script = dsl::collect_kernels(std::make_shared<const Source>(
      "k.tx",
      "@T.prim_func\n"
      "def k(A_ptr: T.handle, B: T.Buffer((2, 32), \"int32\"), a: T.float32):\n"
      "    n = T.int32()\n"
      "    A = T.match_buffer(A_ptr, (n,), \"float32\")\n"
      "    T.device_entry()\n"
      "    T.cta_id([n])\n"
      "    tx = T.thread_id([32])\n"
      "    B[0, tx] = T.cast(A[0] * a, \"int32\")\n"));
  REQUIRE(script.kernels.size() == 1);
  const auto kernel = lower::lower(*script.kernels[0], ir::default_target());
  REQUIRE(kernel.ok());
  const auto wrong = [&](std::int64_t n, std::vector<std::int64_t> shape) {
    const std::vector<ir::Argument> arguments = {
        ir::make_tensor(num::DType::f32, {n}, true),
        ir::make_tensor(num::DType::i32, std::move(shape), true),
        ir::ScalarValue{num::DType::f32, 0x3f800000}};
    return wrong_binding(*kernel, arguments).value_or("");
  };
  CHECK(wrong(3, {2, 32}) == "");
  CHECK(wrong(0, {2, 32}).find("grid dimension 0 is 0") != std::string::npos);
  CHECK(wrong(3, {2, 31}).find("parameter B has shape (2, 32)") != std::string::npos);
}

TEST_CASE("planted: the faults have names of their own, and every one is drawn") {
  std::set<std::string_view> names;
  std::set<std::size_t> drawn;
  int some = 0;
  for (std::size_t fault = 0; fault < planted_faults(); ++fault)
    names.insert(planted_fault(fault).name);
  for (std::uint64_t seed = 0; seed < planted_faults(); ++seed) {
    const auto refused = refused_planting_of(seed, 100), reported = reported_planting_of(seed, 100);
    REQUIRE((refused.has_value() && reported.has_value()));
    CHECK(is_refused(refused->fault));
    CHECK_FALSE(is_refused(reported->fault));
    drawn.insert({refused->fault, reported->fault});
  }
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) some += refused_planting_of(seed, 20) ? 1 : 0;
  CHECK(names.size() == planted_faults());
  CHECK(drawn.size() == planted_faults());
  CHECK(some == 400);
  CHECK_FALSE(refused_planting_of(1, 0).has_value());
}

TEST_CASE("refused: the first 1,500 seeds of a run meet every planted fault") {
  std::set<std::size_t> met;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    if (const auto planted = refused_planting_of(seed, 30)) met.insert(planted->fault);
    if (const auto planted = reported_planting_of(seed, 40)) met.insert(planted->fault);
  }
  CHECK(met.size() == planted_faults());
}

}  // namespace tirx::fuzz
