// What can the host do with whole tensors?  NumPy's meaning, in exact arithmetic: elementwise
// operations are the kernel's scalar operations; float sums and matrix products are exact and
// rounded once.
//
// Errors are Diagnostics without a span (the caller puts the caret).  Operands are assumed
// initialised: the caller reports `uninit` first (first_uninitialised).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/host/elements.hpp"
#include "ir/base/result.hpp"
#include "ir/tensor.hpp"
#include "numerics/scalar_op.hpp"

namespace tirx::dsl {

/// Elements of a shape; nothing if a dimension is negative or the tensor would exceed
/// kMaxTensorBytes.
inline constexpr std::int64_t kMaxTensorBytes = std::int64_t{8} << 30;
[[nodiscard]] Result<std::int64_t> checked_size(const std::vector<std::int64_t>& shape,
                                                num::DType dtype);

[[nodiscard]] Result<std::vector<std::int64_t>> broadcast_shapes(
    const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b);
/// A view with stride 0 along the broadcast dimensions.
[[nodiscard]] ir::Tensor broadcast_to(const ir::Tensor& tensor,
                                      const std::vector<std::int64_t>& shape);

/// Both operands have the same dtype already; comparisons give bool.
[[nodiscard]] Result<ir::Tensor> elementwise(num::ScalarOp op,
                                             const ir::Tensor& a,
                                             const ir::Tensor& b);
[[nodiscard]] Result<ir::Tensor> elementwise(num::ScalarOp op, const ir::Tensor& a);
[[nodiscard]] ir::Tensor cast(const ir::Tensor& tensor, num::DType dtype);

enum class Reduction : std::uint8_t { sum, max, min };

/// Over one axis (negative counts from the end), or over all of them.  Float sums are exact and
/// rounded once to `out` (float32 by default); integer sums wrap in int32 (int64 for 64-bit
/// inputs).
[[nodiscard]] Result<ir::Tensor> reduce(Reduction reduction,
                                        const ir::Tensor& tensor,
                                        std::optional<std::int64_t> axis,
                                        std::optional<num::DType> out);
/// (…, M, K) x (K, N) with two-dimensional operands; exact, rounded once, as `reduce`.
[[nodiscard]] Result<ir::Tensor> matmul(const ir::Tensor& a,
                                        const ir::Tensor& b,
                                        std::optional<num::DType> out);

/// Views on the same memory.
[[nodiscard]] ir::Tensor transpose(const ir::Tensor& tensor);
[[nodiscard]] Result<ir::Tensor> permute(const ir::Tensor& tensor,
                                         const std::vector<std::int64_t>& order);
/// One -1 is inferred.  A view where strides allow it, else a copy.
[[nodiscard]] Result<ir::Tensor> reshape(const ir::Tensor& tensor, std::vector<std::int64_t> shape);
/// Other dtype, same bytes: the last dimension is scaled by the ratio of widths; contiguous only.
[[nodiscard]] Result<ir::Tensor> view_as(const ir::Tensor& tensor, num::DType dtype);
/// A contiguous copy; uninitialised bytes stay uninitialised.
[[nodiscard]] ir::Tensor copy(const ir::Tensor& tensor);

/// One subscript: an index (the dimension goes), or a slice.
struct Subscript {
  bool is_slice = false;
  std::int64_t index = 0;
  std::optional<std::int64_t> begin, end;
  std::int64_t step = 1;
};

[[nodiscard]] Result<ir::Tensor> subscript(const ir::Tensor& tensor,
                                           const std::vector<Subscript>& items);
/// t[...] = values (same dtype; broadcast to the target's shape).
[[nodiscard]] Result<bool> assign(const ir::Tensor& target, const ir::Tensor& values);

}  // namespace tirx::dsl
