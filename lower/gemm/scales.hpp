// Scale factors of a gemm: which one belongs to element (i, k) of A, to element (k, j) of B?
//
// A scale operand has the orientation of its matrix.  Along M (N) it has that many elements, or one
// for all.  Along K it has K elements (a layout with stride 0 repeats one over its block), one for
// each promotion interval, or one for all.  Inside an interval the scale must not change: a step
// that straddles two blocks has no single factor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ir/base/result.hpp"
#include "lower/site.hpp"

namespace tirx::lower {

class ScaleTile {
 public:
  /// `mn` and `k` are the matrix's extents, `interval` the promotion interval; `k_first` says that
  /// K is its first dimension, `zero_fill` that scales outside the tensor are zero.  The error is a
  /// reason to refuse.
  [[nodiscard]] static Result<ScaleTile> make(const Site& site,
                                              std::size_t operand,
                                              const char* role,
                                              std::int64_t mn,
                                              std::int64_t k,
                                              std::int64_t interval,
                                              bool k_first,
                                              bool zero_fill);

  /// The scale of row (column) `at` in interval `q`, as float32.
  [[nodiscard]] ir::Expr value(const ir::IndexSum& at, const ir::IndexSum& q) const;

  /// Whether it is the same for all rows (columns).
  [[nodiscard]] bool for_all() const { return mn_dim_ < 0; }

 private:
  [[nodiscard]] ir::Expr guarded(ir::Expr value, const ir::Access& access) const;

  const TileSide* side_ = nullptr;
  const ir::Facts* facts_ = nullptr;
  bool zero_fill_ = false;
  Span span_;
  int mn_dim_ = -1;  // dimension of the buffer, or -1
  int k_dim_ = -1;
  std::int64_t k_step_ = 0;  // elements along k_dim_ from one interval to the next
};

}  // namespace tirx::lower
