// Which values must ptxas not see through?  Three of its optimisations change bits (CUDA 13.0,
// found by tirx fuzz; docs/fidelity.md has them):
//   * an approximation of a value that it can work out is folded, with a more exact result than the
//     special-function unit gives;
//   * of three integer values in a minimum of a minimum (or maximum of a maximum), which Hopper
//     does in one instruction, it loses the negation of the inner second one;
//   * a comparison's 0 or 1, taken as the bits of a float16 and widened, becomes 0.0 or 1.0.
// tirx_opaque (prelude/opaque.cuh) costs one instruction, so it is printed only where such a value
// may be: data that the kernel reads is not a constant, and negations matter beside min and max.
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

bool KernelEmitter::hides_operand(const ir::Scalar& scalar) const {
  return is_folded(scalar.op) && !is_data(scalar.args[0]);
}

bool KernelEmitter::hides_result(const ir::Scalar& scalar) const {
  if (!uses_.integer_extremes || on_host_) return false;
  if (num::bits(scalar.args[0]->type.dtype) > 32) return false;
  std::int64_t value = 0;
  const auto is = [&](const ir::Expr& expr, std::int64_t wanted) {
    return ir::is_const_int(expr, value) && value == wanted;
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
      return is(args[0], -1) || is(args[1], -1);
    case ScalarOp::floordiv:
    case ScalarOp::truncdiv:
      return is(args[1], -1);
    default:
      return false;
  }
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
