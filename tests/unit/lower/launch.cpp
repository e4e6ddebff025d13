// Launch dimensions, thread variables, shared memory places, limits.
#include <doctest/doctest.h>

#include "ir/all_ops.hpp"
#include "ir/print.hpp"
#include "lower/lower.hpp"
#include "lower/print.hpp"
#include "tests/unit/lower/builder.hpp"

using namespace tirx;           // NOLINT(google-build-using-namespace)
using namespace tirx::testing;  // NOLINT(google-build-using-namespace)
using lower::LoweredKernel;
using num::DType;

namespace {

std::string error(KernelBuilder& k, const char* target = "sm_90a") {
  const auto lowered = lower::lower(k.kernel(), *find_target(target));
  return lowered.ok() ? std::string() : lowered.error().text;
}

LoweredKernel must_lower_launch(KernelBuilder& k) {
  Result<LoweredKernel> lowered = lower::lower(k.kernel(), default_target());
  if (!lowered) FAIL(lowered.error().text);
  return std::move(lowered).value();
}

}  // namespace

TEST_CASE("the grid follows cta_id, the block the closure of the thread ids") {
  KernelBuilder k("kernel");
  const Var n = k.symbol("n");
  k.param_strided("A", DType::f32, exprs({n}));
  k.cta_id((E(n) + 127) / 128);
  k.scope_id(ScopeIdKind::warp_id, "warp", 4);
  k.lane_id();
  const LoweredKernel kernel = must_lower_launch(k);
  CHECK(to_string(kernel.launch.grid[0]) == "(n + 127) // 128");
  CHECK(to_string(kernel.launch.grid[1]) == "1");
  CHECK(kernel.launch.block[0] == 128);
}

TEST_CASE("clusters") {
  KernelBuilder k("kernel");
  k.scope_id(ScopeIdKind::cluster_id, "cluster", 6);
  k.scope_id(ScopeIdKind::cta_id_in_cluster, "rank", 2);
  k.thread_id(64);
  CHECK(to_string(must_lower_launch(k).launch.grid[0]) == "12");
  CHECK(must_lower_launch(k).launch.cluster[0] == 2);
  CHECK(error(k, "sm_80") == "sm_80 has no clusters");
}

TEST_CASE("only the thread variables that occur are kept") {
  KernelBuilder k("kernel");
  const Buffer a = k.param("A", DType::f32, {64});
  k.cta_id(1);
  const Var tx = k.thread_id(64);
  k.scope_id(ScopeIdKind::warp_id, "warp", 2);
  k.body({store(a, {tx}, load(a, {tx}))});
  const LoweredKernel kernel = must_lower_launch(k);
  REQUIRE(kernel.thread_vars.size() == 1);
  CHECK(kernel.thread_vars[0].var == tx);
}

TEST_CASE("limits") {
  SUBCASE("threads") {
    KernelBuilder k("kernel");
    k.thread_id(2048);
    CHECK(error(k) == "2048 threads per CTA; sm_90a allows 1024");
  }
  SUBCASE("static shared memory") {
    KernelBuilder k("kernel");
    k.thread_id(32);
    k.alloc("S", DType::f32, {128, 96}, MemoryScope::shared);
    CHECK(error(k).empty());
    k.alloc("S2", DType::u8, {1}, MemoryScope::shared);
    CHECK(error(k) == "49153 bytes of static shared memory; sm_90a allows 49152");
  }
  SUBCASE("dynamic shared memory") {
    KernelBuilder k("kernel");
    k.thread_id(32);
    k.alloc("S", DType::u8, {200 * 1024}, MemoryScope::shared_dynamic);
    CHECK(error(k).empty());
    CHECK(error(k, "sm_80").find("sm_80 allows 166912 per CTA") != std::string::npos);
    k.alloc("S2", DType::u8, {1024}, MemoryScope::shared_dynamic);
    CHECK(error(k) == "a kernel has one shared.dyn allocation, and S is it already");
  }
  SUBCASE("an operation the target lacks") {
    KernelBuilder k("kernel");
    k.thread_id(32);
    k.body({Stmt{{},
                 Evaluate{make_expr(kBool, {}, MachineCall{AllOps::id_of<ElectSync>(), {}, {}})}}});
    CHECK(error(k).empty());
    CHECK(error(k, "sm_80") == "cuda.elect_sync does not exist on sm_80");
  }
  SUBCASE("registers") {
    KernelBuilder k("kernel");
    k.thread_id(32);
    k.alloc("r", DType::f32, {1 << 20}, MemoryScope::local);
    CHECK(error(k).find("a thread has 524288 bytes") != std::string::npos);
  }
}

TEST_CASE("shared allocations follow one another, aligned") {
  KernelBuilder k("kernel");
  k.thread_id(32);
  k.alloc("A", DType::u8, {3}, MemoryScope::shared);
  k.alloc("B", DType::f32, {4}, MemoryScope::shared);
  k.alloc("C", DType::u8, {100}, MemoryScope::shared_dynamic);
  const LoweredKernel kernel = must_lower_launch(k);
  REQUIRE(kernel.shared.size() == 3);
  CHECK(kernel.shared[0].offset == 0);
  CHECK(kernel.shared[1].offset == 64);
  CHECK(kernel.shared[1].bytes == 16);
  CHECK(kernel.shared[2].offset == 0);
  CHECK(kernel.static_shared_bytes == 80);
  CHECK(kernel.dynamic_shared_bytes == 100);
}

TEST_CASE("thread IR prints with flat offsets") {
  KernelBuilder k("copy");
  const Buffer a = k.param("A", DType::f32, {32, 32});
  k.cta_id(1);
  k.scope_id(ScopeIdKind::thread_id, "", 32);
  const Buffer s = k.alloc("A_smem", DType::f32, {32, 32}, MemoryScope::shared);
  k.body({tile_copy(ExecScope::warp, region(s), region(a))});
  CHECK(lower::to_string(must_lower_launch(k)) ==
        "# thread IR for sm_90a\n"
        "# grid (1, 1, 1), block (32, 1, 1)\n"
        "# shared memory: 4096 bytes static, 0 dynamic\n"
        "def copy(A: T.Buffer((32, 32), \"float32\")):\n"
        "    tid = T.thread_id()\n"
        "    # A_smem: bytes 0 … 4096 of shared\n"
        "    A_smem = T.alloc_buffer((32, 32), \"float32\", scope=\"shared\")\n"
        "    # Tx.warp.copy(A_smem, A): gmem_smem, vec 4, 8 rounds\n"
        "    for f in range(8):\n"
        "        A_smem.flat[f * 128 + tid * 4:+4] = A.flat[f * 128 + tid * 4:+4]\n");
}
