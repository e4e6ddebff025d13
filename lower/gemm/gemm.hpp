// gemm: D = alpha * A B + beta * C on register fragments, by mma.sync.
//
// The order of operations, which fixes rounding, for each element of D:
//   alpha == 1 and beta 0 or 1 (literals): acc = beta ? C : +0, then one instruction after the
//     other with ascending k, each adding to acc; D = acc.
//   otherwise: acc from +0 in the same way, then D = fma(alpha, acc, RN(beta * C)) in the type of
//     the accumulator; where beta is 0, C is not read and D = RN(alpha * acc).
// With scales or a promotion interval I, acc grows by whole intervals of K instead: for each, with
// ascending k, temp from +0 by the instructions, then acc = fma(RN(sa * sb), temp, acc); acc starts
// from C, or +0, as above.
#pragma once

#include <optional>
#include <string>

#include "lower/dispatch.hpp"
#include "lower/gemm/plan.hpp"
#include "lower/gemm/scales.hpp"

namespace tirx::lower {

/// alpha or beta.
struct Factor {
  std::optional<double> known;  // of a literal
  ir::Expr value;               // in the accumulator's dtype

  [[nodiscard]] bool is(double number) const { return known && *known == number; }
};

struct GemmOptions {
  bool transpose_a = false, transpose_b = false;
  Factor alpha, beta;
  std::int64_t interval = 0;  // elements of K; 0: all at once, without a temporary sum
  std::optional<ScaleTile> scale_a, scale_b;

  [[nodiscard]] bool promotes() const { return interval != 0; }

  /// Whether C goes into the accumulator, so that nothing is left to do after the last k.
  [[nodiscard]] bool accumulates() const { return alpha.is(1.0) && (beta.is(0.0) || beta.is(1.0)); }
};

/// A gemm that one of the instructions does.
struct MmaCall {
  GemmPlan plan;
  GemmOptions how;
};

[[nodiscard]] Expansion emit_gemm(const Site& site, const GemmPlan& plan, const GemmOptions& how);

/// The error is a reason to refuse.
[[nodiscard]] Result<MmaCall> plan_mma(const Site& site, MmaSize size);
[[nodiscard]] Expansion expand_mma(const Site& site, const MmaCall& call);

}  // namespace tirx::lower
