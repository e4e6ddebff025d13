// Do the 32-bit words of a register tile hold rows of 8 x 8 matrices in shared memory, and where do
// those rows start?  The question of copy / ldstmatrix, answered element by element.
#pragma once

#include <array>
#include <vector>

#include "lower/copy/copy.hpp"

namespace tirx::lower {

/// One word of every lane: an 8 x 8 matrix.
struct MatrixWord {
  std::int64_t reg = 0;                      // its first register, from MatrixWords::reg_base
  std::array<std::int64_t, 8> row_offset{};  // in elements, from shared_base, before the swizzle
  std::array<std::vector<std::int64_t>, 8> row_coordinate;  // per wide dimension
};

struct MatrixWords {
  bool transposed = false;
  std::size_t dims = 0;
  std::vector<MatrixWord> words;  // by ascending register
  ir::IndexSum reg_base;
  ir::IndexSum shared_base;                   // with the warp's part
  std::vector<ir::IndexSum> coordinate_base;  // per wide dimension: the warp's part
  std::optional<ir::Swizzle> swizzle;
};

/// The error is a reason to refuse.
[[nodiscard]] Result<MatrixWords> matrix_words(const Site& site);

}  // namespace tirx::lower
