// Flat offsets; see addressing.hpp.  Digits follow the layout algebra's `apply`: each index is
// split inside its own dimension's group of iters where the layout can be grouped by the shape, and
// the outermost digit of a group is not reduced.
#include "lower/addressing.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "ir/layout/algebra.hpp"
#include "ir/loop_values.hpp"

namespace tirx::lower {

namespace {

using ir::Expr;
using ir::Facts;
using ir::IndexSum;
using ir::Interval;

constexpr std::int64_t kReach32 = std::int64_t{1} << 31;

Interval index_range(const ir::BufferNode& buffer, std::size_t dim, const Facts& facts) {
  const Interval extent = facts.range(buffer.shape[dim]);
  return {0, std::max<std::int64_t>(ir::one_below(extent.high), 0)};
}

/// One past the largest offset that the buffer's indices reach.
std::int64_t largest_offset(const ir::BufferNode& buffer, const Facts& facts) {
  Interval reach{0, 1};
  if (buffer.layout) {
    reach = {0, buffer.layout->tile.span()};
    if (buffer.layout->swizzle) reach.high = reach.high + buffer.layout->swizzle->period();
  } else if (!buffer.strides.empty()) {
    for (std::size_t i = 0; i < buffer.strides.size(); ++i) {
      reach = reach + index_range(buffer, i, facts) * facts.range(buffer.strides[i]);
    }
  } else if (!buffer.shape.empty()) {
    reach = reach + index_range(buffer, 0, facts);
  }
  if (buffer.offset) reach = reach + facts.range(buffer.offset);
  return reach.high;
}

/// Sum of digit * stride over one run of iters, for a coordinate in [0, product of extents).
IndexSum apply_group(std::span<const ir::Iter> iters,
                     const IndexSum& coordinate,
                     const Facts& facts) {
  IndexSum place;
  std::int64_t inner = 1;
  for (const ir::Iter& iter : iters) inner *= iter.extent;
  bool outermost = true;
  for (const ir::Iter& iter : iters) {
    inner /= iter.extent;
    IndexSum digit = coordinate.floordiv(inner, facts);
    if (!outermost && iter.extent > 1) digit = digit.floormod(iter.extent, facts);
    if (iter.extent > 1 || outermost) place = place.plus(digit.times(iter.stride));
    // Unit iters in front do not hide the real outermost digit.
    if (iter.extent > 1) outermost = false;
  }
  return place;
}

/// The iters of each dimension, as few as possible.
Result<ir::Grouped> dims_of(const ir::TileLayout& tile, std::span<const std::int64_t> shape) {
  // A layout that only covers the shape (ragged scales) must keep its iters apart.
  if (!ir::group(tile, shape)) return ir::group_dims(tile, shape);
  const Result<ir::TileLayout> simple = ir::canonicalize(tile);
  if (simple) {
    Result<ir::Grouped> grouped = ir::group(*simple, shape);
    if (grouped) return grouped;
  }
  return ir::group_dims(tile, shape);
}

Result<IndexSum> layout_offset(const ir::BufferNode& buffer,
                               std::span<const IndexSum> indices,
                               const Facts& facts) {
  const ir::TileLayout& tile = buffer.layout->tile;
  for (const ir::Iter& iter : tile.shard()) {
    if (iter.axis.id() != ir::AxisId::m) {
      return Diagnostic{{},
                        fmt::format("{} lies on axis {}, which is not an address in memory",
                                    buffer.name, iter.axis.name()),
                        {}};
    }
  }
  const auto shape = ir::static_shape(buffer);
  if (!shape) {
    return Diagnostic{
        {}, fmt::format("{} has a layout, so its shape must be constant", buffer.name), {}};
  }
  IndexSum place = tile.offset_on(ir::AxisId::m);
  const auto grouped = dims_of(tile, *shape);
  if (grouped) {
    for (std::size_t k = 0; k < indices.size(); ++k) {
      const Interval bounds = {0, std::max<std::int64_t>((*shape)[k] - 1, 0)};
      place = place.plus(apply_group(grouped->group(k), indices[k].assuming(bounds), facts));
    }
    return place;
  }
  // The shape and the iters do not meet at common boundaries: split the row-major coordinate.
  IndexSum coordinate;
  std::int64_t size = 1;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    coordinate = coordinate.times((*shape)[k]).plus(indices[k]);
    size *= (*shape)[k];
  }
  coordinate = coordinate.assuming({0, std::max<std::int64_t>(size - 1, 0)});
  return place.plus(apply_group(tile.shard(), coordinate, facts));
}

}  // namespace

ir::Type offset_type(const ir::BufferNode& buffer, const Facts& facts) {
  const std::int64_t reach = largest_offset(buffer, facts);
  bool fixed = true;  // no symbol takes part: then the bytes count too
  for (const Expr& extent : buffer.shape) fixed = fixed && ir::as_const(extent) != nullptr;
  const std::int64_t bytes = num::bytes(buffer.dtype);
  if (reach > kReach32 || (fixed && reach >= kReach32 / bytes)) return ir::kInt64;
  return ir::kInt32;
}

std::string refuse_distributed(const ir::BufferNode& buffer) {
  if (!buffer.layout || !buffer.layout->tile.has_thread_axes()) return {};
  return fmt::format(
      "{} has a thread-axis layout ({}): each thread holds only its part, so it cannot be indexed "
      "directly. Use .view() + .local() to reach this thread's elements",
      buffer.name, ir::to_string(*buffer.layout));
}

Result<IndexSum> linear_offset(const ir::BufferNode& buffer,
                               std::span<const IndexSum> indices,
                               const Expr& offset,
                               const Facts& facts) {
  IndexSum place;
  if (buffer.layout) {
    Result<IndexSum> inside = layout_offset(buffer, indices, facts);
    if (!inside) return inside;
    place = std::move(inside).value();
  } else if (!buffer.strides.empty()) {
    for (std::size_t k = 0; k < indices.size(); ++k) {
      place = place.plus(indices[k].times(IndexSum::of(buffer.strides[k], facts)));
    }
  } else if (indices.size() <= 1) {
    if (!indices.empty()) place = indices[0];
  } else {
    return Diagnostic{{},
                      fmt::format("{} has layout=None: it takes one flat index, not {}",
                                  buffer.name, indices.size()),
                      {}};
  }
  return offset ? IndexSum::of(offset, facts).plus(place) : place;
}

Expr swizzle_offset(const IndexSum& address,
                    const ir::Swizzle& swizzle,
                    ir::Type type,
                    const Facts& facts) {
  if (swizzle.swizzle_len == 0) return address.to_expr(type);
  IndexSum whole;
  IndexSum inside;
  address.split(swizzle.period(), facts, whole, inside);
  if (inside.is_constant()) {
    return whole.plus(swizzle.apply(inside.constant())).to_expr(type);
  }
  const Expr x = inside.to_expr(type);
  const auto op = [&](num::ScalarOp kind, Expr a, Expr b) {
    return ir::make_expr(type, {}, ir::Scalar{kind, {std::move(a), std::move(b)}});
  };
  // The digit that is xored in, ((x >> …) & ones) << M, as a sum where that cannot be negative: it
  // often is a row number (`row % 8 * 8`).
  const int from = swizzle.per_element + (swizzle.inner ? swizzle.atom_len : 0);
  const int to = swizzle.per_element + (swizzle.inner ? 0 : swizzle.atom_len);
  if (inside.range(facts).low >= 0) {
    const IndexSum digit = inside.floordiv(std::int64_t{1} << from, facts)
                               .floormod(std::int64_t{1} << swizzle.swizzle_len, facts)
                               .times(std::int64_t{1} << to);
    Expr flipped = x;
    if (!(digit.is_constant() && digit.constant() == 0)) {
      flipped = op(num::ScalarOp::bit_xor, x, digit.to_expr(type));
    }
    if (whole.is_constant() && whole.constant() == 0) return flipped;
    return op(num::ScalarOp::add, whole.to_expr(type), flipped);
  }
  const std::int64_t ones = (std::int64_t{1} << swizzle.swizzle_len) - 1;
  const Expr shift = ir::make_int(swizzle.atom_len, type);
  Expr flips;
  if (swizzle.inner) {
    flips = op(num::ScalarOp::bit_and, op(num::ScalarOp::shr, x, shift),
               ir::make_int(ones << swizzle.per_element, type));
  } else {
    flips = op(num::ScalarOp::bit_and, op(num::ScalarOp::shl, x, shift),
               ir::make_int(ones << (swizzle.per_element + swizzle.atom_len), type));
  }
  const Expr mixed = op(num::ScalarOp::bit_xor, x, flips);
  if (whole.is_constant() && whole.constant() == 0) return mixed;
  return op(num::ScalarOp::add, whole.to_expr(type), mixed);
}

Result<Expr> flat_offset(const ir::BufferNode& buffer,
                         std::span<const Expr> indices,
                         const Expr& offset,
                         const Facts& facts) {
  const ir::Type type = offset_type(buffer, facts);
  // A plain one-dimensional buffer is indexed by what the user wrote.
  std::int64_t stride = 0;
  const bool unit =
      buffer.layout
          ? !buffer.layout->swizzle && buffer.layout->tile.shard().size() == 1 &&
                buffer.layout->tile.shard()[0].stride == 1 &&
                buffer.layout->tile.shard()[0].axis.id() == ir::AxisId::m &&
                buffer.layout->tile.offset().empty()
          : buffer.strides.empty() || (ir::is_const_int(buffer.strides[0], stride) && stride == 1);
  if (indices.size() == 1 && unit && !offset && indices[0]->type == type) return indices[0];
  // An index lies inside its dimension; where it does not, the access faults.
  Facts here(&facts);
  std::vector<IndexSum> sums;
  std::vector<IndexSum> assumed;  // facts know expressions by address: these must stay alive
  for (std::size_t k = 0; k < indices.size(); ++k) {
    assumed.push_back(IndexSum::of(indices[k], facts));
    const IndexSum& sum = assumed.back();
    const auto& terms = sum.terms();
    if (terms.size() == 1 && terms[0].coefficient == 1 && terms[0].factors.size() == 1) {
      const Interval bounds = index_range(buffer, k, facts);
      here.assume(terms[0].factors[0], bounds + Interval{-sum.constant(), -sum.constant()});
    }
  }
  for (const Expr& index : indices) sums.push_back(IndexSum::of(index, here));
  const Result<IndexSum> place = linear_offset(buffer, sums, offset, here);
  if (!place) return place.error();
  if (buffer.layout && buffer.layout->swizzle) {
    return swizzle_offset(*place, *buffer.layout->swizzle, type, here);
  }
  return place->to_expr(type);
}

namespace {

/// Whether the place is known to be a multiple of what the CUDA of a vector is aligned to.
bool is_aligned(const ir::BufferNode& buffer,
                std::span<const Expr> indices,
                const Expr& offset,
                std::int64_t lanes,
                const Facts& facts) {
  const std::int64_t size = num::bytes(buffer.dtype);
  if (!std::has_single_bit(static_cast<std::uint64_t>(lanes * size))) return true;
  const std::int64_t need = std::min<std::int64_t>(lanes, 16 / size);
  std::vector<IndexSum> sums;
  for (const Expr& index : indices) sums.push_back(IndexSum::of(index, facts));
  const Result<IndexSum> place = linear_offset(buffer, sums, offset, facts);
  return place.ok() && place->divisible_by(need, facts);
}

}  // namespace

bool is_plain_vector(const ir::BufferNode& buffer,
                     std::span<const Expr> indices,
                     const Expr& offset,
                     std::int64_t lanes,
                     std::int64_t stride,
                     const Facts& facts) {
  if (lanes == 1) return true;
  if (indices.empty()) return false;
  // Registers may be named from anywhere on; where they lie in memory, a vector is aligned.
  if (buffer.scope() == ir::MemoryScope::local && stride == 1 && num::bits(buffer.dtype) != 4 &&
      !is_aligned(buffer, indices, offset, lanes, facts)) {
    return false;
  }
  if (!buffer.layout) {
    std::int64_t last = 1;
    return buffer.strides.empty() || (ir::is_const_int(buffer.strides.back(), last) && last == 1);
  }
  const auto shape = ir::static_shape(buffer);
  if (!shape) return false;
  const auto grouped = dims_of(buffer.layout->tile, *shape);
  if (!grouped) return false;
  const auto iters = grouped->group(grouped->rank() - 1);
  // The last iter of more than one element is the run of neighbours.
  std::int64_t run = 1;
  std::int64_t above_one = 0;
  for (const ir::Iter& iter : iters) {
    if (iter.extent == 1) continue;
    ++above_one;
    run = iter.stride == 1 ? iter.extent : 1;
  }
  if (!buffer.layout->swizzle) {
    if (above_one == 1 && run > 1) return true;
  } else {
    run = std::min(run, buffer.layout->swizzle->chunk());
  }
  if (stride != 1 || run % lanes != 0) return false;
  if (!IndexSum::of(indices.back(), facts).divisible_by(lanes, facts)) return false;
  if (!buffer.layout->swizzle) return true;
  std::vector<IndexSum> sums;
  for (const Expr& index : indices) sums.push_back(IndexSum::of(index, facts));
  const Result<IndexSum> place = linear_offset(buffer, sums, offset, facts);
  return place.ok() && place->divisible_by(lanes, facts);
}

}  // namespace tirx::lower
