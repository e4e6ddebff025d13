// Is the table of rows sound: unique keys, sums that fit the accumulators, documented as it stands?
#include <fstream>
#include <set>
#include <sstream>

#include <doctest/doctest.h>

#include "numerics/mma/rows.hpp"

namespace tirx::num {

TEST_CASE("matrix rows: no two rows have one key") {
  std::set<std::string> keys;
  for (const MmaRow& row : mma_rows()) {
    for (const int k : row.shape.k) {
      if (k != 0) CHECK(keys.insert(describe(row) + " k" + std::to_string(k)).second);
    }
  }
}

TEST_CASE("matrix rows: every row is well formed") {
  for (const MmaRow& row : mma_rows()) {
    CAPTURE(describe(row));
    CHECK(row.shape.k[0] > 0);
    CHECK((row.shape.k[1] == 0 || row.shape.k[1] > row.shape.k[0]));
    CHECK(row.rule.group > 0);
    CHECK(row.rule.group <= 64);
    CHECK((row.rule.out == dot::Out::f16_rne) == (row.c == DType::f16));
    CHECK(!row.on.empty());
    CHECK(container_bytes(row.a) == container_bytes(row.b));
    CHECK((row.scaling.block != 0) == (row.arithmetic == MmaArithmetic::block_scaled));
    // Only sm_90 is witnessed so far.
    if (row.evidence == Evidence::witnessed) CHECK(row.arch == 90);
    CHECK(find_mma_row(row.arch, row.family, row.a, row.b, row.c, row.shape.k[0], row.saturate,
                       row.scaling.block) == &row);
  }
}

TEST_CASE("matrix rows: look-up") {
  const MmaRow* wg = find_mma_row(90, MmaFamily::wgmma, DType::e4m3, DType::e5m2, DType::f32, 32);
  REQUIRE(wg != nullptr);
  CHECK(wg->rule.fraction == 13);
  CHECK(wg->rule.out == dot::Out::e8m13_rz);
  CHECK(describe(*wg) == "sm_90 wgmma e4m3 x e5m2 -> f32");
  CHECK(find_mma_row(90, MmaFamily::wgmma, DType::e4m3, DType::e5m2, DType::f32, 16) == nullptr);
  CHECK(find_mma_row(80, MmaFamily::mma_sync, DType::e4m3, DType::e4m3, DType::f32) == nullptr);
  const MmaRow* emulated =
      find_mma_row(100, MmaFamily::mma_sync, DType::e5m2, DType::e5m2, DType::f16, 16);
  REQUIRE(emulated != nullptr);
  CHECK(emulated->arithmetic == MmaArithmetic::f16_emulation);
  const MmaRow* nv =
      find_mma_row(120, MmaFamily::mma_sync, DType::e2m1, DType::e2m1, DType::f32, 64, false, 16);
  REQUIRE(nv != nullptr);
  CHECK(describe(*nv) == "sm_120 mma.sync e2m1 x e2m1 -> f32 ue4m3/16");
}

TEST_CASE("matrix rows: docs/numerics_mma.md holds the table") {
  std::ifstream file(std::string(TIRX_SOURCE_DIR) + "/docs/numerics_mma.md");
  REQUIRE(file.good());
  std::stringstream text;
  text << file.rdbuf();
  const bool found = text.str().find(mma_rows_markdown()) != std::string::npos;
  if (!found) MESSAGE("the table should read:\n" << mma_rows_markdown());
  CHECK(found);
}

}  // namespace tirx::num
