// The tile-level evaluator may leave a launch unjudged for the listed reasons only.
#include "fuzz/check/unjudged.hpp"

#include <doctest/doctest.h>

#include "fuzz/check/oracle.hpp"

namespace tirx::fuzz {

namespace {

std::string unjudged_script(const std::string& body) {
  return "@T.prim_func\n"
         "def k(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"uint32\")):\n"
         "    T.device_entry()\n"
         "    T.cta_id([1])\n"
         "    tx = T.thread_id([64])\n"
         "    m: T.uint32 = 0\n"
         "    p: T.bool = False\n" +
         body +
         "    B[tx] = m\n"
         "k(tirx.zeros((64,), \"int32\"), tirx.zeros((64,), \"uint32\"))\n";
}

}  // namespace

TEST_CASE("unjudged: an evaluator that gives up elsewhere is a finding") {
  OracleOptions options;
  const std::string loop =
      "    for i in range(100):\n"
      "        m = m + T.uint32(1)\n";
  CHECK_FALSE(check_script(unjudged_script(loop), options).finding.has_value());
  options.max_tile_steps = 50;
  const auto finding = check_script(unjudged_script(loop), options).finding;
  REQUIRE(finding.has_value());
  CHECK(finding->kind == "no opinion");
  CHECK(finding->text == "the tile-level evaluator has no opinion: step limit: 50 statements");
}

TEST_CASE("unjudged: what it does not know by design is counted, and no finding") {
  const OracleReport mask = check_script(unjudged_script("    T.ptx.activemask.b32(m)\n"), {});
  CHECK_FALSE(mask.finding.has_value());
  CHECK(mask.unjudged == 1);
  for (const char* call : {"    T.ptx.bar.red.popc.u32(m, 0, tx < 9)\n",
                           "    T.ptx.vote.sync.ballot.b32(m, tx < 9, T.uint32(0xFFFFFFFF))\n",
                           "    T.ptx.ld.global_.u32(m, B.ptr_to([tx]))\n"}) {
    CAPTURE(call);
    const OracleReport report = check_script(unjudged_script(call), {});
    CHECK_FALSE(report.finding.has_value());
    CHECK(report.unjudged == 0);
  }
  // Not only because such a call is somewhere in the kernel: it must be what stopped it.
  OracleOptions options;
  options.max_tile_steps = 50;
  const auto late = check_script(unjudged_script("    for i in range(100):\n"
                                                 "        m = m + T.uint32(1)\n"
                                                 "    T.ptx.activemask.b32(m)\n"),
                                 options);
  REQUIRE(late.finding.has_value());
  CHECK(late.finding->kind == "no opinion");
}

TEST_CASE("unjudged: arithmetic by name and the groups of cp.async are its to judge") {
  const OracleReport report =
      check_script(unjudged_script("    T.ptx.add.f16x2(m, m, T.uint32(0x3C003C00))\n"
                                   "    T.ptx.cp.async_.commit_group()\n"
                                   "    T.ptx.cp.async_.wait_group(0)\n"),
                   {});
  CHECK_FALSE(report.finding.has_value());
  CHECK(report.unjudged == 0);
}

TEST_CASE("oracle: bar.red reads back as it was, with and without its number of threads") {
  for (const char* call : {"    T.ptx.bar.red.popc.u32(m, 1, tx < 9)\n",
                           "    T.ptx.bar.red.popc.u32(m, 1, 64, tx < 9)\n",
                           "    T.ptx.bar.red.and_.pred(p, 1, 64, tx < 9)\n"}) {
    CAPTURE(call);
    const auto finding = check_script(unjudged_script(call), {}).finding;
    CHECK((finding ? finding->text : "") == "");
  }
}

TEST_CASE("oracle: a crash of the GPU's compiler is told, and no difference; other failures are") {
  std::string says;
  OracleOptions options;
  options.device = [&](const lower::LoweredKernel&, std::span<const ir::Argument>) {
    ir::LaunchOutcome outcome;
    outcome.status = ir::LaunchStatus::incomplete;
    outcome.diagnostics.push_back({{}, says, {}, Severity::error});
    return outcome;
  };
  says = "NVRTC 13.0 ended with signal 11 (Segmentation fault) while it compiled this for sm_90a";
  const OracleReport crashed = check_script(unjudged_script(""), options);
  CHECK_FALSE(crashed.finding.has_value());
  CHECK(crashed.compiler_crash == says);
  says = "NVRTC: error: expected a ';'";
  const OracleReport failed = check_script(unjudged_script(""), options);
  REQUIRE(failed.finding.has_value());
  CHECK(failed.finding->kind == "gpu");
  CHECK(failed.compiler_crash.empty());
}

}  // namespace tirx::fuzz
