// A tensor as a value of the script.
#pragma once

#include <memory>
#include <string>

#include "dsl/eval/value.hpp"
#include "ir/base/source.hpp"
#include "ir/tensor.hpp"

namespace tirx::dsl {

namespace reference {
struct Context;
}

struct TensorValue : Object {
  static const ObjectType kType;

  explicit TensorValue(ir::Tensor t) : Object(kType), tensor(std::move(t)) {}

  ir::Tensor tensor;
  /// What tirx.reference computed it from; gone as soon as anything is done to the tensor.
  std::shared_ptr<const reference::Context> context;
};

[[nodiscard]] inline Value tensor_value(ir::Tensor tensor) {
  return std::make_shared<TensorValue>(std::move(tensor));
}

/// One element of a 0-dimensional tensor as a Python number or bool; an error where it is a uint64
/// beyond the host's integers.
[[nodiscard]] Value scalar_of(const ir::Tensor& tensor, Span span);

/// View `i` along the first dimension.
[[nodiscard]] ir::Tensor row_of(const ir::Tensor& tensor, std::int64_t i);

/// A tensor, or a number as a 0-dimensional tensor of `dtype` (the other operand's).
[[nodiscard]] ir::Tensor as_tensor(Interpreter& interpreter,
                                   const Value& value,
                                   num::DType dtype,
                                   Span span);

/// Reading poison on the host is a finding of kind `uninit`: recorded once a call, and true if
/// there was any.  Engines that do not watch for it never report it.
bool reports_uninitialised(Interpreter& interpreter, const ir::Tensor& tensor, Span span);

/// The same for every tensor in a value that is shown as text: tensors themselves, and in lists.
void report_uninitialised_in(Interpreter& interpreter,
                             const Value& value,
                             Span span,
                             int depth = 0);

}  // namespace tirx::dsl
