// Where can plain `+ - * / %` on signed integers not leave their type?  Intervals of expressions
// under the language's wrapping arithmetic: an operation that may wrap has the whole type as its
// interval.  In offsets and launch dimensions, where leaving the type is a fault, an expression may
// be taken not to wrap.
#pragma once

#include <map>

#include "ir/buffer.hpp"
#include "ir/facts.hpp"

namespace tirx::cuda {

class Ranges {
 public:
  void set(const ir::Var& var, ir::Interval range) { ranges_[var.get()] = range; }

  /// The value of a scalar that is written once.
  void set(const ir::Storage& scalar, ir::Interval range) { scalars_[&scalar] = range; }

  [[nodiscard]] ir::Interval of(const ir::Expr& expr, bool never_wraps = false) const;
  /// Whether an add, sub, mul, neg, abs, shl of these operands stays in the type.
  [[nodiscard]] bool fits(const ir::Scalar& scalar, num::DType dtype) const;

 private:
  [[nodiscard]] ir::Interval exact(const ir::Scalar& scalar, bool never_wraps) const;

  std::map<const ir::Variable*, ir::Interval> ranges_;
  std::map<const ir::Storage*, ir::Interval> scalars_;
};

}  // namespace tirx::cuda
