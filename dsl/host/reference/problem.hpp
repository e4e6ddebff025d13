// What is computed by a block-scaled GEMM, dense or grouped?  The definition that the oracle and
// the search for causes share:
//
//   acc(m, n) = sum over kb of SFA[m // gm, kb] * SFB[n // gn, kb] * P(m, n, kb)
//   D(m, n)   = cvt(alpha * acc + beta * C(m, n))
//
// Everything here is plain numbers in row-major order and indices computed from the definition: no
// layout of the language takes part, so that an error in one is not repeated in the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/host/reference/instruction.hpp"
#include "numerics/codec.hpp"

namespace tirx::dsl::reference {

/// How the sum over k inside a block is rounded, and with it everything after.
enum class Arithmetic : std::uint8_t {
  exact,        // rational, rounded once into D
  fma,          // P is a chain of float32 fma from +0, k ascending: the CUDA cores
  instruction,  // P comes from matrix instructions, chained in ascending k
};

/// How a block's sum meets the accumulator.
enum class Order : std::uint8_t {
  product,     // acc = fma(RN(sa * sb), P, acc): the definition
  one_by_one,  // acc = fma(RN(P * sa), sb, acc): CUTLASS where both scales are vectors
  unfused,     // acc = RN(acc + RN(RN(sa * sb) * P))
  triton,      // acc = RN(acc + RN(RN(P * sa) * sb)): acc += P * sa * sb without contraction
  elements,    // acc = fma(RN(a * sa), RN(b * sb), acc) over k: CUTLASS's host reference
};

/// "product", "one_by_one", "unfused", "triton", "elements".
[[nodiscard]] std::optional<Order> find_order(std::string_view name);

struct Model {
  Arithmetic arithmetic = Arithmetic::exact;
  const num::MmaRow* row = nullptr;  // instruction
  std::string name = "exact";
};

struct Problem {
  std::int64_t rows = 0, n = 0, k = 0;  // rows: of all groups together
  std::int64_t gm = 1, gn = 1, gk = 1;
  std::int64_t promote = 0;         // P is added to acc after this many k; gk, or a divisor of it
  std::int64_t groups = 1;          // matrices in B
  std::int64_t rows_per_group = 0;  // masked groups: rows of one in A; otherwise `rows`
  num::DType a_type = num::DType::f32, b_type = num::DType::f32, out = num::DType::f32;
  std::vector<std::uint32_t> a;                // rows x k
  std::vector<std::uint32_t> b;                // groups x n x k
  std::vector<std::uint32_t> sfa;              // float32 bits, scale rows x blocks
  std::vector<std::uint32_t> sfb;              // float32 bits, groups x ceil(n / gn) x blocks
  std::vector<std::uint32_t> c;                // float32 bits, rows x n; empty: none
  std::uint32_t alpha = 0x3f800000, beta = 0;  // float32
  std::vector<std::int64_t> row_group;         // which B a row of A meets; -1: none, not compared
  std::vector<std::int64_t> row_scale;         // which row of SFA
  Model model;
  Order order = Order::product;  // exact arithmetic has none

  [[nodiscard]] std::int64_t blocks() const { return (k - 1) / gk + 1; }

  /// ceil(n / gn)
  [[nodiscard]] std::int64_t sfb_rows() const { return (n - 1) / gn + 1; }

  /// Rows of SFA that belong to one group (all of them unless the groups are masked).
  [[nodiscard]] std::int64_t sfa_rows() const { return (rows_per_group - 1) / gm + 1; }
};

/// "exact", "fma", "sm_90.wgmma", "sm_89.mma_sync", …: for these operand types.
[[nodiscard]] std::optional<Model> find_model(std::string_view name, num::DType a, num::DType b);
/// The names that find_model knows for these types.
[[nodiscard]] std::vector<std::string> model_names(num::DType a, num::DType b);

/// D, row-major, in the bits of problem.out.  Rows of no group are 0.
[[nodiscard]] std::vector<num::Bits> compute(const Problem& problem);

}  // namespace tirx::dsl::reference
