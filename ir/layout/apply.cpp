// The coordinate of an element -> its digits -> its place on each axis.
#include <utility>

#include "ir/layout/algebra.hpp"
#include "ir/layout/arithmetic.hpp"
#include "ir/layout/layout.hpp"

namespace tirx::ir {

namespace {

/// Row-major digits; the outermost one takes what is left.
void split(std::int64_t coordinate,
           std::span<const Iter> iters,
           std::vector<std::int64_t>& digits) {
  const std::size_t first = digits.size();
  digits.resize(first + iters.size());
  for (std::size_t k = iters.size(); k-- > 1;) {
    digits[first + k] = floor_mod(coordinate, iters[k].extent);
    coordinate = floor_div(coordinate, iters[k].extent);
  }
  if (!iters.empty()) digits[first] = coordinate;
}

Result<AxisValues> places(const Layout& layout, std::span<const std::int64_t> digits) {
  std::map<Axis, Checked> sums;
  for (const auto& [axis, value] : layout.tile.offset()) sums.emplace(axis, value);
  const Iters& iters = layout.tile.shard();
  for (std::size_t k = 0; k < iters.size(); ++k) {
    Checked& sum = sums.emplace(iters[k].axis, 0).first->second;
    sum += Checked(digits[k]) * Checked(iters[k].stride);
  }
  AxisValues out;
  for (const auto& [axis, sum] : sums) {
    if (!sum.fits()) return too_large();
    out[axis] = sum.value();
  }
  if (layout.swizzle) {
    std::int64_t& address = out[AxisId::m];
    if (address < 0) return layout_error("a swizzled layout has no address {}", address);
    address = layout.swizzle->apply(address);
  }
  return out;
}

Result<std::int64_t> flatten(std::span<const std::int64_t> coordinates,
                             std::span<const std::int64_t> shape) {
  Checked flat(0);
  for (std::size_t i = 0; i < shape.size(); ++i) flat = flat * shape[i] + coordinates[i];
  if (!flat.fits()) return too_large();
  return flat.value();
}

}  // namespace

Result<AxisValues> apply(const Layout& layout, std::int64_t coordinate) {
  std::vector<std::int64_t> digits;
  split(coordinate, layout.tile.shard(), digits);
  return places(layout, digits);
}

Result<AxisValues> apply(const Layout& layout,
                         std::span<const std::int64_t> coordinates,
                         std::span<const std::int64_t> shape) {
  if (coordinates.size() != shape.size()) {
    return layout_error("layout apply got {} coordinates for shape {}, which has {} dimensions",
                        coordinates.size(), to_string(shape), shape.size());
  }
  if (const auto grouped = group_dims(layout.tile, shape)) {
    std::vector<std::int64_t> digits;
    for (std::size_t i = 0; i < shape.size(); ++i) split(coordinates[i], grouped->group(i), digits);
    Layout regrouped = layout;
    regrouped.tile = grouped->layout;
    return places(regrouped, digits);
  }
  const auto flat = flatten(coordinates, shape);
  if (!flat) return flat.error();
  return apply(layout, *flat);
}

Result<AxisValues> apply_digits(const Layout& layout, std::span<const std::int64_t> digits) {
  if (digits.size() != layout.tile.shard().size()) {
    return layout_error(
        "layout apply got {} coordinates, but the layout has {} iters; give one flat coordinate, "
        "one "
        "per iter, or shape=",
        digits.size(), layout.tile.shard().size());
  }
  return places(layout, digits);
}

Result<Placement> Placement::make(const Layout& layout, std::span<const std::int64_t> shape) {
  Placement out;
  out.layout_ = layout;
  out.shape_.assign(shape.begin(), shape.end());
  Checked size(1);
  for (const std::int64_t extent : shape) {
    if (extent <= 0) return layout_error("shape {} must be positive", to_string(shape));
    size *= extent;
  }
  if (!size.fits()) return too_large();
  if (auto grouped = group_dims(layout.tile, shape)) {
    out.layout_.tile = std::move(grouped->layout);
    out.separators_ = std::move(grouped->separators);
  }
  return out;
}

std::vector<std::int64_t> Placement::digits(std::span<const std::int64_t> coordinates) const {
  TIRX_CHECK(coordinates.size() == shape_.size());
  const std::span<const Iter> iters = layout_.tile.shard();
  std::vector<std::int64_t> out;
  out.reserve(iters.size());
  if (separators_.empty()) {
    std::int64_t flat = 0;
    for (std::size_t i = 0; i < shape_.size(); ++i) flat = flat * shape_[i] + coordinates[i];
    split(flat, iters, out);
    return out;
  }
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    split(coordinates[i], iters.subspan(separators_[i], separators_[i + 1] - separators_[i]), out);
  }
  return out;
}

std::int64_t Placement::at(std::span<const std::int64_t> coordinates, const Axis& axis) const {
  const std::vector<std::int64_t> each = digits(coordinates);
  const Iters& iters = layout_.tile.shard();
  std::int64_t sum = layout_.tile.offset_on(axis);
  for (std::size_t k = 0; k < iters.size(); ++k) {
    if (iters[k].axis == axis) sum += each[k] * iters[k].stride;
  }
  const bool swizzled = layout_.swizzle && axis == Axis(AxisId::m);
  return swizzled ? layout_.swizzle->apply(sum) : sum;
}

}  // namespace tirx::ir
