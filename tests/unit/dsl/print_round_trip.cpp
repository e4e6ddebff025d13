// A printed kernel of tile IR parses and evaluates back to the same IR.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "dsl/run_script.hpp"
#include "ir/equal.hpp"
#include "ir/print.hpp"

using namespace tirx;  // NOLINT(google-build-using-namespace)

namespace {

dsl::ScriptResult collect(const std::string& name, const std::string& text) {
  const auto source = std::make_shared<const Source>(name, text);
  dsl::ScriptResult result = dsl::collect_kernels(source);
  for (const Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.severity == Severity::error) FAIL(render(*source, diagnostic) << text);
  }
  return result;
}

void check_round_trip(const std::string& name, const std::string& text) {
  const dsl::ScriptResult first = collect(name, text);
  REQUIRE_FALSE(first.kernels.empty());
  for (const auto& kernel : first.kernels) {
    const std::string printed = ir::to_string(*kernel);
    const dsl::ScriptResult second = collect(name + " (printed)", printed);
    REQUIRE(second.kernels.size() == 1);
    INFO(printed);
    CHECK(ir::first_difference(*kernel, *second.kernels[0]) == "");
    // Printing is a fixed point.
    CHECK(ir::to_string(*second.kernels[0]) == printed);
  }
}

void check_kernel(const std::string& body) {
  check_round_trip("kernel.tx",
                   "from tvm.script import tirx as T\n"
                   "from tvm.script.tirx import tile as Tx\n"
                   "from tvm.tirx.layout import *\n" +
                       body);
}

}  // namespace

TEST_CASE("examples print and parse back") {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TIRX_SOURCE_DIR) + "/examples")) {
    if (entry.path().extension() != ".tx") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    CAPTURE(entry.path().filename().string());
    check_round_trip(entry.path().filename().string(), text.str());
  }
}

TEST_CASE("scalars, lets, loops") {
  check_kernel(R"(
@T.prim_func
def k(A_ptr: T.handle, n: T.int32, x: T.float16):
    A = T.match_buffer(A_ptr, (128,), "float32")
    T.device_entry()
    bx = T.cta_id([1])
    tx = T.thread_id([128])
    acc: T.float32 = 0
    count: T.int32
    count = tx // 3
    y: T.let = count + 1
    for i in range(n):
        if i % 2 == 0 and not (i > 5 or tx < 3):
            acc += A[i] * 2.0 - T.cast(x, "float32")
        elif tx == 7:
            break
        else:
            continue
    for j in T.serial(2, 10, step=2, unroll=4):
        acc = T.max(acc, A[j + y])
    for j in T.unroll(4):
        acc = T.if_then_else(acc > 1.0, acc, -acc)
    while count > 0:
        count -= 1
        acc = acc + T.Select(count > 3, 1.0, 0.5)
    assert n > 0, "n is \"positive\""
    A[tx] = acc
)");
}

TEST_CASE("integer types and bit operations") {
  check_kernel(R"(
@T.prim_func
def k(A: T.Buffer((64,), "uint32"), B: T.Buffer((64,), "int64")):
    T.device_entry()
    tx = T.thread_id([64])
    u: T.uint32 = 5
    u = (u << 3) ^ (u >> T.uint32(1)) | ~u & T.uint32(255)
    A[tx] = u + T.cast(tx, "uint32") * T.uint32(7)
    B[tx] = T.int64(-3) + T.cast(u, "int64") % T.int64(10)
    for i in T.serial(4, dtype="uint32"):
        A[i] = i
)");
}

TEST_CASE("symbolic shapes, strides and offsets") {
  check_kernel(R"(
@T.prim_func
def k(A: T.Buffer(("m", "n"), "float32"), b: T.handle, c: T.handle):
    p = T.int32()
    B = T.match_buffer(b, (p, p * 4), "float16")
    C = T.match_buffer(c, (8, 8), "float32", strides=(16, 2), elem_offset=4)
    assert p > 0
    T.device_entry()
    bx, by = T.cta_id([p, 2])
    tx = T.thread_id([32])
    if tx < A.shape[1]:
        A[0, tx] = C[tx % 8, by] + T.cast(B[0, tx], "float32")
)");
}

TEST_CASE("buffers, layouts, views") {
  check_kernel(R"(
@T.prim_func
def k(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 32), "float16")
    T.device_entry()
    T.cta_id([1])
    lane = T.lane_id([32])
    T.thread_id([32])
    s = T.alloc_buffer((32, 32), "float16", scope="shared", layout=ComposeLayout(3, 3, 3, S[(32, 32)]), align=128)
    d = T.alloc_buffer((4096,), "uint8", scope="shared.dyn")
    v = T.decl_buffer((32, 16), "float16", data=d.data, elem_offset=256)
    r = T.alloc_buffer((32, 8), "float16", scope="local", layout=TileLayout(S[(32, 8):(1 @ laneid, 1)]))
    own = r.local(8)
    Tx.warp.copy(s, A)
    T.cuda.cta_sync()
    Tx.warp.copy(r, s[:, 8:16])
    own[0] = own[1]
    if lane < 16:
        w = A.view(16, 64)
        v[lane, 0] = w[lane, 3]
    Tx.warp.copy(A[:, 0:8], r, dispatch="reg")
)");
}

TEST_CASE("machine operations and vectors") {
  check_kernel(R"(
@T.prim_func
def k(A: T.Buffer((128,), "float32"), C: T.Buffer((4,), "int32")):
    T.device_entry()
    tx = T.thread_id([32])
    x: T.float32 = A[tx]
    x = T.cuda.__shfl_xor_sync(T.uint32(0xffffffff), x, 1, 32)
    A.vstore([tx * 4], A.vload([tx * 4], dtype="float32x4"))
    T.cuda.warp_sync()
    old: T.int32 = T.cuda.atomic_add(C.ptr_to([0]), 1)
    T.cuda.thread_fence("gpu")
    T.cuda.printf("x = %f\n", x)
    C[1] = old
)");
}
