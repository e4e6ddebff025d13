// Which level of the table of operators (ir/base/precedence.hpp) has each operator of the syntax?
#pragma once

#include "dsl/ast/expr.hpp"
#include "ir/base/precedence.hpp"

namespace tirx::dsl::ast {

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
