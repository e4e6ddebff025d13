// See scales.hpp.
#include "lower/gemm/scales.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tirx::lower {

namespace {

Diagnostic reason(std::string text) {
  return {{}, std::move(text), {}};
}

/// How many neighbours along a wide dimension certainly share one place, from its start on.
std::int64_t run_of(const StridedTile& tile, std::size_t dim) {
  std::int64_t run = 1;
  for (std::size_t k = tile.iters.size(); k-- > 0;) {
    const StridedIter& iter = tile.iters[k];
    if (iter.dim != dim) continue;
    if (!(iter.stride == ir::IndexSum(0))) break;
    run *= iter.extent;
  }
  return run;
}

}  // namespace

Result<ScaleTile> ScaleTile::make(const Site& site,
                                  std::size_t operand,
                                  const char* role,
                                  std::int64_t mn,
                                  std::int64_t k,
                                  std::int64_t interval,
                                  bool k_first,
                                  bool zero_fill) {
  const TileSide& side = *site.sides[operand];
  const ir::BufferNode& buffer = side.buffer();
  const num::DType dtype = buffer.dtype;
  if (dtype != num::DType::f32 && dtype != num::DType::e8m0) {
    return reason(fmt::format("scales — {} is {}; scales are float32 or float8_e8m0fnu", role,
                              num::name(dtype)));
  }
  if (buffer.scope() == ir::MemoryScope::local) {
    return reason(fmt::format("scales — {} is in registers; scales are read from memory", role));
  }
  const auto rank = static_cast<int>(side.region.ranges.size());
  if (side.extents.empty() || rank < 2) {
    return reason(fmt::format("scales — {} needs two dimensions of constant extents", role));
  }
  for (int dim = 0; dim + 2 < rank; ++dim) {
    if (side.extents[static_cast<std::size_t>(dim)] != 1) {
      return reason(fmt::format("scales — {} has more than two dimensions", role));
    }
  }
  ScaleTile made;
  made.side_ = &side;
  made.span_ = site.span;
  made.facts_ = &site.facts;
  made.zero_fill_ = zero_fill;
  const int k_dim = k_first ? rank - 2 : rank - 1;
  const int mn_dim = k_first ? rank - 1 : rank - 2;
  const std::int64_t along_k = side.extents[static_cast<std::size_t>(k_dim)];
  const std::int64_t along_mn = side.extents[static_cast<std::size_t>(mn_dim)];
  if (along_mn != 1 && along_mn != mn) {
    return reason(fmt::format("scales — {} has {} rows for {} of the matrix", role, along_mn, mn));
  }
  if (along_mn != 1) made.mn_dim_ = mn_dim;
  if (along_k == 1) return made;
  made.k_dim_ = k_dim;
  if (along_k == k / interval) {
    made.k_step_ = 1;
    return made;
  }
  if (along_k != k) {
    return reason(fmt::format(
        "scales — {} has {} scales along K; K is {} and the promotion interval {}, so it needs {}",
        role, along_k, k, interval, k / interval));
  }
  // One row is enough, and of it what is inside the tensor.
  TileSide row = side;
  row.extents[static_cast<std::size_t>(mn_dim)] = 1;
  std::int64_t& inside = row.extents[static_cast<std::size_t>(k_dim)];
  if (std::int64_t dim = 0; ir::is_const_int(buffer.shape[static_cast<std::size_t>(k_dim)], dim)) {
    inside = std::min(inside, dim);
  }
  row.wide_dims.clear();
  if (inside > 1) row.wide_dims.push_back(static_cast<std::size_t>(k_dim));
  const Result<StridedTile> tile =
      strided_tile(row, site.buffer_offsets[operand], site.facts, ir::AxisFusion::none);
  if (!tile) return tile.error();
  const std::int64_t run = run_of(*tile, 0);
  if (run % interval != 0 && run < inside) {
    return reason(fmt::format(
        "scales — {} changes after {} along K, inside a promotion interval of {}: a k step would "
        "straddle two scale blocks",
        role, run, interval));
  }
  made.k_step_ = interval;
  return made;
}

ir::Expr ScaleTile::value(const ir::IndexSum& at, const ir::IndexSum& q) const {
  ir::Access access{side_->region.buffer, {}, {}, 1, {}};
  for (std::size_t dim = 0; dim < side_->begins.size(); ++dim) {
    ir::IndexSum index = side_->begins[dim];
    if (static_cast<int>(dim) == mn_dim_) index = index.plus(at);
    if (static_cast<int>(dim) == k_dim_) index = index.plus(q.times(k_step_));
    access.indices.push_back(index.to_expr(ir::kInt32));
  }
  const ir::Type type{access.buffer->dtype, 1};
  ir::Expr value = ir::make_expr(type, span_, ir::Load{access});
  const ir::Type f32{num::DType::f32, 1};
  if (!(type == f32)) value = ir::make_expr(f32, span_, ir::Cast{value});
  return zero_fill_ ? guarded(std::move(value), access) : value;
}

ir::Expr ScaleTile::guarded(ir::Expr value, const ir::Access& access) const {
  ir::Expr inside;
  for (std::size_t dim = 0; dim < access.indices.size(); ++dim) {
    const ir::Expr& index = access.indices[dim];
    ir::Expr limit = access.buffer->shape[dim];
    const ir::Interval at = facts_->range(index);
    if (at.low >= 0 && at.high < facts_->range(limit).low) continue;
    if (!(limit->type == index->type)) {
      limit = ir::make_expr(index->type, span_, ir::Cast{limit});
    }
    const auto compare = [&](num::ScalarOp op, const ir::Expr& bound) {
      ir::Expr one = ir::make_expr(ir::kBool, span_, ir::Scalar{op, {index, bound}});
      inside = inside ? ir::make_expr(ir::kBool, span_, ir::And{inside, one}) : one;
    };
    if (at.low < 0) compare(num::ScalarOp::ge, ir::make_int(0, index->type));
    compare(num::ScalarOp::lt, limit);
  }
  if (!inside) return value;
  const ir::Type f32{num::DType::f32, 1};
  const ir::Expr zero = ir::make_expr(f32, span_, ir::Const{0});
  return ir::make_expr(f32, span_, ir::IfThenElse{inside, std::move(value), zero});
}

}  // namespace tirx::lower
