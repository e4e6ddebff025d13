// Which C++ computes a scalar operation?  Comparisons and integers have operators; a float
// operation is a call of its helper tirx_OP_TYPE, and where a 16-bit type has none, that of float32
// between exact widening and one narrowing.
#include "backend_cuda/kernel_emitter.hpp"
#include "backend_cuda/prelude.hpp"
#include "backend_cuda/types.hpp"

namespace tirx::cuda {

using num::DType;
using num::ScalarOp;

namespace {

struct Comparison {
  std::string_view text;
  Precedence precedence;
};

std::optional<Comparison> comparison(ScalarOp op) {
  switch (op) {
    case ScalarOp::eq:
      return Comparison{"==", Precedence::equality};
    case ScalarOp::ne:
      return Comparison{"!=", Precedence::equality};
    case ScalarOp::lt:
      return Comparison{"<", Precedence::relational};
    case ScalarOp::le:
      return Comparison{"<=", Precedence::relational};
    case ScalarOp::gt:
      return Comparison{">", Precedence::relational};
    case ScalarOp::ge:
      return Comparison{">=", Precedence::relational};
    default:
      return std::nullopt;
  }
}

Text call_all(const std::string& name, const std::vector<Text>& operands) {
  std::string text = name + "(";
  for (std::size_t i = 0; i < operands.size(); ++i) {
    text += (i == 0 ? "" : ", ") + operands[i].text;
  }
  return {text + ")"};
}

}  // namespace

Text KernelEmitter::scalar(const ir::Expr& expr, const ir::Scalar& scalar) {
  const DType dtype = scalar.args[0]->type.dtype;
  if (num::is_float(dtype)) {
    std::vector<Text> operands;
    for (const ir::Expr& arg : scalar.args) operands.push_back(expression(arg));
    return floating(scalar.op, dtype, operands, hides_operand(scalar), expr->span);
  }
  if (const auto compare = comparison(scalar.op)) {
    return binary(expression(scalar.args[0]), compare->text, expression(scalar.args[1]),
                  compare->precedence);
  }
  return integer(expr, scalar);
}

Text KernelEmitter::floating(
    ScalarOp op, DType dtype, const std::vector<Text>& operands, bool hidden, Span span) {
  const Prelude& prelude = Prelude::get();
  if (!num::is_legal(op, dtype)) {
    return fail(span, fmt::format("{} does not exist for {}", num::name(op), num::name(dtype)));
  }
  const std::string own = fmt::format("tirx_{}_{}", num::name(op), short_name(dtype));
  const auto seen = [&](const Text& value) {
    return hidden ? call("tirx_opaque_f32", value) : value;
  };
  if (prelude.has(own)) {
    if (!hidden) return call_all(own, operands);
    return call(own, seen(operands[0]));
  }
  const std::string through_f32 = fmt::format("tirx_{}_f32", num::name(op));
  const bool is_half = dtype == DType::f16 || dtype == DType::bf16;
  if (!is_half || !prelude.has(through_f32)) {
    return fail(span,
                fmt::format("{} has no CUDA source for {} yet", num::name(op), num::name(dtype)));
  }
  std::vector<Text> wide;
  for (const Text& value : operands) wide.push_back(seen(convert(value, dtype, DType::f32, span)));
  const Text result = call_all(through_f32, wide);
  return num::declared_row(op).result == num::ResultRule::same
             ? convert(result, DType::f32, dtype, span)
             : result;
}

}  // namespace tirx::cuda
