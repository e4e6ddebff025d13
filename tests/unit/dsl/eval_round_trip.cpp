// A printed kernel evaluates back to the same IR.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "eval_support.hpp"
#include "ir/equal.hpp"
#include "ir/print.hpp"

namespace tirx::dsl::test {
namespace {

void check_round_trip(const ir::Kernel& kernel) {
  const std::string text = ir::to_string(kernel);
  const Ran again = run(text);
  INFO(text);
  CHECK(again.errors().empty());
  REQUIRE(again.result.kernels.size() == 1);
  CHECK(ir::first_difference(kernel, *again.result.kernels[0]) == "");
}

TEST_CASE("the kernels of the examples") {
  for (const auto& entry : std::filesystem::directory_iterator(TIRX_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".tx") continue;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    const auto source = std::make_shared<const Source>(entry.path().filename(), text.str());
    const ScriptResult result = collect_kernels(source);
    INFO(entry.path().string());
    CHECK(!result.has_errors());
    CHECK(!result.kernels.empty());
    for (const auto& kernel : result.kernels) check_round_trip(*kernel);
  }
}

TEST_CASE("statements and expressions of every kind") {
  const Ran ran = run(in_kernel(R"(x: T.float32 = 0
y: T.let = A[t]
z: T.f32[4]
for i in T.serial(0, n, step=2, unroll=4):
    if i < 3 and t > 1 or not (t == 5):
        x += T.exp(A[i]) * -y
    elif t == 7:
        break
    else:
        continue
for j in range(T.int64(n) - 8, n, 5):
    I[t] = T.cuda.func_call("low", j, source_code="__device__ int low(long long);", return_type="int32")
for j in T.serial(0, n, dtype="uint64"):
    T.cuda.func_call("seen", j, source_code="__device__ void seen(unsigned long long);")
while x > 0.0:
    x = T.if_then_else(t < 3, x - 1.0, T.Select(t < 5, x, 2.0))
W = T.alloc_shared((16, 64), "float16", layout=ComposeLayout(3, 3, 3, TileLayout(S[(16, 64):(64, 1)])))
P = W.sub[8:16]
P[0, t] = T.cast(x, "float16")
U[t] = (U[t] << 3) | (T.reinterpret(A[t], "uint32") & 255) ^ ~U[t]
I[t] = t // 3 % 5 + T.truncdiv(t, 4) - T.popcount(U[t])
v = M.vload([t, 0], dtype="float32x4")
M.vstore([t, 4], v * v)
M[t, 0:8:2] = v
T.cuda.cta_sync()
Tx.cta.copy(W, W)
Tx.warp.sum(A[0:16], M, axes=(1,), accum=True)
B[t] = T.cuda.__shfl_xor_sync(0xffffffff, x, 1)
T.cuda.atomic_add(B.ptr_to([t]), 1.0)
B[t] = T.max(x, T.float32("-inf"))
assert t < 64, "small"
return)"));
  CHECK(ran.errors().empty());
  REQUIRE(ran.result.kernels.size() == 1);
  check_round_trip(*ran.result.kernels[0]);
}

TEST_CASE("instructions by name, with one result, several and none") {
  const Ran ran = run(in_kernel(R"(q = T.alloc_shared((64,), "float16")
w = T.alloc_local((4,), "uint32")
f = T.alloc_local((4,), "float32")
p: T.bool = False
T.ptx.cp.async_.ca.shared.global_(q.ptr_to([2 * t]), A.ptr_to([t]), 4, 2, pred=t < 3)
T.ptx.cp.async_.commit_group()
T.ptx["cp.async.wait_group"](1)
T.ptx.ldmatrix.sync.x4.aligned.trans.shared.m8n8.b16(w[0], w[1], w[2], w[3], q.ptr_to([t * 2]))
T.ptx.mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32(f[0], f[1], f[2], f[3], w[0], w[1], w[2], 0.0, 0.0, 0.0, 0.0)
T.ptx.shfl.sync.idx.b32(f[0], p, f[1], 3, 31, -1)
T.ptx.shfl.sync.idx.b32(f[0], T.ptx.SINK, f[1], 3, 31, -1)
T.ptx.st.global_.v2.f32(T.ptx.addr(M.ptr_to([1, 0]), 8), f[0], 1.0)
f[2] = T.ptx.ex2.approx.f32.value(f[1]) + T.cast(T.ptx.redux.sync.add.u32.value(w[0], 0xFFFFFFFF), "float32")
T.cuda.mbarrier_wait(q.view("uint64").ptr_to([0]), 1))"));
  CHECK(ran.errors().empty());
  REQUIRE(ran.result.kernels.size() == 1);
  check_round_trip(*ran.result.kernels[0]);
}

}  // namespace
}  // namespace tirx::dsl::test
