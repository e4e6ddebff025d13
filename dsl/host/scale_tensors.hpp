// Scale matrices on the host: from the order of one library to that of another, and matrices that
// no wrong index survives.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/layout/scale_convention.hpp"
#include "ir/tensor.hpp"

namespace tirx::dsl {

/// The tensor's elements are the stored scales of convention `from`, row-major, padding included;
/// the result is a fresh tensor in the order of `to`, whose padding stays uninitialised.  A finer
/// `to` repeats each scale; a coarser one is an error.  `shape` is the scaled matrix, (rows, K);
/// without it the tensor's own shape must say how many scales there are.
[[nodiscard]] Result<ir::Tensor> convert_scales(
    const ir::Tensor& tensor,
    const ir::ScaleConvention& from,
    const ir::ScaleConvention& to,
    const std::optional<std::vector<std::int64_t>>& shape);

/// `count` choices out of `values` numbers, such that reading the wrong one is seen: all different
/// while count <= values; beyond that an element differs from its neighbours, from the first of its
/// row and column, and from what the transposed matrix has in its place.  `width` is the length of
/// a row; 0 does the same for all rectangles that the list could be, as far as `values` allow.
[[nodiscard]] std::vector<std::int64_t> adversarial_choice(std::int64_t count,
                                                           std::int64_t values,
                                                           std::uint64_t seed,
                                                           std::int64_t width = 0);

}  // namespace tirx::dsl
