// What ptxas makes of the helpers: an addition after a multiplication stays two instructions, an
// approximation of a constant stays an instruction, and no negation of a nested minimum is lost
// (docs/fidelity.md).  Needs cuobjdump; says so where it is missing.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "numerics/convert.hpp"
#include "tests/unit/backend_cuda/support.hpp"

namespace tirx::testing {

namespace {

using num::DType;
using num::ScalarOp;

bool has_cuobjdump() {
  static const bool found = std::system("cuobjdump --version > /dev/null 2>&1") == 0;
  if (!found) MESSAGE("cuobjdump is not on the PATH: machine code is not looked at");
  return found;
}

std::string machine_code(const std::string& text, const std::string& arch) {
  const Result<cuda::Cubin> cubin = cuda::compile(text, arch);
  REQUIRE(cubin);
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tirx_machine_code_" + arch + ".cubin");
  std::ofstream(path, std::ios::binary) << cubin->image;
  std::string out;
  std::FILE* pipe = popen(("cuobjdump -sass " + path.string() + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> piece{};
  while (std::fgets(piece.data(), static_cast<int>(piece.size()), pipe) != nullptr) {
    out += piece.data();
  }
  pclose(pipe);
  std::filesystem::remove(path);
  return out;
}

/// d = a * b + c and d = a * b - c.
KernelBuilder multiply_add(DType dtype) {
  KernelBuilder k("multiply_add");
  const Buffer a = k.param("A", dtype, {32});
  const Buffer b = k.param("B", dtype, {32});
  const Buffer d = k.param("D", dtype, {64});
  k.cta_id(1);
  const Var tx = k.thread_id(32);
  const E product = E(load(a, {tx})) * load(b, {tx});
  k.body(
      {store(d, {tx}, product + load(d, {tx})), store(d, {E(tx) + 32}, product - load(a, {tx}))});
  return k;
}

int count(const std::string& text, std::string_view word) {
  int found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("a product and a sum are not contracted") {
  if (!may_compile() || !has_cuobjdump()) return;
  for (const std::string arch : {"sm_80", "sm_90a", "sm_100a"}) {
    CAPTURE(arch);
    const auto code = [&](DType dtype) {
      KernelBuilder k = multiply_add(dtype);
      const Result<std::string> text = cuda::emit(lowered(k, arch));
      REQUIRE(text);
      return machine_code(*text, arch);
    };
    const std::string f32 = code(DType::f32);
    CHECK(count(f32, "FFMA") == 0);
    CHECK(count(f32, " FADD ") == 2);
    const std::string f64 = code(DType::f64);
    CHECK(count(f64, "DFMA") == 0);
    CHECK(count(f64, " DADD ") == 2);
    const std::string f16 = code(DType::f16);
    CHECK(count(f16, " HADD2") == 2);
    // bfloat16 is made of fma on sm_80: three operations, since the product is shared.
    const std::string bf16 = code(DType::bf16);
    CHECK(count(bf16, ".BF16_V2") == 3);
  }
}

namespace {

/// Negated registers: the operand of an IADD3 or of an IMAD.MOV.
int negations(const std::string& code) {
  int found = 0;
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) {
    const bool moves =
        line.find("IADD3 ") != std::string::npos || line.find("IMAD.MOV ") != std::string::npos;
    if (moves && line.find("-R") != std::string::npos) ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("an approximation of a constant is computed by the unit") {
  if (!may_compile() || !has_cuobjdump()) return;
  constexpr auto kOps = std::to_array<ScalarOp>(
      {ScalarOp::ex2_approx, ScalarOp::ex2_approx_ftz, ScalarOp::rcp_approx,
       ScalarOp::rcp_approx_ftz, ScalarOp::rsqrt_approx, ScalarOp::rsqrt_approx_ftz,
       ScalarOp::sqrt_approx, ScalarOp::sqrt_approx_ftz, ScalarOp::lg2_approx,
       ScalarOp::lg2_approx_ftz, ScalarOp::tanh_approx, ScalarOp::sin_approx,
       ScalarOp::sin_approx_ftz, ScalarOp::cos_approx, ScalarOp::cos_approx_ftz});
  KernelBuilder k("approximations");
  const Buffer d = k.param("D", DType::f32, {static_cast<int>(kOps.size())});
  k.cta_id(1);
  (void)k.thread_id(32);
  Body body;
  for (std::size_t i = 0; i < kOps.size(); ++i) {
    const Expr value =
        make_expr(Type{DType::f32, 1}, {},
                  Const{num::from_double(1.25 + static_cast<double>(i), DType::f32)});
    body.push_back(
        store(d, {static_cast<int>(i)}, make_expr(value->type, {}, Scalar{kOps[i], {value}})));
  }
  k.body(std::move(body));
  for (const std::string arch : {"sm_80", "sm_90a", "sm_100a"}) {
    CAPTURE(arch);
    const Result<std::string> text = cuda::emit(lowered(k, arch));
    REQUIRE(text);
    CHECK(count(machine_code(*text, arch), " MUFU.") == static_cast<int>(kOps.size()));
  }
}

TEST_CASE("no negation of a nested minimum or maximum is lost") {
  if (!may_compile() || !has_cuobjdump()) return;
  for (const DType dtype : {DType::i32, DType::u32}) {
    for (const ScalarOp op : {ScalarOp::min, ScalarOp::max}) {
      CAPTURE(num::name(dtype));
      CAPTURE(num::name(op));
      KernelBuilder k("nested");
      const Buffer a = k.param("A", dtype, {96});
      const Buffer d = k.param("D", dtype, {32});
      k.cta_id(1);
      const Var tx = k.thread_id(32);
      const auto negated = [&](int offset) {
        const Expr value = load(a, {E(tx) + offset});
        return make_expr(value->type, {}, Scalar{ScalarOp::neg, {value}});
      };
      k.body({store(d, {tx}, scalar(op, negated(0), scalar(op, negated(32), negated(64))))});
      for (const std::string arch : {"sm_80", "sm_90a", "sm_100a"}) {
        CAPTURE(arch);
        const Result<std::string> text = cuda::emit(lowered(k, arch));
        REQUIRE(text);
        CHECK(negations(machine_code(*text, arch)) == 3);
      }
    }
  }
}

}  // namespace tirx::testing
