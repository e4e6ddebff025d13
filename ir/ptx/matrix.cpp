// Matrix instructions of a warp (PTX ISA 9.7.14, "Warp-level matrix instructions").  Which shapes
// and types exist, and where, is the table of numerics: an instruction whose bits are not known is
// not available.
#include <charconv>

#include <fmt/format.h>

#include "ir/ptx/families.hpp"
#include "numerics/mma/rows.hpp"

namespace tirx::ir::ptx {

namespace {

using num::DType;

constexpr Slot kLoadSlots[] = {{"sync"},     {"aligned"},      {"m8n8"},
                               {"x1|x2|x4"}, {"trans", false}, {"shared|shared::cta", false},
                               {"b16"}};

int matrices(const Instruction& made) {
  return made.word(3)[1] - '0';
}

std::string complete_ldmatrix(Instruction& made) {
  const int count = matrices(made);
  made.output("d", kB32, count).braces = true;
  made.address("p", space_of(made.word(5)), 16, false).lanes = 8 * count;
  return {};
}

std::string complete_stmatrix(Instruction& made) {
  const int count = matrices(made);
  made.address("p", space_of(made.word(5)), 16, true).lanes = 8 * count;
  made.input("r", kB32, count).braces = true;
  made.min_sm = 90;
  return {};
}

constexpr std::string_view kFactors = "f16|bf16|tf32|e4m3|e5m2|s8|u8|f64";
constexpr std::string_view kSums = "f16|f32|s32|f64";

constexpr Slot kMmaSlots[] = {{"sync"}, {"aligned"}, {"m8n8k4|m16n8k4|m16n8k8|m16n8k16|m16n8k32"},
                              {"row"},  {"col"},     {"satfinite", false},
                              {kSums},  {kFactors},  {kFactors},
                              {kSums}};

DType type_of(std::string_view word) {
  if (word == "tf32") return DType::tf32;
  if (word == "e4m3") return DType::e4m3;
  if (word == "e5m2") return DType::e5m2;
  return register_of(word).dtype;
}

const num::MmaRow* row_of(const Instruction& made, int sm) {
  const MatrixShape s = matrix_shape(made);
  const num::MmaRow* row =
      num::find_mma_row(sm, num::MmaFamily::mma_sync, s.a, s.b, s.c, s.k, s.saturate);
  if (row == nullptr) return nullptr;
  // The only shape with m = 8 is that of float64, which newer architectures keep.
  return s.m == row->shape.m || (s.m == 8 && s.a == DType::f64 && s.k == 4) ? row : nullptr;
}

bool exists(const Instruction& made, int sm) {
  return row_of(made, sm) != nullptr;
}

std::string multiply(Instruction& made) {
  if (made.word(6) != made.word(9)) return "D and C of an mma must have one dtype";
  bool anywhere = false;
  for (const int sm : {80, 86, 89, 90, 100, 120}) anywhere = anywhere || exists(made, sm);
  if (!anywhere) {
    return fmt::format("mma has no form .{} for {} x {} + {}{}", made.word(2), made.word(7),
                       made.word(8), made.word(9), made.has("satfinite") ? " with .satfinite" : "");
  }
  const MatrixShape s = matrix_shape(made);
  const int width = s.a == DType::tf32 ? 32 : num::bits(s.a);
  const int packed = width == 64 ? 1 : 32 / width;
  const Register factor = width == 64 ? Register{DType::f64, false} : kB32;
  const bool half = s.c == DType::f16;
  const Register sum = half ? kB32 : Register{s.c, false};
  const int sums = s.m * s.n / 32 / (half ? 2 : 1);
  made.output("d", sum, sums).braces = true;
  made.input("a", factor, s.m * s.k / 32 / packed).braces = true;
  made.input("b", factor, s.n * s.k / 32 / packed).braces = true;
  made.input("c", sum, sums).braces = true;
  return {};
}

}  // namespace

MatrixShape matrix_shape(const Instruction& instruction) {
  MatrixShape made;
  const std::string_view shape = instruction.word(2);  // "m16n8k32"
  const std::size_t n = shape.find('n'), k = shape.find('k');
  const auto number = [&](std::size_t begin, std::size_t end) {
    int value = 0;
    std::from_chars(shape.data() + begin, shape.data() + end, value);
    return value;
  };
  made.m = number(1, n);
  made.n = number(n + 1, k);
  made.k = number(k + 1, shape.size());
  made.a = type_of(instruction.word(7));
  made.b = type_of(instruction.word(8));
  made.c = type_of(instruction.word(9));
  made.saturate = instruction.has("satfinite");
  return made;
}

constinit const Family kLdmatrix{"ldmatrix", kLoadSlots, "d…, [p]", complete_ldmatrix};
constinit const Family kStmatrix{"stmatrix", kLoadSlots, "[p], r…", complete_stmatrix};
constinit const Family kMma{"mma", kMmaSlots, "d…, a…, b…, c…", multiply, exists};

}  // namespace tirx::ir::ptx
