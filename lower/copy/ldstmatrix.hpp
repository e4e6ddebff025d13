// copy / ldstmatrix: shared memory <-> registers by ldmatrix and stmatrix.
#pragma once

#include "lower/copy/matrix_words.hpp"
#include "lower/dispatch.hpp"

namespace tirx::lower {

/// a + row * r + (j % 2) * low + (j / 2) * high for row r, 0 … 7, of matrix j.
struct RowForm {
  std::int64_t origin = 0, row = 0, low = 0, high = 0;

  [[nodiscard]] std::int64_t at(std::int64_t r, std::int64_t j) const {
    return origin + r * row + j % 2 * low + j / 2 * high;
  }
};

struct MatrixInstruction {
  std::int64_t first_word = 0;
  RowForm offset;
  std::vector<RowForm> coordinates;  // per wide dimension
};

struct MatrixPlan {
  MatrixWords words;
  std::int64_t num = 4;  // matrices an instruction
  std::vector<MatrixInstruction> instructions;
};

/// The error is a reason to refuse.
[[nodiscard]] Result<MatrixPlan> plan_ldstmatrix(const Site& site);
[[nodiscard]] Expansion expand_ldstmatrix(const Site& site, const MatrixPlan& plan);

}  // namespace tirx::lower
