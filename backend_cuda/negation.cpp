// Which integers may ptxas take for a negation that it gets wrong (opaque.cpp)?  Of 16 bits and
// fewer all that the compiler can turn into one, which is more than what is written as one.
#include <algorithm>
#include <optional>

#include "backend_cuda/kernel_emitter.hpp"
#include "backend_cuda/types.hpp"

namespace tirx::cuda {

using num::DType;
using num::ScalarOp;

/// Whether the compiler makes a negation of 32 bits of it.
bool KernelEmitter::is_negation(const ir::Scalar& scalar) const {
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

bool KernelEmitter::hides_result(const ir::Scalar& scalar, const ir::Expr& whole) const {
  const int bits = num::bits(whole->type.dtype);
  if (on_host_ || bits > 32) return false;
  return bits <= 16 ? may_be_negation(whole) : uses_.integer_extremes && is_negation(scalar);
}

/// A negation in 32 bits, of which 16 or 8 are kept, is one in 16 bits to the compiler.
bool KernelEmitter::hides_narrowed(const ir::Cast& cast, ir::Type to) const {
  const DType from = cast.value->type.dtype;
  if (on_host_ || to.is_vector() || !num::is_int(to.dtype) || num::bits(to.dtype) > 16)
    return false;
  if (!num::is_int(from) || num::bits(from) <= 16) return false;
  // An int8 may be kept in the upper half of 16 bits, where -128 is -32768.
  const std::int64_t end = to.dtype == DType::i8 ? 127 : 32767;
  return !ranges_.of(cast.value).within({-end, end}) && may_be_negation(cast.value);
}

/// Whether the compiler may make a negation of an integer of which 16 bits or fewer are kept.  It
/// puts sums in order (5 - (x + 5), x - 2 * x, ~(x - 1), 65535 * x), and so only what is surely
/// none is taken for none.
bool KernelEmitter::may_be_negation(const ir::Expr& value) const {
  const DType dtype = value->type.dtype;
  if (!num::is_int(dtype)) return false;
  // What has 16 bits was hidden where it was made.
  const auto is = [&](const ir::Expr& part) {
    return num::bits(part->type.dtype) > 16 && may_be_negation(part);
  };
  const auto either = [&](const ir::Expr& a, const ir::Expr& b) { return is(a) || is(b); };
  if (ir::as<ir::Load>(value) != nullptr || ir::as<ir::VarRef>(value) != nullptr)
    return num::bits(dtype) > 16 && !is_data(value);
  if (const auto* cast = ir::as<ir::Cast>(value)) return is(cast->value);
  if (const auto* choice = ir::as<ir::Select>(value))
    return either(choice->when_true, choice->when_false);
  if (const auto* choice = ir::as<ir::IfThenElse>(value))
    return either(choice->when_true, choice->when_false);
  if (const auto* scalar = ir::as<ir::Scalar>(value)) {
    const std::vector<ir::Expr>& args = scalar->args;
    std::int64_t constant = 0;
    switch (scalar->op) {
      case ScalarOp::min:
      case ScalarOp::max:
        return either(args[0], args[1]);
      // One operation on what the compiler cannot see into.
      case ScalarOp::bit_not:
      case ScalarOp::abs:
      case ScalarOp::brev:
        return !is_plain_data(args[0]);
      case ScalarOp::bit_xor:
        if (ir::is_const_int(args[1], constant)) return !is_plain_data(args[0]);
        break;
      case ScalarOp::sub:
        // 256 - x is -x in 8 bits, and 128 - x is it with its sign bit flipped.
        if (ir::is_const_int(args[0], constant) && constant % 128 != 0)
          return !is_plain_data(args[1]);
        break;
      default:
        break;
    }
  }
  constexpr std::int64_t kMost = 127;  // 128 * x may be -128 * x in 8 bits
  const std::optional<std::int64_t> count = summands(value);
  return !count || *count > kMost;
}

/// Read from memory, or converted from what is.
bool KernelEmitter::is_plain_data(const ir::Expr& value) const {
  if (const auto* cast = ir::as<ir::Cast>(value)) return is_plain_data(cast->value);
  return is_data(value) && ir::as<ir::Scalar>(value) == nullptr;
}

/// Of how many values that the compiler cannot see into the integer is a sum at most, each counted
/// as often as it is in it; none where one may be subtracted, or where it is not known.  A sum of
/// few is no negation of one, however the compiler puts it.
std::optional<std::int64_t> KernelEmitter::summands(const ir::Expr& value) const {
  if (!num::is_int(value->type.dtype)) return 1;
  std::int64_t constant = 0;
  if (ir::is_const_int(value, constant)) return 0;
  if (is_plain_data(value)) return 1;
  if (const auto* cast = ir::as<ir::Cast>(value)) return summands(cast->value);
  if (const auto* bits = ir::as<ir::Reinterpret>(value)) return summands(bits->value);
  const auto most = [&](const ir::Expr& a, const ir::Expr& b) -> std::optional<std::int64_t> {
    const auto first = summands(a), second = summands(b);
    if (!first || !second) return std::nullopt;
    return std::max({*first, *second, std::int64_t{1}});
  };
  if (const auto* choice = ir::as<ir::Select>(value))
    return most(choice->when_true, choice->when_false);
  if (const auto* choice = ir::as<ir::IfThenElse>(value))
    return most(choice->when_true, choice->when_false);
  const auto* scalar = ir::as<ir::Scalar>(value);
  if (scalar == nullptr) return std::nullopt;
  const std::vector<ir::Expr>& args = scalar->args;
  constexpr std::int64_t kMany = 1 << 20;  // more than any caller takes
  const auto times = [&](const ir::Expr& of, std::int64_t factor) -> std::optional<std::int64_t> {
    const auto count = summands(of);
    if (!count || factor < 0 || factor > kMany || *count > kMany) return std::nullopt;
    return *count * factor;
  };
  switch (scalar->op) {
    case ScalarOp::add: {
      const auto first = summands(args[0]), second = summands(args[1]);
      if (!first || !second || *first + *second > kMany) return std::nullopt;
      return *first + *second;
    }
    case ScalarOp::sub:  // as many are added as subtracted
      if (ir::is_const_int(args[1], constant)) return summands(args[0]);
      if (is_plain_data(args[0]) && is_plain_data(args[1])) return 2;
      return std::nullopt;
    case ScalarOp::mul:
      if (ir::is_const_int(args[1], constant)) return times(args[0], constant);
      if (ir::is_const_int(args[0], constant)) return times(args[1], constant);
      // A sign that is chosen or shifted out makes a negation of the other factor.
      for (const ir::Expr& arg : args) {
        if (!is_plain_data(arg) && !ranges_.of(arg).within({0, 32767})) return std::nullopt;
      }
      if (const auto first = summands(args[0])) return times(args[1], *first);
      return std::nullopt;
    case ScalarOp::shl:
      if (!ir::is_const_int(args[1], constant)) return most(args[0], args[1]);
      if (constant < 0 || constant > 20) return std::nullopt;
      return times(args[0], std::int64_t{1} << constant);
    case ScalarOp::shr:
      return summands(args[0]);
    case ScalarOp::floordiv:
    case ScalarOp::floormod:
    case ScalarOp::truncdiv:
    case ScalarOp::truncmod:
      if (ir::is_const_int(args[1], constant)) return times(args[0], constant > 0 ? 1 : -1);
      return most(args[0], args[1]);
    case ScalarOp::bit_xor:
      if (ir::is_const_int(args[0], constant) || ir::is_const_int(args[1], constant))
        return std::nullopt;
      return most(args[0], args[1]);
    case ScalarOp::mulhi:
      if (!is_plain_data(args[0]) || !is_plain_data(args[1])) return std::nullopt;
      return 1;
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
    case ScalarOp::min:
    case ScalarOp::max:
      return most(args[0], args[1]);
    default:
      return std::nullopt;
  }
}

}  // namespace tirx::cuda
