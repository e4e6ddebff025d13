// Layouts as values of the script.  The algebra itself is tested in tests/unit/ir.
#include <doctest/doctest.h>

#include "eval_support.hpp"

namespace tirx::dsl::test {
namespace {

std::string layout(const std::string& expression) {
  const std::string out = printed(
      "from tvm.tirx.layout import S, R, TileLayout, ComposeLayout, laneid, warpid, m\n"
      "from tvm.tirx.cuda.tile_primitive.tma_utils import mma_shared_layout, SwizzleMode\n"
      "print(" +
      expression + ")");
  return out.empty() || out.back() != '\n' ? out : out.substr(0, out.size() - 1);
}

TEST_CASE("layouts print as they are written") {
  CHECK(layout("S[8, 4]") == "S[(8, 4):(4, 1)]");
  CHECK(layout("S[32 : 1 @ laneid] + R[4 : 1 @ warpid] + 2 @ warpid + 64") ==
        "S[32:1@laneid] + R[4:1@warpid] + 64 + 2@warpid");
  CHECK(layout("S[(8, 4) : (4 @ laneid, 1)]") == "S[(8, 4):(4@laneid, 1)]");
  CHECK(layout("S[(8, 4) : ((4, 'laneid'), 'laneid')]") == "S[(8, 4):(4@laneid, 1@laneid)]");
  CHECK(layout("ComposeLayout(3, 3, 3, TileLayout(S[512]))") == "ComposeLayout(3, 3, 3, S[512:1])");
  CHECK(layout("4 @ laneid, laneid") == "4@laneid laneid");
}

TEST_CASE("methods") {
  CHECK(layout("S[(8, 4):(4 @ laneid, 1)].apply(5, 2, shape=(8, 4))") == "{'laneid': 20, 'm': 2}");
  CHECK(layout("S[8, 4].apply(9)") == "{'m': 9}");
  CHECK(layout("S[(8, 4):(4 @ laneid, 1)].size(laneid), S[(8, 4):(8, 1)].span()") == "8 60");
  CHECK(layout("S[(2, 3, 6):(18, 6, 1)].canonicalize()") == "S[36:1]");
  CHECK(layout("S[(8, 8):(8, 1)].slice((64,), [(5, 8)])") == "S[3:1] + 5");
  CHECK(layout("S[8:1].tile(S[8:1], (8,), (8,))") == "S[64:1]");
  CHECK(layout("S[16:1].group((4, 4))") == "(S[(4, 4):(4, 1)], [0, 1, 2])");
  CHECK(layout("S[4, 8].permute_dims(1, 0)") == "S[(8, 4):(1, 8)]");
  CHECK(layout("S[(32, 4):(1 @ laneid, 1)].storage()") == "S[4:1]");
  CHECK(layout("S[8, 8].pack(2), S[8, 4].unpack(2)") == "S[(8, 4):(4, 1)] S[(8, 4, 2):(8, 2, 1)]");
  CHECK(layout("S[8, 4] == S[8, 4], S[8, 4] == S[4, 8]") == "True False");
  CHECK(layout("mma_shared_layout('float16', SwizzleMode.SWIZZLE_128B_ATOM, (64, 256))") ==
        "ComposeLayout(3, 3, 3, S[(64, 4, 64):(64, 4096, 1)])");
}

TEST_CASE("errors") {
  CHECK(layout("S[8, 0]") == "3:7: extents must be positive, not 0");
  CHECK(layout("S[(8, 4):(4,)]") == "3:9: 2 extents but 1 strides");
  CHECK(layout("S[8, 4] + S[4]") == "3:7: only replicas (R[…]) and offsets are added to a layout");
  CHECK(layout("4 @ 5") == "3:7: '@' needs an axis on its right: `4 @ laneid`");
  CHECK(layout("S[6].group((4,))").find("can not be grouped") != std::string::npos);
  CHECK(layout("S[8].siz()") == "3:12: layout has no attribute 'siz' (did you mean 'size'?)");
}

TEST_CASE("apply with coordinates of the kernel") {
  CHECK(built("I[t] = S[(4, 8):(1, 4)].apply(t, 3, shape=(4, 8))[\"m\"]") == "I[t] = t + 12\n");
  CHECK(built("I[t] = S[(4, 2, 4):(8, 100, 1)].apply(3, t, shape=(4, 8))[\"m\"]") ==
        "I[t] = 24 + t % 4 + t // 4 * 100\n");
  CHECK(built("I[t] = ComposeLayout(0, 3, 3, TileLayout(S[64])).apply(t)[\"m\"]") ==
        "I[t] = t ^ (t & 56) >> 3\n");
}

}  // namespace
}  // namespace tirx::dsl::test
