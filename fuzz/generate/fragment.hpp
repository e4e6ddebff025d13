// The layouts of mma.sync's fragments over a warp (PTX ISA, "Matrix Fragments for mma"), for tiles
// of several instructions: w elements share a register, an instruction takes k along K.
#pragma once

#include <string>

#include "fuzz/generate/draft.hpp"

namespace tirx::fuzz {

/// A pair of operand types with the accumulator's, and how many elements share a register.
struct MatrixTypes {
  num::DType a, b, d;
  int packed;
};

/// Of eight rows: float64 only, four columns at a time.
[[nodiscard]] std::string fragment_a(int m, int k, int packed, int instruction_k);
/// Of B as (K, N) or, transposed, as (N, K).
[[nodiscard]] std::string fragment_b(int k, int n, int packed, int instruction_k, bool transposed);
[[nodiscard]] std::string fragment_d(int m, int n);

/// Types that mma.sync of sm_90 multiplies.
[[nodiscard]] MatrixTypes matrix_types(Draft& draft);
/// What to fill an operand with: small integers, any bits, or a bell.
[[nodiscard]] const char* operand_kind(Draft& draft, num::DType dtype);

}  // namespace tirx::fuzz
