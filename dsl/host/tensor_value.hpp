// What is a tensor at module level?  A view of memory (ir::Tensor) as an object of the script.
#pragma once

#include <string>
#include <utility>

#include "dsl/eval/value.hpp"
#include "ir/tensor.hpp"

namespace tirx::dsl {

struct TensorValue : Object {
  static const ObjectType kType;

  explicit TensorValue(ir::Tensor t) : Object(kType), tensor(std::move(t)) {}

  ir::Tensor tensor;
};

}  // namespace tirx::dsl
