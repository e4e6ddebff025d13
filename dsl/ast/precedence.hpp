// How tightly do operators bind?  The table of section 6.17 of the Python reference, for the parser
// that builds trees and the printer that sets brackets.
#pragma once

#include "dsl/ast/expr.hpp"

namespace tirx::dsl::ast {

/// From loose to tight.
enum Precedence : int {
  kAny,  // lambda, conditional expression
  kOr,
  kAnd,
  kNot,
  kCompare,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kSign,
  kPower,  // binds its right operand's sign: 2 ** -1
  kAtom
};

[[nodiscard]] constexpr Precedence precedence(BinaryOp op) {
  switch (op) {
    case BinaryOp::bit_or:
      return kBitOr;
    case BinaryOp::bit_xor:
      return kBitXor;
    case BinaryOp::bit_and:
      return kBitAnd;
    case BinaryOp::shift_left:
    case BinaryOp::shift_right:
      return kShift;
    case BinaryOp::add:
    case BinaryOp::subtract:
      return kSum;
    case BinaryOp::power:
      return kPower;
    case BinaryOp::multiply:
    case BinaryOp::divide:
    case BinaryOp::floor_divide:
    case BinaryOp::modulo:
    case BinaryOp::matmul:
      break;
  }
  return kProduct;
}

[[nodiscard]] constexpr Precedence precedence(LogicalOp op) {
  return op == LogicalOp::logical_or ? kOr : kAnd;
}

[[nodiscard]] constexpr Precedence precedence(CompareOp) {
  return kCompare;
}

[[nodiscard]] constexpr Precedence precedence(UnaryOp op) {
  return op == UnaryOp::logical_not ? kNot : kSign;
}

}  // namespace tirx::dsl::ast
