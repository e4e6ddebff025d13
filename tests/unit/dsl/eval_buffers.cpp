// Buffers, regions, pointers, views (docs/language.md, "Buffers").
#include <doctest/doctest.h>

#include "eval_support.hpp"

namespace tirx::dsl::test {
namespace {

TEST_CASE("allocation") {
  CHECK(built("S_ = T.alloc_shared((8, 8), \"float16\")") ==
        "S_ = T.alloc_buffer((8, 8), \"float16\", scope=\"shared\")\n");
  CHECK(rejected("x = T.alloc_buffer((8,), \"float32\", scope=\"share\")") ==
        "1:43: no memory scope is called 'share' (did you mean 'shared'?)");
  CHECK(rejected("x = T.alloc_buffer((8,), \"float32\")") ==
        "1:5: global memory is not allocated in a kernel");
  CHECK(rejected("x = T.alloc_shared((0,), \"float32\")") ==
        "1:5: the extents of a buffer must be positive, not 0");
  CHECK(rejected("x = T.alloc_shared((8,), \"float31\")") ==
        "1:26: no dtype is called 'float31' (did you mean 'float32'?)");
  CHECK(rejected("x = T.alloc_shared((8,), name=\"x\")") ==
        "1:31: T.alloc_shared() got an unexpected keyword argument 'name'");
  CHECK(rejected("x = T.alloc_shared((8, 8), layout=TileLayout(S[32]))") ==
        "1:5: the layout S[32:1] has 32 elements, the shape (8, 8) has 64");
  CHECK(rejected("x = T.alloc_buffer((8,), \"uint8\", scope=\"shared.dyn\")\n"
                 "y = T.alloc_buffer((8,), \"uint8\", scope=\"shared.dyn\")") ==
        "2:5: a kernel has one allocation in shared.dyn");
}

TEST_CASE("match_buffer") {
  const auto matched = [](const std::string& call) {
    const Ran ran =
        run("from tvm.script import tirx as T\n@T.prim_func\ndef k(a: T.handle):\n"
            "    A = T.match_buffer(" +
            call +
            ")\n    T.device_entry()\n"
            "    T.cta_id([1])\n    t = T.thread_id([32])\n    A[0, t] = 1.0\n");
    return ran.errors();
  };
  CHECK(matched("a, (4, 32), \"float32\"").empty());
  CHECK(matched("a, (4, 32), \"float32\", strides=(64, 1), elem_offset=8").empty());
  CHECK(matched("a, (4, 32), strides=(1,)") == "4:9: 1 strides for 2 dimensions");
  CHECK(matched("3, (4, 32)") ==
        "4:24: T.match_buffer() argument 'param' must be a T.handle parameter of this kernel");
  CHECK(matched("a, (4, 32), scope=\"shared\"") == "4:42: a parameter lies in global memory");
}

TEST_CASE("regions: missing dimensions are whole, slicing composes") {
  CHECK(built("Tx.fill(M[3], 1.0)") == "Tx.fill(M[3:4, 0:32], T.float32(1.0))\n");
  CHECK(built("Tx.fill(M, 1.0)") == "Tx.fill(M[0:16, 0:32], T.float32(1.0))\n");
  CHECK(built("Tx.fill(M[4:12, 8:][2:4, 0:8], 1.0)") == "Tx.fill(M[6:8, 8:16], T.float32(1.0))\n");
  CHECK(built("Tx.fill(M[t, 0:8][2:4], 1.0)") == "Tx.fill(M[t:t + 1, 2:4], T.float32(1.0))\n");
  CHECK(built("Tx.fill(M[t * 4:t * 4 + 4, 0:8], 1.0)") ==
        "Tx.fill(M[t * 4:t * 4 + 4, 0:8], T.float32(1.0))\n");
  CHECK(built("r = M[4:8]\nB[t] = r[1, t]") == "B[t] = M[5, t]\n");
  CHECK(rejected("Tx.fill(M[8:8], 1.0)") == "1:11: the slice is empty (0 elements)");
  CHECK(rejected("B[t] = M[0:4, 0:4]") == "1:8: a region of 'M' is not a value");
  CHECK(rejected("B[t] = A[1.5]") == "1:10: an index must be an integer, not 1.5");
  CHECK(rejected("B[t] = A[A[t]]") == "1:10: an index must be an integer, not float32");
}

TEST_CASE("vectors") {
  CHECK(built("v = A.vload([t], dtype=\"float32x2\")\nB.vstore([t], v * 2.0)") ==
        "v: T.let[T.float32x2] = A.vload([t], dtype=\"float32x2\")\n"
        "B.vstore([t], v * T.Broadcast(T.float32(2.0), 2))\n");
  CHECK(rejected("v = A.vload([t], dtype=\"float16x2\")") ==
        "1:24: 'A' holds float32, not float16");
  CHECK(built("v = A.vload([t], \"float32x4\")\nB[t] = v[2]") ==
        "v: T.let[T.float32x4] = A.vload([t], dtype=\"float32x4\")\nB[t] = v[2]\n");
  CHECK(rejected("v = A[0:4] + A[0:8]") == "1:5: vectors of 4 and 8 lanes do not go together");
}

TEST_CASE("pointers") {
  CHECK(rejected("p = M.ptr_to([t])") ==
        "1:14: 'M' has 2 dimensions, buffer.ptr_to() got 1 indices");
  CHECK(rejected("p = A.ptr_to([0]) + 1") == "1:5: there is no arithmetic on pointers");
  CHECK(built("I[t] = M.elem_offset_of([t, 3])") == "I[t] = t * 32 + 3\n");
  CHECK(built("x = T.cuda.ldg(T.address_of(A[t]))") ==
        "x: T.float32 = T.cuda.ldg(A.ptr_to([t]))\n");
}

TEST_CASE("properties") {
  CHECK(run(in_kernel("print(M.shape, M.dtype, M.scope, M.name, M.layout, n.dtype)")).output ==
        "(16, 32) float32 global M S[(16, 32):(32, 1)] int32\n");
  CHECK(rejected("x = M.shap") == "1:7: buffer has no attribute 'shap' (did you mean 'shape'?)");
}

TEST_CASE("view") {
  CHECK(built("V = M.view(8, 64)\nV[t, 0] = 1.0") ==
        "V = T.decl_buffer((8, 64), \"float32\", data=M.data)\nV[t, 0] = T.float32(1.0)\n");
  CHECK(built("V = M.view(-1)\nV[t] = 1.0") ==
        "V = T.decl_buffer((512,), \"float32\", data=M.data)\nV[t] = T.float32(1.0)\n");
  CHECK(rejected("V = M.view(8, 65)") ==
        "1:5: a view of 520 elements cannot show the 512 elements of the buffer");
  CHECK(rejected("V = M.view(7, -1)") == "1:5: 512 elements cannot be divided into parts of 7");
  CHECK(built("V = M.view(\"float16\")\nV[t, 0] = 1.0") ==
        "V = T.decl_buffer((16, 64), \"float16\", data=M.data)\nV[t, 0] = T.float16(1.0)\n");
  CHECK(built("V = H.view(\"float32\")\nV[t] = 1.0") ==
        "V = T.decl_buffer((32,), \"float32\", data=H.data)\nV[t] = T.float32(1.0)\n");
}

TEST_CASE("local: the part of this thread") {
  const std::string tile =
      "D = T.alloc_buffer((32, 8), \"float32\", scope=\"local\", "
      "layout=TileLayout(S[(32, 2, 4):(1 @ laneid, 4, 1)]))\n";
  CHECK(built(tile + "d = D.local()\nd[3] = 1.0").find("d = D.local(8)\n") != std::string::npos);
  CHECK(built(tile + "d = D.local(2, -1)\nd[1, 3] = 1.0").find("d = D.local(2, 4)\n") !=
        std::string::npos);
  CHECK(rejected(tile + "d = D.local(3, 2)") ==
        "2:5: the shape must multiply to the physical storage span 8 per thread");
  CHECK(rejected("x = T.alloc_buffer((4,), \"float32\", scope=\"local\", layout=None)\n"
                 "d = x.local()") == "2:5: .local() of 'x': parent buffer has layout=None");
  CHECK(rejected("d = A.local()") == "1:5: .local() of 'A', which lies in global memory");
}

TEST_CASE("permute and rearrange") {
  CHECK(built("P = M.permute(1, 0)\nP[3, t] = 1.0") ==
        "P = T.decl_buffer((32, 16), \"float32\", layout=TileLayout(S[(32, 16):(1, 32)]), "
        "data=M.data)\nP[3, t] = T.float32(1.0)\n");
  CHECK(rejected("P = M.permute(1, 1)") == "1:5: the dimensions must be 0 … 1 in some order");
  CHECK(built("P = M.rearrange(\"b (c r) -> c b r\", r=4)\nP[1, 2, 3] = 1.0") ==
        "P = T.decl_buffer((8, 16, 4), \"float32\", layout=TileLayout(S[(8, 16, 4):(4, 32, 1)]), "
        "data=M.data)\nP[1, 2, 3] = T.float32(1.0)\n");
  CHECK(rejected("P = M.rearrange(\"b (c r) -> b c\", r=4)") ==
        "1:17: both sides of the pattern need the same names");
  CHECK(rejected("P = M.rearrange(\"b (c r) -> b c r\", r=5)") ==
        "1:17: dimension 1 has 32 elements, which the pattern's 5 do not divide");
}

TEST_CASE("sub, tile, chunk") {
  CHECK(built("P = M.sub[t, 4:12]\nP[3] = 1.0") ==
        "P = T.decl_buffer((8,), \"float32\", data=M.data, elem_offset=4 + t * 32)\n"
        "P[3] = T.float32(1.0)\n");
  CHECK(built("P = M.sub[1::4]\nP[0, 3] = 1.0") ==
        "P = T.decl_buffer((4, 32), \"float32\", layout=TileLayout(S[(4, 32):(128, 1)]), "
        "data=M.data, elem_offset=32)\nP[0, 3] = T.float32(1.0)\n");
  CHECK(rejected("P = M.sub[16]") == "1:11: index 16 is out of range for 16 elements");
  CHECK(rejected("P = M.sub[-1]") == "1:11: the index must be non-negative, not -1");
  CHECK(rejected("P = M.sub[8:20]") == "1:11: [8:20] exceeds the dimension's 16 elements");
  CHECK(rejected("P = M.sub[4:4]") == "1:11: the length of the part must be positive, not 0");
  CHECK(rejected("P = M.sub[4::4]") == "1:11: the start must lie in [0, 4), not 4");
  CHECK(rejected("P = M.sub[0:8:4]") == "1:11: a stop bound with a step is not supported");
  CHECK(rejected("P = M.sub[0::3]") ==
        "1:11: the dimension's 16 elements must be multiples of the step 3");
  // Steps of a layout whose dimension has two iters: 4 rows of 6, 8 apart.
  const std::string rows = "W = T.alloc_shared((24,), \"float32\", layout=S[(4, 6):(8, 1)])\n";
  CHECK(rejected(rows + "P = W.sub[0::4]") ==
        "2:11: the step 4 cuts through the layout S[(4, 6):(8, 1)]");
  CHECK(rejected(rows + "P = W.sub[0::8]") ==
        "2:11: the step 8 cuts through the layout S[(4, 6):(8, 1)]");
  for (const char* step : {"2", "3", "6", "12"}) {
    CAPTURE(step);
    CHECK(rejected(rows + "P = W.sub[1::" + step + "]\nP[0] = 1.0") == "");
  }
  CHECK(run(in_kernel(rows + "P = W.sub[0::4]")).result.diagnostics.at(0).notes.at(0).text ==
        "steps are multiples of the inner iter block, 6 elements, or divide it");
  CHECK(built("P = M.tile(0, (4, -1))[t, :]\nP[1, 2] = 1.0") ==
        "P = T.decl_buffer((4, 32), \"float32\", data=M.data, elem_offset=t * 128)\n"
        "P[1, 2] = T.float32(1.0)\n");
  CHECK(rejected("P = M.tile(0, (3, -1))[t, :]") ==
        "1:15: the factors multiply to 3, the dimension has 16 elements");
  CHECK(rejected("P = M.tile(0, (4, -1))[4, :]") ==
        "1:24: pick 4 is out of range: it must lie in [0, 4)");
  CHECK(built("Tx.fill(M.chunk((4, 2))[t, 1], 1.0)") ==
        "Tx.fill(M[t * 4:t * 4 + 4, 16:32], T.float32(1.0))\n");
  CHECK(rejected("Tx.fill(M.chunk((3, 2))[t, 1], 1.0)") ==
        "1:17: dimension 0 has 16 elements: they cannot be cut into 3 equal parts");
}

TEST_CASE("a part of a swizzled buffer starts where the pattern does") {
  const std::string swizzled =
      "W = T.alloc_shared((16, 64), \"float16\", layout=ComposeLayout(3, 3, 3, "
      "TileLayout(S[(16, 64):(64, 1)])))\n";
  CHECK(built(swizzled + "P = W.sub[8:16]\nP[0, t] = 1.0").find("elem_offset=512") !=
        std::string::npos);
  // Inside the pattern the offset stays in the layout, in front of the swizzle.
  CHECK(built(swizzled + "P = W.sub[4:8]\nP[0, t] = 1.0").find("S[256:1] + 256") !=
        std::string::npos);
  CHECK(rejected(swizzled + "P = W.sub[t]") ==
        "2:5: the part starts inside the swizzle's pattern at a place known only at run time");
}

TEST_CASE("SMEMPool") {
  CHECK(built("p = T.SMEMPool()\nX = p.alloc((8, 8), \"float32\")\nY = p.alloc((4,), \"float16\", "
              "align=128)\np.commit()\nX[0, t] = 1.0\nY[0] = 1.0") ==
        "p = T.alloc_buffer((264,), \"uint8\", scope=\"shared.dyn\", align=128)\n"
        "X = T.decl_buffer((8, 8), \"float32\", data=p.data)\n"
        "Y = T.decl_buffer((4,), \"float16\", data=p.data, elem_offset=128)\n"
        "X[0, t] = T.float32(1.0)\nY[0] = T.float16(1.0)\n");
  CHECK(rejected("p = T.SMEMPool()\nX = p.alloc_tcgen05_mma_AB((8, 24), \"float16\", 3)") ==
        "2:28: rows of 24 elements are no multiple of the 64 of a 128B swizzle atom");
  CHECK(rejected("p = T.SMEMPool()\nX = p.alloc_tcgen05_mma_AB((12, 64), \"float16\")") ==
        "2:28: the rows must be a multiple of 8, not 12");
  CHECK(rejected("p = T.SMEMPool()\nq = T.SMEMPool()") ==
        "2:5: a kernel has one allocation in shared.dyn: make one T.SMEMPool");
}

TEST_CASE("decl_buffer") {
  CHECK(
      built("C = T.decl_buffer((4, 8), \"float32\", data=M.data, elem_offset=16)\nC[0, t] = 1.0") ==
      "C = T.decl_buffer((4, 8), \"float32\", data=M.data, elem_offset=16)\n"
      "C[0, t] = T.float32(1.0)\n");
  CHECK(
      built("C = T.decl_buffer((8,), \"float16\", data=M.ptr_to([1, 2]), byte_offset=4)\n"
            "C[0] = 1.0") ==
      "C = T.decl_buffer((8,), \"float16\", data=M.data, elem_offset=70)\nC[0] = T.float16(1.0)\n");
  CHECK(rejected("C = T.decl_buffer((8,), \"float32\")") == "1:5: T.decl_buffer() needs data=");
  CHECK(rejected("C = T.decl_buffer((8,), \"float32\", data=M.data, byte_offset=2)") ==
        "1:61: the offset 2 is not a whole number of elements of 32 bits");
}

}  // namespace
}  // namespace tirx::dsl::test
