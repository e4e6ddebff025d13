// Where do the elements of a region live?  A dimension's iters are digits of the coordinate,
// innermost last.  Going inwards out, an iter that the region covers completely from its first
// digit on is kept; the first that is not, the pivot, becomes shorter, and everything outside it
// only adds to the offset. A region that crosses the end of the pivot still has a layout when it is
// cut exactly in half there and the halves are a constant apart.
#include <algorithm>
#include <utility>

#include "ir/base/common_divisor.hpp"
#include "ir/layout/algebra.hpp"
#include "ir/layout/arithmetic.hpp"

namespace tirx::ir {

namespace {

/// begin = a constant, or an unknown multiple of something.
struct Begin {
  std::optional<std::int64_t> constant;
  std::int64_t multiple_of = 1;
};

struct GroupSlice {
  Iters iters;
  std::vector<OffsetTerm> terms;  // dim is filled in by the caller
  std::map<Axis, Checked> offset;
};

/// What is known about the digit (begin / weight) % extent of one iter.
struct Digit {
  std::optional<std::int64_t> constant;
  std::int64_t multiple_of = 1;  // of an unknown digit; divides the iter's extent

  [[nodiscard]] bool is_zero() const { return constant == 0; }
};

class GroupSlicer {
 public:
  GroupSlicer(Iters iters, Begin begin, std::int64_t extent)
      : iters_(std::move(iters)), begin_(begin), extent_(extent) {
    weights_.resize(iters_.size());
    std::int64_t weight = 1;
    for (std::size_t k = iters_.size(); k-- > 0; weight *= iters_[k].extent) weights_[k] = weight;
  }

  std::optional<GroupSlice> run() {
    if (!cut()) return std::nullopt;
    add_offsets();
    return std::move(out_);
  }

  /// Regions whose begin and extent are multiples of this can always be cut here.
  [[nodiscard]] std::int64_t block() const { return weights_[pivot_] * iters_[pivot_].extent; }

 private:
  [[nodiscard]] Digit digit(std::size_t k) const {
    const std::int64_t extent = iters_[k].extent;
    if (begin_.constant) {
      const std::int64_t whole = *begin_.constant / weights_[k];
      return {iters_.size() == 1 ? whole : whole % extent, 1};
    }
    const std::int64_t block = common_divisor(begin_.multiple_of, weights_[k] * extent);
    if (block == weights_[k] * extent && iters_.size() > 1) return {0, 1};
    return {std::nullopt, block % weights_[k] == 0 ? block / weights_[k] : 1};
  }

  bool cut() {
    std::int64_t rem = extent_;
    std::size_t k = iters_.size();
    Iters kept;  // innermost first
    if (iters_.size() == 1) {
      kept.push_back({rem, iters_[0].stride, iters_[0].axis});
      out_.iters = std::move(kept);
      return true;
    }
    while (k > 0 && digit(k - 1).is_zero() && rem % iters_[k - 1].extent == 0) {
      --k;
      rem /= iters_[k].extent;
      kept.push_back(iters_[k]);
    }
    if (k > 0) {
      pivot_ = k - 1;
      if (!cut_pivot(rem, kept)) return false;
    } else if (rem != 1) {
      return false;
    }
    out_.iters.assign(kept.rbegin(), kept.rend());
    return true;
  }

  bool cut_pivot(std::int64_t rem, Iters& kept) {
    const Iter& it = iters_[pivot_];
    const Digit d = digit(pivot_);
    if (d.constant) {
      if (*d.constant + rem <= it.extent) {
        kept.push_back({rem, it.stride, it.axis});
        return true;
      }
      return cut_wrapped(rem, *d.constant, kept);
    }
    // The unknown digit is at most extent - multiple_of; the outermost iter relies on the region
    // lying inside the shape.
    if (rem > d.multiple_of && pivot_ != 0) return false;
    kept.push_back({rem, it.stride, it.axis});
    return true;
  }

  /// The region's second half starts at digit 0 of the pivot, one step further in the iters
  /// outside.
  bool cut_wrapped(std::int64_t rem, std::int64_t d, Iters& kept) {
    const Iter& it = iters_[pivot_];
    if (rem % 2 != 0 || d + rem / 2 != it.extent) return false;
    Checked apart = Checked(0) - Checked(d) * it.stride;
    std::size_t k = pivot_;
    bool carry = true;
    while (carry && k-- > 0) {
      const Digit outer = digit(k);
      if (!outer.constant || iters_[k].axis != it.axis) return false;
      carry = *outer.constant + 1 == iters_[k].extent;
      apart += Checked(carry ? -*outer.constant : 1) * iters_[k].stride;
    }
    if (carry || !apart.fits()) return false;
    kept.push_back({rem / 2, it.stride, it.axis});
    kept.push_back({2, apart.value(), it.axis});
    return true;
  }

  void add_offsets() {
    for (std::size_t k = 0; k < iters_.size(); ++k) {
      const Digit d = digit(k);
      const Iter& it = iters_[k];
      if (d.constant) {
        out_.offset.emplace(it.axis, 0).first->second += Checked(*d.constant) * it.stride;
      } else if (it.stride != 0) {
        const bool reduce = k != 0;  // the outermost digit is in range because the region is
        out_.terms.push_back({0, weights_[k], reduce ? it.extent : 0, it.stride, it.axis});
      }
    }
  }

  Iters iters_;
  Begin begin_;
  std::int64_t extent_;
  std::vector<std::int64_t> weights_;  // elements per step of each digit
  std::size_t pivot_ = 0;
  GroupSlice out_;
};

std::optional<Diagnostic> check_region(std::span<const std::int64_t> shape,
                                       std::span<const RegionDim> region) {
  if (shape.size() != region.size()) {
    return layout_error("slice got {} ranges for shape {}, which has {} dimensions", region.size(),
                        to_string(shape), shape.size());
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const RegionDim& dim = region[i];
    if (dim.extent <= 0) {
      return layout_error("slice range of dimension {} is empty or inverted", i);
    }
    if (dim.extent > shape[i]) {
      return layout_error("slice of {} elements exceeds dimension {} of extent {}", dim.extent, i,
                          shape[i]);
    }
    if (dim.begin && (*dim.begin < 0 || *dim.begin > shape[i] - dim.extent)) {
      return layout_error("slice [{}, {}) is out of range for dimension {} of extent {}",
                          *dim.begin, *dim.begin + dim.extent, i, shape[i]);
    }
    if (!dim.begin && dim.multiple_of <= 0) {
      return layout_error("slice begin of dimension {} must be a multiple of a positive number", i);
    }
  }
  return std::nullopt;
}

Result<Grouped> groups_to_slice(const TileLayout& layout,
                                std::span<const std::int64_t> shape,
                                AxisFusion fusion) {
  auto simple = canonicalize(layout, fusion);
  if (!simple) return simple.error();
  auto grouped = group(*simple, shape);
  if (grouped) return grouped;
  // Canonical form has lost the unit iters that mark the dimensions of a ragged broadcast layout.
  if (auto covering = covering_group(layout, shape)) return *covering;
  return grouped;
}

}  // namespace

Result<SymbolicSlice> slice_at(const TileLayout& layout,
                               std::span<const std::int64_t> shape,
                               std::span<const RegionDim> region,
                               AxisFusion fusion) {
  if (auto error = check_region(shape, region)) return *error;
  const auto grouped = groups_to_slice(layout, shape, fusion);
  if (!grouped) return grouped.error();
  Iters shard;
  std::map<Axis, Checked> offset;
  for (const auto& [axis, value] : grouped->layout.offset()) offset.emplace(axis, value);
  std::vector<OffsetTerm> terms;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto own = grouped->group(i);
    auto simple = TileLayout::make({own.begin(), own.end()});
    if (simple) simple = canonicalize(*simple);
    if (!simple) return simple.error();
    GroupSlicer slicer(simple->shard(), {region[i].begin, region[i].multiple_of}, region[i].extent);
    const auto cut = slicer.run();
    if (!cut) {
      return layout_error(
          "layout {} of shape {} cannot be sliced in dimension {}: the region wraps around inside "
          "the "
          "layout's iters; use a begin and an extent that are multiples of {}",
          to_string(layout), to_string(shape), i, slicer.block());
    }
    shard.insert(shard.end(), cut->iters.begin(), cut->iters.end());
    for (OffsetTerm term : cut->terms) {
      term.dim = i;
      terms.push_back(std::move(term));
    }
    for (const auto& [axis, value] : cut->offset) offset.emplace(axis, 0).first->second += value;
  }
  AxisValues places;
  for (const auto& [axis, value] : offset) {
    if (!value.fits()) return too_large();
    if (value.value() != 0) places[axis] = value.value();
  }
  auto sliced = TileLayout::make(std::move(shard), grouped->layout.replica(), std::move(places));
  if (!sliced) return sliced.error();
  return SymbolicSlice{std::move(*sliced), std::move(terms)};
}

Result<TileLayout> slice(const TileLayout& layout,
                         std::span<const std::int64_t> shape,
                         std::span<const DimRange> region,
                         AxisFusion fusion) {
  std::vector<RegionDim> dims;
  for (const auto& [begin, end] : region) {
    const bool empty = end <= begin || begin < -kLargestPlace || end > kLargestPlace;
    dims.push_back({begin, 1, empty ? 0 : end - begin});
  }
  auto sliced = slice_at(layout, shape, dims, fusion);
  if (!sliced) return sliced.error();
  return std::move(sliced->layout);
}

Result<Layout> slice(const Layout& layout,
                     std::span<const std::int64_t> shape,
                     std::span<const DimRange> region,
                     AxisFusion fusion) {
  auto tile = slice(layout.tile, shape, region, fusion);
  if (!tile) return tile.error();
  Layout out = layout;
  out.tile = std::move(*tile);
  return out;
}

}  // namespace tirx::ir
