// What is known about the value of an integer expression before the kernel runs?  An interval and a
// divisor per variable (loop bounds, thread ids, symbolic dimensions), and the interval of an
// expression that follows from them.
#pragma once

#include <cstdint>
#include <limits>
#include <map>

#include "ir/expr.hpp"

namespace tirx::ir {

/// The integers low … high.
struct Interval {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] bool within(Interval other) const { return low >= other.low && high <= other.high; }

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Bounds saturate at the ends of int64.
[[nodiscard]] Interval operator+(Interval a, Interval b);
[[nodiscard]] Interval operator*(Interval a, Interval b);
[[nodiscard]] Interval intersect(Interval a, Interval b);  // an empty one becomes `a`
[[nodiscard]] Interval unite(Interval a, Interval b);

/// All values of an integer or bool type (uint64 above 2^63 - 1: the whole of int64).
[[nodiscard]] Interval values_of(num::DType dtype);

/// Whether the operation makes a hash of what may have wrapped: in an index, that is no fault.
[[nodiscard]] bool makes_hash(num::ScalarOp op);

struct VarFacts {
  Interval range;
  std::int64_t multiple_of = 1;
  bool wraps = false;  // its value may have left its type: then both are of where it has not
};

/// The interval of an expression; `wraps`: it is that of the values for which no signed sum or
/// product in it leaves its type, and some may.
struct Known {
  Interval range;
  bool wraps = false;
};

class Facts {
 public:
  Facts() = default;

  /// What is known here in addition; the outer facts must outlive it.
  explicit Facts(const Facts* outer) : outer_(outer) {}

  void set(const Var& var, VarFacts facts);
  /// The value of this very node lies in the interval (an index lies inside its buffer).
  void assume(const Expr& expr, Interval range);
  [[nodiscard]] VarFacts of(const Var& var) const;

  /// The interval of an expression.  Signed arithmetic is taken not to leave its type: where an
  /// index computation does, the launch faults (`overflow`).
  [[nodiscard]] Interval range(const Expr& expr) const { return known(expr).range; }

  /// What is computed by remainders, shifts and bit operations may be a hash, which wraps: of their
  /// operands nothing is taken.
  [[nodiscard]] Known known(const Expr& expr) const;

 private:
  [[nodiscard]] Known known_of_scalar(const ExprNode& node, const Scalar& scalar) const;

  [[nodiscard]] Known derived(const Expr& expr) const;

  const Facts* outer_ = nullptr;
  std::map<const Variable*, VarFacts> facts_;

  /// By identity of the node, which is kept: at the address of a freed one another may be made.
  struct Assumed {
    Expr expr;
    Interval range;
  };

  std::map<const ExprNode*, Assumed> assumed_;
};

}  // namespace tirx::ir
