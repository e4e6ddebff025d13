// Python's operators on numbers (Python reference, "Binary arithmetic operations").
#include "dsl/eval/meta_arithmetic.hpp"

#include <bit>
#include <cmath>

#include "dsl/eval/error.hpp"

namespace tirx::dsl {

namespace {

using Op = ast::BinaryOp;

[[noreturn]] void overflow(Span span) {
  fail_help(span, "integer overflow: the result does not fit 64 bits",
            "integers of a script have 64 bits; use float() for larger magnitudes");
}

void check_divisor(std::int64_t divisor, Span span) {
  if (divisor == 0) fail(span, "division by zero");
}

std::int64_t power(std::int64_t base, std::int64_t exponent, Span span) {
  std::int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) overflow(span);
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) overflow(span);
  }
  return result;
}

}  // namespace

bool is_two_to_the_63(ast::BinaryOp op, const Value& left, const Value& right) {
  const std::int64_t* a = left.as<std::int64_t>();
  const std::int64_t* b = right.as<std::int64_t>();
  if (a == nullptr || b == nullptr || *a <= 0 || (*a & (*a - 1)) != 0) return false;
  const std::int64_t log = std::countr_zero(static_cast<std::uint64_t>(*a));
  if (op == Op::shift_left) return *b >= 0 && *b < 64 && log + *b == 63;
  return op == Op::power && *b > 0 && *b < 64 && log * *b == 63;
}

namespace {

std::int64_t shift_left(std::int64_t value, std::int64_t count, Span span) {
  if (count < 0) fail(span, "negative shift count");
  if (value == 0) return 0;
  if (count > 62) overflow(span);
  std::int64_t result = 0;
  if (__builtin_mul_overflow(value, std::int64_t{1} << count, &result)) overflow(span);
  return result;
}

Value integer_binary(Op op, std::int64_t a, std::int64_t b, Span span) {
  std::int64_t result = 0;
  bool wrapped = false;
  switch (op) {
    case Op::add:
      wrapped = __builtin_add_overflow(a, b, &result);
      break;
    case Op::subtract:
      wrapped = __builtin_sub_overflow(a, b, &result);
      break;
    case Op::multiply:
      wrapped = __builtin_mul_overflow(a, b, &result);
      break;
    case Op::divide:
      check_divisor(b, span);
      return static_cast<double>(a) / static_cast<double>(b);
    case Op::floor_divide:
      check_divisor(b, span);
      if (a == INT64_MIN && b == -1) overflow(span);
      result = floor_div(a, b);
      break;
    case Op::modulo:
      check_divisor(b, span);
      result = b == -1 ? 0 : floor_mod(a, b);
      break;
    case Op::power:
      if (b < 0) {
        check_divisor(a, span);
        return std::pow(static_cast<double>(a), static_cast<double>(b));
      }
      result = power(a, b, span);
      break;
    case Op::shift_left:
      result = shift_left(a, b, span);
      break;
    case Op::shift_right:
      if (b < 0) fail(span, "negative shift count");
      result = b > 63 ? (a < 0 ? -1 : 0) : a >> b;
      break;
    case Op::bit_and:
      result = a & b;
      break;
    case Op::bit_xor:
      result = a ^ b;
      break;
    case Op::bit_or:
      result = a | b;
      break;
    case Op::matmul:
      fail(span, "'@' needs an axis on its right: `4 @ laneid`");
  }
  if (wrapped) overflow(span);
  return result;
}

Value float_binary(Op op, double a, double b, Span span) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      if (b == 0) fail(span, "division by zero");
      return a / b;
    case Op::floor_divide:
      if (b == 0) fail(span, "division by zero");
      return std::floor(a / b);
    case Op::modulo: {
      if (b == 0) fail(span, "division by zero");
      const double rest = std::fmod(a, b);
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    case Op::power:
      if (a == 0 && b < 0) fail(span, "division by zero");
      if (a < 0 && b != std::floor(b)) fail(span, "a negative number to a fractional power");
      return std::pow(a, b);
    case Op::shift_left:
    case Op::shift_right:
    case Op::bit_and:
    case Op::bit_xor:
    case Op::bit_or:
    case Op::matmul:
      break;
  }
  fail(span, "'{}' is not defined for floats", ast::spelling(op));
}

}  // namespace

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Value meta_binary(Op op, const Value& left, const Value& right, Span span) {
  const bool bits = op == Op::bit_and || op == Op::bit_or || op == Op::bit_xor;
  if (bits && left.is<bool>() && right.is<bool>()) {
    const bool a = *left.as<bool>();
    const bool b = *right.as<bool>();
    return op == Op::bit_and ? (a && b) : op == Op::bit_or ? (a || b) : a != b;
  }
  if (left.integer() && right.integer()) {
    return integer_binary(op, *left.integer(), *right.integer(), span);
  }
  return float_binary(op, *left.number(), *right.number(), span);
}

Value meta_unary(ast::UnaryOp op, const Value& value, Span span) {
  if (const auto number = value.integer()) {
    switch (op) {
      case ast::UnaryOp::plus:
        return *number;
      case ast::UnaryOp::minus:
        if (*number == INT64_MIN) overflow(span);
        return -*number;
      case ast::UnaryOp::invert:
        return ~*number;
      case ast::UnaryOp::logical_not:
        return *number == 0;
    }
  }
  const double number = *value.number();
  switch (op) {
    case ast::UnaryOp::plus:
      return number;
    case ast::UnaryOp::minus:
      return -number;
    case ast::UnaryOp::logical_not:
      return number == 0;
    case ast::UnaryOp::invert:
      break;
  }
  fail(span, "'~' is not defined for floats");
}

}  // namespace tirx::dsl
