// How do flat offsets become readable?  An IndexSum is a sum of products with integer coefficients,
// constant + sum of coefficient * factor * factor …, whose factors are opaque expressions
// (variables, loads, quotients).  Like terms merge, the order of first appearance stays, and
// quotients and remainders by constants are resolved where the known ranges allow it:
//   (f * 32 + lane) // 32 -> f          when 0 <= lane < 32
// It is exact in the integers, so it is used only for offsets that lowering makes itself (where
// leaving the type is a fault); arithmetic that the user wrote on values is never touched.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/facts.hpp"

namespace tirx::ir {

class IndexSum {
 public:
  struct Term {
    std::int64_t coefficient = 0;
    std::vector<Expr> factors;
  };

  IndexSum() = default;

  IndexSum(std::int64_t constant)
      : constant_(constant) {}  // NOLINT(google-explicit-constructor): a number is a sum

  /// The sum that an integer expression is.
  [[nodiscard]] static IndexSum of(const Expr& expr, const Facts& facts);
  [[nodiscard]] static IndexSum of(const Var& var);

  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }

  [[nodiscard]] std::int64_t constant() const { return constant_; }

  [[nodiscard]] bool is_constant() const { return terms_.empty(); }

  [[nodiscard]] Interval range(const Facts& facts) const;
  /// The largest known divisor; 0 for the sum 0.
  [[nodiscard]] std::int64_t divisor(const Facts& facts) const;
  [[nodiscard]] bool divisible_by(std::int64_t n, const Facts& facts) const;

  [[nodiscard]] IndexSum plus(const IndexSum& other) const;
  [[nodiscard]] IndexSum times(std::int64_t factor) const;
  [[nodiscard]] IndexSum times(const IndexSum& other) const;
  /// Floor quotient and remainder by a positive constant.
  [[nodiscard]] IndexSum floordiv(std::int64_t divisor, const Facts& facts) const;
  [[nodiscard]] IndexSum floormod(std::int64_t divisor, const Facts& facts) const;
  /// *this == multiple + rest, where `multiple` has the terms that are multiples of n.
  void split(std::int64_t n, const Facts& facts, IndexSum& multiple, IndexSum& rest) const;

  /// Adds knowledge about the value of the whole sum (an index is taken to lie inside its buffer).
  [[nodiscard]] IndexSum assuming(Interval bounds) const;

  /// `a * 4 + b + 3` in the given integer type; factors of other types are cast.
  [[nodiscard]] Expr to_expr(Type type, Span span = {}) const;

  friend bool operator==(const IndexSum& a, const IndexSum& b);

 private:
  void add_term(std::int64_t coefficient, const std::vector<Expr>& factors);
  void fold_quotients();
  /// *this == step * reduced + rest with 0 <= rest < step, for the largest such step that divides
  /// n.
  [[nodiscard]] std::int64_t reduce(std::int64_t n, IndexSum& reduced, std::int64_t& rest) const;

  std::vector<Term> terms_;
  std::int64_t constant_ = 0;
  Interval bounds_;
};

/// The same value, written as an IndexSum would.
[[nodiscard]] Expr simplify_index(const Expr& expr, const Facts& facts);

}  // namespace tirx::ir
