// From what a script says about a GEMM to the numbers of reference::Problem: every check of shapes,
// types and sizes is here.
#pragma once

#include "dsl/eval/interpreter.hpp"
#include "dsl/host/record.hpp"
#include "dsl/host/reference/problem.hpp"
#include "ir/tensor.hpp"

namespace tirx::dsl {

/// One argument: its value, and where it is written.
struct GemmArgument {
  Value value;
  Span span;
};

/// The arguments of tirx.reference.block_scaled_gemm and grouped_gemm, by name.
struct GemmArguments {
  Span call;
  GemmArgument a, b, sfa, sfb, granularity, alpha, beta, c, out_dtype, model, promote, order;
  GemmArgument m_indices, masked_m, group_sizes;
};

struct DenseOrGrouped {
  reference::Problem problem;
  std::vector<std::int64_t> shape;  // of D
};

/// Throws EvalError; reports uninitialised operands as findings of the run.
[[nodiscard]] DenseOrGrouped dense_problem(Interpreter& interpreter, const GemmArguments& args);
[[nodiscard]] DenseOrGrouped grouped_problem(Interpreter& interpreter, const GemmArguments& args);

}  // namespace tirx::dsl
