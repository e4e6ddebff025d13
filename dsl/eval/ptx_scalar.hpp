// PTX instructions that are scalar operations of numerics: ex2.approx.ftz.f32, fma.rn.f32, …
#pragma once

#include <span>
#include <string_view>

#include "dsl/eval/interpreter.hpp"
#include "numerics/scalar_op.hpp"

namespace tirx::dsl {

struct PtxScalar {
  std::string_view text;
  num::ScalarOp op;
  num::DType dtype;
};

[[nodiscard]] std::span<const PtxScalar> ptx_scalars();
[[nodiscard]] const PtxScalar* find_ptx_scalar(std::string_view text);
/// Writes the result to the leading operand; `value`: gives it, and no operand leads.
[[nodiscard]] Value ptx_scalar_call(Interpreter& interpreter,
                                    const PtxScalar& row,
                                    CallArgs args,
                                    bool value);

}  // namespace tirx::dsl
