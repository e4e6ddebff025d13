// What is refused, and why: the dispatch table names the reason at the call.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/unit/tile/support.hpp"

namespace tirx::testing {

namespace {

/// The error of one tile call in a kernel with some buffers of each kind.
std::string error_of(const std::string& call) {
  std::string script = kTileImports;
  script += R"(
@T.prim_func
def k(A: T.Buffer((32, 64), "float32")):
    T.device_entry()
    T.cta_id([1]); wg = T.warpgroup_id([2]); warp = T.warp_id([8]); lane = T.lane_id([32])
    t = T.thread_id([256])
    s = T.alloc_buffer((32, 64), "float32", scope="shared")
    s2 = T.alloc_buffer((32, 64), "float32", scope="shared")
    h = T.alloc_buffer((32, 64), "float16", scope="shared")
    bf = T.alloc_buffer((32, 64), "bfloat16", scope="shared")
    e = T.alloc_buffer((32, 64), "float8_e4m3fn", scope="shared")
    q = T.alloc_buffer((32, 64), "float4_e2m1fn", scope="shared")
    n = T.alloc_buffer((32, 64), "int32", scope="shared")
    d = T.alloc_buffer((8, 64), "float64", scope="shared")
    r = T.alloc_buffer((8,), "float32", scope="local")
    w = T.alloc_buffer((32, 4), "float32", scope="local", layout=TileLayout(S[(32, 4):(1@laneid, 1)]))
    w2 = T.alloc_buffer((4, 32), "float32", scope="local", layout=TileLayout(S[(4, 32):(1, 1@laneid)]))
    half = T.alloc_buffer((16, 4), "float32", scope="local", layout=TileLayout(S[(16, 4):(1@laneid, 1)]))
    gap = T.alloc_buffer((16, 4), "float32", scope="local", layout=TileLayout(S[(16, 4):(2@laneid, 1)]))
    row = T.alloc_buffer((1, 4), "float32", scope="local", layout=TileLayout(S[(1, 4):(1, 1)] + R[16:1@laneid]))
    all = T.alloc_buffer((256, 2), "float32", scope="local", layout=TileLayout(S[(256, 2):(1@tx, 1)]))
    all1 = T.alloc_buffer((2,), "float32", scope="local", layout=TileLayout(S[2:1] + R[256:1@tx]))
    wgs = T.alloc_buffer((128, 2), "float32", scope="local", layout=TileLayout(S[(128, 2):(1@tid_in_wg, 1)]))
    wg1 = T.alloc_buffer((2,), "float32", scope="local", layout=TileLayout(S[2:1] + R[128:1@tid_in_wg]))
    swz = T.alloc_buffer((32, 4), "float32", scope="local", layout=ComposeLayout(0, 1, 1, TileLayout(S[(32, 4):(1@laneid, 1)])))
    w16 = T.alloc_buffer((16, 4), "float32", scope="local", layout=TileLayout(S[(16, 4):(1@laneid, 1)] + R[2:16@laneid]))
    acc = T.alloc_buffer((16, 8), "float32", scope="local", layout=TileLayout(S[(2, 8, 4, 2):(2, 4@laneid, 1@laneid, 1)]))
    fa = T.alloc_buffer((16, 16), "float16", scope="local", layout=TileLayout(S[(2, 8, 2, 4, 2):(2, 4@laneid, 4, 1@laneid, 1)]))
    fb = T.alloc_buffer((16, 8), "float16", scope="local", layout=TileLayout(S[(2, 4, 2, 8):(2, 1@laneid, 1, 4@laneid)]))
    n1: T.int32 = 4
    x: T.float32 = 0.5
)";
  script += "    " + call + "\nA = tirx.zeros((32, 64), \"float32\")\nk(A)\n";
  return run_tiles(script).errors;
}

struct Refusal {
  const char* call;
  const char* reason;
};

}  // namespace

TEST_CASE("elementwise: refused calls say why") {
  const Refusal table[] = {
      {"Tx.cta.sub(s, 1.0, s)", "non-commutative op sub cannot have constant lhs"},
      {"Tx.cta.fdiv(s, x, s)", "non-commutative op fdiv cannot have constant lhs"},
      {"Tx.cta.sub(s, s2[0:1, :], s)", "non-commutative op sub cannot broadcast its lhs"},
      {"Tx.cta.add(s, 1.0, 2.0)", "both inputs are constants"},
      {"Tx.cta.fma(s, 1.0, s, s)", "fma needs a region as src"},
      {"Tx.cta.add(s, s, A, dispatch=\"smem\")",
       "all operands must be in shared memory, and A is global"},
      {"Tx.cta.add(s, s, s, dispatch=\"gmem\")", "some operand must be in global memory"},
      {"Tx.warp.add(s[0:32, 0:4], w, w)", "all operands must be registers, and s is shared"},
      {"Tx.warp.add(A[0:32, 0:4], w, w)", "all operands must be in memory, and w is local"},
      {"Tx.add(5, s, s)", "Tx.add is tile-only and expects `dst` to be a buffer or a region"},
      {"Tx.cta.add(s, h, bf)", "the sources of add have no common dtype"},
      {"Tx.cta.add(e, e, e)", "float8_e4m3fn is a storage type: cast it first"},
      {"Tx.cta.zero(q)", "q holds 4-bit elements, which share a byte"},
      {"Tx.cta.sqrt(n, n)", "sqrt is not defined on int32"},
      {"Tx.cta.fdiv(n, n, n)", "fdiv is not defined on int32"},
      {"Tx.cta.exp(d, d)", "exp is not defined on float64"},
      {"Tx.cta.exp(h, h, bias=x)", "the bias of exp must be float16 like its source, not float32"},
      {"Tx.cta.exp(s, s, scale=h)", "the scale of exp must be float32 like its source"},
      {"Tx.cta.exp(h, h, approx=True)", "the hardware's approximation of exp is for float32"},
      {"Tx.cta.silu(s, s, approx=True)", "silu has no hardware approximation whose bits are known"},
      {"Tx.cta.add(s, s2[0:16, :], s)", "s2 of extents (16, 64) cannot be broadcast to s"},
      {"Tx.cta.add(s[0:8, :], s[1:9, :], 1.0)", "overlaps the destination"},
      {"Tx.cta.add(s[0:8, :], s2[0:8, :], s[0:1, :])", "overlaps the destination"},
      {"Tx.cluster.zero(s)", "unsupported exec_scope cluster"},
      {"Tx.warp.add(r, r, 1.0)", "got a thread-local view with no thread axes"},
      {"Tx.add(w, w, 1.0)", "w is spread over threads (laneid)"},
      {"Tx.cta.add(w, w, 1.0)", "w lies on laneid, which does not count the threads of the cta"},
      {"Tx.warp.add(half, half, 1.0)", "half spans 16 threads, not the full 32 of the warp"},
      {"Tx.warp.add(gap, gap, 1.0)", "the threads of gap do not tile a complete 32:1"},
      {"Tx.warp.add(w[0:16, :], w[0:16, :], 1.0)", "w spans 16 threads, not the full 32"},
      {"Tx.warp.add(w, w2.permute(1, 0), w.view(32, 4, layout=TileLayout(S[(8, 4, 4):(1@laneid, "
       "8@laneid, 1)])))",
       "thread part mismatch between anchor and operand"},
      {"Tx.warp.add(w, w, row[:, :])", "row spans 16 threads, not the full 32 of the warp"},
      {"Tx.cta.add(s, s, 1.0, cache=\"nc\")", "Tx.add takes no keyword 'cache'"},
      {"Tx.cta.exp(s, s, approx=1)", "'approx' is True or False"},
      {"Tx.cta.copy(s, A, cache=\"nc\")", "the cache hint 'cache' is not available"},
      {"Tx.cta.copy(s, A, l1_evict=\"first\")", "the cache hint 'l1_evict' is not available"},
  };
  for (const Refusal& refusal : table) {
    const std::string error = error_of(refusal.call);
    CHECK_MESSAGE(error.find(refusal.reason) != std::string::npos, refusal.call, "\n", error);
  }
  CHECK(error_of("Tx.cta.add(s, s, 1.0)").empty());
}

TEST_CASE("reductions and permute_layout: refused calls say why") {
  const Refusal table[] = {
      {"Tx.cta.sum(s[0:32, 0], s2, axes=2)", "axis 2 is not one of the 2 dimensions of s2"},
      {"Tx.cta.sum(s[0:32, 0], s2, axes=(1, -1))", "axis -1 is named twice"},
      {"Tx.cta.sum(s[0:16, 0], s2, axes=1)", "without the axes reduced is not s of extents"},
      {"Tx.cta.sum(h[0:32, 0], s2, axes=1)",
       "sum is accumulated in float16, which does not hold float32"},
      {"Tx.cta.sum(e[0:32, 0], e, axes=1)", "sum is not defined on float8_e4m3fn"},
      {"Tx.cta.sum(s[0:32, 0], s, axes=1)", "overlaps the destination"},
      {"Tx.cta.sum(s[0:32, 0], A, axes=1)", "must be in shared memory, and A is global"},
      {"Tx.cta.sum(s[0:32, 0], s2, axes=1, thread_reduce=True)",
       "the threads always share the work in shared memory"},
      {"Tx.cta.max(w[:, 0], w, axes=1)",
       "w lies on laneid, which does not count the threads of the cta"},
      {"Tx.cta.sum(all1, all, axes=0)",
       "a reduced dimension lies across the warps of the cta: lanes exchange registers, warps meet "
       "in shared memory"},
      {"Tx.wg.sum(wg1, wgs, axes=0)", "a reduced dimension lies across the warps of the warpgroup"},
      {"Tx.sum(r[0:1], r, axes=0, thread_reduce=True)",
       "thread_reduce=True is only supported in warp scope, not at thread scope"},
      {"Tx.warp.sum(r[0:1], r, axes=0)", "got a thread-local view with no thread axes"},
      {"Tx.cta.permute_layout(s, s2)", "needs warp scope, not cta"},
      {"Tx.warp.permute_layout(s, s2)", "2048 elements are not 32 times a power of two up to 32"},
      {"Tx.warp.permute_layout(h[0:1, 0:32], h[1:2, 0:32])",
       "no xor of the lanes avoids bank conflicts on both sides"},
      {"Tx.warp.permute_layout(w, s[0:32, 0:4])", "w must be in shared memory"},
  };
  for (const Refusal& refusal : table) {
    const std::string error = error_of(refusal.call);
    CHECK_MESSAGE(error.find(refusal.reason) != std::string::npos, refusal.call, "\n", error);
  }
}

TEST_CASE("regions of one storage meet element by element, whatever views name them") {
  const char* const refused[] = {
      "Tx.cta.add(s.view(2048)[2:130], s.view(2048)[0:128], 1.0)",
      "Tx.cta.add(s.view(2048)[0:64], s.view(2048)[0:1], 1.0)",
      "Tx.cta.add(s.permute(1, 0)[0:32, 0:32], s[0:32, 0:32], 1.0)",
      "Tx.cta.add(s[0:32, 0:32], s[0:32, 0:32], s.permute(1, 0)[0:32, 0:32])",
      "Tx.cta.cast(s.view('float16')[0:32, 0:64], s[:, :])",
      "Tx.cta.copy(A[1:9, 0:4], A[0:8, 0:4])",
      "Tx.cta.copy(A.view(2048)[2:130], A.view(2048)[0:128])",
      "Tx.add(r.view(2, 4)[1, 0:4], r[2:6], 1.0)",
      "Tx.add(s.view(2048)[lane * 64 + 2 : lane * 64 + 10], s[lane, 0:8], 1.0)",
      "Tx.warp.add(w[:, 0:2], w.view(32, 4)[:, 1:3], 1.0)",
      "Tx.cta.sum(s.permute(1, 0)[0:1, 0:32], s, axes=1)",
      "Tx.sum(r[4:6], r.view(2, 4), axes=1)",
  };
  for (const char* call : refused) {
    CAPTURE(call);
    const std::string error = error_of(call);
    CHECK_MESSAGE(error.find("in_place — ") != std::string::npos, error);
  }
  const char* const accepted[] = {
      "Tx.cta.cast(s.view('int32')[:, :], s)",                          // in place
      "Tx.cta.add(s.view(2048)[0:64], s[0:1, 0:64], 1.0)",              // likewise
      "Tx.cta.add(s.permute(1, 0), s.permute(1, 0), s.permute(1, 0))",  // likewise
      "Tx.cta.add(s.view(2048)[128:256], s.view(2048)[0:128], 1.0)",    // apart
      "Tx.cta.add(s[0:32, 1], s.permute(1, 0)[0, 0:32], 1.0)",          // apart: other columns
      "Tx.cta.copy(A[8:16, 0:4], A[0:8, 0:4])",
      "Tx.cta.copy(A[0:4, 0], A[0, 0:4])",  // share one element, which is copied to itself
      "Tx.warp.add(w[:, 0:2], w.view(32, 4)[:, 2:4], 1.0)",
      "Tx.sum(r[4:5], r.view(1, 8), axes=1)",  // all is read before the one output is written
      "Tx.add(r.view(8)[n1 : n1 + 2], r[n1 + 1 : n1 + 3], 1.0)",  // not known
  };
  for (const char* call : accepted) {
    CAPTURE(call);
    CHECK(error_of(call) == "");
  }
}

TEST_CASE("copies and gemm: refused calls say why") {
  const Refusal table[] = {
      // copy with registers
      {"Tx.warp.copy(A[0:16, 0:4], w[16:32, :], dispatch=\"reg\")",
       "R sliced offset on thread axis 'laneid' is 16"},
      {"Tx.warp.copy(A[0:32, 0:4], swz, dispatch=\"reg\")",
       "plain_layout — the register tile swz is swizzled"},
      {"Tx.warp.copy(w, w2.permute(1, 0), dispatch=\"reg\")",
       "needs exactly one side in registers, not local -> local"},
      {"Tx.warp.copy(h[0:32, 0:4], w)", "dtypes differ: h is float16, w is float32"},
      {"Tx.warp.copy(s[0:32, 0:n1], A[0:32, 0:n1], dispatch=\"gmem_smem\")",
       "static_extents — the region's extents are not constants"},
      {"Tx.warp.copy(s, A, dispatch=\"reg\")",
       "needs exactly one side in registers, not global -> shared"},
      {"Tx.cta.copy(s[0:3, 0:5], A[0:3, 0:5], dispatch=\"gmem_smem\")",
       "region size 15 not divisible by thread_cnt=256"},
      {"Tx.copy(s[0, 0:3], A[0, 0:3], dispatch=\"vec_128b\")",
       "does not contain exactly 4 elements"},
      {"Tx.copy(d[0, 0:1], d[1, 0:1], dispatch=\"vec_32b\")",
       "an element of 64 bits is wider than 32 bits"},
      {"Tx.copy_async(A[0, 0:4], s[0, 0:4])",
       "cp.async copies from global to shared, not shared -> global"},
      // reductions in registers
      {"Tx.warp.sum(w16[:, :], w, axes=0)", "mismatch dst/src layout for reduction: along axis 0"},
      // gemm
      {"Tx.warp.gemm(acc[0:8, :], fa[0:8, :], fb)",
       "no mma instruction fits M=8, N=8, K=16: M goes by 16, N by 8"},
      {"Tx.warp.gemm(acc[0:1, :], fa[0:1, :], fb)",
       "two_dims — acc has 1 dimensions of more than one element, not 2"},
      {"Tx.warp.gemm(acc, fa, fb, acc[:, :], alpha=2)", ""},
      {"Tx.warp.gemm(acc, fa, fb, beta=1.0)", "beta is not 0, but there is no C"},
      {"if lane < 16:\n        Tx.warp.gemm(acc, fa, fb)",
       "only part of the warp reaches the call"},
      {"Tx.warp.gemm(acc, fa, fb, dispatch=\"tcgen05\")",
       "no variant named 'tcgen05' is registered"},
      // instructions by name
      {"T.ptx.mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f16(r[0], r[1], r[2], r[3], "
       "1, 1, 1, 0.0, 0.0, 0.0, 0.0)",
       "D and C of an mma must have one dtype"},
      {"T.ptx.ld.shared.f32(r[0], 5)", "pointer"},
      {"T.ptx.ld.shared.f32(r[0], r.ptr_to([1]))", "must point into the shared state space"},
      {"T.ptx.st.release.cluster.global_.v4.b64(A.ptr_to([0, 0]), 0, 0, 0, 0)",
       "the assembler of CUDA 13.0 crashes on '.release.cluster' with 32 bytes"},
      {"T.ptx.cvt.f16.f32(r[0], x)", "missing required modifier of cvt from .f32 to .f16"},
      {"T.ptx.add.rn.ftz.f16x2(r[0], x, x)", "'.ftz' is not a valid modifier of add"},
      {"T.ptx.cvta.to.shared.u64(r[0], x)",
       "the instruction 'cvta.to.shared.u64' is not available"},
  };
  for (const Refusal& refusal : table) {
    const std::string error = error_of(refusal.call);
    const bool right =
        refusal.reason[0] == '\0' ? error.empty() : error.find(refusal.reason) != std::string::npos;
    CHECK_MESSAGE(right, refusal.call, "\n", error);
  }
}

TEST_CASE("part of the threads is not enough, in else-branches and behind returns as well") {
  // TIRx keeps all threads active in an else-branch: there the last two calls would be taken.
  for (const char* call : {"if warp < 2:\n        Tx.cta.zero(s)",
                           "if warp < 2:\n        pass\n    else:\n        Tx.cta.zero(s)",
                           "if warp < 2:\n        return\n    Tx.cta.zero(s)"}) {
    const std::string error = error_of(call);
    CHECK_MESSAGE(error.find("only part of the cta reaches the call") != std::string::npos, call,
                  "\n", error);
  }
  CHECK(error_of("if warp == 2:\n        Tx.warp.zero(s)").empty());
}

}  // namespace tirx::testing
