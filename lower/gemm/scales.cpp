// See scales.hpp.
#include "lower/gemm/scales.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/gemm_scales.hpp"
#include "lower/copy/edge.hpp"

namespace tirx::lower {

namespace {

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

std::string straddles(const char* role, std::int64_t run, std::int64_t interval) {
  return fmt::format(
      "scales — {} changes after {} along K, inside a promotion interval of {}: a k step would "
      "straddle two scale blocks",
      role, run, interval);
}

}  // namespace

Result<ScaleTile> ScaleTile::make(const Site& site,
                                  const GemmPlan& plan,
                                  bool of_a,
                                  std::int64_t interval,
                                  bool k_first,
                                  bool zero_fill) {
  const std::size_t operand = ir::kFirstGemmScale + (of_a ? 0 : 1);
  const char* role = ir::kGemmScales[of_a ? 0 : 1].data();
  const std::int64_t mn = of_a ? plan.d.rows() : plan.d.columns();
  const std::int64_t k = plan.a.columns();
  const TileSide& side = *site.sides[operand];
  const num::DType dtype = side.buffer().dtype;
  if (dtype != num::DType::f32 && dtype != num::DType::e8m0) {
    return placeless(fmt::format("scales — {} is {}; scales are float32 or float8_e8m0fnu", role,
                                 num::name(dtype)));
  }
  const auto rank = static_cast<int>(side.region.ranges.size());
  if (side.extents.empty() || rank < 2) {
    return placeless(fmt::format("scales — {} needs two dimensions of constant extents", role));
  }
  for (int dim = 0; dim + 2 < rank; ++dim) {
    if (side.extents[static_cast<std::size_t>(dim)] != 1) {
      return placeless(fmt::format("scales — {} has more than two dimensions", role));
    }
  }
  ScaleTile made;
  made.side_ = &side;
  made.span_ = site.span;
  made.facts_ = &site.facts;
  made.role_ = role;
  made.zero_fill_ = zero_fill;
  made.k_dim_ = k_first ? rank - 2 : rank - 1;
  made.mn_dim_ = k_first ? rank - 1 : rank - 2;
  made.along_k_ = side.extents[static_cast<std::size_t>(made.k_dim_)];
  made.along_mn_ = side.extents[static_cast<std::size_t>(made.mn_dim_)];
  if (made.along_mn_ == k / interval && made.along_k_ == mn && mn != k / interval) {
    return placeless(
        fmt::format("scales — {} is ({}, {}), transposed: it has the orientation of its matrix",
                    role, side.extents[static_cast<std::size_t>(rank - 2)], side.extents.back()));
  }
  if (made.along_mn_ != 1 && made.along_mn_ != mn) {
    return placeless(fmt::format("scales — {} has {} {} for {} of the matrix", role, made.along_mn_,
                                 of_a ? "rows" : "columns", mn));
  }
  if (made.along_k_ == 1) {
    made.k_step_ = 0;
  } else if (made.along_k_ == k / interval) {
    made.k_step_ = 1;
  } else if (made.along_k_ == k) {
    made.k_step_ = interval;
  } else {
    return placeless(fmt::format(
        "scales — {} has {} scales along K; K is {} and the promotion interval {}, so it needs {}",
        role, made.along_k_, k, interval, k / interval));
  }
  const bool registers = side.buffer().scope() == ir::MemoryScope::local;
  if (auto wrong = registers ? made.find_registers(site, plan, of_a, interval)
                             : made.check_memory(site, operand, interval)) {
    return placeless(std::move(*wrong));
  }
  return made;
}

/// Whether every interval has one scale.
std::optional<std::string> ScaleTile::check_memory(const Site& site,
                                                   std::size_t operand,
                                                   std::int64_t interval) const {
  if (k_step_ != interval || interval == 1) return std::nullopt;
  // One row is enough, and of it what is inside the tensor.
  TileSide row = *side_;
  row.extents[static_cast<std::size_t>(mn_dim_)] = 1;
  std::int64_t& inside = row.extents[static_cast<std::size_t>(k_dim_)];
  if (std::int64_t dim = 0;
      ir::is_const_int(side_->buffer().shape[static_cast<std::size_t>(k_dim_)], dim)) {
    inside = std::min(inside, dim);
  }
  row.wide_dims.clear();
  if (inside > 1) row.wide_dims.push_back(static_cast<std::size_t>(k_dim_));
  const Result<StridedTile> tile =
      strided_tile(row, site.buffer_offsets[operand], site.facts, ir::AxisFusion::none);
  if (!tile) return tile.error().text;
  const std::int64_t run = run_of(*tile, 0);
  if (run % interval == 0 || run >= inside) return std::nullopt;
  return straddles(role_, run, interval);
}

std::optional<std::string> ScaleTile::find_registers(const Site& site,
                                                     const GemmPlan& plan,
                                                     bool of_a,
                                                     std::int64_t interval) {
  if (!side_->buffer().layout) {
    return fmt::format("layouts — {} has layout=None", side_->buffer().name);
  }
  Result<RegisterTile> tile =
      RegisterTile::make(site, ir::kFirstGemmScale + (of_a ? 0 : 1),
                         static_cast<std::size_t>(mn_dim_), static_cast<std::size_t>(k_dim_));
  if (!tile) return tile.error().text;
  tile_ = std::move(tile).value();
  for (std::int64_t warp = 0; warp < site.threads / ir::kLanesPerWarp; ++warp) {
    Result<RegisterTable> table = registers_of(plan, of_a, interval, warp);
    if (!table) return table.error().text;
    if (warp == 0)
      regs_ = std::move(table).value();
    else if (!(*table == regs_)) {
      return fmt::format("scales — warp {} holds {} in other registers than warp 0", warp, role_);
    }
  }
  return std::nullopt;
}

/// Where warp `warp` has the scales that it needs; each must be held by all lanes that hold its row
/// (column) of D, and those of one half in the same register.
Result<RegisterTable> ScaleTile::registers_of(const GemmPlan& plan,
                                              bool of_a,
                                              std::int64_t interval,
                                              std::int64_t warp) const {
  const OwnedTiles owned = owned_tiles(plan.d, plan.mma.m, warp);
  const std::vector<std::int64_t>& firsts = of_a ? owned.rows : owned.columns;
  const std::int64_t intervals = plan.a.columns() / interval;
  RegisterTable table(firsts.size(), static_cast<std::size_t>(intervals), 2);
  const int lines = of_a ? plan.mma.m : kMmaColumns;
  const int across = of_a ? kMmaColumns : plan.mma.m;
  for (std::size_t t = 0; t < firsts.size(); ++t) {
    for (std::int64_t q = 0; q < intervals; ++q) {
      std::int64_t seen[2] = {-1, -1};
      for (int line = 0; line < lines; ++line) {
        const std::int64_t at = along_mn_ == 1 ? 0 : firsts[t] + line;
        const std::int64_t reg = tile_->reg(at, q * k_step_);
        std::int64_t& half = seen[of_a ? line / (plan.mma.m / 2) : line % 2];
        if (half >= 0 && half != reg) {
          return placeless(fmt::format(
              "scales — {}: the scales of {} lie in different registers of the lanes that need "
              "them: lay it out as D's {}, {}",
              side_->buffer().name, of_a ? "rows 0 … 7 of a tile" : "even columns of a tile",
              of_a ? "rows" : "columns",
              of_a ? "S[(2, 8):(1, 4@laneid)] + R[4:1@laneid]"
                   : "S[(4, 2):(1@laneid, 1)] + R[8:4@laneid]"));
        }
        half = reg;
        for (int other = 0; other < across; ++other) {
          const int lane = (of_a ? place_in_d(line, other) : place_in_d(other, line)).lane;
          for (std::int64_t l = 0; l < std::max<std::int64_t>(k_step_, 1); ++l) {
            const std::int64_t k = q * k_step_ + l;
            if (tile_->reg(at, k) != reg) return placeless(straddles(role_, l, interval));
            if (tile_->held(at, k, warp, lane)) continue;
            return placeless(fmt::format(
                "scales — {}[{}] is needed in lane {} of warp {}, which holds {} of D: replicate "
                "it there, R[{}]",
                side_->buffer().name,
                mn_dim_ < k_dim_ ? fmt::format("{}, {}", at, k) : fmt::format("{}, {}", k, at),
                lane, warp, of_a ? fmt::format("row {}", at) : fmt::format("column {}", at),
                of_a ? "4:1@laneid" : "8:4@laneid"));
          }
        }
      }
      table.at(t, static_cast<std::size_t>(q), 0) = seen[0];
      table.at(t, static_cast<std::size_t>(q), 1) = seen[1];
    }
  }
  return table;
}

ir::Expr ScaleTile::value(const ScalePlace& place) const {
  ir::Access access{side_->region.buffer, {}, {}, 1, {}};
  if (tile_) {
    const ir::IndexSum at = along_mn_ == 1 ? ir::IndexSum(0) : place.first;
    access.indices = tile_->indices(at, place.q.times(k_step_));
    access.flat = tile_->base()
                      .plus(regs_.index(place.tile, place.q, static_cast<std::size_t>(place.half)))
                      .to_expr(ir::kInt32);
    return as_float32(std::move(access));
  }
  for (std::size_t dim = 0; dim < side_->begins.size(); ++dim) {
    ir::IndexSum index = side_->begins[dim];
    if (static_cast<int>(dim) == mn_dim_ && along_mn_ != 1) index = index.plus(place.at);
    if (static_cast<int>(dim) == k_dim_) index = index.plus(place.q.times(k_step_));
    access.indices.push_back(index.to_expr(ir::kInt32));
  }
  ir::Expr value = as_float32(access);
  return zero_fill_ ? guarded(std::move(value), access) : value;
}

ir::Expr ScaleTile::as_float32(ir::Access access) const {
  const ir::Type type{access.buffer->dtype, 1};
  ir::Expr value = ir::make_expr(type, span_, ir::Load{std::move(access)});
  const ir::Type f32{num::DType::f32, 1};
  return type == f32 ? value : ir::make_expr(f32, span_, ir::Cast{value});
}

ir::Expr ScaleTile::guarded(ir::Expr value, const ir::Access& access) const {
  ir::Expr inside;
  for (std::size_t dim = 0; dim < access.indices.size(); ++dim) {
    const ir::Expr& index = access.indices[dim];
    const ir::Expr& limit = access.buffer->shape[dim];
    const ir::Interval at = facts_->range(index);
    if (at.low >= 0 && at.high < facts_->range(limit).low) continue;
    const auto compare = [&](num::ScalarOp op, const ir::Expr& a, const ir::Expr& b) {
      ir::Expr one = ir::make_expr(ir::kBool, span_, ir::Scalar{op, {a, b}});
      inside = inside ? ir::make_expr(ir::kBool, span_, ir::And{inside, one}) : one;
    };
    if (at.low < 0) compare(num::ScalarOp::ge, index, ir::make_int(0, index->type));
    const auto [inner, end] = in_one_type(index, limit, span_);
    compare(num::ScalarOp::lt, inner, end);
  }
  if (!inside) return value;
  const ir::Type f32{num::DType::f32, 1};
  const ir::Expr zero = ir::make_expr(f32, span_, ir::Const{0});
  return ir::make_expr(f32, span_, ir::IfThenElse{inside, std::move(value), zero});
}

}  // namespace tirx::lower
