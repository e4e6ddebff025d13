// In which order do other people's libraries hold the scales of a block-scaled GEMM?  A convention
// is a name ("deepgemm.1x128") for a granularity, a major and a padding; it gives the layout of a
// logical (rows, K) matrix and the shape in which a user holds the memory.
// Sources: CUTLASS blockwise_scale_layout.hpp; DeepGEMM's TMA-aligned MN-major scales; cuBLASLt's
// VEC128_32F and BLK128x128_32F scaling modes; PyTorch's scaled_mm recipes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/layout/layout.hpp"
#include "ir/layout/library.hpp"

namespace tirx::ir {

struct ScaleConvention {
  std::string name;
  std::int64_t rows = 1;  // rows of A (or B) that share a scale
  std::int64_t k = 128;   // columns that do
  ScaleMajor major = ScaleMajor::k;
  std::int64_t pad = 1;  // the contiguous dimension's count is rounded up to a multiple

  friend bool operator==(const ScaleConvention&, const ScaleConvention&) = default;
};

/// "deepgemm.1x128", "deepgemm.128x128", "cublaslt.vec128", "cublaslt.blk128x128",
/// "cutlass.RxK.mn", "cutlass.RxK.k", "pytorch.RxK", "pytorch.RxK.t" (held as (K/gk, rows/g), next
/// to a transposed operand), and without a library "RxK.mn" and "RxK.k".
[[nodiscard]] Result<ScaleConvention> find_scale_convention(std::string_view name);

/// What can be written, for messages.
[[nodiscard]] std::vector<std::string> scale_convention_names();

/// ceil(rows/g), ceil(K/gk): how many scales a logical matrix has.
[[nodiscard]] Shape scale_counts(std::span<const std::int64_t> shape,
                                 const ScaleConvention& convention);
/// The row-major shape of the memory, padding included.
[[nodiscard]] Shape stored_shape(std::span<const std::int64_t> counts,
                                 const ScaleConvention& convention);
/// The layout that reads it as SF[row, k].
[[nodiscard]] Result<TileLayout> scale_layout(std::span<const std::int64_t> shape,
                                              const ScaleConvention& convention);

/// The iters of stride 0 dropped: the compact scales of a broadcast layout (CuTe's filter_zeros).
[[nodiscard]] Result<TileLayout> filter_zeros(const TileLayout& layout);

/// What a two-dimensional layout of the form ((n, g), (n, g)):((s, 0), (s, 0)) says; nothing for
/// any other layout.
struct ScaleForm {
  Shape counts;       // scales along rows and along K, with the padding
  Shape granularity;  // elements that share one
  Shape strides;
};

[[nodiscard]] std::optional<ScaleForm> scale_form(const TileLayout& layout,
                                                  std::span<const std::int64_t> shape);

}  // namespace tirx::ir
