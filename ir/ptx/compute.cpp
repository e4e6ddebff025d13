// Integer and bit instructions beyond the language's operators (PTX ISA 9.7.1 "Integer arithmetic",
// 9.7.8 "Logic and shift", 9.7.9.7 prmt).
#include <fmt/format.h>

#include "ir/ops/ptx_compute.hpp"
#include "ir/ptx/instruction.hpp"

namespace tirx::ir::ptx {

namespace {

using num::DType;

constexpr Slot kPrmtSlots[] = {{"b32"}, {"f4e|b4e|rc8|ecl|ecr|rc16", false}};
constexpr Slot kLop3Slots[] = {{"b32"}};
constexpr Slot kBfeSlots[] = {{"u32|u64|s32|s64"}};
constexpr Slot kBfiSlots[] = {{"b32|b64"}};
constexpr Slot kShfSlots[] = {{"l|r"}, {"clamp|wrap"}, {"b32"}};
constexpr Slot kMulSlots[] = {{"hi|lo|wide"}, {"u16|u32|u64|s16|s32|s64"}};
constexpr Slot kDp4aSlots[] = {{"u32|s32"}, {"u32|s32"}};
constexpr Slot kBfindSlots[] = {{"shiftamt", false}, {"u32|u64|s32|s64"}};

std::string prmt(Instruction& made) {
  made.output("d", kB32);
  made.input("a", kB32);
  made.input("b", kB32);
  made.input("c", kB32);
  return {};
}

std::string lop3(Instruction& made) {
  prmt(made);
  made.immediate("table", 0, 255);
  return {};
}

std::string bfe(Instruction& made) {
  const Register type = register_of(made.word(0));
  made.output("d", type);
  made.input("a", type);
  made.input("b", kU32);
  made.input("c", kU32);
  return {};
}

std::string bfi(Instruction& made) {
  const Register type = register_of(made.word(0));
  made.output("f", type);
  made.input("a", type);
  made.input("b", type);
  made.input("c", kU32);
  made.input("d", kU32);
  return {};
}

std::string shf(Instruction& made) {
  made.output("d", kB32);
  made.input("a", kB32);
  made.input("b", kB32);
  made.input("c", kU32);
  return {};
}

Register doubled(Register type) {
  const bool is_signed = num::is_signed(type.dtype);
  if (num::bits(type.dtype) == 16) return {is_signed ? DType::i32 : DType::u32, false};
  return {is_signed ? DType::i64 : DType::u64, false};
}

std::string multiply(Instruction& made, bool adds) {
  const Register type = register_of(made.word(1));
  const bool whole = made.word(0) == "wide";
  if (whole && num::bits(type.dtype) == 64) {
    return fmt::format("{}.wide has no form for .{}", made.family->opcode, made.word(1));
  }
  const Register product = whole ? doubled(type) : type;
  made.output("d", product);
  made.input("a", type);
  made.input("b", type);
  if (adds) made.input("c", product);
  return {};
}

std::string mul(Instruction& made) {
  return multiply(made, false);
}

std::string mad(Instruction& made) {
  return multiply(made, true);
}

std::string dp4a(Instruction& made) {
  const bool is_signed = made.word(0) == "s32" || made.word(1) == "s32";
  const Register sum{is_signed ? DType::i32 : DType::u32, false};
  made.output("d", sum);
  made.input("a", kB32);
  made.input("b", kB32);
  made.input("c", sum);
  return {};
}

std::string bfind(Instruction& made) {
  made.output("d", kU32);
  made.input("a", register_of(made.word(1)));
  return {};
}

}  // namespace

constinit const Family kPrmt{"prmt", kPrmtSlots, "d, a, b, c", prmt};
constinit const Family kLop3{"lop3", kLop3Slots, "d, a, b, c, table", lop3};
constinit const Family kBfe{"bfe", kBfeSlots, "d, a, b, c", bfe};
constinit const Family kBfi{"bfi", kBfiSlots, "f, a, b, c, d", bfi};
constinit const Family kShf{"shf", kShfSlots, "d, a, b, c", shf};
constinit const Family kMul{"mul", kMulSlots, "d, a, b", mul};
constinit const Family kMad{"mad", kMulSlots, "d, a, b, c", mad};
constinit const Family kDp4a{"dp4a", kDp4aSlots, "d, a, b, c", dp4a};
constinit const Family kBfind{"bfind", kBfindSlots, "d, a", bfind};

}  // namespace tirx::ir::ptx
