// How is each operator written?
#include "dsl/ast/expr.hpp"

namespace tirx::dsl::ast {

const char* spelling(UnaryOp op) {
  switch (op) {
    case UnaryOp::plus:
      return "+";
    case UnaryOp::minus:
      return "-";
    case UnaryOp::invert:
      return "~";
    case UnaryOp::logical_not:
      return "not";
  }
  return "?";
}

const char* spelling(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
      return "+";
    case BinaryOp::subtract:
      return "-";
    case BinaryOp::multiply:
      return "*";
    case BinaryOp::divide:
      return "/";
    case BinaryOp::floor_divide:
      return "//";
    case BinaryOp::modulo:
      return "%";
    case BinaryOp::matmul:
      return "@";
    case BinaryOp::power:
      return "**";
    case BinaryOp::shift_left:
      return "<<";
    case BinaryOp::shift_right:
      return ">>";
    case BinaryOp::bit_and:
      return "&";
    case BinaryOp::bit_xor:
      return "^";
    case BinaryOp::bit_or:
      return "|";
  }
  return "?";
}

const char* spelling(LogicalOp op) {
  return op == LogicalOp::logical_and ? "and" : "or";
}

const char* spelling(CompareOp op) {
  switch (op) {
    case CompareOp::equal:
      return "==";
    case CompareOp::not_equal:
      return "!=";
    case CompareOp::less:
      return "<";
    case CompareOp::less_equal:
      return "<=";
    case CompareOp::greater:
      return ">";
    case CompareOp::greater_equal:
      return ">=";
    case CompareOp::is:
      return "is";
    case CompareOp::is_not:
      return "is not";
    case CompareOp::in:
      return "in";
    case CompareOp::not_in:
      return "not in";
  }
  return "?";
}

}  // namespace tirx::dsl::ast
