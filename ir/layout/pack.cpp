// Layouts of the same bytes in wider or narrower elements, and broadcasting.
#include <bit>
#include <utility>

#include "ir/layout/algebra.hpp"
#include "ir/layout/arithmetic.hpp"

namespace tirx::ir {

namespace {

std::optional<Diagnostic> check_factor(const char* what, const Layout& layout, std::int64_t n) {
  if (n <= 0) return layout_error("{} factor must be positive, got {}", what, n);
  if (layout.swizzle && !std::has_single_bit(static_cast<std::uint64_t>(n))) {
    return layout_error("{} factor of a swizzled layout must be a power of two, got {}", what, n);
  }
  return std::nullopt;
}

int log2_of(std::int64_t n) {
  return std::countr_zero(static_cast<std::uint64_t>(n));
}

/// The axis whose neighbouring places are merged or split: that of the innermost memory iter.
Axis packed_axis(const TileLayout& layout) {
  for (std::size_t k = layout.shard().size(); k-- > 0;) {
    if (layout.shard()[k].axis.is_memory()) return layout.shard()[k].axis;
  }
  return AxisId::m;
}

bool divide_strides(Iters& iters, const Axis& axis, std::int64_t n) {
  for (Iter& it : iters) {
    if (it.axis != axis) continue;
    if (it.stride % n != 0) return false;
    it.stride /= n;
  }
  return true;
}

bool multiply_strides(Iters& iters, const Axis& axis, std::int64_t n) {
  for (Iter& it : iters) {
    if (it.axis != axis) continue;
    const Checked stride = Checked(it.stride) * n;
    if (!stride.fits()) return false;
    it.stride = stride.value();
  }
  return true;
}

Result<TileLayout> pack_tile(const TileLayout& layout, std::int64_t n) {
  Iters shard = layout.shard();
  Iters replica = layout.replica();
  AxisValues offset = layout.offset();
  std::erase_if(shard, [](const Iter& it) { return it.extent == 1; });
  if (shard.empty()) shard.push_back({1, 1, packed_axis(layout)});
  if (shard.empty() || shard.back().axis.is_thread() || shard.back().stride != 1 ||
      shard.back().extent % n != 0) {
    return layout_error(
        "pack({}) needs an innermost run of neighbouring elements that {} divides, got {}", n, n,
        to_string(layout));
  }
  Iter innermost = shard.back();
  shard.pop_back();
  const Axis axis = innermost.axis;
  std::int64_t& start = offset[axis];
  if (!divide_strides(shard, axis, n) || !divide_strides(replica, axis, n) || start % n != 0) {
    return layout_error("pack({}): the strides and the offset of {} must be multiples of {}", n,
                        to_string(layout), n);
  }
  start /= n;
  if (start == 0) offset.erase(axis);
  innermost.extent /= n;
  shard.push_back(innermost);
  return TileLayout::make(std::move(shard), std::move(replica), std::move(offset));
}

Result<TileLayout> unpack_tile(const TileLayout& layout, std::int64_t n) {
  Iters shard = layout.shard();
  Iters replica = layout.replica();
  AxisValues offset = layout.offset();
  const Axis axis = packed_axis(layout);
  if (!multiply_strides(shard, axis, n) || !multiply_strides(replica, axis, n)) return too_large();
  if (const auto it = offset.find(axis); it != offset.end()) {
    const Checked start = Checked(it->second) * n;
    if (!start.fits()) return too_large();
    it->second = start.value();
  }
  shard.push_back({n, 1, axis});
  return TileLayout::make(std::move(shard), std::move(replica), std::move(offset));
}

}  // namespace

Result<Layout> pack(const Layout& layout, std::int64_t n) {
  if (auto error = check_factor("pack", layout, n)) return *error;
  auto tile = pack_tile(layout.tile, n);
  if (!tile) return tile.error();
  if (!layout.swizzle) return Layout(std::move(*tile));
  Swizzle swizzle = *layout.swizzle;
  swizzle.per_element -= log2_of(n);
  if (swizzle.per_element < 0) {
    return layout_error("pack({}): the swizzle keeps only {} elements together", n,
                        layout.swizzle->chunk());
  }
  return Layout(swizzle, std::move(*tile));
}

Result<Layout> unpack(const Layout& layout, std::int64_t n) {
  if (auto error = check_factor("unpack", layout, n)) return *error;
  auto tile = unpack_tile(layout.tile, n);
  if (!tile) return tile.error();
  if (!layout.swizzle) return Layout(std::move(*tile));
  const Swizzle& old = *layout.swizzle;
  const auto swizzle =
      make_swizzle(old.per_element + log2_of(n), old.swizzle_len, old.atom_len, old.inner);
  if (!swizzle) return swizzle.error();
  return Layout(*swizzle, std::move(*tile));
}

Result<Layout> broadcast(const Layout& layout, std::int64_t n, std::int64_t position) {
  const auto rank = static_cast<std::int64_t>(layout.tile.shard().size());
  const std::int64_t at = position < 0 ? position + rank + 1 : position;
  if (at < 0 || at > rank) {
    return layout_error("broadcast position {} must be in [{}, {}]", position, -rank - 1, rank);
  }
  Iters shard = layout.tile.shard();
  shard.insert(shard.begin() + at, {n, 0, AxisId::m});
  auto tile = TileLayout::make(std::move(shard), layout.tile.replica(), layout.tile.offset());
  if (!tile) return tile.error();
  Layout out = layout;
  out.tile = std::move(*tile);
  return out;
}

}  // namespace tirx::ir
