// What a line promises of its lowering is held against what became of it.
#include "fuzz/check/promises.hpp"

#include <doctest/doctest.h>

#include "fuzz/check/oracle.hpp"
#include "fuzz/expect/promise.hpp"

namespace tirx::fuzz {

namespace {

/// What is found where a kernel of 32 threads has this line, with `s` a (16, 16) tile.
std::string found(const std::string& line) {
  const std::string text =
      "from tvm.script import tirx as T\n"
      "from tvm.script.tirx import tile as Tx\n"
      "@T.prim_func\n"
      "def k(A: T.Buffer((16, 16), \"float32\"), B: T.Buffer((12, 16), \"float32\")):\n"
      "    T.device_entry()\n"
      "    T.cta_id([1]); T.warp_id([1]); lane = T.lane_id([32]); T.thread_id([32])\n"
      "    s = T.alloc_shared((16, 16), \"float32\")\n"
      "    Tx.cta.fill(s[:, :], 0.0)\n"
      "    " +
      line +
      "\n    T.cuda.cta_sync()\n"
      "k(tirx.zeros((16, 16), \"float32\"), tirx.zeros((12, 16), \"float32\"))\n";
  const auto finding = check_script(text, {}).finding;
  return finding ? finding->kind + ": " + finding->text : "";
}

}  // namespace

TEST_CASE("promises: variant and vector") {
  const std::string copy = "Tx.cta.copy(s[:, :], A[:, :])";
  CHECK(found(copy + promise("gmem_smem", 4)).empty());
  CHECK(found(copy + promise("gmem_smem")).empty());
  CHECK(found(copy + promise("gmem_smem", 2)).find("lowering: lowered as gmem_smem, vec 4") == 0);
  CHECK(found(copy + promise("predicated", 4)).find("lowering: ") == 0);
  CHECK(found("Tx.cta.add(s[:, :], s[:, :], 1.0)" + promise("smem", 4)).empty());
  CHECK(found("Tx.cta.add(s[:, :], s[:, :], 1.0)" + promise("smem", 1)).find("lowering: ") == 0);
}

TEST_CASE("promises: warnings") {
  const std::string over = "Tx.cta.copy(s[:, :], B[0:16, :]",
                    plain = "Tx.cta.copy(s[:, :], A[:, :]";
  CHECK(found(over + ", clip=True)" + promise("predicated", 4)).empty());
  CHECK(found(plain + ")" + promise("gmem_smem") + std::string(kWarns)).find("without a warning") !=
        std::string::npos);
  CHECK(found(plain + ", dispatch=\"fallback\")").empty());
  CHECK(found(plain + ", dispatch=\"fallback\")" + promise("fallback")).find("with a warning") !=
        std::string::npos);
}

TEST_CASE("promises: bank conflicts") {
  const std::string kept(kNoConflicts);
  CHECK(found("s[lane // 16, lane % 16] = 1.0" + promise("store") + kept).empty());
  CHECK(found("s[lane % 16, lane // 16] = 1.0" + promise("store") + kept)
            .find("passes over the banks") != std::string::npos);
}

TEST_CASE("promises: the widest vector that divides") {
  CHECK(widest_vector(32, 8, 8) == 4);
  CHECK(widest_vector(32, 8, 2) == 2);
  CHECK(widest_vector(8, 24, 48) == 8);
  CHECK(widest_vector(64, 7, 2) == 1);
}

}  // namespace tirx::fuzz
