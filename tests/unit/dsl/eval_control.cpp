// Loops, conditions, inline functions, jit, meta classes (docs/language.md).
#include <doctest/doctest.h>

#include "eval_support.hpp"

namespace tirx::dsl::test {
namespace {

TEST_CASE("range is always a loop of the kernel; other loops are what T says") {
  CHECK(built("for i in range(4):\n    I[i] = i") == "for i in range(4):\n    I[i] = i\n");
  CHECK(built("for i in range(1, n, 2):\n    I[i] = i") ==
        "for i in range(1, n, 2):\n    I[i] = i\n");
  CHECK(built("for i in T.unroll(4):\n    I[i] = i") == "for i in T.unroll(4):\n    I[i] = i\n");
  CHECK(built("for i in T.vectorized(4):\n    I[i] = i") ==
        "for i in T.vectorized(4):\n    I[i] = i\n");
  CHECK(built("for i in T.serial(8, unroll=2):\n    I[i] = i") ==
        "for i in T.serial(8, unroll=2):\n    I[i] = i\n");
  CHECK(built("for i, j in T.grid(2, (1, 3)):\n    I[i] = j") ==
        "for i in range(2):\n    for j in range(1, 3):\n        I[i] = j\n");
  CHECK(rejected("for i in (1, 2):\n    I[i] = i") ==
        "1:10: Expect the for loop to be one of the following: range, T.serial, T.grid, "
        "T.parallel, T.vectorized, T.unroll, T.thread_binding");
  CHECK(rejected("for i in range(0, 4, 0):\n    pass") == "1:10: the step of a loop cannot be 0");
  CHECK(rejected("for i in range(2.5):\n    pass") == "1:16: an index must be an integer, not 2.5");
  CHECK(rejected("for i, j in range(4):\n    pass") == "1:5: the loop has 1 variables, not 2");
}

TEST_CASE("loop variables are int32, unless a bound or dtype= says otherwise") {
  const auto dtype = [](const std::string& loop) {
    return run(in_kernel("for i in " + loop + ":\n    print(i.dtype)")).output;
  };
  CHECK(dtype("range(4)") == "int32\n");
  CHECK(dtype("T.serial(4, dtype=\"uint32\")") == "uint32\n");
  CHECK(dtype("range(T.uint32(4))") == "uint32\n");
  CHECK(dtype("range(U[0])") == "uint32\n");
}

TEST_CASE("while, break, continue") {
  CHECK(
      built("x = 4\nwhile x > 0:\n    x -= 1\n    if x == t:\n        break\n    continue") ==
      "x: T.int32 = 4\nwhile x > 0:\n    x = x - 1\n    if x == t:\n        break\n    continue\n");
  CHECK(built("while False:\n    I[t] = 1").empty());
  CHECK(rejected("break") == "1:1: 'break' outside a loop");
  // What follows a break in its block is not evaluated.
  CHECK(built("for i in range(2):\n    break\n    I[t] = 1") == "for i in range(2):\n    break\n");
}

TEST_CASE("if: a condition known now chooses, one known later is a branch") {
  CHECK(built("if T.min(2, 3) == 2:\n    I[t] = 1\nelse:\n    I[t] = 2") == "I[t] = 1\n");
  CHECK(built("if t < 3:\n    I[t] = 1\nelif t < 5:\n    I[t] = 2\nelse:\n    I[t] = 3") ==
        "if t < 3:\n    I[t] = 1\nelse:\n    if t < 5:\n        I[t] = 2\n    else:\n"
        "        I[t] = 3\n");
  CHECK(built("if t:\n    I[t] = 1") == "if t != 0:\n    I[t] = 1\n");
  CHECK(rejected("if A[t]:\n    I[t] = 1") == "1:4: a condition must be a bool, not float32");
  CHECK(built("if 1 < 2 and t < 3:\n    I[t] = 1") == "if t < 3:\n    I[t] = 1\n");
  CHECK(built("if 0 <= t < 3 or t == 9:\n    I[t] = 1") ==
        "if 0 <= t and t < 3 or t == 9:\n    I[t] = 1\n");
}

TEST_CASE("return and assert") {
  CHECK(built("if t > 3:\n    return\nI[t] = 1") == "if t > 3:\n    return\nI[t] = 1\n");
  CHECK(built("I[t] = 1\nreturn\nI[t] = 2") == "I[t] = 1\n");
  CHECK(rejected("return t") == "1:8: a kernel returns nothing");
  CHECK(built("assert t < 64, \"t is small\"") == "assert t < 64, \"t is small\"\n");
  CHECK(built("assert t < 64") == "assert t < 64, \"t < 64\"\n");
  CHECK(rejected("assert 1 > 2, \"never\"") == "1:1: assertion failed: never");
}

TEST_CASE("inline functions") {
  // Free names mean what they mean at the call.
  CHECK(built("@T.inline\ndef f(i):\n    I[i] = c\nc = T.meta_var(7)\nf(3)") == "I[3] = 7\n");
  CHECK(built("@T.inline\ndef f(i):\n    I[i] = c\nfor j in range(2):\n    c = T.meta_var(j + 1)\n"
              "    f(j)") == "for j in range(2):\n    I[j] = j + 1\n");
  // Assigning to a variable around it stores to it; other names are its own.
  CHECK(built("x = 0\n@T.inline\ndef f():\n    x = x + 1\n    y = 2\nf()") ==
        "x: T.int32 = 0\nx = x + 1\ny: T.int32 = 2\n");
  CHECK(rejected("@T.inline\ndef f():\n    y = 2\nf()\nI[t] = y") ==
        "5:8: name 'y' is not defined");
  // Parameters shadow, have defaults, and may be functions.
  CHECK(built("x = 0\n@T.inline\ndef f(x, k=5):\n    I[x] = k\nf(t)\nf(1, k=2)") ==
        "x: T.int32 = 0\nI[t] = 5\nI[1] = 2\n");
  CHECK(built("@T.inline\ndef g(i):\n    I[i] = 1\n@T.inline\ndef f(h, i):\n    h(i)\nf(g, 4)") ==
        "I[4] = 1\n");
  // A recursion ends by a condition known now.
  CHECK(built("@T.inline\ndef f(n):\n    if n > 0:\n        I[n] = n\n        f(n - 1)\nf(2)") ==
        "I[2] = 2\nI[1] = 1\n");
  CHECK(rejected("@T.inline\ndef f():\n    f()\nf()") ==
        "3:5: 'f' calls itself too deeply (limit 200)");
  CHECK(built("@T.macro\ndef f():\n    I[t] = 1\nf()") == "I[t] = 1\n");
  CHECK(built("@T.inline\ndef f(a, b):\n    return a + b\nI[t] = f(t, 1)") == "I[t] = t + 1\n");
  CHECK(rejected("@T.inline\ndef f():\n    if t > 1:\n        return\nf()") ==
        "4:9: an inline function cannot return under a condition known only at run time");
  CHECK(rejected("def f():\n    pass") == "1:5: a function inside a kernel must be a @T.inline");
}

TEST_CASE("an error inside an inline function says how it got there") {
  const Ran ran = run(in_kernel("@T.inline\ndef f():\n    I[t] = zz\nf()"));
  CHECK(ran.errors() == "16:16: name 'zz' is not defined");
  CHECK(ran.notes() == "17:5: in the call of f");
}

TEST_CASE("plain functions compute meta values, and may build expressions") {
  const std::string frame =
      "from tvm.script import tirx as T\n"
      "def f(x, n):\n    y = x\n    for i in range(n):\n        y = y + i\n    return y\n"
      "def g(x):\n    if x > 1:\n        return 1\n    return 2\n"
      "@T.prim_func\ndef k(I: T.Buffer((8,), \"int32\")):\n    T.device_entry()\n"
      "    T.cta_id([1])\n    t = T.thread_id([32])\n";
  CHECK(body_of(*run(frame + "    I[0] = f(t, 3)\n").result.kernels.at(0)) == "I[0] = t + 1 + 2\n");
  CHECK(run(frame + "    I[0] = g(t)\n").errors() ==
        "8:8: this condition is known only when the kernel runs");
}

TEST_CASE("jit: one kernel per choice of constexprs") {
  const std::string script = R"(from __future__ import annotations
from tvm.script import tirx as T
@T.jit
def f(A: T.Buffer((N,), d), b: T.Optional(T.handle), *, N: T.constexpr, d: T.constexpr = "float32"):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([N])
    if b is not None:
        B = T.match_buffer(b, (N,), d)
        B[t] = A[t]
    else:
        A[t] = 1
)";
  const Ran ran = run(script +
                      "print(f.specialize(N=32) is f.specialize(N=32))\n"
                      "f.specialize(N=64, b=None, d=\"float16\")\n");
  CHECK(ran.errors().empty());
  CHECK(ran.output == "True\n");
  REQUIRE(ran.result.kernels.size() == 2);
  CHECK(body_of(*ran.result.kernels[0]) == "B[t] = A[t]\n");
  CHECK(body_of(*ran.result.kernels[1]) == "A[t] = T.float16(1.0)\n");
  CHECK(run(script + "f.specialize()").errors() ==
        "13:1: f.specialize() is missing the constexpr 'N'");
  CHECK(run(script + "f.specialize(N=1, M=2)").errors() ==
        "13:21: f.specialize() got an unexpected argument 'M'");
  CHECK(run(script + "f.specialize(N=1, b=3)").errors() ==
        "4:29: 'b' can only be specialised to None, not 3");
  CHECK(run(script + "f.specialize(N=1, A=3)").errors() ==
        "4:7: 'A' of f is no T.constexpr: it is an argument of the launch");
}

TEST_CASE("constexpr and optional need jit") {
  const std::string head = "from tvm.script import tirx as T\n@T.prim_func\ndef f(";
  CHECK(run(head + "n: T.constexpr):\n    T.device_entry()\n").errors() ==
        "3:10: T.constexpr is for @T.jit kernels");
  CHECK(run(head + "a: T.Optional(T.handle)):\n    T.device_entry()\n").errors() ==
        "3:10: T.Optional is for @T.jit kernels");
  CHECK(run(head + "a):\n    T.device_entry()\n").errors() == "3:7: parameter 'a' has no type");
  CHECK(run(head + "a: 3):\n    T.device_entry()\n").errors() ==
        "3:10: 3 is no type of a kernel's parameter");
  CHECK(run(head + "a: T.handle):\n    T.device_entry()\n    T.cta_id([1])\n").errors() ==
        "3:7: nothing says what 'a' points to");
  CHECK(run(head + "n: T.int32):\n    T.cta_id([1])\n").errors() ==
        "4:5: T.cta_id() belongs after T.device_entry()");
  CHECK(run(head + "n: T.int32):\n    T.device_entry()\n    T.device_entry()\n").errors() ==
        "5:5: T.device_entry() occurs twice");
  CHECK(run(head + "n: T.int32):\n    pass\n").errors() ==
        "3:5: kernel 'f' has no T.device_entry()");
}

TEST_CASE("meta classes exist while the kernel is built") {
  const std::string script = R"(from tvm.script import tirx as T
@T.meta_class
class Ring:
    def __init__(self, depth):
        self.depth = depth
        self.stage = T.local_scalar("int32")
        self.regs = [T.local_scalar("float32") for _ in range(2)]
    @T.inline
    def advance(self):
        self.stage = self.stage + 1
        if self.stage == self.depth:
            self.stage = 0
    def twice(self, x):
        return x * 2
@T.prim_func
def k(A: T.Buffer((8,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    r = Ring(4)
    r.stage = 0
    r.regs[1] = 2.0
    r.advance()
    A[r.stage] = r.twice(r.regs[1])
)";
  const Ran ran = run(script);
  CHECK(ran.errors().empty());
  CHECK(body_of(*ran.result.kernels.at(0)) ==
        "stage: T.int32\nx: T.float32\nx_1: T.float32\nstage = 0\nx_1 = T.float32(2.0)\n"
        "stage = stage + 1\nif stage == 4:\n    stage = 0\nA[stage] = x_1 * T.float32(2.0)\n");
}

TEST_CASE("launch axes") {
  const Ran ran = run(R"(from tvm.script import tirx as T
@T.prim_func
def k(A: T.Buffer((8, 32), "float32")):
    T.device_entry()
    with T.launch_thread("blockIdx.x", 8) as bx:
        with T.launch_thread("threadIdx.x", 32) as tx:
            A[bx, tx] = 1.0
@T.prim_func
def l(A: T.Buffer((8, 32), "float32")):
    T.device_entry()
    for b in T.thread_binding(8, thread="blockIdx.y"):
        for x in T.thread_binding(32, thread="threadIdx.x"):
            A[b, x] = 1.0
)");
  CHECK(ran.errors().empty());
  REQUIRE(ran.result.kernels.size() == 2);
  CHECK(body_of(*ran.result.kernels[0]) == "A[bx, tx] = T.float32(1.0)\n");
  const auto& ids = ran.result.kernels[1]->scope_ids;
  REQUIRE(ids.size() == 2);
  CHECK(ids[0].vars.size() == 2);  // x and y
  CHECK(ids[1].kind == ir::ScopeIdKind::thread_id);
}

TEST_CASE("symbolic dimensions") {
  const Ran ran = run(R"(from tvm.script import tirx as T
@T.prim_func
def k(a: T.handle, B: T.Buffer(("m", 4), "float32")):
    n = T.int32()
    A = T.match_buffer(a, (n, "m"), "float32")
    T.device_entry()
    T.cta_id([n])
    t = T.thread_id([32])
    for i in range(B.shape[0]):
        B[i, 0] = A[t, i]
)");
  CHECK(ran.errors().empty());
  const ir::Kernel& kernel = *ran.result.kernels.at(0);
  REQUIRE(kernel.symbols.size() == 2);
  CHECK(kernel.symbols[0]->name == "m");
  CHECK(kernel.symbols[1]->name == "n");
}

TEST_CASE("attributes") {
  const Ran ran = run(in_kernel("T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 2})"));
  CHECK(ran.errors().empty());
  CHECK(ran.result.kernels.at(0)->attributes.min_blocks_per_sm == 2);
  CHECK(rejected("T.attr({\"tirx.max_register\": 2})") ==
        "1:8: no attribute is called 'tirx.max_register' (did you mean 'tirx.max_registers'?)");
  CHECK(rejected(
            "T.attr({\"tirx.max_registers\": 32, \"tirx.launch_bounds_min_blocks_per_sm\": 2})") ==
        "1:8: tirx.max_registers cannot be combined with CUDA launch bounds");
}

}  // namespace
}  // namespace tirx::dsl::test
