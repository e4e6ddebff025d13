// How do the elements of a region lie in memory?  As iters with strides, like a layout, but the
// strides may hold symbols (rows of a tensor whose width is an argument), and each iter remembers
// which dimension of the region it walks.  Layouts and explicit strides both become this, and the
// copy variants partition it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/layout/algebra.hpp"
#include "ir/simplify.hpp"
#include "ir/stmt.hpp"

namespace tirx::lower {

/// A digit of the region's coordinate: `extent` values, each `stride` elements (or threads, on a
/// thread axis) apart, each worth `weight` along dimension `dim`.
struct StridedIter {
  std::int64_t extent = 1;
  ir::IndexSum stride;
  std::size_t dim = 0;  // among the region's dimensions of more than one element
  std::int64_t weight = 1;
  ir::Axis axis;
};

using StridedIters = std::vector<StridedIter>;

[[nodiscard]] std::vector<std::int64_t> extents_of(std::span<const StridedIter> iters);
/// "(8:128, 32:4)" for refusals.
[[nodiscard]] std::string to_string(std::span<const StridedIter> iters);

/// One run of iters for each entry of `extents` (their products agree), splitting iters where
/// needed; nothing if a boundary falls inside an iter that it does not divide.
[[nodiscard]] std::optional<std::vector<StridedIters>> group(std::span<const StridedIter> iters,
                                                             std::span<const std::int64_t> extents);
/// Joins neighbours on one axis where the outer one continues the inner one; drops unit iters.
/// The joined iter keeps the inner one's dimension and weight, which then mean nothing.
[[nodiscard]] StridedIters fuse(const StridedIters& iters);

/// A region of a buffer as iters in row-major order of the region's dimensions.
struct StridedTile {
  StridedIters iters;                  // unit dimensions have none
  ir::IndexSum base;                   // offset of the region's first element, before the swizzle
  std::optional<ir::Swizzle> swizzle;  // applied to base + sum of digit * stride
  ir::Iters replica;
  ir::AxisValues thread_offset;  // offsets on thread axes
};

/// What is known of one region operand.
struct TileSide {
  ir::Region region;                  // begins already lowered
  std::vector<std::int64_t> extents;  // of all dimensions; empty if one is not constant
  std::vector<ir::IndexSum> begins;
  std::vector<std::size_t> wide_dims;  // the dimensions of more than one element

  [[nodiscard]] const ir::BufferNode& buffer() const { return *region.buffer; }

  [[nodiscard]] std::int64_t size() const;
  /// Extents of wide_dims.
  [[nodiscard]] std::vector<std::int64_t> wide_extents() const;
};

/// Slices the region out of the buffer's layout or strides.  The error is a reason, without place.
[[nodiscard]] Result<StridedTile> strided_tile(const TileSide& side,
                                               const ir::Expr& buffer_offset,
                                               const ir::Facts& facts,
                                               ir::AxisFusion fusion);

}  // namespace tirx::lower
