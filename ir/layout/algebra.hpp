// What can be done with layouts?  Pure functions from layouts to layouts; they work on iters and
// never enumerate elements.  On a swizzled layout they act on the tile inside (slice, tile,
// canonicalize, pack).  Failures are diagnostics without a place; the caller adds it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/layout/layout.hpp"

namespace tirx::ir {

/// Whether canonicalize rewrites axes in terms of one another, as TIRx does when a CUDA target is
/// current: laneid and warpid both become tx in a layout from threads to the CTA.
enum class AxisFusion : std::uint8_t { none, cuda };

/// The scopes a layout's thread axes connect: (laneid, warpid) go from thread to cta.  Empty when
/// there are no thread axes.  Errors: "Ill-formed tile layout: disconnected scope chain …", "…
/// conflicting scopes …".
struct ScopePair {
  ExecScope from;
  ExecScope to;

  friend bool operator==(const ScopePair&, const ScopePair&) = default;
};

[[nodiscard]] Result<std::optional<ScopePair>> scope_pair(const TileLayout& layout);

/// The same map with fewer iters: unit iters and zero offsets go, neighbours that continue each
/// other become one, replicas are sorted.
[[nodiscard]] Result<TileLayout> canonicalize(const TileLayout& layout,
                                              AxisFusion fusion = AxisFusion::none);
[[nodiscard]] Result<Layout> canonicalize(const Layout& layout,
                                          AxisFusion fusion = AxisFusion::none);

/// A layout whose shard is cut into one run of iters per dimension: dimension k owns the iters
/// [separators[k], separators[k+1]).
struct Grouped {
  TileLayout layout;
  std::vector<std::size_t> separators;

  [[nodiscard]] std::size_t rank() const { return separators.size() - 1; }

  [[nodiscard]] std::span<const Iter> group(std::size_t k) const {
    return std::span(layout.shard()).subspan(separators[k], separators[k + 1] - separators[k]);
  }
};

/// Splits iters where the dimensions of `shape` end.  Error: "layout … can not be grouped by shape
/// …".
[[nodiscard]] Result<Grouped> group(const TileLayout& layout, std::span<const std::int64_t> shape);
/// For a broadcast layout that covers more than the shape (ragged scales): each dimension owns the
/// shortest run of iters that covers it and the stride-0 iters right after.  Tried by apply and
/// slice when group fails; only layouts with a stride-0 iter have one.
[[nodiscard]] std::optional<Grouped> covering_group(const TileLayout& layout,
                                                    std::span<const std::int64_t> shape);
/// group, else covering_group, else the error of group.
[[nodiscard]] Result<Grouped> group_dims(const TileLayout& layout,
                                         std::span<const std::int64_t> shape);

/// One grouping that refines several shapes at once: separators[i] cuts the common layout by
/// shapes[i].
struct GroupedMany {
  TileLayout layout;
  std::vector<std::vector<std::size_t>> separators;
};

[[nodiscard]] Result<GroupedMany> group_many(const TileLayout& layout,
                                             const std::vector<Shape>& shapes);

[[nodiscard]] Result<TileLayout> permute_dims(const TileLayout& layout,
                                              std::span<const std::int64_t> perm);
[[nodiscard]] Result<TileLayout> permute_by_groups(const TileLayout& layout,
                                                   std::span<const std::size_t> separators,
                                                   std::span<const std::int64_t> perm);

/// [begin, end) of one dimension.
using DimRange = std::pair<std::int64_t, std::int64_t>;

[[nodiscard]] Result<TileLayout> slice(const TileLayout& layout,
                                       std::span<const std::int64_t> shape,
                                       std::span<const DimRange> region,
                                       AxisFusion fusion = AxisFusion::none);
[[nodiscard]] Result<Layout> slice(const Layout& layout,
                                   std::span<const std::int64_t> shape,
                                   std::span<const DimRange> region,
                                   AxisFusion fusion = AxisFusion::none);

/// One dimension of a region whose begin may be known only at run time.
struct RegionDim {
  std::optional<std::int64_t> begin;  // the constant, or nothing
  std::int64_t multiple_of = 1;       // of a begin that is not constant
  std::int64_t extent = 1;
};

/// offset on `axis` += ((begin[dim] / divisor) % modulus) * stride; modulus 0: no reduction.
struct OffsetTerm {
  std::size_t dim = 0;
  std::int64_t divisor = 1;
  std::int64_t modulus = 0;
  std::int64_t stride = 1;
  Axis axis;

  friend bool operator==(const OffsetTerm&, const OffsetTerm&) = default;
};

struct SymbolicSlice {
  TileLayout layout;  // with the constant part of the offsets
  std::vector<OffsetTerm> terms;
};

/// slice for begins that are expressions: succeeds if the shape of the result does not depend on
/// them, given what they are multiples of.  The region is taken to lie inside the shape (bounds are
/// checked elsewhere).
[[nodiscard]] Result<SymbolicSlice> slice_at(const TileLayout& layout,
                                             std::span<const std::int64_t> shape,
                                             std::span<const RegionDim> region,
                                             AxisFusion fusion = AxisFusion::none);

/// inner.tile(outer): every element of `outer` becomes a copy of `inner`.
[[nodiscard]] Result<TileLayout> tile(const TileLayout& inner,
                                      const TileLayout& outer,
                                      std::span<const std::int64_t> outer_shape,
                                      std::span<const std::int64_t> inner_shape);
[[nodiscard]] Result<Layout> tile(const Layout& inner,
                                  const TileLayout& outer,
                                  std::span<const std::int64_t> outer_shape,
                                  std::span<const std::int64_t> inner_shape);
/// Repeats `layout` (of shape `current`) row-major until it has shape `to`.
[[nodiscard]] Result<TileLayout> tile_to(const TileLayout& layout,
                                         std::span<const std::int64_t> to,
                                         std::span<const std::int64_t> current);
[[nodiscard]] Result<Layout> tile_to(const Layout& layout,
                                     std::span<const std::int64_t> to,
                                     std::span<const std::int64_t> current);
/// The outer factor if `tiled` is `inner` tiled by something, else nothing.
[[nodiscard]] std::optional<TileLayout> is_tile_inner(const TileLayout& inner,
                                                      const TileLayout& tiled,
                                                      std::span<const std::int64_t> tiled_shape,
                                                      std::span<const std::int64_t> inner_shape);
[[nodiscard]] std::optional<Layout> is_tile_inner(const Layout& inner,
                                                  const Layout& tiled,
                                                  std::span<const std::int64_t> tiled_shape,
                                                  std::span<const std::int64_t> inner_shape);
/// The inner factor if `tiled` is something tiled by `outer`, else nothing.
[[nodiscard]] std::optional<TileLayout> is_tile_outer(const TileLayout& outer,
                                                      const TileLayout& tiled,
                                                      std::span<const std::int64_t> tiled_shape,
                                                      std::span<const std::int64_t> outer_shape);
[[nodiscard]] std::optional<Layout> is_tile_outer(const TileLayout& outer,
                                                  const Layout& tiled,
                                                  std::span<const std::int64_t> tiled_shape,
                                                  std::span<const std::int64_t> outer_shape);
/// tile without scaling the outer strides: the places of both parts are added as they are.
[[nodiscard]] Result<TileLayout> direct_sum(const TileLayout& right,
                                            const TileLayout& left,
                                            std::span<const std::int64_t> left_shape,
                                            std::span<const std::int64_t> right_shape);
[[nodiscard]] Result<Layout> direct_sum(const Layout& right,
                                        const TileLayout& left,
                                        std::span<const std::int64_t> left_shape,
                                        std::span<const std::int64_t> right_shape);

/// n neighbouring elements become one (a wider dtype), and back.
[[nodiscard]] Result<Layout> pack(const Layout& layout, std::int64_t n);
[[nodiscard]] Result<Layout> unpack(const Layout& layout, std::int64_t n);
/// Inserts an iter of extent n and stride 0 before shard position `position` (negative: from the
/// end).
[[nodiscard]] Result<Layout> broadcast(const Layout& layout, std::int64_t n, std::int64_t position);

/// No two elements share a place (replicas do not count); decided on the iters, `false` when
/// unsure.
[[nodiscard]] bool is_injective(const TileLayout& layout);
/// Injective, and the places are exactly 0 … size-1 (of the one axis it has).
[[nodiscard]] bool is_bijective(const TileLayout& layout);
/// One run of places 0 … size-1 in order (from its offset on): what a plain pointer loop may walk.
[[nodiscard]] bool is_contiguous(const TileLayout& layout);

}  // namespace tirx::ir
