// The barriers that tile ops imply: shared elementwise ops and reductions end with one, copies have
// none; at warpgroup scope each warpgroup has an id of its own.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/unit/tile/support.hpp"

namespace tirx::testing {

namespace {

TileRun with_body(const std::string& body) {
  return run_tiles(std::string(kTileImports) + R"(
@T.prim_func
def k(B: T.Buffer((2, 128), "float32")):
    T.device_entry()
    T.cta_id([1]); wg = T.warpgroup_id([2]); warp = T.warp_id([8]); lane = T.lane_id([32])
    t = T.thread_id([256])
    s = T.alloc_buffer((2, 128), "float32", scope="shared")
)" + body + R"(
B = tirx.zeros((2, 128), "float32")
k(B)
)");
}

}  // namespace

TEST_CASE("shared elementwise ops end with the barrier of their scope") {
  const auto ir_of = [](const char* call) {
    const TileRun run = with_body(std::string("    ") + call);
    CHECK_MESSAGE(run.errors.empty(), run.errors);
    return run.thread_ir;
  };
  CHECK(ir_of("Tx.cta.zero(s)").find("T.cuda.cta_sync()") != std::string::npos);
  CHECK(ir_of("if warp == 0:\n        Tx.warp.zero(s[0, 0:64])").find("T.cuda.warp_sync()") !=
        std::string::npos);
  CHECK(ir_of("Tx.wg.zero(s[wg, :])").find("T.ptx.bar.sync(") != std::string::npos);
  const std::string alone = ir_of("if t == 0:\n        Tx.zero(s)");
  CHECK(alone.find("sync") == std::string::npos);
  CHECK(ir_of("Tx.cta.copy(B, s)").find("sync") == std::string::npos);
}

TEST_CASE("two warpgroups in concurrent ops never meet at one barrier") {
  // With one id for both (TIRx's rule), four warps of any warpgroup would complete the barrier.
  const TileRun run = with_body(R"(
    if wg == 0:
        Tx.wg.fill(s[0, :], 1.0)
        Tx.wg.add(s[0, :], s[0, :], 2.0)
        Tx.wg.mul(s[0, :], s[0, :], 4.0)
    else:
        Tx.wg.fill(s[1, :], 7.0)
    T.cuda.cta_sync()
    Tx.cta.copy(B, s)
)");
  CHECK_MESSAGE(run.errors.empty(), run.errors);
  REQUIRE(run.faults.empty());
  for (std::int64_t i = 0; i < 128; ++i) {
    CHECK(element(run.tensors[0], i) == 0x41400000U);        // 12
    CHECK(element(run.tensors[0], 128 + i) == 0x40e00000U);  // 7
  }
  CHECK(run.thread_ir.find("T.ptx.bar.sync(t // 128 + 8, 128)") != std::string::npos);
  CHECK(run.thread_ir.find("T.ptx.bar.sync(8, 128)") == std::string::npos);
}

}  // namespace tirx::testing
