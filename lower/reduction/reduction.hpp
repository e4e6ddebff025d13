// What the reductions sum, max and min share: which dimensions go, what the accumulator is, and the
// pieces of code.  The order of the operations is part of the language
// (docs/language/tile_ops.md), because it decides how a float sum rounds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lower/dispatch.hpp"
#include "lower/register_align.hpp"
#include "numerics/scalar_op.hpp"

namespace tirx::lower {

struct Reduction {
  std::vector<bool> reduced;  // per dimension of src's region
  /// dst's dimension for each kept dimension of src of more than one element.
  DimMap dst_dims;
  num::ScalarOp op = num::ScalarOp::add;
  num::DType dtype = num::DType::f32;  // of dst: what is accumulated in
  bool accumulate = false;
  bool thread_reduce = false;
  /// dst keeps, along the reduced dimensions, one element per thread that shares them.
  bool partial = false;

  [[nodiscard]] std::vector<std::int64_t> extents(const Site& site, bool of_reduced) const;
};

[[nodiscard]] inline const TileSide& reduction_dst(const Site& site) {
  return *site.sides[0];
}

[[nodiscard]] inline const TileSide& reduction_src(const Site& site) {
  return *site.sides[1];
}

/// Operands, axes, extents, dtypes; the error is a reason to refuse.
[[nodiscard]] Result<Reduction> read_reduction(const Site& site);

/// The neutral element: 0, the lowest finite value, the largest finite value.
[[nodiscard]] ir::Expr identity(const Reduction& reduction, Span span);
/// op(a, b), b converted to the accumulator's dtype.
[[nodiscard]] ir::Expr combine(const Reduction& reduction, ir::Expr a, ir::Expr b, Span span);
/// A mutable scalar of each thread.
[[nodiscard]] ir::Buffer accumulator(const Reduction& reduction, Span span);
[[nodiscard]] ir::Access scalar_access(const ir::Buffer& scalar);
[[nodiscard]] ir::Expr read_scalar(const ir::Buffer& scalar, Span span);
/// acc = op(acc, acc of the lane whose number differs by mask)
[[nodiscard]] ir::Stmt combine_lanes(const Reduction& reduction,
                                     const ir::Buffer& acc,
                                     std::int64_t mask,
                                     Span span);
/// Digits of a row-major position in a box of these extents.
[[nodiscard]] std::vector<ir::IndexSum> row_major_digits(const ir::IndexSum& position,
                                                         const std::vector<std::int64_t>& extents,
                                                         const ir::Facts& facts);
[[nodiscard]] ir::Var count_variable(const Site& site, const char* name, std::int64_t count);

// The variants.
[[nodiscard]] std::optional<std::string> refuse_reduction_local(const Site& site);
[[nodiscard]] Result<Expansion> expand_reduction_local(const Site& site);
[[nodiscard]] std::optional<std::string> refuse_reduction_shared(const Site& site);
[[nodiscard]] Result<Expansion> expand_reduction_shared(const Site& site);

}  // namespace tirx::lower
