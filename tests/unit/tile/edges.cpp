// copy / predicated and permute_layout, from text: ragged tiles in every combination of scopes and
// storages against the definition.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "lower/permute/permute.hpp"
#include "tests/unit/tile/support.hpp"

namespace tirx::testing {

namespace {

std::string copy_tiles(std::int64_t m,
                       std::int64_t n,
                       const std::string& dtype,
                       const std::string& scope,
                       const std::string& load,
                       const std::string& store,
                       const std::string& buffer) {
  // Tiles of 16 x 32, one a CTA; scope "cta." has 96 threads, "warp." 32, "" 1.
  const std::string ids = scope == "cta." ? "T.warp_id([3]); t = T.thread_id([96])"
                          : scope == "warp."
                              ? "T.warp_id([1]); T.lane_id([32]); t = T.thread_id([32])"
                              : "t = T.thread_id([1])";
  return std::string(kTileImports) + fmt::format(R"(
M, N = {}, {}
@T.prim_func
def k(A: T.Buffer((M, N), "{}"), B: T.Buffer((M, N), "{}"), D: T.Buffer(((M + 15) // 16 * 16, (N + 31) // 32 * 32), "{}")):
    T.device_entry()
    bx, by = T.cta_id([(N + 31) // 32, (M + 15) // 16]); {}
    s = T.alloc_buffer((16, 32), "{}", {})
    {}
    Tx.{}copy(s[:, :], A[by * 16 : by * 16 + 16, bx * 32 : bx * 32 + 32]{})
    T.cuda.cta_sync()
    Tx.{}copy(B[by * 16 : by * 16 + 16, bx * 32 : bx * 32 + 32], s[:, :]{})
    Tx.{}copy(D[by * 16 : by * 16 + 16, bx * 32 : bx * 32 + 32], s[:, :])
A = tirx.random((M, N), "{}", seed=1, kind="bits")
B = tirx.empty((M, N), "{}")
D = tirx.empty(((M + 15) // 16 * 16, (N + 31) // 32 * 32), "{}")
k(A, B, D)
)",
                                                 m, n, dtype, dtype, dtype, ids, dtype, buffer,
                                                 "pass", scope, load, scope, store, scope, dtype,
                                                 dtype, dtype);
}

void check_edges(std::int64_t m,
                 std::int64_t n,
                 const std::string& dtype,
                 const std::string& scope,
                 const std::string& load,
                 const std::string& buffer,
                 std::optional<num::Bits> fill) {
  const TileRun run = run_tiles(copy_tiles(m, n, dtype, scope, load, ", clip=True", buffer));
  REQUIRE_MESSAGE(run.errors.empty(), run.errors);
  REQUIRE(run.faults.empty());
  const ir::Tensor& a = run.tensors[0];
  const ir::Tensor& b = run.tensors[1];
  const ir::Tensor& d = run.tensors[2];
  const std::int64_t columns = (n + 31) / 32 * 32;
  for (std::int64_t i = 0; i < m * n; ++i) {
    if (element(a, i) != element(b, i) || !is_written(b, i)) FAIL("element ", i, " of B");
  }
  for (std::int64_t i = 0; i < (m + 15) / 16 * 16; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t at = i * columns + j;
      if (i < m && j < n) {
        if (element(d, at) != element(a, i * n + j)) FAIL("inside: ", i, ", ", j);
      } else if (fill) {
        if (!is_written(d, at) || element(d, at) != *fill) FAIL("filled: ", i, ", ", j);
      } else {
        // What nobody wrote stays so: nothing leaks.
        if (is_written(d, at)) FAIL("left out: ", i, ", ", j);
      }
    }
  }
}

}  // namespace

TEST_CASE("edge copies: what lies outside is filled, or left out") {
  const std::string shared = "scope=\"shared\"";
  const std::string lanes =
      "scope=\"local\", layout=TileLayout(S[(2, 8, 4, 8):(8, 4@laneid, 1@laneid, 1)])";
  for (const char* scope : {"", "warp.", "cta."}) {
    for (const auto& [m, n] : {std::pair(16, 32), std::pair(20, 40), std::pair(37, 33),
                               std::pair(5, 100), std::pair(48, 7)}) {
      check_edges(m, n, "float32", scope, ", fill=0", shared, 0);
      check_edges(m, n, "float16", scope, ", fill=1.0", shared, 0x3c00);
      check_edges(m, n, "int8", scope, ", clip=True", shared, {});
      if (std::string(scope) == "warp.") {
        check_edges(m, n, "float32", scope, ", fill=2.0", lanes, 0x40000000U);
        check_edges(m, n, "bfloat16", scope, ", clip=True", lanes, {});
      }
    }
  }
}

TEST_CASE("an edge is seen in the ranges of the indices, and said") {
  const std::string script = copy_tiles(20, 40, "float32", "cta.", "", "", "scope=\"shared\"");
  const TileRun run = run_tiles(script);
  REQUIRE_MESSAGE(run.errors.empty(), run.errors);
  CHECK(run.notes[0].variant == "predicated");
  CHECK(run.notes[1].variant == "predicated");
  CHECK(run.notes[2].variant == "predicated");  // 512 elements among 96 threads
  CHECK(run.notes[0].vector == 4);
  CHECK_MESSAGE(run.warnings.find("dimension 0 of A has 20 elements, and the region reaches 32") !=
                    std::string::npos,
                run.warnings);
  // Inside, nothing changes.
  const TileRun inside =
      run_tiles(copy_tiles(32, 64, "float32", "cta.", "", "", "scope=\"shared\""));
  CHECK(inside.notes[0].variant == "predicated");  // 512 elements among 96 threads
  CHECK(inside.warnings.empty());
  CHECK(inside.thread_ir.find("if by") == std::string::npos);
}

TEST_CASE("a copy that may leave a tensor of symbolic size faults unless it is asked to clip") {
  const auto run = [](const char* clip) {
    return run_tiles(std::string(kTileImports) + fmt::format(R"(
@T.prim_func
def k(A_ptr: T.handle, B_ptr: T.handle):
    n = T.int32()
    A = T.match_buffer(A_ptr, (n,), "float32")
    B = T.match_buffer(B_ptr, (n,), "float32")
    T.device_entry()
    bx = T.cta_id([(n + 63) // 64]); T.lane_id([32]); T.thread_id([32])
    s = T.alloc_buffer((64,), "float32", scope="shared")
    Tx.warp.copy(s[:], A[bx * 64 : bx * 64 + 64]{0})
    T.cuda.warp_sync()
    Tx.warp.copy(B[bx * 64 : bx * 64 + 64], s[:]{0})
A = tirx.random((100,), "float32", seed=1)
B = tirx.empty((100,), "float32")
k(A, B)
)",
                                                             clip));
  };
  const TileRun clipped = run(", clip=True");
  REQUIRE_MESSAGE(clipped.errors.empty(), clipped.errors);
  CHECK(clipped.faults.empty());
  for (std::int64_t i = 0; i < 100; ++i) {
    CHECK(element(clipped.tensors[0], i) == element(clipped.tensors[1], i));
  }
  const TileRun exact = run("");
  REQUIRE(!exact.faults.empty());
  CHECK(exact.faults[0].kind == ir::FaultKind::bounds);
}

TEST_CASE("a condition around a copy may know better than the ranges") {
  const TileRun run = run_tiles(std::string(kTileImports) + R"(
@T.prim_func
def k(A: T.Buffer((40, 8), "float32")):
    T.device_entry()
    T.cta_id([1]); t = T.thread_id([64])
    s = T.alloc_buffer((40, 8), "float32", scope="shared")
    if t < 40:
        Tx.copy(s[t, :], A[t, :])
A = tirx.random((40, 8), "float32", seed=1)
k(A)
)");
  CHECK_MESSAGE(run.errors.empty(), run.errors);
  CHECK(run.notes[0].variant == "gmem_smem");
  CHECK(run.warnings.empty());
}

TEST_CASE("over the end of constant shapes: clipped with a warning, under a condition a fault") {
  const auto run = [](const char* lines) {
    return run_tiles(std::string(kTileImports) + R"(
@T.prim_func
def k(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
    T.device_entry()
    bx = T.cta_id([1]); warp = T.warp_id([1]); T.lane_id([32]); T.thread_id([32])
)" + lines + R"(
A = tirx.random((4, 8), "float32", seed=1)
k(A, tirx.zeros((4, 8), "float32"))
)");
  };
  const char* const copies =
      "    for i in range(3):\n"
      "        Tx.warp.copy(B[i * 2 : i * 2 + 2, :], A[i % 2 * 2 : i % 2 * 2 + 2, :])\n";
  const TileRun clipped = run(copies);
  CHECK_MESSAGE(clipped.errors.empty(), clipped.errors);
  CHECK(clipped.faults.empty());
  CHECK_FALSE(clipped.warnings.empty());
  const auto faults = [](const TileRun& one) {
    CHECK_MESSAGE(one.errors.empty(), one.errors);
    REQUIRE(one.faults.size() == 1);
    CHECK(one.faults[0].kind == ir::FaultKind::bounds);
  };
  faults(
      run("    if warp == 0:\n"
          "        for i in range(3):\n"
          "            Tx.warp.copy(B[i * 2 : i * 2 + 2, :], A[i % 2 * 2 : i % 2 * 2 + 2, :])\n"));
  faults(run((std::string("    if bx > 0:\n        return\n") + copies).c_str()));
}

TEST_CASE("permute_layout: the xor that avoids bank conflicts") {
  const auto offsets = [](std::int64_t rows, std::int64_t columns, std::int64_t s0,
                          std::int64_t s1) {
    std::vector<std::int64_t> made;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) made.push_back(i * s0 + j * s1);
    }
    return made;
  };
  const auto rows = offsets(4, 32, 32, 1);
  const auto columns = offsets(4, 32, 1, 4);
  CHECK(lower::conflict_free_xor(rows, columns, 4) == 2);
  CHECK_FALSE(lower::conflict_free_xor(rows, columns, 2).has_value());
  CHECK_FALSE(lower::conflict_free_xor(rows, columns, 1).has_value());
  CHECK(lower::conflict_free_xor(rows, rows, 4) == 0);
}

TEST_CASE("permute_layout moves every element, also in place") {
  const TileRun run = run_tiles(std::string(kTileImports) + R"(
@T.prim_func
def k(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4, 32), "float32"), C: T.Buffer((32, 8), "int16")):
    T.device_entry()
    T.cta_id([1]); T.warp_id([1]); lane = T.lane_id([32]); T.thread_id([32])
    s = T.alloc_buffer((4, 32), "float32", scope="shared")
    t = s.view(4, 32, layout=TileLayout(S[(4, 32):(1, 4)]))
    r = T.alloc_buffer((32, 8), "int16", scope="local", layout=TileLayout(S[(32, 8):(1@laneid, 1)]))
    q = T.alloc_buffer((32, 8), "int16", scope="local", layout=TileLayout(S[(32, 2, 4):(1@laneid, 1, 2)]))
    Tx.warp.copy(s, A)
    T.cuda.warp_sync()
    Tx.warp.permute_layout(t, s)
    Tx.warp.copy(B, t)
    own = r.local(8)
    for i in range(8):
        own[i] = lane * 8 + i
    Tx.warp.permute_layout(q, r)
    Tx.warp.copy(C, q)
A = tirx.random((4, 32), "float32", seed=1)
B = tirx.empty((4, 32), "float32")
C = tirx.empty((32, 8), "int16")
k(A, B, C)
tirx.assert_equal(A, B)
tirx.assert_equal(C, tirx.arange((32, 8), "int16"))
)");
  REQUIRE_MESSAGE(run.errors.empty(), run.errors);
  CHECK(run.faults.empty());
  CHECK(run.notes[1].variant == "warp_xor_swizzle");
  CHECK(run.notes[3].variant == "reg");
}

}  // namespace tirx::testing
