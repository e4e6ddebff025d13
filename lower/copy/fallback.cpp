// copy / fallback: the first active thread of the scope copies element by element.  It takes what
// the fast variants refuse, and says so in a warning.
#include <utility>

#include <fmt/format.h>

#include "ir/equal.hpp"
#include "ir/print.hpp"
#include "lower/copy/copy.hpp"
#include "lower/copy/edge.hpp"

namespace tirx::lower {

namespace {

/// Dimensions that are not known to have one element, in order.
std::vector<std::size_t> loop_dims(const TileSide& side) {
  std::vector<std::size_t> dims;
  for (std::size_t i = 0; i < side.region.ranges.size(); ++i) {
    std::int64_t extent = 0;
    if (!ir::is_const_int(side.region.ranges[i].extent, extent) || extent != 1) dims.push_back(i);
  }
  return dims;
}

bool packs_two(num::DType dtype) {
  return element_bits(dtype) == 4;
}

/// Whether the elements 0, 1 and 2, 3 and … of the last dimension are the two halves of a byte.
bool pairs_are_bytes(const Site& site, std::size_t operand) {
  const TileSide& side = *site.sides[operand];
  if (side.wide_dims.empty() || side.wide_dims.back() + 1 != side.region.ranges.size())
    return false;
  const Result<StridedTile> tile =
      strided_tile(side, site.buffer_offsets[operand], site.facts, ir::AxisFusion::none);
  if (!tile || tile->iters.empty() || !tile->base.divisible_by(2, site.facts)) return false;
  if (tile->swizzle && tile->swizzle->per_element == 0) return false;
  const StridedIter& last = tile->iters.back();
  if (last.dim + 1 != side.wide_dims.size() || !(last.stride == ir::IndexSum(1))) return false;
  if (last.extent % 2 != 0 || !side.begins.back().divisible_by(2, site.facts)) return false;
  for (std::size_t k = 0; k + 1 < tile->iters.size(); ++k) {
    if (!tile->iters[k].stride.divisible_by(2, site.facts)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> refuse_fallback(const Site& site) {
  if (auto reason = refuse_scope(site)) return reason;
  if (auto reason = refuse_operands(site)) return reason;
  for (const TileSide* side : {&copy_dst(site), &copy_src(site)}) {
    const ir::BufferNode& buffer = side->buffer();
    if (buffer.layout && buffer.layout->tile.has_thread_axes()) {
      return fmt::format("no_thread_axes — {} is spread over threads", buffer.name);
    }
    if (buffer.scope() == ir::MemoryScope::local && site.scope != ir::ExecScope::thread) {
      return fmt::format("no_registers — {} is private to each thread, and one thread would copy",
                         buffer.name);
    }
  }
  if (auto reason = refuse_edge(site)) return reason;
  const auto dst = loop_dims(copy_dst(site));
  const auto src = loop_dims(copy_src(site));
  if (dst.size() != src.size()) return "validate_copy — the regions have different ranks";
  for (std::size_t j = 0; j < dst.size(); ++j) {
    const ir::Expr& a = copy_dst(site).region.ranges[dst[j]].extent;
    const ir::Expr& b = copy_src(site).region.ranges[src[j]].extent;
    if (!(ir::IndexSum::of(a, site.facts) == ir::IndexSum::of(b, site.facts))) {
      return fmt::format("validate_copy — extents differ: {} and {}", ir::to_string(a),
                         ir::to_string(b));
    }
  }
  if (packs_two(copy_dst(site).buffer().dtype) &&
      !(pairs_are_bytes(site, 0) && pairs_are_bytes(site, 1))) {
    return "whole_bytes — 4-bit elements move in pairs along the last dimension, and here a pair "
           "is "
           "no byte";
  }
  return std::nullopt;
}

Result<Expansion> expand_fallback(const Site& site) {
  const auto dst_dims = loop_dims(copy_dst(site));
  const auto src_dims = loop_dims(copy_src(site));
  const num::DType dtype = copy_dst(site).buffer().dtype;
  const int lanes = packs_two(dtype) ? 2 : 1;
  std::vector<ir::Var> loops;
  for (std::size_t j = 0; j < dst_dims.size(); ++j) {
    const ir::Type extent = copy_dst(site).region.ranges[dst_dims[j]].extent->type;
    loops.push_back(std::make_shared<ir::Variable>(
        ir::Variable{dst_dims.size() == 1 ? "i" : fmt::format("i{}", j),
                     num::bits(extent.dtype) == 64 ? ir::kInt64 : ir::kInt32, site.span}));
  }
  const auto access = [&](const TileSide& side, const std::vector<std::size_t>& dims) {
    ir::Access result{side.region.buffer, {}, {}, 1, {}};
    for (const ir::Range& range : side.region.ranges) result.indices.push_back(range.begin);
    for (std::size_t j = 0; j < dims.size(); ++j) {
      ir::Expr& index = result.indices[dims[j]];
      std::int64_t begin = 1;
      ir::Expr step = ir::make_var(loops[j]);
      const ir::Type type = step->type == ir::kInt64 ? ir::kInt64 : index->type;
      if (!(step->type == type)) step = ir::make_expr(type, site.span, ir::Cast{step});
      if (ir::is_const_int(index, begin) && begin == 0) {
        index = step;
      } else {
        if (!(index->type == type)) index = ir::make_expr(type, site.span, ir::Cast{index});
        index = ir::make_expr(type, site.span, ir::Scalar{num::ScalarOp::add, {index, step}});
      }
    }
    return result;
  };
  const ir::Type value{dtype, static_cast<std::uint16_t>(lanes)};
  ir::Stmt inner{site.span, ir::Store{access(copy_dst(site), dst_dims),
                                      ir::make_expr(value, site.span,
                                                    ir::Load{access(copy_src(site), src_dims)})}};
  for (std::size_t j = loops.size(); j-- > 0;) {
    const bool innermost = j + 1 == loops.size();
    ir::Expr end = copy_dst(site).region.ranges[dst_dims[j]].extent;
    const ir::Type type = loops[j]->type;
    if (!(end->type == type)) end = ir::make_expr(type, site.span, ir::Cast{end});
    ir::For loop{loops[j],
                 ir::make_int(0, type),
                 end,
                 ir::make_int(innermost ? lanes : 1, type),
                 ir::LoopKind::serial,
                 0,
                 {}};
    loop.body.push_back(std::move(inner));
    inner = {site.span, std::move(loop)};
  }
  Expansion expansion;
  expansion.vector = 1;
  expansion.rounds = copy_dst(site).extents.empty() ? 0 : copy_dst(site).size();
  if (site.first_thread) {
    ir::If guard{site.first_thread, {}, {}};
    guard.then_body.push_back(std::move(inner));
    expansion.body.push_back({site.span, std::move(guard)});
  } else {
    expansion.body.push_back(std::move(inner));
  }
  expansion.warnings.push_back(
      {site.span,
       fmt::format("copy/fallback (scalar single-thread) picked for {} -> {} at scope_kind={}",
                   ir::to_string(copy_src(site).region), ir::to_string(copy_dst(site).region),
                   ir::name_of(site.scope)),
       {{{}, "tirx explain says why the faster variants refused"}},
       Severity::warning});
  return expansion;
}

}  // namespace tirx::lower
