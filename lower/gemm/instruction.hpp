// Which mma.sync multiplies these types on this architecture, and where do elements lie in its
// fragments?  PTX ISA "Matrix Fragments for mma.m16n8k*": one map for all widths, in units of a
// register of w elements (32 bits; float64: 64), with lane = 4g + t and h = m / 8:
//   A (row g + 8r, column w*t + p + 4w*q)  -> word r + h*q, part p
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

inline constexpr int kMmaColumns = 8;

struct MmaInstruction {
  const num::MmaRow* row = nullptr;
  int m = 16;
  int k = 0;
  int per_word = 1;  // elements of A and B in one register

  /// Registers of A and B.
  [[nodiscard]] int words_a() const { return m / 8 * words_b(); }

  [[nodiscard]] int words_b() const { return k / (4 * per_word); }

  /// Elements of C and D in one lane.
  [[nodiscard]] int sums() const { return m * kMmaColumns / 32; }
};

/// The shape of an instruction, n being 8.
struct MmaSize {
  int m = 16;
  int k = 16;
};

/// The instruction of this size for operand types a, b and accumulator c; the error is a reason to
/// refuse.
[[nodiscard]] Result<MmaInstruction> find_mma(
    const ir::Target& target, num::DType a, num::DType b, num::DType c, MmaSize size);

/// The place of an element in the fragments of one instruction.
struct FragmentPlace {
  int lane = 0;
  int word = 0;
  int part = 0;
};

[[nodiscard]] FragmentPlace place_in_a(int row, int column, int per_word, int m = 16);
[[nodiscard]] FragmentPlace place_in_b(int row, int column, int per_word);
/// `word` counts elements: 2r + p, `part` is 0.
[[nodiscard]] FragmentPlace place_in_d(int row, int column);

}  // namespace tirx::lower
