// NumPy's .npy files, in and out (NumPy Enhancement Proposal 1; versions 1.0 to 3.0, C order or
// Fortran order, little-endian).  fp8, fp6, fp4 and bfloat16 travel as unsigned integers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/tensor.hpp"

namespace tirx::dsl {

/// `bytes` is the whole file.  With `dtype` the elements are reinterpreted (same width).
[[nodiscard]] Result<ir::Tensor> parse_npy(const std::string& bytes,
                                           std::optional<num::DType> dtype);
/// The file that holds the tensor, row-major.
[[nodiscard]] std::string to_npy(const ir::Tensor& tensor);

}  // namespace tirx::dsl
