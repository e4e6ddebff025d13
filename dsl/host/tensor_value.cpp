// What operators, subscripts and loops mean for tensors (NumPy's meaning, the kernel's arithmetic).
#include "dsl/host/tensor_value.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/host/tensor_ops.hpp"
#include "dsl/host/tensor_text.hpp"
#include "numerics/scalar.hpp"

namespace tirx::dsl {

namespace {

using ir::Tensor;

const Tensor& tensor_of(const Value& value) {
  return value.as<TensorValue>()->tensor;
}

std::optional<num::ScalarOp> scalar_op(ast::BinaryOp op, num::DType dtype) {
  const bool real = num::is_float(dtype);
  switch (op) {
    case ast::BinaryOp::add:
      return num::ScalarOp::add;
    case ast::BinaryOp::subtract:
      return num::ScalarOp::sub;
    case ast::BinaryOp::multiply:
      return num::ScalarOp::mul;
    case ast::BinaryOp::divide:
      if (real) return num::ScalarOp::div;
      return std::nullopt;
    case ast::BinaryOp::floor_divide:
      if (!real) return num::ScalarOp::floordiv;
      return std::nullopt;
    case ast::BinaryOp::modulo:
      if (!real) return num::ScalarOp::floormod;
      return std::nullopt;
    case ast::BinaryOp::bit_and:
      return num::ScalarOp::bit_and;
    case ast::BinaryOp::bit_or:
      return num::ScalarOp::bit_or;
    case ast::BinaryOp::bit_xor:
      return num::ScalarOp::bit_xor;
    case ast::BinaryOp::shift_left:
      return num::ScalarOp::shl;
    case ast::BinaryOp::shift_right:
      return num::ScalarOp::shr;
    default:
      return std::nullopt;
  }
}

std::optional<num::ScalarOp> scalar_op(ast::CompareOp op) {
  switch (op) {
    case ast::CompareOp::equal:
      return num::ScalarOp::eq;
    case ast::CompareOp::not_equal:
      return num::ScalarOp::ne;
    case ast::CompareOp::less:
      return num::ScalarOp::lt;
    case ast::CompareOp::less_equal:
      return num::ScalarOp::le;
    case ast::CompareOp::greater:
      return num::ScalarOp::gt;
    case ast::CompareOp::greater_equal:
      return num::ScalarOp::ge;
    default:
      return std::nullopt;
  }
}

/// Both operands as tensors of one dtype: a number takes the tensor's dtype, two tensors are
/// promoted by the rules of kernel arithmetic.  Nothing where the other operand is neither.
std::optional<std::pair<Tensor, Tensor>> operands(Interpreter& interpreter,
                                                  const Value& left,
                                                  const Value& right,
                                                  Span span) {
  const TensorValue* a = left.as<TensorValue>();
  const TensorValue* b = right.as<TensorValue>();
  if (a == nullptr && !left.number()) return std::nullopt;
  if (b == nullptr && !right.number()) return std::nullopt;
  Tensor x = a != nullptr ? a->tensor : as_tensor(interpreter, left, b->tensor.dtype, span);
  Tensor y = b != nullptr ? b->tensor : as_tensor(interpreter, right, a->tensor.dtype, span);
  reports_uninitialised(interpreter, x, span);
  reports_uninitialised(interpreter, y, span);
  if (x.dtype != y.dtype) {
    const num::DType common = promote({x.dtype, 1}, {y.dtype, 1}, span).dtype;
    if (x.dtype != common) x = cast(x, common);
    if (y.dtype != common) y = cast(y, common);
  }
  interpreter.spend(x.size() + y.size(), span);
  return std::pair{std::move(x), std::move(y)};
}

std::optional<Value> binary(
    Interpreter& interpreter, ast::BinaryOp op, const Value& left, const Value& right, Span span) {
  for (const Value* side : {&left, &right}) {
    const TensorValue* tensor = side->as<TensorValue>();
    if (tensor == nullptr || !num::row(tensor->tensor.dtype).storage_only) continue;
    fail(span, "{} has no arithmetic of this kind: cast it first, t.astype(\"float32\")",
         num::name(tensor->tensor.dtype));
  }
  const auto pair = operands(interpreter, left, right, span);
  if (!pair) return std::nullopt;
  const auto scalar = scalar_op(op, pair->first.dtype);
  if (!scalar) {
    const std::string text = fmt::format("'{}' is not defined for tensors of {}", ast::spelling(op),
                                         num::name(pair->first.dtype));
    if (op == ast::BinaryOp::matmul) fail_help(span, text, "write tirx.matmul(a, b)");
    fail_text(span, text, {});
  }
  return tensor_value(unwrap(elementwise(*scalar, pair->first, pair->second), span));
}

std::optional<Value> compare(
    Interpreter& interpreter, ast::CompareOp op, const Value& left, const Value& right, Span span) {
  const auto scalar = scalar_op(op);
  if (!scalar) return std::nullopt;
  const auto pair = operands(interpreter, left, right, span);
  if (!pair) return std::nullopt;
  return tensor_value(unwrap(elementwise(*scalar, pair->first, pair->second), span));
}

std::optional<Value> unary(Interpreter& interpreter,
                           ast::UnaryOp op,
                           const Value& operand,
                           Span span) {
  const Tensor& tensor = tensor_of(operand);
  reports_uninitialised(interpreter, tensor, span);
  interpreter.spend(tensor.size(), span);
  switch (op) {
    case ast::UnaryOp::plus:
      return operand;
    case ast::UnaryOp::minus:
      return tensor_value(unwrap(elementwise(num::ScalarOp::neg, tensor), span));
    case ast::UnaryOp::invert:
      return tensor_value(unwrap(elementwise(num::ScalarOp::bit_not, tensor), span));
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> slice_part(const Value& part, Span span) {
  if (part.is_none()) return std::nullopt;
  const auto value = part.integer();
  if (!value) fail(span, "slice bounds of a tensor are integers, not {}", kind_name(part));
  return value;
}

std::vector<Subscript> subscripts_of(const Tensor& tensor, const Subscripts& items) {
  std::vector<Subscript> out;
  for (const ArgumentValue& item : items.items) {
    Subscript one;
    if (const SliceValue* slice = item.value.as<SliceValue>()) {
      one.is_slice = true;
      one.begin = slice_part(slice->begin, item.span);
      one.end = slice_part(slice->end, item.span);
      one.step = slice_part(slice->step, item.span).value_or(1);
    } else if (const auto index = item.value.integer()) {
      one.index = *index;
    } else if (kind_name(item.value) == "ellipsis") {
      const std::size_t rest =
          tensor.shape.size() + 1 - std::min(items.items.size(), tensor.shape.size() + 1);
      one.is_slice = true;
      for (std::size_t i = 0; i < rest; ++i) out.push_back(one);
      continue;
    } else {
      fail(item.span, "a tensor is indexed with integers and slices, not {}",
           kind_name(item.value));
    }
    out.push_back(one);
  }
  return out;
}

Value subscript_hook(Interpreter&, const Value& self, const Subscripts& items) {
  const Tensor& tensor = tensor_of(self);
  Tensor view = unwrap(subscript(tensor, subscripts_of(tensor, items)), items.span);
  return tensor_value(std::move(view));
}

void set_subscript_hook(Interpreter& interpreter,
                        const Value& self,
                        const Subscripts& items,
                        Value value) {
  const Tensor& tensor = tensor_of(self);
  const Tensor target = unwrap(subscript(tensor, subscripts_of(tensor, items)), items.span);
  Tensor values = as_tensor(interpreter, value, tensor.dtype, items.span);
  reports_uninitialised(interpreter, values, items.span);
  if (values.dtype != tensor.dtype) {
    fail_help(items.span,
              fmt::format("a {} value does not go into a {} tensor by itself",
                          num::name(values.dtype), num::name(tensor.dtype)),
              fmt::format("convert it: value.astype(\"{}\")", num::name(tensor.dtype)));
  }
  (void)unwrap(assign(target, values), items.span);
  interpreter.spend(target.size(), items.span);
}

std::vector<Value> iterate(Interpreter& interpreter, const Value& self, Span span) {
  const Tensor& tensor = tensor_of(self);
  if (tensor.shape.empty()) fail(span, "a 0-dimensional tensor has no elements to run over");
  interpreter.spend(tensor.shape[0], span);
  std::vector<Value> out;
  // Rows are views; elements are numbers, and no longer know whether anybody wrote them.
  if (tensor.shape.size() == 1) reports_uninitialised(interpreter, tensor, span);
  for (std::int64_t i = 0; i < tensor.shape[0]; ++i) {
    const Tensor row = row_of(tensor, i);
    out.push_back(row.shape.empty() ? scalar_of(row, span) : tensor_value(row));
  }
  return out;
}

std::optional<std::int64_t> length(const Value& self) {
  const Tensor& tensor = tensor_of(self);
  if (tensor.shape.empty()) return std::nullopt;
  return tensor.shape[0];
}

Value number_hook(Interpreter& interpreter, const Value& self, Span span) {
  const Tensor& tensor = tensor_of(self);
  if (tensor.size() != 1) {
    fail_help(span, fmt::format("a tensor of {} elements is not one number", tensor.size()),
              "compare whole tensors with tirx.assert_equal, or reduce one first: (a == b).min()");
  }
  reports_uninitialised(interpreter, tensor, span);
  Tensor only = tensor;
  only.shape.clear();
  only.strides.clear();
  return scalar_of(only, span);
}

std::string repr_hook(const Value& self, int) {
  return to_text(tensor_of(self));
}

}  // namespace

const ObjectType TensorValue::kType{.name = "tensor",
                                    .attribute = nullptr,
                                    .set_attribute = nullptr,
                                    .call = nullptr,
                                    .subscript = subscript_hook,
                                    .set_subscript = set_subscript_hook,
                                    .binary = binary,
                                    .compare = compare,
                                    .unary = unary,
                                    .iterate = iterate,
                                    .length = length,
                                    .repr = repr_hook,
                                    .number = number_hook,
                                    .equal = nullptr,
                                    .names = nullptr};

Tensor row_of(const Tensor& tensor, std::int64_t i) {
  Subscript at;
  at.index = i;
  return unwrap(subscript(tensor, {at}), {});
}

Value scalar_of(const Tensor& tensor, Span span) {
  const num::Bits bits = read_at(tensor, tensor.offset);
  if (tensor.dtype == num::DType::boolean) return Value(bits != 0);
  if (num::is_float(tensor.dtype)) return Value(num::to_double(bits, tensor.dtype));
  const std::int64_t value = num::to_int64(bits, tensor.dtype);
  if (value < 0 && !num::is_signed(tensor.dtype)) {
    fail_help(span, fmt::format("{} does not fit the host's integers, which have 64 bits", bits),
              "compare as a tensor (t == u), or convert first: t.astype(\"float64\"), "
              "t.view(\"int64\")");
  }
  return Value(value);
}

Tensor as_tensor(Interpreter&, const Value& value, num::DType dtype, Span span) {
  if (const TensorValue* tensor = value.as<TensorValue>()) return tensor->tensor;
  const auto number = value.number();
  if (!number) fail(span, "expected a tensor or a number, not {}", kind_name(value));
  const auto integer = value.integer();
  if (num::is_float(dtype)) return from_values(dtype, {}, {num::from_double(*number, dtype)});
  if (!integer) {
    fail_help(
        span, fmt::format("a float does not go into a tensor of {} by itself", num::name(dtype)),
        "give an integer, or take a float type for the tensor (t.astype(\"float32\") converts "
        "one)");
  }
  const num::Bits bits = num::from_int64(*integer, dtype);
  if (num::to_int64(bits, dtype) != *integer || (*integer < 0 && num::is_unsigned(dtype)))
    fail(span, "{} does not fit into {}", *integer, num::name(dtype));
  return from_values(dtype, {}, {bits});
}

/// What the element of this row-major number was overwritten with; null where nothing is known.
static const ir::PoisonOrigin* poison_origin(const Tensor& tensor, std::int64_t flat) {
  const Index index = unravel(flat, tensor.shape);
  std::int64_t offset = tensor.offset;
  for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * tensor.strides[d];
  const bool halves = num::bits(tensor.dtype) == 4;
  const std::int64_t byte = halves ? offset / 2 : offset * num::bytes(tensor.dtype);
  return tensor.memory->origins.at(static_cast<std::size_t>(byte));
}

void report_uninitialised_in(Interpreter& interpreter, const Value& value, Span span, int depth) {
  constexpr int kDeepest = 20;  // a list may contain itself
  if (depth > kDeepest) return;
  if (const auto* tensor = value.as<TensorValue>()) {
    reports_uninitialised(interpreter, tensor->tensor, span);
  } else if (const Values* items = sequence(value)) {
    for (const Value& item : *items) report_uninitialised_in(interpreter, item, span, depth + 1);
  } else if (const auto* dict = value.as<Dict>()) {
    for (const auto& [key, item] : dict->items)
      report_uninitialised_in(interpreter, item, span, depth + 1);
  }
}

bool reports_uninitialised(Interpreter& interpreter, const Tensor& tensor, Span span) {
  if (!interpreter.engine().checks(ir::FaultKind::uninit)) return false;
  const auto flat = first_uninitialised(tensor);
  if (!flat) return false;
  const std::string index = fmt::format("[{}]", fmt::join(unravel(*flat, tensor.shape), ", "));
  const std::string_view written = interpreter.source()->text(span);
  const bool is_name =
      std::all_of(written.begin(), written.end(),
                  [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }) &&
      !written.empty();
  Diagnostic finding{span, {}, {}, Severity::error};
  const std::string element = tensor.shape.empty() ? std::string("this element")
                              : is_name            ? fmt::format("{}{}", written, index)
                                        : fmt::format("element {} of this tensor", index);
  const ir::PoisonOrigin* origin = poison_origin(tensor, *flat);
  if (origin == nullptr) {
    finding.text = fmt::format("uninit: {} was never written", element);
  } else {
    finding.text = fmt::format("uninit: {} depends on {}", element, origin->text);
    if (!origin->span.empty()) finding.notes.push_back({origin->span, "it comes from here"});
  }
  DiagnosticList& findings = interpreter.result().findings;
  const bool known = std::any_of(findings.begin(), findings.end(), [&](const Diagnostic& other) {
    return other.span == finding.span && other.text == finding.text;
  });
  if (!known) findings.push_back(std::move(finding));
  return true;
}

}  // namespace tirx::dsl
