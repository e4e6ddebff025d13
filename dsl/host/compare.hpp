// Are two tensors the same, and if not, where and by how much?
#pragma once

#include <optional>
#include <string>

#include "ir/base/result.hpp"
#include "ir/tensor.hpp"
#include "numerics/convert.hpp"

namespace tirx::dsl {

/// Nothing if x and y have the same bits everywhere (any NaN equals any other unless `nan_bits`);
/// otherwise one paragraph: how many differ, the first index, both values, both bit patterns,
/// distance in ulp.  Shapes or dtypes that differ are an error of the script.
[[nodiscard]] Result<std::optional<std::string>> difference(const ir::Tensor& x,
                                                            const ir::Tensor& y,
                                                            bool nan_bits = false);

/// Nothing if |x - y| <= atol + rtol * |y| everywhere.
[[nodiscard]] Result<std::optional<std::string>> difference_beyond(const ir::Tensor& x,
                                                                   const ir::Tensor& y,
                                                                   double rtol,
                                                                   double atol);

/// "3 of 64 elements differ; first at [0, 5]: 1.0 (0x3f800000) and 2.0 (0x40000000), … ulp apart".
[[nodiscard]] std::string difference_text(
    const ir::Tensor& x, std::int64_t differing, std::int64_t flat, num::Bits a, num::Bits b);

}  // namespace tirx::dsl
