// What an assignment inside a kernel does, rule by rule (docs/language.md, "Assignment").
#include <doctest/doctest.h>

#include "eval_support.hpp"

namespace tirx::dsl::test {
namespace {

TEST_CASE("rule 1: chained assignment is an error, a subscript target is a store") {
  CHECK(rejected("a = b = 1") == "1:1: chained assignment is not allowed in a kernel");
  CHECK(built("A[t] = B[t]") == "A[t] = B[t]\n");
  CHECK(built("A[0:4] = B[4:8]") == "A.vstore([0], B.vload([4], dtype=\"float32x4\"))\n");
  CHECK(built("M[t, 0:8:2] = M[t, 1:9:2]") == "M[t, 0:8:2] = M[t, 1:9:2]\n");
  CHECK(built("i = (3, t)\nM[*i] = 1.0") == "M[3, t] = T.float32(1.0)\n");
  CHECK(rejected("M[0:4, 0:4] = 1.0") == "1:1: a region of 'M' cannot be assigned to");
  CHECK(rejected("M[1, 2, 3] = 1.0") == "1:9: 'M' has 2 dimensions, not 3");
}

TEST_CASE("rule 2: assigning to a mutable scalar is a store") {
  CHECK(built("x = 1\nx = x + t") == "x: T.int32 = 1\nx = x + t\n");
  // alloc_local((1,)) counts as one.
  CHECK(built("acc = T.alloc_local((1,), \"float32\")\nacc = A[t]\nB[t] = acc[0]") ==
        "acc = T.alloc_buffer((1,), \"float32\", scope=\"local\")\nacc[0] = A[t]\nB[t] = acc[0]\n");
  CHECK(built("x: T.float32 = 0\nx = 2") == "x: T.float32 = T.float32(0.0)\nx = T.float32(2.0)\n");
}

TEST_CASE("rule 3: buffers, regions, layouts, meta_var are aliases") {
  CHECK(built("C = A\nC[t] = 1.0") == "A[t] = T.float32(1.0)\n");
  CHECK(built("r = M[4:8, 0:16]\nTx.fill(r, 0.0)") == "Tx.fill(M[4:8, 0:16], T.float32(0.0))\n");
  CHECK(built("x = T.meta_var(t * 2)\nI[t] = x + x") == "I[t] = t * 2 + t * 2\n");
  CHECK(built("l = TileLayout(S[8])\nC = T.alloc_local((8,), \"float32\", layout=l)") ==
        "C = T.alloc_buffer((8,), \"float32\", scope=\"local\")\n");
}

TEST_CASE("rule 4: tuples bind element by element") {
  CHECK(built("a, b = t, 2\nI[a] = b") == "a: T.int32 = t\nb: T.int32 = 2\nI[a] = b\n");
  CHECK(built("p = (t, 2)\nI[p[0]] = p[1]") == "I[t] = 2\n");
  CHECK(rejected("a, b = (1, 2, 3)") == "1:8: cannot unpack 3 values into 2 targets");
}

TEST_CASE("rule 5: pointers are bound once") {
  CHECK(built("p = A.ptr_to([t])\nT.cuda.atomic_add(p, 1.0)") ==
        "T.cuda.atomic_add(A.ptr_to([t]), T.float32(1.0))\n");
  CHECK(rejected("p = A.ptr_to([t])\np = A.ptr_to([0])") == "2:1: 'p' cannot be reassigned");
  // What its index reads is read where the pointer is made.
  CHECK(built("i = 1\np = A.ptr_to([i])\ni = 2\nT.cuda.atomic_add(p, 1.0)") ==
        "i: T.int32 = 1\n"
        "index: T.let[T.int32] = i\n"
        "i = 2\n"
        "T.cuda.atomic_add(A.ptr_to([index]), T.float32(1.0))\n");
}

TEST_CASE("rule 6: scalars declare a variable of their dtype") {
  CHECK(built("x = 1") == "x: T.int32 = 1\n");
  CHECK(built("x = 1.5") == "x: T.float32 = T.float32(1.5)\n");
  CHECK(built("x = True") == "x: T.bool = True\n");
  CHECK(built("x = H[t]") == "x: T.float16 = H[t]\n");
  CHECK(built("x = 5000000000") == "x: T.int64 = T.int64(5000000000)\n");
  CHECK(built("x = t") == "x: T.int32 = t\n");
}

TEST_CASE("rule 7: strings are not bound") {
  CHECK(rejected("s = \"abc\"") == "1:5: a string cannot be bound to a name inside a kernel");
  CHECK(built("s = T.meta_var(\"float16\")\nx = T.cast(t, s)") ==
        "x: T.float16 = T.cast(t, \"float16\")\n");
}

TEST_CASE("annotated assignments") {
  CHECK(built("x: T.int64 = 3") == "x: T.int64 = T.int64(3)\n");
  CHECK(built("x: T.float32") == "x: T.float32\n");
  CHECK(built("x: T.let = A[t]\nB[t] = x") == "x: T.let[T.float32] = A[t]\nB[t] = x\n");
  CHECK(built("x: T.let[T.int64] = t") == "x: T.let[T.int64] = T.cast(t, \"int64\")\n");
  CHECK(rejected("x: T.let = t\nx = 3") == "2:1: 'x' cannot be reassigned");
  CHECK(built("x: T.f32[4]\nx[0] = 1.0") ==
        "x = T.alloc_buffer((4,), \"float32\", scope=\"local\")\nx[0] = T.float32(1.0)\n");
  CHECK(built("x: T.int32[2, 3]") == "x = T.alloc_buffer((2, 3), \"int32\", scope=\"local\")\n");
  CHECK(rejected("x: T.handle = A.data") == "1:4: a pointer is not a variable");
  CHECK(rejected("x: T.f32[4] = 0.0") ==
        "1:15: a local array has no initial value; store its elements");
  // Declaring again makes a new variable.
  CHECK(built("x: T.int32 = 1\nx: T.float32 = 2") ==
        "x: T.int32 = 1\nx_1: T.float32 = T.float32(2.0)\n");
}

TEST_CASE("augmented assignment") {
  CHECK(built("x = 1\nx += t\nx //= 2") == "x: T.int32 = 1\nx = x + t\nx = x // 2\n");
  CHECK(built("A[t] *= 2.0") == "A[t] = A[t] * T.float32(2.0)\n");
  CHECK(rejected("for i in range(4):\n    i += 1") == "2:5: 'i' is not a variable of the kernel");
}

TEST_CASE("a store converts, and says when a fraction is lost") {
  CHECK(built("H[t] = A[t]") == "H[t] = T.cast(A[t], \"float16\")\n");
  CHECK(built("A[t] = 1") == "A[t] = T.float32(1.0)\n");
  CHECK(built("E[t] = A[t]") == "E[t] = T.cast(A[t], \"float8_e4m3fn\")\n");
  const Ran ran = run(in_kernel("I[t] = A[t]"));
  CHECK(ran.warnings() ==
        "14:12: float32 is stored as int32: the fraction is lost; T.cast says that it is meant");
  CHECK(rejected("U[t] = -1") == "1:8: -1 does not fit uint32");
}

TEST_CASE("names bound under a run-time condition end with it") {
  CHECK(rejected("if t < 3:\n    x = 1\nI[t] = x") == "3:8: name 'x' is not defined");
  CHECK(built("x = 0\nif t < 3:\n    x = 1\nI[t] = x") ==
        "x: T.int32 = 0\nif t < 3:\n    x = 1\nI[t] = x\n");
  // A condition known now opens no scope.
  CHECK(built("if 1 < 2:\n    x = 1\nI[t] = x") == "x: T.int32 = 1\nI[t] = x\n");
}

}  // namespace
}  // namespace tirx::dsl::test
