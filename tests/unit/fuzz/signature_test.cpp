// A reduction keeps the kind of what it reduces: the opinion, the kind of fault, the kind of
// statement, the type that differs.
#include <algorithm>
#include <sstream>

#include <doctest/doctest.h>

#include "fuzz/campaign/campaign.hpp"
#include "fuzz/check/oracle.hpp"

namespace tirx::fuzz {

namespace {

std::string script(const std::string& body, const std::string& type = "int32") {
  return "@T.prim_func\n"
         "def k(B: T.Buffer((64,), \"" +
         type +
         "\")):\n"
         "    T.device_entry()\n"
         "    T.cta_id([1])\n"
         "    tx = T.thread_id([64])\n" +
         body + "k(tirx.zeros((64,), \"" + type + "\"))\n";
}

std::string signature_of(const std::string& body) {
  const OracleReport report = check_script(script(body), {});
  REQUIRE(report.finding.has_value());
  return signature(*report.finding);
}

}  // namespace

TEST_CASE("signature: a fault by its kind and the statement it is at") {
  CHECK(signature_of("    B[tx + 1] = tx\n") == "fault bounds: store");
  CHECK(signature_of("    x: T.let = B[tx + 64]\n    B[tx] = x\n") == "fault bounds: assignment");
  CHECK(signature_of("    if B[tx + 1] > 0:\n        B[tx] = 1\n") == "fault bounds: if");
  CHECK(signature_of("    T.cuda.atomic_add(B.ptr_to([tx + 1]), 1)\n") ==
        "fault bounds: T.cuda.atomic_add");
  CHECK(signature_of("    B[0] = tx\n") == "fault race: store (write), store (write)");
}

TEST_CASE("signature: a difference by who differs, in which type, and how") {
  OracleOptions options;
  options.sim.checks = sim::CheckSet::mem();
  const auto of = [&](const std::string& text) {
    const OracleReport report = check_script(text, options);
    REQUIRE(report.finding.has_value());
    return signature(*report.finding);
  };
  const std::string raced = of(script("    B[tx % 32] = tx\n"));
  CHECK(raced.ends_with(": int32, values"));
  CHECK(of(script("    B[tx % 32] = T.cast(tx, \"float32\")\n", "float32"))
            .ends_with(": float32, values"));
}

TEST_CASE("signature: a refused variant by its reason, whatever the widths and numbers") {
  const auto of = [](const std::string& reason) {
    return signature(
        {"refused",
         "dispatch failed: op=gemm\n  Variant | Error\n  ------+-----\n  m16  | " + reason,
         {}});
  };
  CHECK(of("SFB has 8 columns") == of("SFB   has 16 columns"));
  CHECK(of("SFB has 8 columns") != of("SFB has 8 rows"));
  CHECK(signature({"accepted", "it is not refused; it ran", {}}) ==
        signature({"accepted", "it is not refused; fault race", {}}));
}

TEST_CASE("reduce_script: of two faults the first stays, and what it does not need goes") {
  const std::string text = script(
      "    y: T.int32 = tx * 3\n"
      "    for i in range(4):\n"
      "        y = y + i\n"
      "    if tx < 40:\n"
      "        B[tx + 30] = y\n"
      "    T.cuda.cta_sync()\n"
      "    B[0] = tx\n");
  CampaignOptions options;
  options.reduce_seconds = 20;
  std::ostringstream log;
  const Found found = reduce_script("script.tx", text, options, log);
  CHECK(signature(found.finding) == "fault bounds: store");
  REQUIRE_FALSE(found.reduced.empty());
  CHECK(std::count(found.reduced.begin(), found.reduced.end(), '\n') < 10);
  const OracleReport again = check_script(found.reduced, {});
  REQUIRE(again.finding.has_value());
  CHECK(signature(*again.finding) == "fault bounds: store");
  CHECK(reduce_script("script.tx", script("    B[tx] = tx\n"), options, log).finding.kind.empty());
}

TEST_CASE("reduce_script: a race stays between what it was between") {
  const std::string text = script(
      "    s = T.alloc_buffer((64,), \"int32\", scope=\"shared\")\n"
      "    s[tx] = tx * 3\n"
      "    B[tx] = s[63 - tx] + 1\n");
  CampaignOptions options;
  options.reduce_seconds = 20;
  std::ostringstream log;
  const Found found = reduce_script("script.tx", text, options, log);
  const OracleReport again = check_script(found.reduced, {});
  REQUIRE(again.finding.has_value());
  CHECK(again.finding->trait == "store (write), store (read)");
}

TEST_CASE("reduce_script: a script of somebody's may save, and fail an assertion of its own") {
  const std::string text = script("    B[tx] = tx\n");
  const std::string saves = "tirx.zeros((4,), \"int32\").save(\"b.npy\")\n";
  CampaignOptions options;
  options.reduce_seconds = 20;
  std::ostringstream log;
  CHECK(reduce_script("script.tx", text + saves, options, log).finding.kind.empty());
  const std::string fails = text + "assert 1 == 2\n";
  const Found found = reduce_script("script.tx", fails, options, log);
  CHECK(found.finding.kind == "assertion");
  // Nearly every shorter script fails it, too.
  CHECK(found.reduced.empty());
}

}  // namespace tirx::fuzz
