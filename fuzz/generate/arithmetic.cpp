// Arithmetic by PTX names, on words, floats, and pairs of 16-bit floats in one register (PTX ISA
// 9.7.1, 9.7.4, 9.7.9).
#include <array>

#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/instruction.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

std::string word(Draft& draft) {
  return expression(draft, DType::u32, 1);
}

void on_words(Draft& draft) {
  struct Form {
    const char* text;
    int inputs;
    const char* last;  // an operand that is fixed
  };

  static constexpr auto kForms = std::to_array<Form>({
      {"prmt.b32", 3, ""},
      {"prmt.b32.f4e", 3, ""},
      {"prmt.b32.ecr", 3, ""},
      {"lop3.b32", 3, ", 0x96"},
      {"lop3.b32", 3, ", 0xCA"},
      {"bfe.u32", 1, ", 5, 9"},
      {"bfe.s32", 1, ", 11, 21"},
      {"bfi.b32", 2, ", 7, 12"},
      {"shf.l.wrap.b32", 3, ""},
      {"shf.r.wrap.b32", 3, ""},
      {"shf.l.clamp.b32", 2, ", 40"},
      {"mul.hi.u32", 2, ""},
      {"mul.lo.u32", 2, ""},
      {"mad.lo.u32", 3, ""},
      {"mad.hi.u32", 3, ""},
      {"dp4a.u32.u32", 3, ""},
      {"bfind.u32", 1, ""},
  });
  const Form& form = draft.dice.pick(kForms);
  std::string inputs;
  for (int i = 0; i < form.inputs; ++i) inputs += ", " + word(draft);
  const std::string to = result(draft, DType::u32);
  draft.line("T.ptx.{}({}{}{})", form.text, to, inputs, form.last);
  keep(draft, to, DType::u32);
}

void conversion(Draft& draft) {
  struct Form {
    const char* text;
    DType to, from;
  };

  static constexpr auto kForms = std::to_array<Form>({
      {"cvt.rni.s32.f32", DType::i32, DType::f32},
      {"cvt.rzi.s32.f32", DType::i32, DType::f32},
      {"cvt.rmi.s32.f32", DType::i32, DType::f32},
      {"cvt.rpi.s32.f32", DType::i32, DType::f32},
      {"cvt.rz.f32.s32", DType::f32, DType::i32},
      {"cvt.sat.f32.f32", DType::f32, DType::f32},
      {"cvt.rni.f32.f32", DType::f32, DType::f32},
      {"cvt.rz.f16.f32", DType::f16, DType::f32},
      {"cvt.rn.sat.f16.f32", DType::f16, DType::f32},
      {"cvt.f32.f16", DType::f32, DType::f16},
  });
  const Form& form = draft.dice.pick(kForms);
  const std::string value = expression(draft, form.from, 1);
  const std::string to = result(draft, form.to);
  draft.line("T.ptx.{}({}, {})", form.text, to, value);
  keep(draft, to, form.to);
}

/// Two floats into one register, or out of one that holds two.
void conversion_of_pairs(Draft& draft) {
  struct Form {
    const char* text;
    DType to, from;
    int inputs;
  };

  static constexpr auto kForms = std::to_array<Form>({
      {"cvt.rn.f16x2.f32", DType::u32, DType::f32, 2},
      {"cvt.rn.bf16x2.f32", DType::u32, DType::f32, 2},
      {"cvt.rz.f16x2.f32", DType::u32, DType::f32, 2},
      {"cvt.rn.relu.bf16x2.f32", DType::u32, DType::f32, 2},
      {"cvt.rn.satfinite.e4m3x2.f32", DType::u16, DType::f32, 2},
      {"cvt.rn.satfinite.e5m2x2.f32", DType::u16, DType::f32, 2},
      {"cvt.rn.satfinite.e4m3x2.f16x2", DType::u16, DType::u32, 1},
      {"cvt.rn.f16x2.e4m3x2", DType::u32, DType::u16, 1},
      {"cvt.rn.f16x2.e5m2x2", DType::u32, DType::u16, 1},
  });
  const Form& form = draft.dice.pick(kForms);
  std::string inputs;
  for (int i = 0; i < form.inputs; ++i) inputs += ", " + expression(draft, form.from, 1);
  const std::string to = result(draft, form.to);
  draft.line("T.ptx.{}({}{})", form.text, to, inputs);
  keep(draft, to, form.to);
}

/// Arithmetic on both halves of a register; what comes out are two floats.
void on_pairs(Draft& draft) {
  struct Form {
    const char* text;
    int inputs;
  };

  static constexpr auto kForms = std::to_array<Form>({
      {"add", 2},
      {"add.rn", 2},
      {"sub", 2},
      {"sub.rn", 2},
      {"mul", 2},
      {"mul.rn", 2},
      {"fma.rn", 3},
      {"fma.rn", 3},
      {"min", 2},
      {"min.NaN", 2},
      {"max", 2},
      {"max.NaN", 2},
  });
  const Form& form = draft.dice.pick(kForms);
  const DType half = draft.dice.one_of({DType::f16, DType::bf16});
  std::string inputs;
  for (int i = 0; i < form.inputs; ++i) inputs += ", " + word(draft);
  const std::string pair = result(draft, DType::u32);
  draft.line("T.ptx.{}.{}({}{})", form.text, half == DType::f16 ? "f16x2" : "bf16x2", pair, inputs);
  for (const char* bits : {" & T.uint32(0xFFFF)", " >> T.uint32(16)"}) {
    const std::string v = draft.fresh("v");
    draft.line("{}: T.let = T.reinterpret(\"{}\", T.cast({}{}, \"uint16\"))", v, type_name(half),
               pair, bits);
    keep(draft, v, half);
  }
}

}  // namespace

void arithmetic_by_name(Draft& draft) {
  const int roll = draft.dice.below(100);
  if (roll < 45) return on_words(draft);
  if (roll < 60) return conversion(draft);
  if (roll < 72) return conversion_of_pairs(draft);
  on_pairs(draft);
}

}  // namespace tirx::fuzz
