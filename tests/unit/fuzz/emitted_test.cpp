// What a line says of its CUDA is held against what an emitter made of it, line by line.
#include "fuzz/check/emitted.hpp"

#include <doctest/doctest.h>

#include "fuzz/check/oracle.hpp"
#include "fuzz/generate/documented.hpp"
#include "fuzz/generate/program.hpp"

namespace tirx::fuzz {

namespace {

/// What is found where an emitter that says this stands behind a script whose fourth and fifth line
/// end so.
std::string found(const std::string& emitted, const std::string& fourth, const std::string& fifth) {
  const std::string text =
      "from tvm.script import tirx as T\n"
      "@T.prim_func\n"
      "def k(A: T.Buffer((32,), \"int32\")):\n"
      "    T.device_entry()  " +
      fourth + "\n    T.cta_id([1]); t = T.thread_id([32]); A[t] = 1  " + fifth +
      "\nimport tirx\nk(tirx.zeros((32,), \"int32\"))\n";
  OracleOptions options;
  options.emit = [&](std::span<const lower::LoweredKernel* const>, bool lines) {
    return Result<std::string>(lines ? emitted : std::string());
  };
  const auto finding = check_script(text, options).finding;
  return finding ? finding->kind + ": " + finding->text : "";
}

}  // namespace

TEST_CASE("emitted: what a line says of its CUDA is looked for behind its #line") {
  const std::string name = " \"the \\\"fuzzed\\\" \\\\ one\\nof two lines.tx\"\n";
  const std::string good =
      "head\n#line 4" + name + "  four();\n  #line 5" + name + "  A[t] = 1;\n}\ntail\n";
  CHECK(found(good, "#cuda: four()", "#cuda: A[t] = 1; #cuda not: four").empty());
  CHECK(found(good, "#cuda file: head", "#cuda once: tail #cuda: 1;\\n").empty());
  CHECK(found(good, "#cuda: five", "").find("cuda: line 4 becomes CUDA without \"five\"") == 0);
  CHECK(found(good, "", "#cuda not: A[t]").find("cuda: line 5 becomes CUDA with \"A[t]\"") == 0);
  CHECK(found(good, "", "#cuda: tail").find("cuda: line 5 becomes CUDA without") == 0);
  CHECK(found(good + good, "", "#cuda once: four").find("with a second \"four\"") !=
        std::string::npos);
  CHECK(found("#line 4 \"other.tx\"\n", "#cuda not: x", "").find("names the file") !=
        std::string::npos);
  CHECK(found("#line 4" + name + "#line 4" + name, "#cuda not: x", "").find("twice in a row") !=
        std::string::npos);
}

TEST_CASE("emitted: a text that lacks a helper, or a bracket") {
  const std::string helper = "__device__ __forceinline__ int tirx_one(int a) { return a; }\n";
  const std::string kernel =
      "extern \"C\" __global__ void\nk(int* A) {\n  A[0] = tirx_one(1);\n}\n";
  CHECK(!not_self_contained(helper + kernel));
  CHECK(not_self_contained(kernel) == "the emitted text calls tirx_one and lacks it");
  CHECK(not_self_contained(helper + kernel + "}\n"));
  CHECK(not_self_contained(helper + "int (\n"));
  CHECK(!not_self_contained("  asm(\"{ \\\" (\");  // (\n"));
}

TEST_CASE("emitted: what has no CUDA is refused") {
  OracleOptions options;
  options.emit = [](std::span<const lower::LoweredKernel* const>, bool) {
    return Result<std::string>(Diagnostic{{}, "no such thing", {}});
  };
  const auto finding = check_script(generate(1).text, options).finding;
  REQUIRE(finding);
  CHECK(finding->kind == "refused");
  CHECK(finding->text == "no such thing");
}

TEST_CASE("emitted: one program in eight has a kernel that says what becomes of it") {
  int drawn = 0, said = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    drawn += has_documented_kernel(seed) ? 1 : 0;
    said += says_cuda(generate(seed).text) ? 1 : 0;
  }
  CHECK(drawn > 30);
  CHECK(drawn < 70);
  CHECK(said == drawn);
}

}  // namespace tirx::fuzz
