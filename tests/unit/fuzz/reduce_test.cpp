// Generated programs are valid and repeatable; the reducer keeps what the predicate asks for.
#include "fuzz/reduce/reduce.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "fuzz/check/oracle.hpp"
#include "fuzz/generate/program.hpp"

namespace tirx::fuzz {

TEST_CASE("reduce: what does not matter goes, with headers, parameters and numbers") {
  const std::string text =
      "def f(a, b):\n"
      "    for i in range(100):\n"
      "        if a > i:\n"
      "            keep(a + 7)\n"
      "            other(b)\n"
      "f(1, 2)\n";
  const auto keeps = [](const std::string& script) {
    return script.find("keep(") != std::string::npos && script.find("f(") != std::string::npos;
  };
  const std::string reduced = reduce(text, keeps);
  CHECK(keeps(reduced));
  CHECK(std::count(reduced.begin(), reduced.end(), '\n') == 2);
  for (const char* gone : {"other", "if", "for", "100", "7", "1, 2"}) {
    CHECK(reduced.find(gone) == std::string::npos);
  }
}

TEST_CASE("reduce: a predicate that nothing shorter satisfies leaves the script") {
  const std::string text = "a = 1\n";
  CHECK(reduce(text, [&](const std::string& script) { return script == text; }) == text);
}

TEST_CASE("generate: the same seed gives the same program") {
  CHECK(generate(5).text == generate(5).text);
  CHECK(generate(5).text != generate(6).text);
}

TEST_CASE("oracle: a refusal, a fault and a dependence on the schedule are findings") {
  const std::string head =
      "@T.prim_func\n"
      "def k(B: T.Buffer((64,), \"int32\")):\n"
      "    T.device_entry()\n"
      "    T.cta_id([1])\n"
      "    tx = T.thread_id([64])\n";
  const std::string tail = "k(tirx.zeros((64,), \"int32\"))\n";
  OracleOptions options;
  CHECK_FALSE(check_script(head + "    B[tx] = tx\n" + tail, options).finding.has_value());
  const auto refused = check_script(head + "    B[tx] = tx / 2\n" + tail, options).finding;
  REQUIRE(refused.has_value());
  CHECK(refused->kind == "refused");
  const auto fault = check_script(head + "    B[tx + 1] = tx\n" + tail, options).finding;
  REQUIRE(fault.has_value());
  CHECK(fault->kind == "fault bounds");
  options.sim.checks = sim::CheckSet::mem();
  const auto depends = check_script(head + "    B[tx % 32] = tx\n" + tail, options).finding;
  REQUIRE(depends.has_value());
  CHECK((depends->kind == "tile" || depends->kind == "reverse"));
}

}  // namespace tirx::fuzz
