// Conversions (PTX ISA 9.7.9.21, cvt; 9.7.9.22, cvt.pack is not here).  The bits are those of
// numerics/convert; this file knows which forms exist.
#include <fmt/format.h>

#include "ir/ops/ptx_compute.hpp"
#include "ir/ptx/instruction.hpp"

namespace tirx::ir::ptx {

namespace {

using num::DType;

constexpr std::string_view kTypes =
    "u8|u16|u32|u64|s8|s16|s32|s64|f16x2|bf16x2|e4m3x2|e5m2x2|f16|bf16|f32|f64|tf32";

// ISA order: rounding, ftz, sat, satfinite, relu, destination, source.
constexpr Slot kSlots[] = {{"rn|rz|rm|rp|rna|rni|rzi|rmi|rpi", false},
                           {"ftz", false},
                           {"sat", false},
                           {"satfinite", false},
                           {"relu", false},
                           {kTypes},
                           {kTypes}};

bool is_integer(std::string_view word) {
  return word[0] == 'u' || word[0] == 's';
}

bool is_pair(std::string_view word) {
  return word.ends_with("x2");
}

bool is_small(std::string_view word) {
  return word == "e4m3x2" || word == "e5m2x2";
}

bool rounds_to_integer(std::string_view rounding) {
  return rounding.size() == 3 && rounding[2] == 'i';
}

int width(std::string_view word) {
  return num::bits(register_of(word).dtype);
}

struct Form {
  std::string_view rounding, to, from;
  bool ftz, sat, satfinite, relu;
};

std::string no_form(const Form& f, std::string_view why) {
  return fmt::format("cvt has no such form from .{} to .{}: {}", f.from, f.to, why);
}

std::string need(const Form& f, std::string_view rounding) {
  return fmt::format("missing required modifier of cvt from .{} to .{}: {}", f.from, f.to,
                     rounding);
}

/// Pairs of floats: two float32 into one register, or one register into another.
std::string pairs(Instruction& made, const Form& f) {
  if (f.sat || f.ftz) return no_form(f, ".sat and .ftz do not exist for pairs");
  if (is_small(f.to) && (f.from == "f32" || f.from == "f16x2")) {
    if (f.rounding != "rn") return need(f, ".rn");
    if (!f.satfinite) return need(f, ".satfinite");
    made.min_sm = 89;
  } else if (f.to == "f16x2" && is_small(f.from)) {
    if (f.rounding != "rn") return need(f, ".rn");
    if (f.satfinite) return no_form(f, "every value fits");
    made.min_sm = 89;
  } else if ((f.to == "f16x2" || f.to == "bf16x2") && f.from == "f32") {
    if (f.rounding != "rn" && f.rounding != "rz") return need(f, ".rn or .rz");
    if (f.satfinite) return no_form(f, ".satfinite is for 8-bit floats and tf32");
  } else {
    return no_form(f,
                   "the pairs are f16x2, bf16x2, e4m3x2, e5m2x2 from f32, and f16x2 with 8 bits");
  }
  made.output("d", register_of(f.to));
  if (f.from == "f32") {
    made.input("a", kF32);
    made.input("b", kF32);
  } else {
    made.input("a", register_of(f.from));
  }
  return {};
}

std::string tf32(Instruction& made, const Form& f) {
  if (f.to != "tf32" || f.from != "f32")
    return no_form(f, "tf32 comes from f32 and is its own f32");
  if (f.sat || f.ftz) return no_form(f, ".sat and .ftz do not exist for tf32");
  if (f.rounding == "rn" || f.rounding == "rz") {
    made.min_sm = 90;
    if (f.satfinite) made.min_sm = 100;
  } else if (f.rounding != "rna") {
    return need(f, ".rna, .rn or .rz");
  } else if (f.relu) {
    return no_form(f, ".relu needs .rn or .rz");
  } else if (f.satfinite) {
    made.min_sm = 89;
  }
  made.output("d", kB32);
  made.input("a", kF32);
  return {};
}

std::string scalars(const Form& f) {
  const bool to_integer = is_integer(f.to), from_integer = is_integer(f.from);
  if (f.satfinite) return no_form(f, ".satfinite is for 8-bit floats and tf32");
  if (f.relu && !((f.to == "f16" || f.to == "bf16") && f.from == "f32")) {
    return no_form(f, ".relu is for f16 and bf16 from f32");
  }
  if (f.ftz && f.to != "f32" && f.from != "f32") return no_form(f, ".ftz is for f32");
  const bool nearest =
      f.rounding == "rn" || f.rounding == "rz" || f.rounding == "rm" || f.rounding == "rp";
  if (from_integer && to_integer) {
    return f.rounding.empty() ? std::string() : no_form(f, "integers are not rounded");
  }
  if (from_integer) {
    if (f.to == "bf16") return no_form(f, "go through f32");
    return nearest ? std::string() : need(f, ".rn, .rz, .rm or .rp");
  }
  if (to_integer) {
    if (f.from == "bf16") return no_form(f, "go through f32");
    return rounds_to_integer(f.rounding) ? std::string() : need(f, ".rni, .rzi, .rmi or .rpi");
  }
  const bool half = f.to == "bf16" || f.from == "bf16";
  if (half && f.to != "f32" && f.from != "f32") return no_form(f, "go through f32");
  if (half && f.sat) return no_form(f, ".sat does not exist for bf16");
  if (width(f.to) < width(f.from)) {
    if (half && f.rounding != "rn" && f.rounding != "rz") return need(f, ".rn or .rz");
    return nearest ? std::string() : need(f, ".rn, .rz, .rm or .rp");
  }
  if (width(f.to) > width(f.from)) {
    return f.rounding.empty() ? std::string() : no_form(f, "widening is exact");
  }
  return f.rounding.empty() || rounds_to_integer(f.rounding)
             ? std::string()
             : no_form(f, "between equal types only .rni, .rzi, .rmi and .rpi round");
}

std::string convert(Instruction& made) {
  const Form f{made.word(0),    made.word(5),          made.word(6),    made.has("ftz"),
               made.has("sat"), made.has("satfinite"), made.has("relu")};
  if (f.to == "tf32" || f.from == "tf32") return tf32(made, f);
  if (is_pair(f.to) || is_pair(f.from)) return pairs(made, f);
  if (std::string error = scalars(f); !error.empty()) return error;
  made.output("d", register_of(f.to));
  made.input("a", register_of(f.from));
  return {};
}

}  // namespace

constinit const Family kCvt{"cvt", kSlots, "d, a, b=", convert};

}  // namespace tirx::ir::ptx
