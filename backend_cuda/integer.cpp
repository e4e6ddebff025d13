// Integer operations.  Plain operators where the operands' ranges show that nothing can leave the
// type (ranges.hpp) or where that would be a fault (offsets); unsigned arithmetic elsewhere, since
// the language wraps and C++ does not.  int8 and int16 are computed as int and cut back.
#include <bit>
#include <string>

#include "backend_cuda/kernel_emitter.hpp"
#include "backend_cuda/types.hpp"

namespace tirx::cuda {

using num::DType;
using num::ScalarOp;

namespace {

bool is_narrow(DType dtype) {
  return num::bits(dtype) < 32;
}

/// The type that carries the computation: int for the narrow ones.
DType carrier(DType dtype) {
  if (!is_narrow(dtype)) return dtype;
  return num::is_signed(dtype) ? DType::i32 : DType::u32;
}

Text cut_back(const Text& value, DType dtype) {
  return is_narrow(dtype) ? cast(element_type(dtype), value) : value;
}

std::string_view unsigned_type(DType dtype) {
  return num::bits(dtype) == 64 ? "unsigned long long" : "unsigned";
}

struct Operator {
  std::string_view text;
  Precedence precedence;
};

Operator arithmetic_operator(ScalarOp op) {
  if (op == ScalarOp::add) return {"+", Precedence::additive};
  if (op == ScalarOp::sub) return {"-", Precedence::additive};
  return {"*", Precedence::multiplicative};
}

/// `x * 32ll` as `x * 32`: the other operand has the wide type.
void shorten_literal(const ir::Scalar& scalar, Text& left, Text& right) {
  std::int64_t a = 0, b = 0;
  const bool left_is_literal = ir::is_const_int(scalar.args[0], a);
  const bool right_is_literal = ir::is_const_int(scalar.args[1], b);
  const auto is_short = [](std::int64_t value) { return value >= 0 && value <= INT32_MAX; };
  if (right_is_literal && !left_is_literal && is_short(b)) right = {std::to_string(b)};
  if (left_is_literal && !right_is_literal && is_short(a)) left = {std::to_string(a)};
}

bool is_arithmetic(ScalarOp op) {
  return op == ScalarOp::add || op == ScalarOp::sub || op == ScalarOp::mul;
}

}  // namespace

/// A term of a sum or product in unsigned arithmetic.
struct KernelEmitter::Wrapping {
  Text text;
  bool is_unsigned = false;
  bool is_literal = false;  // a non-negative literal: `u` makes it unsigned
};

KernelEmitter::Wrapping KernelEmitter::wrapping(const ir::Expr& expr, DType dtype) {
  std::int64_t value = 0;
  if (ir::is_const_int(expr, value) && value >= 0) {
    return {{std::to_string(value)}, false, true};
  }
  const auto* inner = ir::as<ir::Scalar>(expr);
  if (inner == nullptr || !is_arithmetic(inner->op) || ranges_.fits(*inner, dtype)) {
    return {expression(expr)};
  }
  Wrapping left = wrapping(inner->args[0], dtype);
  Wrapping right = wrapping(inner->args[1], dtype);
  const std::string_view suffix = num::bits(dtype) == 64 ? "ull" : "u";
  if (!left.is_unsigned && !right.is_unsigned) {
    if (right.is_literal) {
      right.text.text += suffix;
    } else if (left.is_literal) {
      left.text.text += suffix;
    } else {
      left.text = cast(unsigned_type(dtype), left.text);
    }
  }
  const Operator op = arithmetic_operator(inner->op);
  return {binary(left.text, op.text, right.text, op.precedence), true};
}

Text KernelEmitter::integer_arithmetic(const ir::Expr& expr, const ir::Scalar& scalar) {
  const DType dtype = expr->type.dtype;
  const bool plain = in_index_ || ranges_.fits(scalar, dtype) || num::is_unsigned(dtype);
  if (scalar.op == ScalarOp::neg) {
    const Text value = expression(scalar.args[0]);
    if (plain || is_narrow(dtype)) return cut_back(unary("-", value), dtype);
    const std::string_view zero = num::bits(dtype) == 64 ? "0ull" : "0u";
    return cast(element_type(dtype), binary({std::string(zero)}, "-", value, Precedence::additive));
  }
  if (plain || is_narrow(dtype)) {
    const Operator op = arithmetic_operator(scalar.op);
    Text left = expression(scalar.args[0]);
    // The product of two uint16 does not fit int.
    if (dtype == DType::u16 && scalar.op == ScalarOp::mul) left = cast("unsigned", left);
    Text right = expression(scalar.args[1]);
    if (dtype == DType::i64) shorten_literal(scalar, left, right);
    return cut_back(binary(left, op.text, right, op.precedence), dtype);
  }
  return cast(element_type(dtype), wrapping(expr, dtype).text);
}

/// An operand of a remainder, a shift or a bit operation: also in an index it may wrap, since it
/// may be a hash.
Text KernelEmitter::hash_operand(const ir::Expr& expr) {
  const bool before = in_index_;
  in_index_ = false;
  Text text = expression(expr);
  in_index_ = before;
  return text;
}

Text KernelEmitter::integer_division(const ir::Expr& expr, const ir::Scalar& scalar) {
  const DType dtype = expr->type.dtype;
  const bool remainder = scalar.op == ScalarOp::floormod || scalar.op == ScalarOp::truncmod;
  const bool floors = scalar.op == ScalarOp::floordiv || scalar.op == ScalarOp::floormod;
  const bool never_wraps = in_index_ && !ir::makes_hash(scalar.op);
  const ir::Interval a = ranges_.of(scalar.args[0], never_wraps);
  const ir::Interval b = ranges_.of(scalar.args[1], never_wraps);
  const Text left = remainder ? hash_operand(scalar.args[0]) : expression(scalar.args[0]);
  const Text right = remainder ? hash_operand(scalar.args[1]) : expression(scalar.args[1]);
  // C++ truncates: the same as flooring for operands of one sign.
  const bool plain = num::is_unsigned(dtype) || (b.low >= 1 && (!floors || a.low >= 0));
  if (plain) {
    return cut_back(binary(left, remainder ? "%" : "/", right, Precedence::multiplicative), dtype);
  }
  if (floors && b.low == b.high && std::has_single_bit(static_cast<std::uint64_t>(b.low))) {
    // Shifts and masks of two's complement floor.
    if (remainder) {
      return cut_back(binary(left, "&", {std::to_string(b.low - 1)}, Precedence::bit_and), dtype);
    }
    const int count = std::countr_zero(static_cast<std::uint64_t>(b.low));
    return cut_back(binary(left, ">>", {std::to_string(count)}, Precedence::shift), dtype);
  }
  const Text value = call(
      fmt::format("tirx_{}_{}", num::name(scalar.op), short_name(carrier(dtype))), left, right);
  return cut_back(value, dtype);
}

Text KernelEmitter::integer_shift(const ir::Expr& expr, const ir::Scalar& scalar) {
  const DType dtype = expr->type.dtype;
  const bool left = scalar.op == ScalarOp::shl;
  const ir::Interval count = ranges_.of(scalar.args[1]);
  Text value = left ? expression(scalar.args[0]) : hash_operand(scalar.args[0]);
  const Text by = left ? expression(scalar.args[1]) : hash_operand(scalar.args[1]);
  if (count.low < 0 || count.high >= num::bits(dtype)) {
    const std::string name =
        fmt::format("tirx_{}_{}", num::name(scalar.op), short_name(carrier(dtype)));
    return cut_back(call(name, value, by), dtype);
  }
  if (left && num::is_signed(dtype) && !ranges_.fits(scalar, dtype)) {
    value = cast(unsigned_type(dtype), value);
    return cast(element_type(dtype), binary(value, "<<", by, Precedence::shift));
  }
  return cut_back(binary(value, left ? "<<" : ">>", by, Precedence::shift), dtype);
}

Text KernelEmitter::integer_bits(const ir::Expr& expr, const ir::Scalar& scalar) {
  const DType dtype = scalar.args[0]->type.dtype;
  const bool wide = num::bits(dtype) == 64;
  const Text a = expression(scalar.args[0]);
  // A narrow value's own bits, zero-extended.
  const auto own_bits = [&]() -> Text {
    if (!is_narrow(dtype)) return a;
    return cast(num::bits(dtype) == 8 ? "unsigned char" : "unsigned short", a);
  };
  switch (scalar.op) {
    case ScalarOp::popc:
      return call(wide ? "__popcll" : "__popc", own_bits());
    case ScalarOp::clz: {
      const Text count = call(wide ? "__clzll" : "__clz", own_bits());
      if (!is_narrow(dtype)) return count;
      return binary(count, "-", {std::to_string(32 - num::bits(dtype))}, Precedence::additive);
    }
    case ScalarOp::ffs:
      return call(wide ? "__ffsll" : "__ffs", cast(wide ? "long long" : "int", a));
    case ScalarOp::brev: {
      const Text reversed = call(wide ? "__brevll" : "__brev", own_bits());
      if (!is_narrow(dtype)) return cast(element_type(dtype), reversed);
      const Text down = {std::to_string(32 - num::bits(dtype))};
      return cut_back(binary(reversed, ">>", down, Precedence::shift), dtype);
    }
    case ScalarOp::mulhi: {
      const Text b = expression(scalar.args[1]);
      if (is_narrow(dtype)) {
        const Text left = dtype == DType::u16 ? cast("unsigned", a) : a;
        const Text product = binary(left, "*", b, Precedence::multiplicative);
        return cut_back(
            binary(product, ">>", {std::to_string(num::bits(dtype))}, Precedence::shift), dtype);
      }
      if (wide) return call(num::is_signed(dtype) ? "__mul64hi" : "__umul64hi", a, b);
      return call(num::is_signed(dtype) ? "__mulhi" : "__umulhi", a, b);
    }
    case ScalarOp::bit_not:
      return cut_back(unary("~", a), dtype);
    default:
      return fail(expr->span, fmt::format("{} has no CUDA form for {}", num::name(scalar.op),
                                          num::name(dtype)));
  }
}

Text KernelEmitter::integer(const ir::Expr& expr, const ir::Scalar& scalar) {
  const Text value = integer_value(expr, scalar);
  if (!hides_result(scalar, expr)) return value;
  const Text hidden = call("tirx_opaque", value);
  const DType dtype = expr->type.dtype;
  return dtype == DType::u32 ? hidden : cast(element_type(dtype), hidden);
}

Text KernelEmitter::integer_value(const ir::Expr& expr, const ir::Scalar& scalar) {
  const DType dtype = scalar.args[0]->type.dtype;
  switch (scalar.op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::neg:
      return integer_arithmetic(expr, scalar);
    case ScalarOp::floordiv:
    case ScalarOp::floormod:
    case ScalarOp::truncdiv:
    case ScalarOp::truncmod:
      return integer_division(expr, scalar);
    case ScalarOp::shl:
    case ScalarOp::shr:
      return integer_shift(expr, scalar);
    case ScalarOp::min:
    case ScalarOp::max:
      return call(num::name(scalar.op), expression(scalar.args[0]), expression(scalar.args[1]));
    case ScalarOp::abs: {
      const Text a = expression(scalar.args[0]);
      if (num::is_unsigned(dtype) || ranges_.of(scalar.args[0]).low >= 0) return a;
      return cut_back(call(fmt::format("tirx_abs_{}", short_name(carrier(dtype))), a), dtype);
    }
    case ScalarOp::bit_and:
      return binary(hash_operand(scalar.args[0]), "&", hash_operand(scalar.args[1]),
                    Precedence::bit_and);
    case ScalarOp::bit_or:
      return binary(hash_operand(scalar.args[0]), "|", hash_operand(scalar.args[1]),
                    Precedence::bit_or);
    case ScalarOp::bit_xor:
      return binary(hash_operand(scalar.args[0]), "^", hash_operand(scalar.args[1]),
                    Precedence::bit_xor);
    case ScalarOp::logical_not:
      return unary("!", expression(scalar.args[0]));
    default:
      return integer_bits(expr, scalar);
  }
}

}  // namespace tirx::cuda
