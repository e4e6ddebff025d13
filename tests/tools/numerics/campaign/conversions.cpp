// Every cvt form of sm_90 from a type of at most 32 bits that numerics has (PTX ISA, "cvt"): all
// rounding modes, .ftz, .sat, .satfinite, .relu.
#include "tests/tools/numerics/campaign/rows.hpp"

namespace tirx::num::campaign {
namespace {

struct TypeName {
  const char* ptx;
  DType dtype;
};

constexpr TypeName kIntegers[] = {{"s8", DType::i8},   {"u8", DType::u8},   {"s16", DType::i16},
                                  {"u16", DType::u16}, {"s32", DType::i32}, {"u32", DType::u32},
                                  {"s64", DType::i64}, {"u64", DType::u64}};

struct RoundName {
  const char* to_float;
  const char* to_integer;
  Round round;
};

constexpr RoundName kRounds[] = {{"rn", "rni", Round::rn},
                                 {"rz", "rzi", Round::rz},
                                 {"rm", "rmi", Round::rm},
                                 {"rp", "rpi", Round::rp}};

struct Forms {
  std::vector<Row>& rows;

  void add(const std::string& ptx, DType from, DType to, const Conversion& form) const {
    // Next to bfloat16, ptxas wants 16-bit integers in their own registers, and 8-bit ones in a
    // kind that inline PTX does not have.
    if ((from == DType::bf16 && bits(to) == 8) || (to == DType::bf16 && bits(from) == 8)) return;
    const bool narrow =
        (from == DType::bf16 && bits(to) <= 16) || (to == DType::bf16 && bits(from) <= 16);
    const bool half_in = from == DType::f16 || from == DType::bf16 || narrow;
    const bool half_out = narrow || (bits(to) == 16 && is_float(to));
    const char out = bits(to) == 64 ? 'l' : (half_out ? 'h' : 'r');
    const std::string in = half_in ? "\"h\"((unsigned short)x)" : "\"r\"(x)";
    // A narrow integer result is extended in its register.
    const std::string cut = bits(to) < 32 && !is_float(to)
                                ? " out &= " + std::to_string((1U << bits(to)) - 1) + "u;"
                                : "";
    rows.push_back({.name = ptx,
                    .device = instruction(ptx + " %0, %1;", in, out) + cut,
                    .from = from,
                    .to = to,
                    .op = ScalarOp::add,
                    .is_conversion = true,
                    .form = form});
  }

  void to_halves() const {
    for (const RoundName& r : kRounds) {
      const std::string round = std::string("cvt.") + r.to_float;
      const bool direct = r.round == Round::rn || r.round == Round::rz;
      add(round + ".f16.f32", DType::f32, DType::f16, {.round = r.round});
      add(round + ".ftz.f16.f32", DType::f32, DType::f16, {.round = r.round, .ftz = true});
      add(round + ".sat.f16.f32", DType::f32, DType::f16, {.round = r.round, .sat = true});
      add(round + ".bf16.f32", DType::f32, DType::bf16, {.round = r.round});
      add(round + ".bf16.f16", DType::f16, DType::bf16, {.round = r.round});
      add(round + ".f16.bf16", DType::bf16, DType::f16, {.round = r.round});
      if (!direct) continue;
      add(round + ".relu.f16.f32", DType::f32, DType::f16, {.round = r.round, .relu = true});
      add(round + ".satfinite.f16.f32", DType::f32, DType::f16,
          {.round = r.round, .satfinite = true});
      add(round + ".relu.bf16.f32", DType::f32, DType::bf16, {.round = r.round, .relu = true});
      add(round + ".satfinite.bf16.f32", DType::f32, DType::bf16,
          {.round = r.round, .satfinite = true});
      add(round + ".tf32.f32", DType::f32, DType::tf32, {.round = r.round});
      add(round + ".relu.tf32.f32", DType::f32, DType::tf32, {.round = r.round, .relu = true});
    }
    add("cvt.rna.tf32.f32", DType::f32, DType::tf32, {.round = Round::rna});
    add("cvt.rna.satfinite.tf32.f32", DType::f32, DType::tf32,
        {.round = Round::rna, .satfinite = true});
  }

  void widening() const {
    add("cvt.f64.f32", DType::f32, DType::f64, {});
    add("cvt.ftz.f64.f32", DType::f32, DType::f64, {.ftz = true});
    add("cvt.f32.f16", DType::f16, DType::f32, {});
    add("cvt.f32.bf16", DType::bf16, DType::f32, {});
    add("cvt.f64.f16", DType::f16, DType::f64, {});
    add("cvt.f64.bf16", DType::bf16, DType::f64, {});
    add("cvt.sat.f32.f32", DType::f32, DType::f32, {.sat = true});
    add("cvt.sat.f32.f16", DType::f16, DType::f32, {.sat = true});
  }

  void to_integers() const {
    for (const RoundName& r : kRounds) {
      const std::string round = std::string("cvt.") + r.to_integer;
      for (const auto& [type, dtype] : kIntegers) {
        // Narrow results saturate with and without .sat.
        if (bits(dtype) < 32) {
          add(round + ".sat." + type + ".f32", DType::f32, dtype, {.round = r.round});
        }
        add(round + "." + type + ".f32", DType::f32, dtype, {.round = r.round});
        add(round + "." + type + ".f16", DType::f16, dtype, {.round = r.round});
        add(round + "." + type + ".bf16", DType::bf16, dtype, {.round = r.round});
      }
      add(round + ".ftz.s32.f32", DType::f32, DType::i32, {.round = r.round, .ftz = true});
    }
  }

  void from_integers() const {
    for (const auto& [type, from] : kIntegers) {
      if (bits(from) > 32) continue;
      add(std::string("cvt.rn.f64.") + type, from, DType::f64, {});
      for (const RoundName& r : kRounds) {
        const std::string round = std::string("cvt.") + r.to_float;
        add(round + ".f32." + type, from, DType::f32, {.round = r.round});
        add(round + ".f16." + type, from, DType::f16, {.round = r.round});
        add(round + ".bf16." + type, from, DType::bf16, {.round = r.round});
      }
    }
  }

  void small_formats() const {
    struct Small {
      const char* ptx;
      DType dtype;
    };

    for (const auto& [type, to] : {Small{"e4m3", DType::e4m3}, {"e5m2", DType::e5m2}}) {
      for (const bool relu : {false, true}) {
        const Conversion form{.satfinite = true, .relu = relu};
        const std::string fp8 = std::string(relu ? "relu." : "") + type + "x2";
        pair("cvt.rn.satfinite." + fp8 + ".f32", " %0, %2, %1;", "\"r\"(x), \"r\"(0)", 'h', 255,
             DType::f32, to, form);
        pair("cvt.rn.satfinite." + fp8 + ".f16x2", " %0, %1;", "\"r\"(x)", 'h', 255, DType::f16, to,
             form);
        pair(std::string("cvt.rn.") + (relu ? "relu." : "") + "f16x2." + type + "x2", " %0, %1;",
             "\"h\"((unsigned short)x)", 'r', 65535, to, DType::f16, {.relu = relu});
      }
    }
  }

  /// Two values a register: the lower one is looked at.
  void pair(const std::string& ptx,
            const char* operands,
            const char* in,
            char out,
            unsigned mask,
            DType from,
            DType to,
            const Conversion& form) const {
    rows.push_back(
        {.name = ptx,
         .device = instruction(ptx + operands, in, out) + " out &= " + std::to_string(mask) + "u;",
         .from = from,
         .to = to,
         .op = ScalarOp::add,
         .is_conversion = true,
         .form = form});
  }
};

}  // namespace

void add_conversions(std::vector<Row>& rows) {
  const Forms forms{rows};
  forms.to_halves();
  forms.widening();
  forms.to_integers();
  forms.from_integers();
  forms.small_formats();
}

}  // namespace tirx::num::campaign
