// A piece of a C++ expression with its precedence, so that only necessary parentheses are printed.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace tirx::cuda {

/// Larger binds tighter (C++ standard, [expr]).
enum class Precedence : int {
  conditional = 1,
  logical_or = 2,
  logical_and = 3,
  bit_or = 4,
  bit_xor = 5,
  bit_and = 6,
  equality = 7,
  relational = 8,
  shift = 9,
  additive = 10,
  multiplicative = 11,
  unary = 12,
  primary = 13,
};

struct Text {
  std::string text;
  Precedence precedence = Precedence::primary;
};

/// The text as an operand of something that binds with `outer`.
[[nodiscard]] inline std::string operand(const Text& t, Precedence outer) {
  return t.precedence >= outer ? t.text : "(" + t.text + ")";
}

/// A left-associative binary operator.  Bit operators and shifts put every compound operand in
/// parentheses: their precedence surprises.
[[nodiscard]] inline Text binary(const Text& left,
                                 std::string_view op,
                                 const Text& right,
                                 Precedence precedence) {
  const bool plain = precedence >= Precedence::additive || precedence <= Precedence::logical_and;
  const bool comparison =
      precedence == Precedence::relational || precedence == Precedence::equality;
  Precedence outer_left = precedence, outer_right = precedence;
  if (plain) {
    outer_right = static_cast<Precedence>(static_cast<int>(precedence) + 1);
  } else if (comparison) {
    outer_left = outer_right = Precedence::additive;
  } else {
    outer_left = outer_right = Precedence::unary;
  }
  if (precedence == Precedence::logical_or) outer_left = outer_right = Precedence::bit_or;
  if (precedence == Precedence::logical_and) outer_left = outer_right = Precedence::bit_or;
  return {fmt::format("{} {} {}", operand(left, outer_left), op, operand(right, outer_right)),
          precedence};
}

[[nodiscard]] inline Text unary(std::string_view op, const Text& value) {
  // Two signs in a row would make another operator: - -x.
  const bool signs = !value.text.empty() && value.text.front() == op.back();
  return {std::string(op) + (signs ? "(" + value.text + ")" : operand(value, Precedence::unary)),
          Precedence::unary};
}

[[nodiscard]] inline Text cast(std::string_view type, const Text& value) {
  return {fmt::format("({}){}", type, operand(value, Precedence::unary)), Precedence::unary};
}

template <typename... Texts>
[[nodiscard]] Text call(std::string_view function, const Texts&... arguments) {
  std::string out(function);
  out += '(';
  std::string_view separator;
  ((out += separator, out += arguments.text, separator = ", "), ...);
  out += ')';
  return {std::move(out), Precedence::primary};
}

}  // namespace tirx::cuda
