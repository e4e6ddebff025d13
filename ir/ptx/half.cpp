// Arithmetic on pairs of 16-bit floats in one register (PTX ISA 9.7.4, "Half precision floating
// point"), and the 16-bit forms of the approximations (9.7.3.21 ex2, 9.7.3.20 tanh).  Those of one
// float16 are scalar operations of the language (dsl/eval/ptx_scalar.cpp).
#include <fmt/format.h>

#include "ir/ops/ptx_half.hpp"
#include "ir/ptx/instruction.hpp"

namespace tirx::ir::ptx {

namespace {

constexpr std::string_view kPairs = "f16x2|bf16x2";
constexpr std::string_view kHalves = "f16|f16x2|bf16|bf16x2";

constexpr Slot kSumSlots[] = {{"rn", false}, {kPairs}};
constexpr Slot kFmaSlots[] = {{"rn"}, {kPairs}};
constexpr Slot kChoiceSlots[] = {{"NaN", false}, {kPairs}};
constexpr Slot kApproxSlots[] = {{"approx"}, {"ftz", false}, {kHalves}};

/// Without .rn the assembler may fuse a product and a sum into one rounding: it is always written.
std::string sum(Instruction& made) {
  made.words[0] = "rn";
  made.output("d", kB32);
  made.input("a", kB32);
  made.input("b", kB32);
  if (made.word(1) == "bf16x2") made.min_sm = 90;
  return {};
}

std::string fma(Instruction& made) {
  made.output("d", kB32);
  made.input("a", kB32);
  made.input("b", kB32);
  made.input("c", kB32);
  return {};
}

std::string choice(Instruction& made) {
  made.output("d", kB32);
  made.input("a", kB32);
  made.input("b", kB32);
  return {};
}

std::string approx(Instruction& made) {
  const std::string_view type = made.word(2);
  const bool bf16 = type.starts_with("bf16");
  const bool flushes = bf16 && made.family->opcode == "ex2";
  if (flushes != made.has("ftz")) {
    return flushes ? fmt::format("missing required modifier of ex2.approx.{}: .ftz", type)
                   : fmt::format("{}.approx has no .ftz for .{}", made.family->opcode, type);
  }
  if (bf16) made.min_sm = 90;
  made.recorded = false;
  const Register reg = type.ends_with("x2") ? kB32 : register_of(type);
  made.output("d", reg);
  made.input("a", reg);
  return {};
}

}  // namespace

constinit const Family kAddPair{"add", kSumSlots, "d, a, b", sum};
constinit const Family kSubPair{"sub", kSumSlots, "d, a, b", sum};
constinit const Family kMulPair{"mul", kSumSlots, "d, a, b", sum};
constinit const Family kFmaPair{"fma", kFmaSlots, "d, a, b, c", fma};
constinit const Family kMinPair{"min", kChoiceSlots, "d, a, b", choice};
constinit const Family kMaxPair{"max", kChoiceSlots, "d, a, b", choice};
constinit const Family kEx2Half{"ex2", kApproxSlots, "d, a", approx};
constinit const Family kTanhHalf{"tanh", kApproxSlots, "d, a", approx};

}  // namespace tirx::ir::ptx
