// Regions of tile calls: ranks, static bounds, and what may be written.
#include <algorithm>

#include <fmt/format.h>

#include "ir/layout/algebra.hpp"
#include "ir/print.hpp"
#include "ir/simplify.hpp"
#include "ir/verify.hpp"

namespace tirx::ir {

namespace {

std::string shape_text(const BufferNode& buffer) {
  std::string text;
  for (const Expr& extent : buffer.shape) text += (text.empty() ? "" : ", ") + to_string(extent);
  return fmt::format("({}{})", text, buffer.shape.size() == 1 ? "," : "");
}

std::optional<Diagnostic> check_bounds(const Region& region, Span span) {
  const BufferNode& buffer = *region.buffer;
  if (region.ranges.size() != buffer.shape.size()) {
    return Diagnostic{span,
                      fmt::format("a region of {} needs {} ranges, got {}", buffer.name,
                                  buffer.shape.size(), region.ranges.size()),
                      {}};
  }
  const Facts facts;
  for (std::size_t i = 0; i < region.ranges.size(); ++i) {
    const IndexSum extent = IndexSum::of(region.ranges[i].extent, facts);
    const IndexSum begin = IndexSum::of(region.ranges[i].begin, facts);
    if (extent.is_constant() && extent.constant() <= 0) {
      return Diagnostic{span,
                        fmt::format("the region {} is empty: dimension {} has {} elements",
                                    to_string(region), i, extent.constant()),
                        {}};
    }
    std::int64_t dim = 0;
    if (!is_const_int(buffer.shape[i], dim)) continue;
    const bool before = begin.is_constant() && begin.constant() < 0;
    const bool wide = extent.is_constant() && extent.constant() > dim;
    const bool beyond =
        begin.is_constant() && extent.is_constant() && begin.constant() > dim - extent.constant();
    if (!before && !wide && !beyond) continue;
    return Diagnostic{span,
                      fmt::format("the region {} leaves {}, whose shape is {}: dimension {} {}",
                                  to_string(region), buffer.name, shape_text(buffer), i,
                                  before ? "starts at 0" : fmt::format("ends at {}", dim)),
                      {}};
  }
  return std::nullopt;
}

/// Whether two elements of the region share a place because a stride is 0.
bool is_broadcast(const Region& region) {
  const BufferNode& buffer = *region.buffer;
  const Facts facts;
  if (!buffer.layout) {
    for (std::size_t i = 0; i < buffer.strides.size(); ++i) {
      std::int64_t stride = 1;
      std::int64_t extent = 0;
      const bool wide = !is_const_int(region.ranges[i].extent, extent) || extent > 1;
      if (wide && is_const_int(buffer.strides[i], stride) && stride == 0) return true;
    }
    return false;
  }
  if (!buffer.layout->tile.has_broadcast()) return false;
  const auto shape = static_shape(buffer);
  std::vector<RegionDim> dims;
  for (const Range& range : region.ranges) {
    const IndexSum extent = IndexSum::of(range.extent, facts);
    const IndexSum begin = IndexSum::of(range.begin, facts);
    if (!extent.is_constant()) return true;
    RegionDim dim{std::nullopt, std::max<std::int64_t>(begin.divisor(facts), 1), extent.constant()};
    if (begin.is_constant()) dim.begin = begin.constant();
    dims.push_back(dim);
  }
  if (!shape) return true;
  const auto sliced = slice_at(buffer.layout->tile, *shape, dims);
  return !sliced || sliced->layout.has_broadcast();
}

/// Whether the operand's region may leave its buffer: what is outside then reads as zero.
bool may_leave(const TileCall& call, std::size_t operand) {
  // An edge copy looks at the ends of both buffers.
  if (call.op == TileOp::copy && (call.config.contains("clip") || call.config.contains("fill"))) {
    return true;
  }
  if (call.config.count("fill_mode") == 0) return false;
  return call.op == TileOp::copy_async ? operand == 1 : call.op == TileOp::gemm && operand >= 4;
}

}  // namespace

std::optional<Diagnostic> verify_tile_call(const TileCall& call, Span span) {
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const auto* region = std::get_if<Region>(&call.operands[i]);
    if (region == nullptr || may_leave(call, i)) continue;
    if (auto wrong = check_bounds(*region, region->span.empty() ? span : region->span))
      return wrong;
  }
  if (call.operands.empty()) return std::nullopt;
  const auto* dst = std::get_if<Region>(&call.operands[0]);
  if (dst == nullptr || !is_broadcast(*dst)) return std::nullopt;
  return Diagnostic{
      dst->span.empty() ? span : dst->span,
      fmt::format("{} cannot be written as a tile: its layout has a stride of 0, so several "
                  "elements of the region share one place",
                  dst->buffer->name),
      {{{}, "write one element of each group, or use a layout without stride 0"}}};
}

}  // namespace tirx::ir
