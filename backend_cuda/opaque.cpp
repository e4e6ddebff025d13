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
// (negation.cpp has the two about negations of integers.)
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
