// Which mma.sync multiplies these types on this architecture, and where do elements lie in its
// fragments?  PTX ISA "Matrix Fragments for mma.m16n8k*": one map for all widths, in units of a
// 32-bit register of w elements, with lane = 4g + t:
//   A (row g + 8r, column w*t + p + 4w*q)  -> word r + 2q, part p
//   B (row w*t + p + 4w*q, column g)       -> word q, part p
//   C, D (row g + 8r, column 2t + p)       -> element 2r + p
// The lane of an element is the same for every k of one type, so k is chosen by divisibility alone:
// the largest that divides K (and the promotion interval).  It fixes rounding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ir/base/result.hpp"
#include "ir/target.hpp"
#include "numerics/mma/rows.hpp"

namespace tirx::lower {

inline constexpr int kMmaRows = 16;
inline constexpr int kMmaColumns = 8;

struct MmaInstruction {
  const num::MmaRow* row = nullptr;
  int k = 0;
  int per_word = 1;  // elements of A and B in one 32-bit register

  /// Registers of A and B; half as many words of B as of A.
  [[nodiscard]] int words_a() const { return 2 * words_b(); }

  [[nodiscard]] int words_b() const { return k / (4 * per_word); }
};

/// The instruction with this k for operand types a, b and accumulator c; the error is a reason to
/// refuse.
[[nodiscard]] Result<MmaInstruction> find_mma(
    const ir::Target& target, num::DType a, num::DType b, num::DType c, int k);

/// The place of an element in the fragments of one instruction.
struct FragmentPlace {
  int lane = 0;
  int word = 0;
  int part = 0;
};

[[nodiscard]] FragmentPlace place_in_a(int row, int column, int per_word);
[[nodiscard]] FragmentPlace place_in_b(int row, int column, int per_word);
/// `word` counts elements: 2r + p, `part` is 0.
[[nodiscard]] FragmentPlace place_in_d(int row, int column);

}  // namespace tirx::lower
