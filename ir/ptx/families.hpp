// The rows: one family of instructions each.  Their operations are in ir/ops/ptx_*.hpp.
#pragma once

#include "ir/ptx/instruction.hpp"

namespace tirx::ir::ptx {

// async.cpp
extern const Family kCpAsync;
extern const Family kCpAsyncCommitGroup;
extern const Family kCpAsyncWaitGroup;
extern const Family kCpAsyncWaitAll;
// matrix.cpp
extern const Family kLdmatrix;
extern const Family kStmatrix;
extern const Family kMma;

/// What a matrix instruction multiplies: D[m, n] = A[m, k] B[k, n] + C.
struct MatrixShape {
  int m = 0, n = 0, k = 0;
  num::DType a{}, b{}, c{};
  bool saturate = false;
};

[[nodiscard]] MatrixShape matrix_shape(const Instruction& instruction);

}  // namespace tirx::ir::ptx
