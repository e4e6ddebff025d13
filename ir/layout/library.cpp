// The ready-made layouts: atoms tiled down the rows, fragments as constants, scales with stride 0.
#include "ir/layout/library.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "ir/layout/algebra.hpp"
#include "ir/layout/arithmetic.hpp"

namespace tirx::ir {

namespace {

constexpr std::int64_t kAtomRows = 8;
constexpr int kChunkBits = 128;  // the 16 bytes that every mode keeps together

std::int64_t row_bits(SwizzleMode mode) {
  return std::int64_t{kChunkBits} << static_cast<int>(mode);
}

std::optional<Diagnostic> check_bits(int dtype_bits) {
  if (dtype_bits > 0 && dtype_bits <= kChunkBits && std::has_single_bit(unsigned(dtype_bits))) {
    return std::nullopt;
  }
  return layout_error(
      "no MMA shared layout for elements of {} bits; the width must be a power of two", dtype_bits);
}

std::string_view name_of(SwizzleMode mode) {
  constexpr std::array<std::string_view, 4> kNames = {"no swizzle", "32B", "64B", "128B"};
  return kNames[static_cast<std::size_t>(mode)];
}

Diagnostic columns_error(int dtype_bits, SwizzleMode mode, std::int64_t columns) {
  const std::int64_t width = row_bits(mode) / dtype_bits;
  std::string smaller;
  for (int m = static_cast<int>(mode) - 1; m >= 0 && smaller.empty(); --m) {
    const auto candidate = static_cast<SwizzleMode>(m);
    if (columns % (row_bits(candidate) / dtype_bits) == 0) {
      smaller = fmt::format(", or use a smaller swizzle ({})", name_of(candidate));
    }
  }
  return layout_error(
      "MMA shared layout ({}): the last dimension {} must be a multiple of {} elements ({} "
      "bytes){}",
      name_of(mode), columns, width, row_bits(mode) / 8, smaller);
}

/// For constants that cannot be wrong.
TileLayout fixed(Iters shard) {
  auto layout = TileLayout::make(std::move(shard));
  TIRX_CHECK(layout.ok());
  return std::move(*layout);
}

}  // namespace

Result<Swizzle> mma_swizzle(int dtype_bits, SwizzleMode mode) {
  if (auto error = check_bits(dtype_bits)) return *error;
  const int per_element = std::countr_zero(unsigned(kChunkBits / dtype_bits));
  return Swizzle{per_element, static_cast<int>(mode), 3, true};
}

Result<Shape> mma_atom_shape(int dtype_bits, SwizzleMode mode) {
  if (auto error = check_bits(dtype_bits)) return *error;
  return Shape{kAtomRows, row_bits(mode) / dtype_bits};
}

Result<Layout> mma_atom_layout(int dtype_bits, SwizzleMode mode) {
  const auto shape = mma_atom_shape(dtype_bits, mode);
  if (!shape) return shape.error();
  auto tile = TileLayout::row_major(*shape);
  if (!tile) return tile.error();
  if (mode == SwizzleMode::none) return Layout(std::move(*tile));
  const auto swizzle = mma_swizzle(dtype_bits, mode);
  if (!swizzle) return swizzle.error();
  return Layout(*swizzle, std::move(*tile));
}

Result<Layout> mma_shared_layout(int dtype_bits,
                                 SwizzleMode mode,
                                 std::span<const std::int64_t> shape) {
  const auto atom = mma_atom_layout(dtype_bits, mode);
  if (!atom) return atom.error();
  if (shape.size() < 2) {
    return layout_error("MMA shared layout needs at least two dimensions, got shape {}",
                        to_string(shape));
  }
  for (const std::int64_t extent : shape) {
    if (extent <= 0) return layout_error("shape {} must have positive extents", to_string(shape));
  }
  const std::int64_t rows = shape[shape.size() - 2];
  const std::int64_t columns = shape.back();
  const std::int64_t width = row_bits(mode) / dtype_bits;
  if (rows % kAtomRows != 0) {
    return layout_error("MMA shared layout: the number of rows {} must be a multiple of {}", rows,
                        kAtomRows);
  }
  if (columns % width != 0) return columns_error(dtype_bits, mode, columns);
  // Atoms go down the rows first, then across, then along the leading dimensions.
  Shape counts(shape.begin(), shape.end());
  counts[shape.size() - 2] = rows / kAtomRows;
  counts.back() = columns / width;
  Shape order = counts;
  std::swap(order[shape.size() - 2], order.back());
  auto outer = TileLayout::row_major(order);
  if (!outer) return outer.error();
  Iters iters = outer->shard();
  std::swap(iters[shape.size() - 2], iters.back());
  outer = TileLayout::make(std::move(iters));
  if (!outer) return outer.error();
  Shape inner(shape.size(), 1);
  inner[shape.size() - 2] = kAtomRows;
  inner.back() = width;
  return tile(*atom, *outer, counts, inner);
}

Result<Layout> bare_swizzle(const Swizzle& swizzle) {
  auto tile = TileLayout::make({{swizzle.period(), 1, AxisId::m}});
  if (!tile) return tile.error();
  return Layout(swizzle, std::move(*tile));
}

// With lane = 4*g + t, a register of C holds row g + 8*r, columns 2*t and 2*t + 1; A repeats the
// same tile along k, and B has rows (k) where A has columns.
TileLayout mma_m16n8_accumulator() {
  return fixed(
      {{2, 2, AxisId::m}, {8, 4, AxisId::laneid}, {4, 1, AxisId::laneid}, {2, 1, AxisId::m}});
}

TileLayout mma_m16n8k8_a() {
  return mma_m16n8_accumulator();
}

TileLayout mma_m16n8k8_b() {
  return fixed({{4, 1, AxisId::laneid}, {2, 1, AxisId::m}, {8, 4, AxisId::laneid}});
}

TileLayout mma_m16n8k16_a() {
  return fixed({{2, 2, AxisId::m},
                {8, 4, AxisId::laneid},
                {2, 4, AxisId::m},
                {4, 1, AxisId::laneid},
                {2, 1, AxisId::m}});
}

TileLayout mma_m16n8k16_b() {
  return fixed(
      {{2, 2, AxisId::m}, {4, 1, AxisId::laneid}, {2, 1, AxisId::m}, {8, 4, AxisId::laneid}});
}

Result<Layout> wg_local_layout(std::int64_t columns, std::int64_t rows) {
  auto tile = TileLayout::make({{rows, 1, AxisId::tid_in_wg}, {columns, 1, AxisId::m}});
  if (!tile) return tile.error();
  return Layout(std::move(*tile));
}

Result<TileLayout> scale_layout(std::span<const std::int64_t> shape,
                                std::span<const std::int64_t> granularity,
                                ScaleMajor major,
                                std::int64_t pad) {
  if (shape.empty() || shape.size() != granularity.size()) {
    Diagnostic error = layout_error(
        "scale_layout: shape {} and granularity {} must have the same rank, at least 1",
        to_string(shape), to_string(granularity));
    error.notes.push_back(
        {{},
         "write one granularity for each dimension of the tensor that is scaled: (1, 128) for a "
         "scale a row and 128 columns"});
    return error;
  }
  if (pad <= 0) return layout_error("scale_layout: pad must be positive, got {}", pad);
  const std::size_t rank = shape.size();
  const std::size_t contiguous = major == ScaleMajor::mn ? 0 : rank - 1;
  Shape counts;
  for (std::size_t i = 0; i < rank; ++i) {
    if (shape[i] <= 0 || granularity[i] <= 0) {
      return layout_error("scale_layout: extents and granularities must be positive, got {} and {}",
                          to_string(shape), to_string(granularity));
    }
    counts.push_back((shape[i] - 1) / granularity[i] + 1);
  }
  const Checked padded = Checked((counts[contiguous] - 1) / pad + 1) * pad;
  if (!padded.fits()) return too_large();
  counts[contiguous] = padded.value();
  // mn: the first dimension is the fastest, the last the slowest; k: the other way round.
  Iters shard(2 * rank);
  Checked stride(1);
  for (std::size_t step = 0; step < rank; ++step) {
    const std::size_t i = major == ScaleMajor::mn ? step : rank - 1 - step;
    if (!stride.fits()) return too_large();
    shard[2 * i] = {counts[i], stride.value(), AxisId::m};
    shard[2 * i + 1] = {granularity[i], 0, AxisId::m};
    stride *= counts[i];
  }
  return TileLayout::make(std::move(shard));
}

}  // namespace tirx::ir
