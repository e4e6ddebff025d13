// Making layouts that cannot overflow, and measuring them.
#include "ir/layout/layout.hpp"

#include <cstdlib>

#include "ir/layout/arithmetic.hpp"

namespace tirx::ir {

namespace {

// More digits than any real layout has; keeps every operation short.
constexpr std::size_t kMostIters = 1024;

std::optional<Diagnostic> check_iters(const Iters& iters, Checked& reach) {
  Checked size(1);
  for (const Iter& it : iters) {
    if (it.extent <= 0) {
      return layout_error("layout extent must be positive, got {}", it.extent);
    }
    size *= it.extent;
    const Checked stride(it.stride);
    if (!stride.fits()) return too_large();
    reach += Checked(it.extent - 1) * Checked(std::abs(it.stride));
  }
  if (!size.fits()) return too_large();
  return std::nullopt;
}

std::int64_t product(const Iters& iters) {
  std::int64_t size = 1;
  for (const Iter& it : iters) size *= it.extent;
  return size;
}

std::int64_t reach_on(const Iters& iters, const Axis& axis) {
  std::int64_t sum = 0;
  for (const Iter& it : iters) {
    if (it.axis == axis) sum += (it.extent - 1) * it.stride;
  }
  return sum;
}

void drop_thread_iters(Iters& iters) {
  std::erase_if(iters, [](const Iter& it) { return it.axis.is_thread(); });
}

}  // namespace

Result<TileLayout> TileLayout::make(Iters shard, Iters replica, AxisValues offset) {
  if (shard.size() > kMostIters || replica.size() > kMostIters || offset.size() > kMostIters) {
    return layout_error("layout too large: it has more than {} iters", kMostIters);
  }
  Checked reach(0);
  if (auto error = check_iters(shard, reach)) return *error;
  if (auto error = check_iters(replica, reach)) return *error;
  for (const auto& [axis, value] : offset) {
    if (!Checked(value).fits()) return too_large();
    reach += std::abs(value);
  }
  if (!reach.fits()) return too_large();
  TileLayout layout;
  layout.shard_ = std::move(shard);
  layout.replica_ = std::move(replica);
  layout.offset_ = std::move(offset);
  return layout;
}

Result<TileLayout> TileLayout::row_major(std::span<const std::int64_t> shape) {
  Iters shard(shape.size());
  Checked stride(1);
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (!stride.fits()) return too_large();
    shard[i] = {shape[i], stride.value(), AxisId::m};
    stride *= shape[i];
  }
  return make(std::move(shard));
}

Result<TileLayout> TileLayout::strided(std::span<const std::int64_t> shape,
                                       std::span<const std::int64_t> strides) {
  if (shape.size() != strides.size()) {
    return layout_error("layout has {} extents but {} strides; give one stride per extent",
                        shape.size(), strides.size());
  }
  Iters shard(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) shard[i] = {shape[i], strides[i], AxisId::m};
  return make(std::move(shard));
}

std::int64_t TileLayout::offset_on(const Axis& axis) const {
  const auto it = offset_.find(axis);
  return it == offset_.end() ? 0 : it->second;
}

Shape TileLayout::extents() const {
  Shape out;
  for (const Iter& it : shard_) out.push_back(it.extent);
  return out;
}

std::int64_t TileLayout::size() const {
  return product(shard_);
}

std::int64_t TileLayout::size(const Axis& axis) const {
  std::int64_t size = 1;
  for (const Iter& it : shard_) size *= it.axis == axis ? it.extent : 1;
  return size;
}

std::int64_t TileLayout::span() const {
  std::int64_t sum = 1;
  for (const Iter& it : shard_) sum += it.axis.is_memory() ? (it.extent - 1) * it.stride : 0;
  for (const Iter& it : replica_) sum += it.axis.is_memory() ? (it.extent - 1) * it.stride : 0;
  for (const auto& [axis, value] : offset_) sum += axis.is_memory() ? value : 0;
  return sum;
}

std::int64_t TileLayout::span(const Axis& axis) const {
  return 1 + reach_on(shard_, axis) + reach_on(replica_, axis) + offset_on(axis);
}

TileLayout TileLayout::storage() const {
  TileLayout out = *this;
  drop_thread_iters(out.shard_);
  drop_thread_iters(out.replica_);
  std::erase_if(out.offset_, [](const auto& entry) { return entry.first.is_thread(); });
  return out;
}

bool TileLayout::has_thread_axes() const {
  for (const Iter& it : shard_) {
    if (it.axis.is_thread()) return true;
  }
  for (const Iter& it : replica_) {
    if (it.axis.is_thread()) return true;
  }
  for (const auto& [axis, value] : offset_) {
    if (axis.is_thread()) return true;
  }
  return false;
}

bool TileLayout::has_replicas() const {
  return product(replica_) > 1;
}

bool TileLayout::has_broadcast() const {
  for (const Iter& it : shard_) {
    if (it.stride == 0 && it.extent > 1) return true;
  }
  return false;
}

std::int64_t Layout::footprint() const {
  if (!swizzle) return tile.span();
  // The inner form moves an address inside its block of 2^(M+B), the outer form inside its period.
  const std::int64_t block = swizzle->inner
                                 ? std::int64_t{1} << (swizzle->per_element + swizzle->swizzle_len)
                                 : swizzle->period();
  return floor_div(tile.span() + block - 1, block) * block;
}

Layout Layout::storage() const {
  Layout out = *this;
  out.tile = tile.storage();
  return out;
}

}  // namespace tirx::ir
