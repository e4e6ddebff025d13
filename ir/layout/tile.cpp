// Layouts made of layouts: tiling, its two inverses, and the direct sum.
#include <algorithm>
#include <utility>

#include "ir/layout/algebra.hpp"
#include "ir/layout/arithmetic.hpp"

namespace tirx::ir {

namespace {

std::optional<Diagnostic> check_ranks(const char* what,
                                      std::span<const std::int64_t> a,
                                      std::span<const std::int64_t> b) {
  if (a.size() == b.size()) return std::nullopt;
  return layout_error("{}: shapes {} and {} must have the same rank", what, to_string(a),
                      to_string(b));
}

Result<Grouped> canonical_groups(const TileLayout& layout, std::span<const std::int64_t> shape) {
  auto simple = canonicalize(layout);
  if (!simple) return simple.error();
  return group(*simple, shape);
}

/// Dimension by dimension the iters of `outer`, then those of `inner`.
Iters interleave(const Grouped& outer, const Grouped& inner) {
  Iters out;
  for (std::size_t i = 0; i < outer.rank(); ++i) {
    for (const Grouped* part : {&outer, &inner}) {
      const auto iters = part->group(i);
      out.insert(out.end(), iters.begin(), iters.end());
    }
  }
  return out;
}

bool scale_strides(Iters& iters, const TileLayout& inner) {
  for (Iter& it : iters) {
    const Checked stride = Checked(it.stride) * inner.span(it.axis);
    if (!stride.fits()) return false;
    it.stride = stride.value();
  }
  return true;
}

/// a + b, or a - b; nothing when a place becomes too large.
std::optional<AxisValues> combine(const AxisValues& a, const AxisValues& b, std::int64_t sign) {
  std::map<Axis, Checked> sums;
  for (const auto& [axis, value] : a) sums.emplace(axis, value);
  for (const auto& [axis, value] : b) {
    sums.emplace(axis, 0).first->second += Checked(value) * sign;
  }
  AxisValues out;
  for (const auto& [axis, value] : sums) {
    if (!value.fits()) return std::nullopt;
    if (value.value() != 0) out[axis] = value.value();
  }
  return out;
}

Iters concatenate(Iters a, const Iters& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The iters of `all` that are left when each of `part` is taken out once.
std::optional<Iters> without(Iters all, const Iters& part) {
  for (const Iter& it : part) {
    const auto found = std::find(all.begin(), all.end(), it);
    if (found == all.end()) return std::nullopt;
    all.erase(found);
  }
  return all;
}

Result<TileLayout> join(const Grouped& outer, const Grouped& inner, Iters replica) {
  auto offset = combine(inner.layout.offset(), outer.layout.offset(), 1);
  if (!offset) return too_large();
  auto joined = TileLayout::make(interleave(outer, inner), std::move(replica), std::move(*offset));
  if (!joined) return joined.error();
  return canonicalize(*joined);
}

/// shape / part per dimension; nothing if it does not divide.
std::optional<Shape> divide(std::span<const std::int64_t> shape,
                            std::span<const std::int64_t> part) {
  if (shape.size() != part.size()) return std::nullopt;
  Shape out;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] <= 0 || part[i] <= 0 || shape[i] % part[i] != 0) return std::nullopt;
    out.push_back(shape[i] / part[i]);
  }
  return out;
}

Shape alternate(std::span<const std::int64_t> outer, std::span<const std::int64_t> inner) {
  Shape out;
  for (std::size_t i = 0; i < outer.size(); ++i) {
    out.push_back(outer[i]);
    out.push_back(inner[i]);
  }
  return out;
}

/// The iters of the groups first, first + 2, first + 4, …
Iters every_second_group(const Grouped& grouped, std::size_t first) {
  Iters out;
  for (std::size_t i = first; i < grouped.rank(); i += 2) {
    const auto iters = grouped.group(i);
    out.insert(out.end(), iters.begin(), iters.end());
  }
  return out;
}

bool unscale_strides(Iters& iters, const TileLayout& inner) {
  for (Iter& it : iters) {
    const std::int64_t span = inner.span(it.axis);
    if (it.extent == 1) continue;
    if (span == 0 || it.stride % span != 0) return false;
    it.stride /= span;
  }
  return true;
}

bool same_meaning(const Result<TileLayout>& a, const TileLayout& b) {
  if (!a) return false;
  const auto left = canonicalize(*a);
  const auto right = canonicalize(b);
  return left && right && *left == *right;
}

}  // namespace

Result<TileLayout> tile(const TileLayout& inner,
                        const TileLayout& outer,
                        std::span<const std::int64_t> outer_shape,
                        std::span<const std::int64_t> inner_shape) {
  if (auto error = check_ranks("tile", outer_shape, inner_shape)) return *error;
  auto around = canonical_groups(outer, outer_shape);
  if (!around) return around.error();
  const auto within = canonical_groups(inner, inner_shape);
  if (!within) return within.error();
  Iters shard = around->layout.shard();
  Iters replica = around->layout.replica();
  if (!scale_strides(shard, within->layout) || !scale_strides(replica, within->layout)) {
    return too_large();
  }
  auto scaled = TileLayout::make(std::move(shard), {}, around->layout.offset());
  if (!scaled) return scaled.error();
  around->layout = std::move(*scaled);
  return join(*around, *within, concatenate(within->layout.replica(), replica));
}

Result<Layout> tile(const Layout& inner,
                    const TileLayout& outer,
                    std::span<const std::int64_t> outer_shape,
                    std::span<const std::int64_t> inner_shape) {
  auto tiled = tile(inner.tile, outer, outer_shape, inner_shape);
  if (!tiled) return tiled.error();
  Layout out = inner;
  out.tile = std::move(*tiled);
  return out;
}

Result<TileLayout> tile_to(const TileLayout& layout,
                           std::span<const std::int64_t> to,
                           std::span<const std::int64_t> current) {
  const auto factors = divide(to, current);
  if (!factors) {
    return layout_error("tile_to: shape {} is not a multiple of shape {} in every dimension",
                        to_string(to), to_string(current));
  }
  const auto outer = TileLayout::row_major(*factors);
  if (!outer) return outer.error();
  return tile(layout, *outer, *factors, current);
}

Result<Layout> tile_to(const Layout& layout,
                       std::span<const std::int64_t> to,
                       std::span<const std::int64_t> current) {
  auto tiled = tile_to(layout.tile, to, current);
  if (!tiled) return tiled.error();
  Layout out = layout;
  out.tile = std::move(*tiled);
  return out;
}

std::optional<TileLayout> is_tile_inner(const TileLayout& inner,
                                        const TileLayout& tiled,
                                        std::span<const std::int64_t> tiled_shape,
                                        std::span<const std::int64_t> inner_shape) {
  const auto outer_shape = divide(tiled_shape, inner_shape);
  if (!outer_shape) return std::nullopt;
  const auto within = canonicalize(inner);
  const auto cut = canonical_groups(tiled, alternate(*outer_shape, inner_shape));
  if (!within || !cut) return std::nullopt;
  Iters shard = every_second_group(*cut, 0);
  auto replica = without(cut->layout.replica(), within->replica());
  if (!replica || !unscale_strides(shard, *within) || !unscale_strides(*replica, *within)) {
    return std::nullopt;
  }
  auto offset = combine(cut->layout.offset(), within->offset(), -1);
  if (!offset) return std::nullopt;
  auto outer = TileLayout::make(std::move(shard), std::move(*replica), std::move(*offset));
  if (!outer || !same_meaning(tile(inner, *outer, *outer_shape, inner_shape), tiled)) {
    return std::nullopt;
  }
  return std::move(*outer);
}

std::optional<Layout> is_tile_inner(const Layout& inner,
                                    const Layout& tiled,
                                    std::span<const std::int64_t> tiled_shape,
                                    std::span<const std::int64_t> inner_shape) {
  if (inner.swizzle != tiled.swizzle) return std::nullopt;
  auto outer = is_tile_inner(inner.tile, tiled.tile, tiled_shape, inner_shape);
  if (!outer) return std::nullopt;
  return Layout(std::move(*outer));
}

std::optional<TileLayout> is_tile_outer(const TileLayout& outer,
                                        const TileLayout& tiled,
                                        std::span<const std::int64_t> tiled_shape,
                                        std::span<const std::int64_t> outer_shape) {
  const auto inner_shape = divide(tiled_shape, outer_shape);
  if (!inner_shape) return std::nullopt;
  const auto around = canonicalize(outer);
  const auto cut = canonical_groups(tiled, alternate(outer_shape, *inner_shape));
  if (!around || !cut) return std::nullopt;
  auto offset = combine(cut->layout.offset(), around->offset(), -1);
  if (!offset) return std::nullopt;
  // The outer replicas are scaled by an inner span that is not known yet: the inner part has the
  // rest, and tiling again decides which rest it is.
  const Iters& all = cut->layout.replica();
  const std::size_t rest = all.size() - std::min(all.size(), around->replica().size());
  auto inner = TileLayout::make(every_second_group(*cut, 1), {}, *offset);
  if (inner && rest > 0) {
    auto own = without(all, around->replica());
    if (!own) return std::nullopt;
    inner = TileLayout::make(inner->shard(), std::move(*own), *offset);
  }
  if (!inner || !same_meaning(tile(*inner, outer, outer_shape, *inner_shape), tiled)) {
    return std::nullopt;
  }
  return std::move(*inner);
}

std::optional<Layout> is_tile_outer(const TileLayout& outer,
                                    const Layout& tiled,
                                    std::span<const std::int64_t> tiled_shape,
                                    std::span<const std::int64_t> outer_shape) {
  auto inner = is_tile_outer(outer, tiled.tile, tiled_shape, outer_shape);
  if (!inner) return std::nullopt;
  Layout out = tiled;
  out.tile = std::move(*inner);
  return out;
}

Result<TileLayout> direct_sum(const TileLayout& right,
                              const TileLayout& left,
                              std::span<const std::int64_t> left_shape,
                              std::span<const std::int64_t> right_shape) {
  if (auto error = check_ranks("direct_sum", left_shape, right_shape)) return *error;
  const auto around = canonical_groups(left, left_shape);
  if (!around) return around.error();
  const auto within = canonical_groups(right, right_shape);
  if (!within) return within.error();
  return join(*around, *within, concatenate(around->layout.replica(), within->layout.replica()));
}

Result<Layout> direct_sum(const Layout& right,
                          const TileLayout& left,
                          std::span<const std::int64_t> left_shape,
                          std::span<const std::int64_t> right_shape) {
  auto sum = direct_sum(right.tile, left, left_shape, right_shape);
  if (!sum) return sum.error();
  Layout out = right;
  out.tile = std::move(*sum);
  return out;
}

}  // namespace tirx::ir
