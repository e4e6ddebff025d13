// How are typed IR expressions made from operands of the script?  Promotion, literal adoption,
// constant folding and the implicit conversion at stores, in one place (docs/language.md, "Types of
// expressions").
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "dsl/eval/error.hpp"
#include "dsl/eval/value.hpp"
#include "ir/expr.hpp"
#include "ir/layout/layout.hpp"

namespace tirx::dsl {

/// Refuses expressions that have grown too large for later walks.
[[nodiscard]] ir::Expr check_size(ir::Expr expr);

template <typename Node>
[[nodiscard]] ir::Expr make_checked(ir::Type type, Span span, Node node) {
  return check_size(ir::make_expr(type, span, std::move(node)));
}

/// An operand: its expression, and whether it was written as a literal (literals adopt the other
/// operand's dtype in comparisons).
struct Operand {
  ir::Expr expr;
  bool literal = false;
  Span span;
};

/// A meta number or bool as a literal; IR values as they are.  Nothing for other kinds.
[[nodiscard]] std::optional<ir::Expr> to_expr(const Value& value, Span span);
/// A meta number as a literal of that type; an error where it cannot be represented.
[[nodiscard]] ir::Expr literal_as(const Value& value, ir::Type type, Span span);

/// The type that two operands of an arithmetic operation are computed in.
[[nodiscard]] ir::Type promote(ir::Type a, ir::Type b, Span span);

[[nodiscard]] ir::Expr binary_expr(ast::BinaryOp op,
                                   const Operand& left,
                                   const Operand& right,
                                   Span span);
[[nodiscard]] ir::Expr compare_expr(ast::CompareOp op,
                                    const Operand& left,
                                    const Operand& right,
                                    Span span);
[[nodiscard]] ir::Expr unary_expr(ast::UnaryOp op, const Operand& operand, Span span);
/// Any row of numerics' table on operands already of one type; folds literals; refuses illegal
/// types with the way out.
[[nodiscard]] ir::Expr scalar_expr(num::ScalarOp op, std::vector<ir::Expr> args, Span span);
/// The same after promoting the operands to one type.
[[nodiscard]] ir::Expr promoted_expr(num::ScalarOp op, std::vector<Operand> operands, Span span);
/// Value conversion (T.cast); nothing happens for equal types.
[[nodiscard]] ir::Expr cast_expr(const ir::Expr& value, ir::Type type, Span span);
/// What a construct of the language takes as an integer of that type (an extent, a step, a lane): a
/// constant must be a value of it, anything else is cast.
[[nodiscard]] ir::Expr integer_expr(const ir::Expr& value, ir::Type type, Span span);
[[nodiscard]] ir::Expr integer_expr(std::int64_t value, ir::Type type, Span span);
[[nodiscard]] ir::Expr reinterpret_expr(const ir::Expr& value, ir::Type type, Span span);
/// A bool: bool as it is, integers as `!= 0`.
[[nodiscard]] ir::Expr condition_expr(const ir::Expr& value, Span span);
[[nodiscard]] ir::Expr and_expr(const ir::Expr& left, const ir::Expr& right, Span span);
[[nodiscard]] ir::Expr or_expr(const ir::Expr& left, const ir::Expr& right, Span span);
[[nodiscard]] ir::Expr if_then_else_expr(const ir::Expr& condition,
                                         const Operand& when_true,
                                         const Operand& when_false,
                                         Span span);
[[nodiscard]] ir::Expr select_expr(const ir::Expr& condition,
                                   const Operand& when_true,
                                   const Operand& when_false,
                                   Span span);

/// An index or an extent: an integer, never a float or a vector.
[[nodiscard]] ir::Expr index_expr(const Value& value, Span span);

/// An int32 where that is wide enough.
[[nodiscard]] ir::Expr index_constant(std::int64_t value, Span span);

/// Integer arithmetic on indices, with the identities of 0 and 1.
[[nodiscard]] ir::Expr add_index(const ir::Expr& a, const ir::Expr& b, Span span);
[[nodiscard]] ir::Expr sub_index(const ir::Expr& a, const ir::Expr& b, Span span);
[[nodiscard]] ir::Expr mul_index(const ir::Expr& a, const ir::Expr& b, Span span);
/// end - begin when it is the same whatever the variables are (compares linear forms).
[[nodiscard]] std::optional<std::int64_t> constant_difference(const ir::Expr& end,
                                                              const ir::Expr& begin);
/// The largest known n such that the expression is always a multiple of n.
[[nodiscard]] std::int64_t known_multiple(const ir::Expr& expr);
[[nodiscard]] bool same_expr(const ir::Expr& a, const ir::Expr& b);

/// The bits of a meta number in a dtype: one rounding from binary64, integers exactly or an error.
[[nodiscard]] std::uint64_t literal_bits(const Value& number, num::DType dtype, Span span);

}  // namespace tirx::dsl
