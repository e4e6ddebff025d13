// Which values must ptxas not see through?  Five of its optimisations change bits (CUDA 13.0,
// found by tirx fuzz; docs/fidelity.md has them):
//   * an approximation of a value that it can work out is folded, with a more exact result than the
//     special-function unit gives;
//   * of three integer values in a minimum of a minimum (or maximum of a maximum), which Hopper
//     does in one instruction, it loses the negation of the inner second one;
//   * a comparison's 0 or 1, taken as the bits of a float16 and widened, becomes 0.0 or 1.0;
//   * neg.s16 (8 bits are negated by it too) is done in 32 bits, and -32768 comes out as +32768
//     where it is widened, shifted or compared;
//   * a choice between -0.0 and -1.0 becomes an integer, 0 or -1, and a conversion: +0.0.
// tirx_opaque (prelude/opaque.cuh) costs one instruction, so it is printed only where such a value
// may be: data that the kernel reads is not a constant, and negations matter beside min and max.
#include <algorithm>

#include "backend_cuda/kernel_emitter.hpp"
#include "backend_cuda/types.hpp"

namespace tirx::cuda {

using num::DType;
using num::ScalarOp;

namespace {

/// One kind of float arithmetic that no constant operand can turn into a constant.
bool keeps_data(ScalarOp op) {
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::div:
    case ScalarOp::fma:
    case ScalarOp::neg:
    case ScalarOp::abs:
      return true;
    default:
      return false;
  }
}

bool is_folded(ScalarOp op) {
  // tanh.approx is not; of the others all are.
  return num::declared_row(op).exactness == num::Exactness::table && op != ScalarOp::tanh_approx;
}

}  // namespace

bool KernelEmitter::is_data(const ir::Expr& expr) const {
  if (const auto* ref = ir::as<ir::VarRef>(expr)) return data_.contains(ref->var.get());
  if (const auto* cast = ir::as<ir::Cast>(expr)) return is_data(cast->value);
  if (const auto* cast = ir::as<ir::Reinterpret>(expr)) return is_data(cast->value);
  if (const auto* load = ir::as<ir::Load>(expr)) {
    const ir::Storage* storage = load->from.buffer->storage.get();
    if (data_scalars_.contains(storage)) return true;
    return storage->scope == ir::MemoryScope::global && !uses_.written.contains(storage);
  }
  const auto* scalar = ir::as<ir::Scalar>(expr);
  if (scalar == nullptr || !num::is_float(expr->type.dtype) || !keeps_data(scalar->op))
    return false;
  for (const ir::Expr& arg : scalar->args) {
    if (is_data(arg)) return true;
  }
  return false;
}

/// Whether the compiler may see a choice between 0.0 and 1.0 in it.
bool KernelEmitter::is_choice(const ir::Expr& expr) const {
  if (const auto* cast = ir::as<ir::Cast>(expr)) return !num::is_float(cast->value->type.dtype);
  if (ir::as<ir::Select>(expr) != nullptr || ir::as<ir::IfThenElse>(expr) != nullptr) return true;
  if (ir::as<ir::VarRef>(expr) != nullptr || ir::as<ir::Load>(expr) != nullptr)
    return !is_data(expr);
  const auto* scalar = ir::as<ir::Scalar>(expr);
  if (scalar == nullptr) return false;
  switch (scalar->op) {
    case ScalarOp::neg:
    case ScalarOp::abs:
    case ScalarOp::min:
    case ScalarOp::max:
    case ScalarOp::copysign:
      return std::any_of(scalar->args.begin(), scalar->args.end(),
                         [&](const ir::Expr& arg) { return is_choice(arg); });
    default:
      return false;
  }
}

bool KernelEmitter::hides_operand(const ir::Scalar& scalar) const {
  const ir::Expr& operand = scalar.args[0];
  if (scalar.op == ScalarOp::neg)
    return !on_host_ && operand->type.dtype == DType::f32 && is_choice(operand);
  return is_folded(scalar.op) && !is_data(operand);
}

/// Whether the compiler may make a negation of it; `or_unknown`: also where it would have to find
/// out the value of an operand first.
bool KernelEmitter::may_negate(const ir::Scalar& scalar, bool or_unknown) const {
  std::int64_t value = 0;
  const auto is = [&](const ir::Expr& expr, std::int64_t wanted) {
    if (ir::is_const_int(expr, value)) return value == wanted;
    return or_unknown && !is_data(expr);
  };
  const auto is_complement = [](const ir::Expr& expr) {
    const auto* inner = ir::as<ir::Scalar>(expr);
    return inner != nullptr && inner->op == ScalarOp::bit_not;
  };
  const std::vector<ir::Expr>& args = scalar.args;
  switch (scalar.op) {
    case ScalarOp::neg:
      return true;
    case ScalarOp::add:  // ~x + 1
      return (is_complement(args[0]) && is(args[1], 1)) ||
             (is_complement(args[1]) && is(args[0], 1));
    case ScalarOp::sub:
      return is(args[0], 0);
    case ScalarOp::mul:
      // By a power of two it is a shift and a negation.
      for (const ir::Expr& arg : args) {
        if (or_unknown && ir::is_const_int(arg, value) && value < 0) return true;
      }
      return is(args[0], -1) || is(args[1], -1);
    case ScalarOp::floordiv:
    case ScalarOp::truncdiv:
      return is(args[1], -1);
    default:
      return false;
  }
}

bool KernelEmitter::hides_result(const ir::Scalar& scalar) const {
  const int bits = num::bits(scalar.args[0]->type.dtype);
  if (on_host_ || bits > 32) return false;
  return bits <= 16 ? may_negate(scalar, true)
                    : uses_.integer_extremes && may_negate(scalar, false);
}

/// A negation in 32 bits, of which 16 or 8 are kept, is one in 16 bits to the compiler.
bool KernelEmitter::hides_narrowed(const ir::Cast& cast, ir::Type to) const {
  if (on_host_ || to.is_vector() || !num::is_int(to.dtype) || num::bits(to.dtype) > 16)
    return false;
  return !ranges_.of(cast.value).within({-32767, 32767}) && may_hold_negation(cast.value);
}

/// Whether the compiler may see a negation of more than 16 bits in it.  It looks through casts,
/// choices and shifts to the left, which it moves under the negation, and into memory that the
/// kernel writes.
bool KernelEmitter::may_hold_negation(const ir::Expr& value) const {
  const DType dtype = value->type.dtype;
  if (!num::is_int(dtype) || num::bits(dtype) <= 16) return false;
  if (const auto* cast = ir::as<ir::Cast>(value)) return may_hold_negation(cast->value);
  if (const auto* choice = ir::as<ir::Select>(value))
    return may_hold_negation(choice->when_true) || may_hold_negation(choice->when_false);
  if (const auto* choice = ir::as<ir::IfThenElse>(value))
    return may_hold_negation(choice->when_true) || may_hold_negation(choice->when_false);
  if (const auto* scalar = ir::as<ir::Scalar>(value)) {
    if (scalar->op == ScalarOp::shl) return may_hold_negation(scalar->args[0]);
    return may_negate(*scalar, true);
  }
  const bool is_known = ir::as<ir::Load>(value) != nullptr || ir::as<ir::VarRef>(value) != nullptr;
  return is_known && !is_data(value);
}

bool KernelEmitter::hides_zero(const ir::Const& constant, ir::Type type) const {
  constexpr num::Bits kNegativeZero = 0x80000000;
  return !on_host_ && type.dtype == DType::f32 && constant.bits == kNegativeZero;
}

bool KernelEmitter::hides_bits(const ir::Reinterpret& bits, ir::Type to) const {
  if (to.is_vector() || to.dtype != DType::f16) return false;
  ir::Expr value = bits.value;
  while (const auto* inner = ir::as<ir::Reinterpret>(value)) value = inner->value;
  if (!num::is_int(value->type.dtype)) return false;
  const ir::Interval range = ranges_.of(value);
  return range.low == 0 && range.high == 1;
}

}  // namespace tirx::cuda
