// See instruction.hpp; which types an architecture multiplies is read from the numerics table.
#include "lower/gemm/instruction.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace tirx::lower {

namespace {

using num::DType;

constexpr std::array kInputs{DType::f16,  DType::bf16, DType::tf32, DType::e4m3,
                             DType::e5m2, DType::i8,   DType::u8,   DType::f64};

bool is_input(DType dtype) {
  return std::find(kInputs.begin(), kInputs.end(), dtype) != kInputs.end();
}

const num::MmaRow* row_of(int arch, DType a, DType b, DType c, int k) {
  if (!is_input(a) || !is_input(b)) return nullptr;
  return num::find_mma_row(arch, num::MmaFamily::mma_sync, a, b, c, k);
}

std::string types(DType a, DType b, DType c) {
  return fmt::format("({}, {}, {}, {})", num::name(a), num::name(b), num::name(c), num::name(c));
}

/// Accumulators that these inputs have on some architecture that tirx knows.
std::string accumulators(DType a, DType b) {
  std::string found;
  for (const DType c : {DType::f32, DType::f16, DType::i32, DType::f64}) {
    for (const ir::Target& target : ir::targets()) {
      if (row_of(target.sm, a, b, c, 0) == nullptr) continue;
      found += fmt::format("{}{}", found.empty() ? "" : " or ", num::name(c));
      break;
    }
  }
  return found;
}

std::string why_none(const ir::Target& target, DType a, DType b, DType c) {
  std::string able;
  for (const ir::Target& other : ir::targets()) {
    if (row_of(other.sm, a, b, c, 0) == nullptr) continue;
    able += fmt::format("{}{}", able.empty() ? "" : ", ", other.name);
  }
  if (!able.empty()) {
    return fmt::format("{} has no mma.sync for dtypes {}; it is there on {}", target.name,
                       types(a, b, c), able);
  }
  for (const DType input : {a, b}) {
    if (input == DType::f32) {
      return "mma.sync does not multiply float32; cast the operands to tfloat32, which rounds them "
             "to 11 bits";
    }
    if (!is_input(input)) return fmt::format("mma.sync does not multiply {}", num::name(input));
  }
  const std::string known = accumulators(a, b);
  if (known.empty()) {
    return fmt::format("no mma.sync multiplies {} by {}", num::name(a), num::name(b));
  }
  return fmt::format("no mma.sync accumulates {} x {} in {}; use {}", num::name(a), num::name(b),
                     num::name(c), known);
}

}  // namespace

Result<MmaInstruction> find_mma(const ir::Target& target, DType a, DType b, DType c, MmaSize size) {
  const num::MmaRow* any = row_of(target.sm, a, b, c, 0);
  if (any == nullptr) return Diagnostic{{}, why_none(target, a, b, c), {}};
  const num::MmaRow* row = row_of(target.sm, a, b, c, size.k);
  const int per_word = std::max(32 / num::bits(a), 1);
  // The small shape is that of float64 on sm_80, which newer architectures keep.
  const bool small = a == DType::f64 && size.m == 8 && size.k == 4;
  if (row == nullptr || (row->shape.m != size.m && !small) || row->shape.n_min != kMmaColumns) {
    const bool other = any->shape.m != size.m;
    std::string known;
    for (const int k : any->shape.k) {
      if (k == 0) continue;
      if (!known.empty()) known += ", ";
      known += other ? fmt::format("m{}n8k{}", any->shape.m, k) : std::to_string(k);
    }
    return Diagnostic{{},
                      fmt::format("no m{}n8k{} for dtypes {}: {} {}", size.m, size.k,
                                  types(a, b, c), other ? "there is" : "k is", known),
                      {}};
  }
  return MmaInstruction{row, size.m, size.k, per_word};
}

FragmentPlace place_in_a(int row, int column, int per_word, int m) {
  const int quad = 4 * per_word;
  return {row % 8 * 4 + column % quad / per_word, row / 8 + m / 8 * (column / quad),
          column % per_word};
}

FragmentPlace place_in_b(int row, int column, int per_word) {
  const int quad = 4 * per_word;
  return {column * 4 + row % quad / per_word, row / quad, row % per_word};
}

FragmentPlace place_in_d(int row, int column) {
  return {row % 8 * 4 + column / 2, row / 8 * 2 + column % 2, 0};
}

}  // namespace tirx::lower
