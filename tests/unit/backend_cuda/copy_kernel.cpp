// The round trip of a 32x32 tile through shared memory by one warp: what `Tx.warp.copy` expands to.
#include "tests/unit/backend_cuda/support.hpp"

namespace tirx::testing {

namespace {

KernelBuilder round_trip() {
  KernelBuilder k("kernel");
  const Buffer a = k.param("A", num::DType::f32, {32, 32});
  const Buffer b = k.param("B", num::DType::f32, {32, 32});
  k.cta_id(1);
  const Var tid = k.scope_id(ScopeIdKind::lane_id, "tid", 32);
  k.scope_id(ScopeIdKind::thread_id, "tx", 32);
  const Buffer smem = k.alloc("A_smem", num::DType::f32, {32, 32}, MemoryScope::shared);
  const auto round = [&](const Buffer& to, const Buffer& from) {
    const Var f = make_variable("f");
    const E row = E(f) * 4 + E(tid) / 8;
    const E column = E(tid) % 8 * 4;
    return for_range(f, 0, 8, {store(to, {row, column}, load(from, {row, column}, 4))});
  };
  const Expr sync = make_expr(kVoid, {}, MachineCall{AllOps::id_of<CtaSync>(), {}, {}});
  k.body({round(smem, a), {{}, Evaluate{sync}}, round(b, smem)});
  return k;
}

}  // namespace

TEST_CASE("the tile copy is a serial loop of 128-bit copies") {
  KernelBuilder k = round_trip();
  CHECK(kernel_text(lowered(k)) ==
        "extern \"C\" __global__ void __launch_bounds__(32)\n"
        "kernel(const float* __restrict__ A_ptr, float* B_ptr) {\n"
        "  const int tid = threadIdx.x;\n"
        "  __shared__ alignas(64) float A_smem[1024];\n"
        "  for (int f = 0; f < 8; ++f) {\n"
        "    tirx_copy_16(&A_smem[f * 128 + tid * 4], &A_ptr[f * 128 + tid * 4]);\n"
        "  }\n"
        "  __syncthreads();\n"
        "  for (int f = 0; f < 8; ++f) {\n"
        "    tirx_copy_16(&B_ptr[f * 128 + tid * 4], &A_smem[f * 128 + tid * 4]);\n"
        "  }\n"
        "}\n");
}

TEST_CASE("the tile copy compiles") {
  KernelBuilder k = round_trip();
  compiles(k);
}

}  // namespace tirx::testing
