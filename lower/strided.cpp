// See strided.hpp; grouping follows the layout algebra's `group` (ir/layout/algebra.hpp).
#include "lower/strided.hpp"

#include <utility>

#include <fmt/format.h>

#include "ir/print.hpp"

namespace tirx::lower {

using ir::IndexSum;

std::vector<std::int64_t> extents_of(std::span<const StridedIter> iters) {
  std::vector<std::int64_t> extents;
  for (const StridedIter& iter : iters) extents.push_back(iter.extent);
  return extents;
}

std::string to_string(std::span<const StridedIter> iters) {
  std::string out;
  for (const StridedIter& iter : iters) {
    if (!out.empty()) out += ", ";
    out += fmt::format("{}:{}", iter.extent, ir::to_string(iter.stride.to_expr(ir::kInt64)));
    if (iter.axis.id() != ir::AxisId::m) out += fmt::format("@{}", iter.axis.name());
  }
  return fmt::format("({})", out);
}

std::optional<std::vector<StridedIters>> group(std::span<const StridedIter> iters,
                                               std::span<const std::int64_t> extents) {
  // From the innermost outwards: take what is left of the current iter, or a factor of it.
  std::vector<StridedIters> groups(extents.size());
  std::size_t next = iters.size();
  StridedIter rest;  // the outer part of an iter that was split
  bool have_rest = false;
  for (std::size_t k = extents.size(); k-- > 0;) {
    std::int64_t wanted = extents[k];
    StridedIters inner_first;
    while (wanted > 1) {
      if (!have_rest) {
        if (next == 0) return std::nullopt;
        rest = iters[--next];
        have_rest = true;
      }
      if (rest.extent == 1) {
        have_rest = false;
        continue;
      }
      if (wanted % rest.extent == 0) {
        wanted /= rest.extent;
        inner_first.push_back(rest);
        have_rest = false;
      } else if (rest.extent % wanted == 0) {
        StridedIter part = rest;
        part.extent = wanted;
        inner_first.push_back(part);
        rest.extent /= wanted;
        rest.stride = rest.stride.times(wanted);
        rest.weight *= wanted;
        wanted = 1;
      } else {
        return std::nullopt;
      }
    }
    groups[k].assign(inner_first.rbegin(), inner_first.rend());
  }
  if (have_rest && rest.extent != 1) return std::nullopt;
  while (next > 0) {
    if (iters[--next].extent != 1) return std::nullopt;
  }
  return groups;
}

StridedIters fuse(const StridedIters& iters) {
  StridedIters fused;
  for (const StridedIter& iter : iters) {
    if (iter.extent == 1) continue;
    if (!fused.empty() && fused.back().axis == iter.axis &&
        fused.back().stride == iter.stride.times(iter.extent)) {
      const std::int64_t outer = fused.back().extent;
      fused.back() = iter;
      fused.back().extent *= outer;
    } else {
      fused.push_back(iter);
    }
  }
  return fused;
}

std::int64_t TileSide::size() const {
  std::int64_t size = 1;
  for (const std::int64_t extent : extents) size *= extent;
  return size;
}

std::vector<std::int64_t> TileSide::wide_extents() const {
  std::vector<std::int64_t> wide;
  for (const std::size_t dim : wide_dims) wide.push_back(extents[dim]);
  return wide;
}

namespace {

Result<StridedTile> from_strides(const TileSide& side, const ir::Facts& facts) {
  const ir::BufferNode& buffer = side.buffer();
  if (buffer.strides.empty()) {
    return Diagnostic{{}, fmt::format("{} has layout=None", buffer.name), {}};
  }
  StridedTile tile;
  for (std::size_t i = 0; i < buffer.strides.size(); ++i) {
    const IndexSum stride = IndexSum::of(buffer.strides[i], facts);
    tile.base = tile.base.plus(side.begins[i].times(stride));
    if (side.extents[i] > 1) {
      tile.iters.push_back({side.extents[i], stride, 0, 1, ir::AxisId::m});
    }
  }
  for (std::size_t j = 0; j < tile.iters.size(); ++j) tile.iters[j].dim = j;
  return tile;
}

/// A region wider than the buffer (an edge tile): a layout with one stride for each dimension goes
/// on beyond the shape.
Result<StridedTile> beyond_layout(const TileSide& side, const ir::Shape& shape) {
  const ir::Layout& layout = *side.buffer().layout;
  const auto grouped = ir::group(layout.tile, shape);
  if (!grouped) return grouped.error();
  StridedTile tile;
  tile.base = layout.tile.offset_on(ir::AxisId::m);
  bool plain = !layout.is_swizzled() && layout.tile.replica().empty();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::int64_t stride = 1;
    std::int64_t wide = 0;
    for (const ir::Iter& iter : grouped->group(i)) {
      if (iter.extent == 1 && shape[i] != 1) continue;
      stride = iter.stride;
      ++wide;
      plain = plain && iter.axis.id() == ir::AxisId::m;
    }
    plain = plain && wide == 1;
    tile.base = tile.base.plus(side.begins[i].times(stride));
    if (side.extents[i] > 1) {
      tile.iters.push_back(
          {side.extents[i], IndexSum(stride), tile.iters.size(), 1, ir::AxisId::m});
    }
  }
  if (plain) return tile;
  return Diagnostic{{},
                    fmt::format("the region is larger than {}, whose layout {} ends with its shape",
                                side.buffer().name, ir::to_string(layout)),
                    {}};
}

Result<StridedTile> from_layout(const TileSide& side,
                                const ir::Facts& facts,
                                ir::AxisFusion fusion) {
  const ir::BufferNode& buffer = side.buffer();
  const auto shape = ir::static_shape(buffer);
  if (!shape) {
    return Diagnostic{{}, fmt::format("{} has a layout and a symbolic shape", buffer.name), {}};
  }
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if (side.extents[i] > (*shape)[i]) return beyond_layout(side, *shape);
  }
  std::vector<ir::RegionDim> dims;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const std::int64_t divisor = side.begins[i].divisor(facts);
    ir::RegionDim dim{std::nullopt, divisor == 0 ? 1 : divisor, side.extents[i]};
    if (side.begins[i].is_constant()) dim.begin = side.begins[i].constant();
    dims.push_back(dim);
  }
  const auto sliced = ir::slice_at(buffer.layout->tile, *shape, dims, fusion);
  if (!sliced) return sliced.error();
  const std::vector<std::int64_t> wide = side.wide_extents();
  const auto grouped = ir::group(sliced->layout, wide);
  if (!grouped) return grouped.error();
  StridedTile tile;
  tile.swizzle = buffer.layout->swizzle;
  tile.replica = sliced->layout.replica();
  for (std::size_t j = 0; j < wide.size(); ++j) {
    std::int64_t weight = wide[j];
    for (const ir::Iter& iter : grouped->group(j)) {
      weight /= iter.extent;
      if (iter.extent > 1) {
        tile.iters.push_back({iter.extent, IndexSum(iter.stride), j, weight, iter.axis});
      }
    }
  }
  for (const auto& [axis, value] : sliced->layout.offset()) {
    if (axis.is_thread()) {
      tile.thread_offset[axis] += value;
    } else {
      tile.base = tile.base.plus(value);
    }
  }
  for (const ir::OffsetTerm& term : sliced->terms) {
    if (term.axis.is_thread()) {
      return Diagnostic{{},
                        fmt::format("the region of {} starts at a thread that is not known before "
                                    "the kernel runs",
                                    buffer.name),
                        {}};
    }
    const std::int64_t room =
        std::max<std::int64_t>((*shape)[term.dim] - side.extents[term.dim], 0);
    // One element of one: it begins at 0, or all of the region is outside of the buffer.
    if ((*shape)[term.dim] == 1 && side.extents[term.dim] == 1) continue;
    IndexSum digit = side.begins[term.dim].assuming({0, room}).floordiv(term.divisor, facts);
    if (term.modulus != 0) digit = digit.floormod(term.modulus, facts);
    tile.base = tile.base.plus(digit.times(term.stride));
  }
  return tile;
}

}  // namespace

Result<StridedTile> strided_tile(const TileSide& side,
                                 const ir::Expr& buffer_offset,
                                 const ir::Facts& facts,
                                 ir::AxisFusion fusion) {
  if (side.extents.empty() && !side.region.ranges.empty()) {
    return Diagnostic{
        {},
        fmt::format("the region's extents are not constants: {}", ir::to_string(side.region)),
        {}};
  }
  Result<StridedTile> tile =
      side.buffer().layout ? from_layout(side, facts, fusion) : from_strides(side, facts);
  if (tile && buffer_offset) tile->base = IndexSum::of(buffer_offset, facts).plus(tile->base);
  return tile;
}

}  // namespace tirx::lower
