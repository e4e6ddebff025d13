// What random programs use is read off the lowered kernels, and compared with what there is.
#include "fuzz/campaign/coverage.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "fuzz/check/features.hpp"
#include "fuzz/check/oracle.hpp"
#include "fuzz/generate/dice.hpp"

namespace tirx::fuzz {

TEST_CASE("coverage: what is expected comes from the tables of operations and variants") {
  const std::vector<std::string> expected = expected_features();
  const auto has = [&](const char* name) {
    return std::find(expected.begin(), expected.end(), name) != expected.end();
  };
  for (const char* there :
       {"op add", "op lg2_approx", "instruction ptx.mma", "instruction cuda.cta_sync",
        "variant gemm/mma.m16n8k4", "variant sum/local", "variant copy/ldstmatrix"}) {
    CAPTURE(there);
    CHECK(has(there));
  }
  for (const char* not_there :
       {"instruction cuda.clock", "instruction cuda.trap", "variant copy/vec_256b"}) {
    CAPTURE(not_there);
    CHECK_FALSE(has(not_there));
  }
}

TEST_CASE("coverage: the features of a script are those of its lowered kernel") {
  const std::string script =
      "@T.prim_func\n"
      "def k(A: T.Buffer((32, 8), \"int32\"), B: T.Buffer((32, 8), \"int32\")):\n"
      "    T.device_entry()\n"
      "    T.cta_id([1])\n"
      "    tx = T.thread_id([32])\n"
      "    s = T.alloc_shared((32, 8), \"int32\")\n"
      "    Tx.cta.copy(s[:, :], A[:, :])\n"
      "    T.cuda.cta_sync()\n"
      "    B[tx, 0] = T.popc(s[31 - tx, 0])\n"
      "k(tirx.zeros((32, 8), \"int32\"), tirx.zeros((32, 8), \"int32\"))\n";
  const OracleReport report = check_script(script, {});
  CHECK_FALSE(report.finding.has_value());
  for (const char* used : {"variant copy/gmem_smem", "instruction cuda.cta_sync", "op popc"})
    CHECK(report.features.contains(used));
  CHECK_FALSE(report.features.contains("op brev"));
}

TEST_CASE("coverage: programs are counted, rare features first, absent ones with 0") {
  CampaignOptions options;
  options.seed = 7;
  options.count = 60;
  const Coverage coverage = measure_coverage(options);
  CHECK(coverage.programs == 60);
  CHECK(coverage.refused == 0);
  // Barriers in at least 30 % of the programs.
  CHECK(coverage.with_barriers >= 18);
  CHECK(coverage.expected.size() == expected_features().size());
  CHECK(std::is_sorted(coverage.expected.begin(), coverage.expected.end()));
  const auto none = rarest_first({});
  CHECK(none.front().first == 0);
  CHECK(none.back().first == 0);
}

TEST_CASE("dice: the streams of neighbouring seeds do not overlap") {
  Dice one(1), two(2);
  std::vector<std::uint64_t> a, b;
  for (int i = 0; i < 200; ++i) {
    a.push_back(one.word());
    b.push_back(two.word());
  }
  for (const std::uint64_t word : a) CHECK(std::find(b.begin(), b.end(), word) == b.end());
}

}  // namespace tirx::fuzz
