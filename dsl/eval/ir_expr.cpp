// Typing rules of IR expressions.  Sources: the language reference (promotion, literals), numerics
// for the value of constant operations.
#include "dsl/eval/ir_expr.hpp"

#include <algorithm>
#include <cmath>

#include "dsl/eval/objects.hpp"
#include "ir/equal.hpp"
#include "ir/promote.hpp"
#include "ir/simplify.hpp"
#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"
#include "numerics/storage_bits.hpp"

namespace tirx::dsl {

namespace {

using num::DType;
using num::ScalarOp;

DType promote_element(DType a, DType b, Span span) {
  if (const auto common = ir::promote(a, b)) return *common;
  fail_help(span, fmt::format("{} and {} have no common type", num::name(a), num::name(b)),
            "cast one of them, or both to float32");
}

bool fold_constants(ScalarOp op, const std::vector<ir::Expr>& args, num::Bits& bits, Span span) {
  std::array<num::Bits, 3> operands{};
  for (std::size_t i = 0; i < args.size(); ++i) {
    const ir::Const* literal = ir::as_const(args[i]);
    if (literal == nullptr) return false;
    operands[i] = literal->bits;
  }
  const num::Evaluated result =
      num::evaluate(op, args[0]->type.dtype, operands[0], operands[1], operands[2]);
  if (result.status == num::EvalStatus::division_by_zero) fail(span, "division by zero");
  if (result.status != num::EvalStatus::ok) return false;
  bits = result.value;
  return true;
}

/// x + 0, x * 1 and the like; only on integers, where they change nothing.
std::optional<ir::Expr> identity(ScalarOp op, const ir::Expr& a, const ir::Expr& b) {
  std::int64_t x = 0;
  std::int64_t y = 0;
  const bool left = ir::is_const_int(a, x);
  const bool right = ir::is_const_int(b, y);
  if (op == ScalarOp::add && left && x == 0) return b;
  if ((op == ScalarOp::add || op == ScalarOp::sub) && right && y == 0) return a;
  if (op == ScalarOp::mul && left && x == 1) return b;
  if (op == ScalarOp::mul && right && y == 1) return a;
  if (op == ScalarOp::floordiv && right && y == 1) return a;
  return std::nullopt;
}

std::string literal_text(const Value& value) {
  return repr(value);
}

ir::Expr broadcast_to(const ir::Expr& value, ir::Type type, Span span) {
  if (value->type.lanes == type.lanes) return value;
  return make_checked({value->type.dtype, type.lanes}, span, ir::Broadcast{value});
}

ScalarOp arithmetic_op(ast::BinaryOp op, DType dtype, Span span) {
  const bool real = num::is_float(dtype);
  switch (op) {
    case ast::BinaryOp::add:
      return ScalarOp::add;
    case ast::BinaryOp::subtract:
      return ScalarOp::sub;
    case ast::BinaryOp::multiply:
      return ScalarOp::mul;
    case ast::BinaryOp::divide:
      if (!real) {
        fail_help(span, "'/' on two integers is ambiguous",
                  "write `//` (floor division) or T.truncdiv, or cast one operand to float32");
      }
      return ScalarOp::div;
    case ast::BinaryOp::floor_divide:
      if (real) {
        fail_help(span, "'//' is for integers in a kernel", "write T.floor(a / b)");
      }
      return ScalarOp::floordiv;
    case ast::BinaryOp::modulo:
      if (real) {
        fail_help(span, "'%' is for integers in a kernel", "write a - T.floor(a / b) * b");
      }
      return ScalarOp::floormod;
    case ast::BinaryOp::shift_left:
      return ScalarOp::shl;
    case ast::BinaryOp::shift_right:
      return ScalarOp::shr;
    case ast::BinaryOp::bit_and:
      return ScalarOp::bit_and;
    case ast::BinaryOp::bit_xor:
      return ScalarOp::bit_xor;
    case ast::BinaryOp::bit_or:
      return ScalarOp::bit_or;
    case ast::BinaryOp::power:
      fail_help(span, "'**' is not defined on values of a kernel",
                "multiply, shift, or use T.pow for floats");
    case ast::BinaryOp::matmul:
      fail_help(span, "'@' is not defined on values of a kernel", "use Tx.gemm on tiles");
  }
  return ScalarOp::add;
}

ScalarOp comparison_op(ast::CompareOp op) {
  switch (op) {
    case ast::CompareOp::equal:
      return ScalarOp::eq;
    case ast::CompareOp::not_equal:
      return ScalarOp::ne;
    case ast::CompareOp::less:
      return ScalarOp::lt;
    case ast::CompareOp::less_equal:
      return ScalarOp::le;
    case ast::CompareOp::greater:
      return ScalarOp::gt;
    case ast::CompareOp::greater_equal:
    case ast::CompareOp::is:
    case ast::CompareOp::is_not:
    case ast::CompareOp::in:
    case ast::CompareOp::not_in:
      break;
  }
  return ScalarOp::ge;
}

void check_lanes(ir::Type a, ir::Type b, Span span) {
  if (a.lanes != b.lanes && a.lanes != 1 && b.lanes != 1) {
    fail(span, "vectors of {} and {} lanes do not go together", a.lanes, b.lanes);
  }
}

/// A literal operand takes the other one's dtype, exactly or not at all.
ir::Expr adopt(const Operand& literal, DType dtype) {
  const ir::Const* constant = ir::as_const(literal.expr);
  if (constant == nullptr || literal.expr->type.dtype == dtype) return literal.expr;
  const DType from = literal.expr->type.dtype;
  if (from == DType::handle || dtype == DType::handle) return literal.expr;
  const num::Bits bits = num::convert(constant->bits, from, dtype);
  const bool to_float = num::is_float(dtype);
  const bool from_float = num::is_float(from);
  // Rounding to a float type is what a literal always does; anything else must be exact.
  const bool exact =
      to_float || (from_float ? num::to_double(bits, dtype) == num::to_double(constant->bits, from)
                              : num::to_int64(bits, dtype) == num::to_int64(constant->bits, from) &&
                                    (num::to_int64(bits, dtype) >= 0) ==
                                        (num::to_int64(constant->bits, from) >= 0));
  const bool negative_to_unsigned = !from_float && num::is_unsigned(dtype) &&
                                    num::is_signed(from) && num::to_int64(constant->bits, from) < 0;
  if (!exact || negative_to_unsigned) {
    fail_help(literal.span,
              fmt::format("this literal is not a value of {}, with which it is compared",
                          num::name(dtype)),
              "cast the other operand to a type that can hold it");
  }
  return ir::make_expr({dtype, 1}, literal.span, ir::Const{bits});
}

}  // namespace

ir::Expr check_size(ir::Expr expr) {
  constexpr std::uint32_t kMaxHeight = 600;
  constexpr std::uint32_t kMaxSize = 50'000;
  if (expr->height > kMaxHeight || expr->size > kMaxSize) {
    fail_help(expr->span, "this expression has become too large",
              "store a part of it in a variable of the kernel");
  }
  return expr;
}

std::uint64_t literal_bits(const Value& number, DType dtype, Span span) {
  if (const auto integer = number.integer()) {
    if (num::is_float(dtype)) return num::from_double(static_cast<double>(*integer), dtype);
    if (dtype == DType::boolean) return *integer != 0 ? 1 : 0;
    if (dtype == DType::handle) fail(span, "a number is not a pointer");
    const num::Bits bits = num::from_int64(*integer, dtype);
    const bool wraps =
        num::to_int64(bits, dtype) != *integer || (num::is_unsigned(dtype) && *integer < 0);
    if (wraps) {
      fail_help(span, fmt::format("{} does not fit {}", *integer, num::name(dtype)),
                "write the wrapped value, or use a wider type");
    }
    return bits;
  }
  const double value = *number.number();
  if (num::is_float(dtype)) return num::from_double(value, dtype);
  if (dtype == DType::handle) fail(span, "a number is not a pointer");
  return num::convert(num::from_double(value, DType::f64), DType::f64, dtype);
}

std::optional<ir::Expr> to_expr(const Value& value, Span span) {
  if (const auto* expr = value.as<ir::Expr>()) return *expr;
  if (const bool* b = value.as<bool>()) return ir::make_bool(*b, span);
  if (const auto* i = value.as<std::int64_t>()) {
    const bool fits = *i >= INT32_MIN && *i <= INT32_MAX;
    return ir::make_int(*i, fits ? ir::kInt32 : ir::kInt64, span);
  }
  if (const auto* d = value.as<double>()) {
    return ir::make_expr({DType::f32, 1}, span, ir::Const{num::from_double(*d, DType::f32)});
  }
  return std::nullopt;
}

ir::Expr literal_as(const Value& value, ir::Type type, Span span) {
  const ir::Expr scalar =
      ir::make_expr(type.element(), span, ir::Const{literal_bits(value, type.dtype, span)});
  return broadcast_to(scalar, type, span);
}

ir::Type promote(ir::Type a, ir::Type b, Span span) {
  check_lanes(a, b, span);
  return {promote_element(a.dtype, b.dtype, span), std::max(a.lanes, b.lanes)};
}

namespace {

/// Storage types take no part in arithmetic, not even beside a type that has it.
void check_storage_type(ScalarOp op, DType dtype, Span span) {
  const num::DTypeRow& row = num::row(dtype);
  if (!row.storage_only || num::is_legal(op, dtype)) return;
  fail_help(span,
            fmt::format("{} is a storage type: '{}' is not defined on it", row.name, num::name(op)),
            "cast it first, T.cast(x, \"float32\")");
}

}  // namespace

ir::Expr scalar_expr(ScalarOp op, std::vector<ir::Expr> args, Span span) {
  const ir::Type type = args[0]->type;
  check_storage_type(op, type.dtype, span);
  if (!num::is_legal(op, type.dtype)) {
    const num::DTypeRow& row = num::row(type.dtype);
    std::vector<std::string_view> legal;
    for (const num::DTypeRow& candidate : num::dtype_rows()) {
      if (num::is_legal(op, candidate.dtype)) legal.push_back(candidate.name);
    }
    fail_help(span, fmt::format("'{}' is not defined on {}", num::name(op), row.name),
              fmt::format("cast to one of {}", fmt::join(legal, ", ")));
  }
  num::Bits bits = 0;
  const ir::Type result{num::result_dtype(op, type.dtype), type.lanes};
  if (type.lanes == 1 && fold_constants(op, args, bits, span)) {
    return ir::make_expr(result, span, ir::Const{bits});
  }
  if (args.size() == 2 && num::is_int(type.dtype)) {
    if (auto same = identity(op, args[0], args[1])) return *same;
    std::int64_t divisor = 1;
    const bool divides = op == ScalarOp::floordiv || op == ScalarOp::floormod ||
                         op == ScalarOp::truncdiv || op == ScalarOp::truncmod;
    if (divides && ir::is_const_int(args[1], divisor) && divisor == 0) {
      fail(span, "division by zero");
    }
  }
  return make_checked(result, span, ir::Scalar{op, std::move(args)});
}

ir::Expr promoted_expr(ScalarOp op, std::vector<Operand> operands, Span span) {
  ir::Type type = operands[0].expr->type;
  for (const Operand& operand : operands) {
    check_storage_type(op, operand.expr->type.dtype, operand.span);
    type = promote(type, operand.expr->type, span);
  }
  std::vector<ir::Expr> args;
  for (const Operand& operand : operands) {
    args.push_back(broadcast_to(
        cast_expr(operand.expr, {type.dtype, operand.expr->type.lanes}, operand.span), type, span));
  }
  return scalar_expr(op, std::move(args), span);
}

ir::Expr binary_expr(ast::BinaryOp op, const Operand& left, const Operand& right, Span span) {
  const ir::Type a = left.expr->type;
  const ir::Type b = right.expr->type;
  if (a.dtype == DType::handle || b.dtype == DType::handle) {
    fail_help(span, "there is no arithmetic on pointers", "index the buffer: A.ptr_to([i + 1])");
  }
  ir::Type type = promote(a, b, span);
  if (type.dtype == DType::boolean && op != ast::BinaryOp::bit_and && op != ast::BinaryOp::bit_or &&
      op != ast::BinaryOp::bit_xor) {
    type.dtype = DType::i32;
  }
  const ScalarOp scalar = arithmetic_op(op, type.dtype, span);
  for (const Operand* side : {&left, &right})
    check_storage_type(scalar, side->expr->type.dtype, side->span);
  std::vector<ir::Expr> args;
  for (const Operand* side : {&left, &right}) {
    args.push_back(broadcast_to(
        cast_expr(side->expr, {type.dtype, side->expr->type.lanes}, side->span), type, span));
  }
  return scalar_expr(scalar, std::move(args), span);
}

ir::Expr compare_expr(ast::CompareOp op, const Operand& left, const Operand& right, Span span) {
  ir::Expr a = left.expr;
  ir::Expr b = right.expr;
  if (left.literal && !right.literal) a = adopt(left, b->type.dtype);
  if (right.literal && !left.literal) b = adopt(right, a->type.dtype);
  if (a->type.dtype != b->type.dtype) {
    fail_help(
        span,
        fmt::format("comparison of {} with {}", ir::to_string(a->type), ir::to_string(b->type)),
        "cast one side: comparisons do not promote");
  }
  check_lanes(a->type, b->type, span);
  const ir::Type type{a->type.dtype, std::max(a->type.lanes, b->type.lanes)};
  return scalar_expr(comparison_op(op), {broadcast_to(a, type, span), broadcast_to(b, type, span)},
                     span);
}

ir::Expr unary_expr(ast::UnaryOp op, const Operand& operand, Span span) {
  const ir::Type type = operand.expr->type;
  switch (op) {
    case ast::UnaryOp::plus:
      return operand.expr;
    case ast::UnaryOp::minus: {
      const ir::Expr value = type.dtype == DType::boolean
                                 ? cast_expr(operand.expr, {DType::i32, type.lanes}, span)
                                 : operand.expr;
      return scalar_expr(ScalarOp::neg, {value}, span);
    }
    case ast::UnaryOp::invert:
      if (type.dtype == DType::boolean) {
        return scalar_expr(ScalarOp::logical_not, {operand.expr}, span);
      }
      return scalar_expr(ScalarOp::bit_not, {operand.expr}, span);
    case ast::UnaryOp::logical_not:
      break;
  }
  return scalar_expr(ScalarOp::logical_not, {condition_expr(operand.expr, span)}, span);
}

ir::Expr cast_expr(const ir::Expr& value, ir::Type type, Span span) {
  if (value->type == type) return value;
  if (value->type.dtype == DType::handle || type.dtype == DType::handle) {
    fail_help(span, "a pointer cannot be cast to a value", "use T.reinterpret, or load through it");
  }
  if (value->type.lanes != type.lanes) {
    if (value->type.lanes != 1) {
      fail(span, "a vector of {} lanes cannot become {}", value->type.lanes, ir::to_string(type));
    }
    return broadcast_to(cast_expr(value, type.element(), span), type, span);
  }
  if (const ir::Const* literal = ir::as_const(value)) {
    return ir::make_expr(type, span,
                         ir::Const{num::convert(literal->bits, value->type.dtype, type.dtype)});
  }
  return make_checked(type, span, ir::Cast{value});
}

ir::Expr integer_expr(std::int64_t value, ir::Type type, Span span) {
  const ir::Interval all = ir::values_of(type.dtype);
  const bool inside =
      value >= all.low && value <= all.high && (value >= 0 || !num::is_unsigned(type.dtype));
  if (!inside) {
    fail_help(span, fmt::format("{} is out of range for {}", value, num::name(type.dtype)),
              fmt::format("{} to {}", all.low, all.high));
  }
  return ir::make_int(value, type, span);
}

ir::Expr integer_expr(const ir::Expr& value, ir::Type type, Span span) {
  std::int64_t known = 0;
  const bool constant = ir::is_const_int(value, known);
  if (constant && value->type.dtype != type.dtype) return integer_expr(known, type, span);
  const ir::Const* large = ir::as_const(value);
  if (large != nullptr && value->type.dtype == DType::u64 && type.dtype != DType::u64) {
    fail_help(span, fmt::format("{} is out of range for {}", large->bits, num::name(type.dtype)),
              "use uint64 for all of them");
  }
  return cast_expr(value, type, span);
}

ir::Expr reinterpret_expr(const ir::Expr& value, ir::Type type, Span span) {
  if (value->type == type) return value;
  const int from = num::storage_bits(value->type.dtype) * value->type.lanes;
  const int to = num::storage_bits(type.dtype) * type.lanes;
  if (from != to) {
    fail(span, "reinterpret keeps the bits: {} has {} of them, {} has {}",
         ir::to_string(value->type), from, ir::to_string(type), to);
  }
  const bool spare = num::bits(type.dtype) < num::storage_bits(type.dtype);
  const ir::Const* literal = ir::as_const(value);
  if (literal != nullptr && type.lanes == 1 && !spare) {
    return ir::make_expr(type, span, ir::Const{literal->bits});
  }
  return make_checked(type, span, ir::Reinterpret{value});
}

ir::Expr condition_expr(const ir::Expr& value, Span span) {
  if (value->type.dtype == DType::boolean) return value;
  if (num::is_int(value->type.dtype)) {
    return scalar_expr(ScalarOp::ne, {value, literal_as(Value(0), value->type, span)}, span);
  }
  fail_help(span, fmt::format("a condition must be a bool, not {}", ir::to_string(value->type)),
            "compare it with something");
}

ir::Expr and_expr(const ir::Expr& left, const ir::Expr& right, Span span) {
  std::int64_t known = 0;
  if (ir::is_const_int(left, known)) return known != 0 ? right : left;
  if (ir::is_const_int(right, known) && known != 0) return left;
  return make_checked(ir::kBool, span, ir::And{left, right});
}

ir::Expr or_expr(const ir::Expr& left, const ir::Expr& right, Span span) {
  std::int64_t known = 0;
  if (ir::is_const_int(left, known)) return known != 0 ? left : right;
  if (ir::is_const_int(right, known) && known == 0) return left;
  return make_checked(ir::kBool, span, ir::Or{left, right});
}

namespace {

template <typename Node>
ir::Expr choice(const ir::Expr& condition, const Operand& yes, const Operand& no, Span span) {
  const ir::Type type = promote(yes.expr->type, no.expr->type, span);
  const auto side = [&](const Operand& operand) {
    return broadcast_to(
        cast_expr(operand.expr, {type.dtype, operand.expr->type.lanes}, operand.span), type, span);
  };
  std::int64_t known = 0;
  if (ir::is_const_int(condition, known)) return known != 0 ? side(yes) : side(no);
  return make_checked(type, span, Node{condition, side(yes), side(no)});
}

}  // namespace

ir::Expr if_then_else_expr(const ir::Expr& condition,
                           const Operand& when_true,
                           const Operand& when_false,
                           Span span) {
  return choice<ir::IfThenElse>(condition, when_true, when_false, span);
}

ir::Expr select_expr(const ir::Expr& condition,
                     const Operand& when_true,
                     const Operand& when_false,
                     Span span) {
  return choice<ir::Select>(condition, when_true, when_false, span);
}

ir::Expr index_expr(const Value& value, Span span) {
  if (const auto* d = value.as<double>())
    fail(span, "an index must be an integer, not {}", literal_text(*d));
  const auto expr = to_expr(value, span);
  if (!expr) fail(span, "an index must be an integer, not {}", kind_name(value));
  const ir::Type type = (*expr)->type;
  if (type.lanes != 1 || !(num::is_int(type.dtype) || type.dtype == DType::boolean)) {
    fail(span, "an index must be an integer, not {}", ir::to_string(type));
  }
  if (type.dtype == DType::boolean) return cast_expr(*expr, ir::kInt32, span);
  return *expr;
}

ir::Expr index_constant(std::int64_t value, Span span) {
  const bool small = value >= INT32_MIN && value <= INT32_MAX;
  return ir::make_int(value, small ? ir::kInt32 : ir::kInt64, span);
}

ir::Expr add_index(const ir::Expr& a, const ir::Expr& b, Span span) {
  return promoted_expr(ScalarOp::add, {{a, false, span}, {b, false, span}}, span);
}

ir::Expr sub_index(const ir::Expr& a, const ir::Expr& b, Span span) {
  return promoted_expr(ScalarOp::sub, {{a, false, span}, {b, false, span}}, span);
}

ir::Expr mul_index(const ir::Expr& a, const ir::Expr& b, Span span) {
  std::int64_t known = 0;
  if (ir::is_const_int(a, known) && known == 0) return a;
  if (ir::is_const_int(b, known) && known == 0) return b;
  return promoted_expr(ScalarOp::mul, {{a, false, span}, {b, false, span}}, span);
}

std::optional<std::int64_t> constant_difference(const ir::Expr& end, const ir::Expr& begin) {
  const ir::Facts facts;
  const ir::IndexSum sum =
      ir::IndexSum::of(end, facts).plus(ir::IndexSum::of(begin, facts).times(-1));
  if (!sum.is_constant()) return std::nullopt;
  return sum.constant();
}

std::int64_t known_multiple(const ir::Expr& expr) {
  const ir::Facts facts;
  return ir::IndexSum::of(expr, facts).divisor(facts);
}

bool same_expr(const ir::Expr& a, const ir::Expr& b) {
  return ir::same_expr(a, b);
}

}  // namespace tirx::dsl
