// Where does element (i, j, …) of a tile live?  The data model of layouts, their builders, `apply`,
// sizes and text.  The operations on layouts (canonicalize, group, slice, tile, …) are in
// algebra.hpp, ready-made layouts (MMA shared memory, fragments, scales) in library.hpp.
//
// A TileLayout is a mixed-radix number system: the coordinate is split into digits by the extents
// of `shard` (row-major: the last iter is the innermost digit), and each digit moves the element by
// digit * stride along its axis.  `replica` iters say that one element has copies at several
// places; a stride of 0 in the shard says that several elements share one place.  They are
// different things.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/layout/axis.hpp"
#include "ir/layout/swizzle.hpp"

namespace tirx::ir {

using Shape = std::vector<std::int64_t>;

struct Iter {
  std::int64_t extent = 1;
  std::int64_t stride = 1;
  Axis axis;

  friend bool operator==(const Iter&, const Iter&) = default;
};

using Iters = std::vector<Iter>;
using AxisValues = std::map<Axis, std::int64_t>;  // in alphabetical order of the axis names

/// Always valid: extents are positive, and every size and place it can produce fits in 62 bits, so
/// that size() and span() cannot overflow.  Equality is structural; canonicalize() first to compare
/// meanings.
class TileLayout {
 public:
  TileLayout() = default;  // no iters: one element at place 0

  /// Errors: "extent must be positive", "layout too large".
  [[nodiscard]] static Result<TileLayout> make(Iters shard,
                                               Iters replica = {},
                                               AxisValues offset = {});
  /// Row-major on axis m.
  [[nodiscard]] static Result<TileLayout> row_major(std::span<const std::int64_t> shape);
  /// S[shape : strides], all on axis m.
  [[nodiscard]] static Result<TileLayout> strided(std::span<const std::int64_t> shape,
                                                  std::span<const std::int64_t> strides);

  [[nodiscard]] const Iters& shard() const { return shard_; }

  [[nodiscard]] const Iters& replica() const { return replica_; }

  [[nodiscard]] const AxisValues& offset() const { return offset_; }

  [[nodiscard]] std::int64_t offset_on(const Axis& axis) const;
  [[nodiscard]] Shape extents() const;

  /// Product of the shard extents, of all axes or of one.
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] std::int64_t size(const Axis& axis) const;
  /// 1 + sum of (extent-1)*stride over shard and replica + offset; memory axes only, or one axis.
  [[nodiscard]] std::int64_t span() const;
  [[nodiscard]] std::int64_t span(const Axis& axis) const;
  /// What one thread holds: everything that lies on thread axes is dropped.
  [[nodiscard]] TileLayout storage() const;

  [[nodiscard]] bool has_thread_axes() const;
  [[nodiscard]] bool has_replicas() const;
  /// A shard iter of stride 0 and extent above 1: several elements share one place.
  [[nodiscard]] bool has_broadcast() const;

  friend bool operator==(const TileLayout&, const TileLayout&) = default;

 private:
  Iters shard_;
  Iters replica_;
  AxisValues offset_;
};

/// What the language calls a layout: a TileLayout, or a ComposeLayout, which is one whose address
/// on axis m goes through a swizzle afterwards.
struct Layout {
  TileLayout tile;
  std::optional<Swizzle> swizzle;

  Layout() = default;

  Layout(TileLayout t) : tile(std::move(t)) {}  // NOLINT(google-explicit-constructor)

  Layout(Swizzle s, TileLayout t) : tile(std::move(t)), swizzle(s) {}

  [[nodiscard]] bool is_swizzled() const { return swizzle.has_value(); }

  [[nodiscard]] std::int64_t size() const { return tile.size(); }

  [[nodiscard]] std::int64_t span() const { return tile.span(); }

  /// How many elements an allocation needs: the span, rounded up to where a swizzle may reach.
  [[nodiscard]] std::int64_t footprint() const;
  [[nodiscard]] Layout storage() const;

  friend bool operator==(const Layout&, const Layout&) = default;
};

/// The place of the element with flat coordinate `coordinate`: axis -> place.  The outermost digit
/// is not reduced, so coordinates beyond the layout continue linearly (as TIRx does).
[[nodiscard]] Result<AxisValues> apply(const Layout& layout, std::int64_t coordinate);
/// The place of element `coordinates` of a tile of that shape: each coordinate is split inside its
/// own dimension's group of iters if the layout can be grouped by the shape (see group,
/// covering_group in algebra.hpp), else the row-major flat coordinate is split.
[[nodiscard]] Result<AxisValues> apply(const Layout& layout,
                                       std::span<const std::int64_t> coordinates,
                                       std::span<const std::int64_t> shape);

/// The same for one digit per shard iter.
[[nodiscard]] Result<AxisValues> apply_digits(const Layout& layout,
                                              std::span<const std::int64_t> digits);

/// `apply` for one shape, prepared once for callers that ask for many elements.
class Placement {
 public:
  [[nodiscard]] static Result<Placement> make(const Layout& layout,
                                              std::span<const std::int64_t> shape);

  /// One digit per iter; coordinates should lie inside the shape (others continue linearly).
  [[nodiscard]] std::vector<std::int64_t> digits(std::span<const std::int64_t> coordinates) const;
  /// The place on one axis, swizzled if it is m and the layout is swizzled.
  [[nodiscard]] std::int64_t at(std::span<const std::int64_t> coordinates, const Axis& axis) const;

  /// The iters that the digits belong to: the layout's, regrouped by the shape where possible.
  [[nodiscard]] const Layout& layout() const { return layout_; }

 private:
  Layout layout_;
  Shape shape_;
  std::vector<std::size_t> separators_;  // empty: flatten by shape_, then split by all iters
};

/// As written in the language: "S[(8, 4):(4@laneid, 1)] + R[2:4@warpid] + 5@warpid",
/// "ComposeLayout(3, 3, 3, S[512:1])", with "swizzle_inner=False" after the tile for the outer
/// form.
[[nodiscard]] std::string to_string(const TileLayout& layout);
[[nodiscard]] std::string to_string(const Layout& layout);
/// "(8, 4)", "(8,)", "()": shapes in messages.
[[nodiscard]] std::string to_string(std::span<const std::int64_t> shape);

}  // namespace tirx::ir
