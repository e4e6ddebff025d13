// T.cuda, T.ptx, tile calls: what they build, and what they refuse.
#include <doctest/doctest.h>

#include "eval_support.hpp"
#include "ir/all_ops.hpp"
#include "ir/visit.hpp"

namespace tirx::dsl::test {
namespace {

TEST_CASE("synchronisation") {
  CHECK(built("T.cuda.cta_sync()\nT.cuda.warp_sync()\nT.tvm_storage_sync(\"shared\")") ==
        "T.cuda.cta_sync()\nT.cuda.warp_sync()\nT.cuda.cta_sync()\n");
  CHECK(built("T.ptx.bar.sync(1, 64)\nT.ptx[\"bar.arrive\"](2, 64)") ==
        "T.ptx.bar.sync(1, 64)\nT.ptx.bar.arrive(2, 64)\n");
  CHECK(built("T.cuda.warpgroup_sync(3)") == "T.ptx.bar.sync(3, 128)\n");
  CHECK(built("T.cuda.cluster_sync()") ==
        "T.ptx.barrier.cluster.arrive()\nT.ptx.barrier.cluster.wait()\n");
  CHECK(built("T.ptx.barrier.cluster.arrive.release.aligned()") ==
        "T.ptx.barrier.cluster.arrive()\n");
  CHECK(rejected("T.tvm_storage_sync(\"global\")") ==
        "1:20: T.tvm_storage_sync() takes \"shared\" or \"warp\", not 'global'");
  CHECK(rejected("T.cuda.cta_synk()") ==
        "1:8: 'T.cuda' has no 'cta_synk' (did you mean 'cta_sync'?)");
}

TEST_CASE("unknown instructions name the nearest") {
  CHECK(rejected("T.ptx.bar.sink(1, 64)") ==
        "1:1: no instruction 'bar.sink' is available (did you mean 'bar.sync'?)");
  CHECK(rejected("T.ptx.bar.sync()") == "1:1: T.ptx.bar.sync expects 1 to 2 operand(s), not 0");
}

TEST_CASE("lanes exchange values") {
  CHECK(built("x = T.tvm_warp_shuffle_xor(0xffffffff, A[t], 1, 32, 32)") ==
        "x: T.float32 = T.cuda.__shfl_xor_sync(T.uint32(4294967295), A[t], 1, 32)\n");
  CHECK(built("x = T.cuda.__ballot_sync(0xffffffff, t < 3)") ==
        "x: T.uint32 = T.cuda.__ballot_sync(T.uint32(4294967295), t < 3)\n");
  CHECK(built("if T.cuda.elect_sync():\n    I[0] = 1") ==
        "if T.cuda.elect_sync():\n    I[0] = 1\n");
}

TEST_CASE("atomics") {
  CHECK(built("T.cuda.atomic_add(A.ptr_to([0]), 1)") ==
        "T.cuda.atomic_add(A.ptr_to([0]), T.float32(1.0))\n");
  CHECK(built("old = T.cuda.atomic_cas(I.ptr_to([0]), 0, 1)") ==
        "old: T.int32 = T.cuda.atomic_cas(I.ptr_to([0]), 0, 1)\n");
  const Ran ran = run(in_kernel("T.cuda.atomic_add(A[0], 1.0, sem=\"release\", scope=\"cta\")"));
  std::string text;
  ir::for_each_in_body(
      ran.result.kernels.at(0)->body, [](const ir::Stmt&) {},
      [&](const ir::Expr& expr) {
        if (const auto* call = ir::as<ir::MachineCall>(expr)) text = call->text;
      });
  CHECK(text == "release.cta");
  CHECK(rejected("T.cuda.atomic_add(A[0], 1.0, scope=\"gpus\")") ==
        "1:36: no memory scope is called 'gpus' (did you mean 'gpu'?)");
  CHECK(rejected("T.cuda.atomic_add(3, 1.0)") == "1:19: expected a pointer, not int");
}

TEST_CASE("reductions expand to shuffles in a fixed order") {
  CHECK(built("x = T.cuda.warp_reduce(A[t], \"max\", 4)") ==
        "reduced: T.float32 = A[t]\n"
        "reduced = T.max(reduced, T.cuda.__shfl_xor_sync(T.uint32(4294967295), reduced, 2))\n"
        "reduced = T.max(reduced, T.cuda.__shfl_xor_sync(T.uint32(4294967295), reduced, 1))\n"
        "x: T.float32 = reduced\n");
  CHECK(rejected("x = T.cuda.warp_sum(A[t], 3)") ==
        "1:27: the width of a warp reduction is 1, 2, 4, 8, 16 or 32, not 3");
  const std::string cta =
      built("s = T.alloc_shared((2,), \"float32\")\nx = T.cuda.cta_sum(A[t], 2, s)");
  CHECK(cta.find("if lane == 0:\n    s[warp_id] = reduced\nT.cuda.cta_sync()\n"
                 "if warp_id == 0:\n"
                 "    reduced = T.if_then_else(lane < 2, s[lane], T.float32(0.0))\n") !=
        std::string::npos);
  CHECK(
      cta.find("    if lane == 0:\n        s[0] = reduced\nT.cuda.cta_sync()\nreduced = s[0]\n") !=
      std::string::npos);
}

TEST_CASE("PTX arithmetic writes to its first operand") {
  CHECK(built("x: T.float32 = 0\nT.ptx.fma.rn.f32(x, A[t], A[t], 1.0)") ==
        "x: T.float32 = T.float32(0.0)\nx = T.fma(A[t], A[t], T.float32(1.0))\n");
  CHECK(built("T.ptx.ex2.approx.ftz.f32(B[t], A[t])") == "B[t] = T.ex2_approx_ftz(A[t])\n");
  CHECK(rejected("T.ptx.ex2.approx.ftz.f32(1.0, A[t])") ==
        "1:26: the first operand must be a writable scalar");
  CHECK(rejected("T.ptx.ex2.approx.ftz.f32(B[t], H[t])") ==
        "1:32: operand 1 of 'ex2.approx.ftz.f32' must have dtype float32, not float16");
}

TEST_CASE("raw CUDA and output") {
  CHECK(built("T.cuda.func_call(\"f\", t, source_code=\"__device__ void f(int) {}\")")
            .find("T.cuda.func_call(\"f\", t") != std::string::npos);
  CHECK(built("T.cuda.printf(\"%d\\n\", t)") == "T.cuda.printf(\"%d\\n\", t)\n");
}

TEST_CASE("tile calls: scopes, operands, configuration") {
  CHECK(built("Tx.warp.copy(M[0:8], M[8:16])\nT.tile.cta.copy(M[0:8], M[8:16])") ==
        "Tx.warp.copy(M[0:8, 0:32], M[8:16, 0:32])\nTx.cta.copy(M[0:8, 0:32], M[8:16, 0:32])\n");
  CHECK(built("Tx.add(A, A, 2.0)\nTx.exp(A)\nTx.cast(H, A)") ==
        "Tx.add(A[0:64], A[0:64], T.float32(2.0))\nTx.exp(A[0:64])\nTx.cast(H[0:64], A[0:64])\n");
  CHECK(built("Tx.cta.sum(A[0:16], M, axes=1)").find("axes=(1,)") != std::string::npos);
  CHECK(built("Tx.warp.copy(M[0:8], M[8:16], dispatch=\"fallback\", clip=True)") ==
        "Tx.warp.copy(M[0:8, 0:32], M[8:16, 0:32], clip=True, dispatch=\"fallback\")\n");
}

TEST_CASE("tile calls: builder-time checks") {
  CHECK(rejected("Tx.copy(3, A)") ==
        "1:9: Tx.copy is tile-only and expects `dst` to be a buffer or a region, not int");
  CHECK(rejected("Tx.copy(M[0:8], M[0:4])") ==
        "1:1: Tx.copy: the extents of dst (8, 32) and src (4, 32) differ");
  CHECK(built("Tx.copy(M[3], M[4:5])") == "Tx.copy(M[3:4, 0:32], M[4:5, 0:32])\n");
  CHECK(rejected("Tx.coppy(M, M)") == "1:4: 'Tx' has no 'coppy' (did you mean 'copy'?)");
  CHECK(rejected("Tx.wrap.copy(M, M)") == "1:4: 'Tx' has no 'wrap' (did you mean 'warp'?)");
  CHECK(rejected("Tx.copy(M)") == "1:1: Tx.copy() is missing 1 required argument: 'src'");
}

TEST_CASE("kernels belong into kernels, host calls to the host") {
  CHECK(printed("T.cuda.cta_sync()") == "1:1: T.cuda.cta_sync belongs into a kernel");
  CHECK(printed("x = T.alloc_shared((8,), \"float32\")") ==
        "1:5: T.alloc_shared belongs into a kernel");
  CHECK(printed("n = T.int32()") == "1:5: a symbolic dimension belongs into a kernel");
}

}  // namespace
}  // namespace tirx::dsl::test
