// The math functions as CUDA C++ text: the same files that the host's lane kernels include, so that
// both sides execute the same sequence of operations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numerics/scalar_op.hpp"

namespace tirx::num {

/// "tirx_exp_f32", or nothing if the operation is not one of the math functions.  The 16-bit forms
/// convert to float32, call it, and round once more.
[[nodiscard]] std::string_view cuda_math_name(ScalarOp op);

/// One file after the other, in order of dependence.  Definitions are separated by one blank line
/// and contain none.  They need tirx_add_f32, tirx_sub_f32, tirx_mul_f32, tirx_div_f32,
/// tirx_fma_f32 (each rounding once, to nearest even, subnormals kept), tirx_sqrt_f32 and
/// tirx_neg_f32.
[[nodiscard]] const std::vector<std::string>& cuda_math_files();

/// The definitions that one function needs, itself last; empty if it is no math function.
[[nodiscard]] std::string cuda_source_of(ScalarOp op);

}  // namespace tirx::num
