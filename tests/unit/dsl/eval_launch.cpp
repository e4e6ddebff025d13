// Launching: arguments against parameters (docs/semantics.md, "Target and arguments").
#include <doctest/doctest.h>

#include "eval_support.hpp"

namespace tirx::dsl::test {
namespace {

const char* const kScript = R"(from tvm.script import tirx as T
@T.prim_func
def k(a: T.handle, B: T.Buffer((4, "m"), "float16"), s: T.float32, c: T.int32):
    n = T.int32()
    A = T.match_buffer(a, (n, n), "float32")
    T.device_entry()
    T.cta_id([n])
    t = T.thread_id([32])
    A[0, t] = s + c
@T.prim_func
def two(X: T.Buffer((8,), "float32"), Y: T.Buffer((8,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    X[t] = Y[t]
@T.prim_func
def strided(X: T.Buffer((4, 4), "float32", strides=(8, 1))):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    X[t, 0] = 1.0
f16 = tirx.zeros((4, 7), "float16")
f32 = tirx.zeros((5, 5), "float32")
)";

std::string launch(const std::string& call) {
  const Ran ran = run(std::string(kScript) + call);
  std::string out = ran.errors();
  for (const std::string& launched : ran.launched) out += launched;
  return out;
}

TEST_CASE("arguments that fit") {
  CHECK(launch("k(f32, f16, 1.5, 3)") == "k((5, 5), (4, 7), 1.5, 3)");
  CHECK(launch("k(a=f32, B=f16, c=3, s=2)") == "k((5, 5), (4, 7), 2.0, 3)");
}

TEST_CASE("arguments that do not fit name the parameter") {
  CHECK(launch("k(f32, f16, 1.5)") == "24:1: k() is missing 1 required argument: 'c'");
  CHECK(launch("k(f16, f16, 1.5, 3)") == "24:3: 'a' must be a tensor of float32, not float16");
  CHECK(launch("k(3, f16, 1.5, 3)") == "24:3: 'a' is a tensor of float32, not int");
  CHECK(launch("k(f32, f16, f32, 3)") == "24:13: 's' has the type float32, not tensor");
  CHECK(launch("k(f32, f16, 1.5, 2.5)") == "24:18: 'c' has the type int32: give an int");
  CHECK(launch("k(f32, f16, 1.5, 3000000000)") == "24:18: 3000000000 does not fit int32");
  CHECK(launch("k(tirx.zeros((5, 6), \"float32\"), f16, 1.0, 3)") ==
        "24:3: 'a': dimension 1 has 6 elements, but n is 5 already");
  CHECK(launch("k(f32, tirx.zeros((3, 7), \"float16\"), 1.0, 3)") ==
        "24:8: 'B': dimension 0 must have 4 elements, the argument has 3");
  CHECK(launch("k(f32, tirx.zeros((28,), \"float16\"), 1.0, 3)") ==
        "24:8: 'B' has 2 dimensions, the argument has shape (28,)");
  CHECK(launch("k(f32.T, f16, 1.0, 3)").find("contiguous") != std::string::npos);
}

TEST_CASE("arguments that overlap are refused when one is written") {
  CHECK(launch("x = tirx.zeros((8,), \"float32\")\ntwo(x, x)") ==
        "25:8: 'X' and 'Y' share memory, and the kernel writes to one of them");
  CHECK(launch("x = tirx.zeros((16,), \"float32\")\ntwo(x[0:8], x[8:16])") == "two((8,), (8,))");
  CHECK(launch("x = tirx.zeros((16,), \"float32\")\ntwo(x[0:8], x[4:12])") ==
        "25:13: 'X' and 'Y' share memory, and the kernel writes to one of them");
}

TEST_CASE("with strides any shape will do that has enough elements") {
  CHECK(launch("strided(tirx.zeros((28,), \"float32\"))") == "strided((28,))");
  CHECK(launch("strided(tirx.zeros((27,), \"float32\"))") ==
        "24:9: 'X' reaches 28 elements, the argument has 27");
}

TEST_CASE("collecting kernels launches nothing and goes past asserts") {
  const auto source = std::make_shared<const Source>(
      "test.tx",
      std::string(kScript) +
          "k(f32, f16, 1.0, 3)\nassert 1 == 2\nstrided(tirx.zeros((28,), \"float32\"))\n");
  const ScriptResult result = collect_kernels(source);
  CHECK(!result.has_errors());
  CHECK(result.kernels.size() == 3);
  REQUIRE(result.launches.size() == 2);
  CHECK(result.launches[1].kernel->name == "strided");
}

}  // namespace
}  // namespace tirx::dsl::test
