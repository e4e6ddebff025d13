// The CUDA text of the math functions: every function has one, complete but for the primitives.
#include "numerics/cuda_math.hpp"

#include <set>

#include <doctest/doctest.h>

using namespace tirx::num;

namespace {

/// Names of the form tirx_… that are called in the text.
std::set<std::string> called(const std::string& text) {
  std::set<std::string> out;
  for (std::size_t at = text.find("tirx_"); at != std::string::npos;
       at = text.find("tirx_", at + 1)) {
    const std::size_t end = text.find('(', at);
    out.insert(text.substr(at, end - at));
  }
  return out;
}

}  // namespace

TEST_CASE("every math function has complete text") {
  const std::set<std::string> primitives = {"tirx_add_f32", "tirx_sub_f32", "tirx_mul_f32",
                                            "tirx_div_f32", "tirx_fma_f32", "tirx_sqrt_f32",
                                            "tirx_neg_f32"};
  int functions = 0;
  for (const ScalarOpRow& r : scalar_op_rows()) {
    const std::string text = cuda_source_of(r.op);
    CAPTURE(r.name);
    CHECK(text.empty() == (r.exactness != Exactness::sequence));
    if (text.empty()) continue;
    ++functions;
    CHECK(text.find("TIRX_") == std::string::npos);
    const std::string definition = " " + std::string(cuda_math_name(r.op)) + "(";
    CHECK(text.find(definition) != std::string::npos);
    for (const std::string& name : called(text)) {
      CAPTURE(name);
      const bool defined =
          text.find("__device__ __forceinline__ float " + name + "(") != std::string::npos ||
          text.find(" " + name + "(") != std::string::npos;
      CHECK((defined || primitives.count(name) == 1));
    }
  }
  CHECK(functions == 16);
}

TEST_CASE("only what is needed is printed") {
  const std::string text = cuda_source_of(ScalarOp::exp2);
  CHECK(text.find("tirx_log_f32") == std::string::npos);
  CHECK(text.find("tirx_scale_f32(float y, int k)") != std::string::npos);
  CHECK(cuda_source_of(ScalarOp::add).empty());
}
