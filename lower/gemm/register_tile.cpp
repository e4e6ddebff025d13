// See register_tile.hpp.
#include "lower/gemm/register_tile.hpp"

#include <fmt/format.h>

namespace tirx::lower {

namespace {

using ir::AxisId;
using ir::IndexSum;

/// What a step on a thread axis means inside an instance of the scope.
struct AxisStep {
  enum class Counts : std::uint8_t { lanes, warps, threads } counts = Counts::lanes;
  std::int64_t factor = 1;
};

std::optional<AxisStep> step_of(AxisId axis) {
  switch (axis) {
    case AxisId::laneid:
      return AxisStep{AxisStep::Counts::lanes, 1};
    case AxisId::warpid:
    case AxisId::wid_in_wg:
      return AxisStep{AxisStep::Counts::warps, 1};
    case AxisId::wgid:
      return AxisStep{AxisStep::Counts::warps, ir::kWarpsPerWarpgroup};
    case AxisId::tx:
    case AxisId::tid_in_wg:
      return AxisStep{AxisStep::Counts::threads, 1};
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<RegisterTile> RegisterTile::make(const Site& site, std::size_t operand, bool transposed) {
  const TileSide& side = *site.sides[operand];
  if (side.wide_dims.size() != 2) {
    return Diagnostic{{},
                      fmt::format("two_dims — {} has {} dimensions of more than one element, not 2",
                                  side.buffer().name, side.wide_dims.size()),
                      {}};
  }
  return make(site, operand, side.wide_dims[transposed ? 1 : 0],
              side.wide_dims[transposed ? 0 : 1]);
}

Result<RegisterTile> RegisterTile::make(const Site& site,
                                        std::size_t operand,
                                        std::size_t row_dim,
                                        std::size_t column_dim) {
  const auto refuse = [](std::string reason) { return Diagnostic{{}, std::move(reason), {}}; };
  const TileSide& side = *site.sides[operand];
  const std::string& name = side.buffer().name;
  const Result<StridedTile> tile =
      strided_tile(side, site.buffer_offsets[operand], site.facts, ir::AxisFusion::none);
  if (!tile) return tile.error();
  if (tile->swizzle) return refuse(fmt::format("plain_layout — {} is swizzled", name));
  for (const auto& [axis, offset] : tile->thread_offset) {
    if (offset != 0) {
      return refuse(
          fmt::format("{} starts {} threads further on axis {}", name, offset, axis.name()));
    }
  }
  RegisterTile made;
  made.side_ = &side;
  made.dims_[0] = row_dim;
  made.dims_[1] = column_dim;
  made.extents_[0] = side.extents[row_dim];
  made.extents_[1] = side.extents[column_dim];
  for (std::size_t dim = 0; dim < 2; ++dim) {
    made.thread_of_[dim].assign(static_cast<std::size_t>(made.extents_[dim]), 0);
    made.reg_of_[dim].assign(static_cast<std::size_t>(made.extents_[dim]), 0);
  }
  const auto add = [](std::vector<std::int64_t>& sums, const StridedIter& iter,
                      std::int64_t stride) {
    for (std::size_t at = 0; at < sums.size(); ++at)
      sums[at] += static_cast<std::int64_t>(at) / iter.weight % iter.extent * stride;
  };
  bool warps_told_apart = false;
  made.base_ = tile->base;
  bool any_thread = false;
  const auto classify = [&](const ir::Axis& axis) -> std::optional<AxisStep> {
    if (site.axis_extents.find(axis.id()) == site.axis_extents.end()) return std::nullopt;
    return step_of(axis.id());
  };
  for (const StridedIter& iter : tile->iters) {
    const std::size_t dim = side.wide_dims[iter.dim] == row_dim ? 0 : 1;
    if (!iter.axis.is_thread()) {
      add(made.reg_of_[dim], iter, iter.stride.constant());
      continue;
    }
    const auto step = classify(iter.axis);
    if (!step) {
      return refuse(fmt::format("{} lies on axis {}, which is not inside a {}", name,
                                iter.axis.name(), ir::name_of(site.scope)));
    }
    any_thread = true;
    const IndexSum value = IndexSum::of(site.axis_values.at(iter.axis.id()), site.facts);
    made.thread_part_[dim] =
        made.thread_part_[dim].plus(value.floordiv(iter.stride.constant(), site.facts)
                                        .floormod(iter.extent, site.facts)
                                        .times(iter.weight));
    const bool by_warp = step->counts == AxisStep::Counts::warps;
    warps_told_apart = warps_told_apart || step->counts != AxisStep::Counts::lanes;
    add(made.thread_of_[dim], iter,
        iter.stride.constant() * step->factor * (by_warp ? ir::kLanesPerWarp : 1));
  }
  if (!any_thread && tile->replica.empty()) {
    return refuse(
        fmt::format("fragments — {} is private to each thread: its layout has no laneid", name));
  }
  made.copies_ = {0};
  for (const ir::Iter& iter : tile->replica) {
    const auto step = iter.axis.is_thread() ? classify(iter.axis) : std::nullopt;
    if (!step) {
      return refuse(fmt::format("{} has replicas on axis {}", name, iter.axis.name()));
    }
    const bool by_warp = step->counts == AxisStep::Counts::warps;
    warps_told_apart = warps_told_apart || step->counts != AxisStep::Counts::lanes;
    const std::vector<std::int64_t> before = made.copies_;
    for (std::int64_t k = 1; k < iter.extent; ++k) {
      for (const std::int64_t at : before) {
        made.copies_.push_back(at +
                               k * iter.stride * step->factor * (by_warp ? ir::kLanesPerWarp : 1));
      }
    }
  }
  made.in_every_warp_ = !warps_told_apart;
  return made;
}

std::vector<ir::Expr> RegisterTile::indices(const IndexSum& i, const IndexSum& j) const {
  const IndexSum coordinate[2] = {i.plus(thread_part_[0]), j.plus(thread_part_[1])};
  std::vector<IndexSum> sums = side_->begins;
  for (std::size_t dim = 0; dim < 2; ++dim) {
    IndexSum& sum = sums[dims_[dim]];
    sum = sum.plus(coordinate[dim]);
  }
  std::vector<ir::Expr> result;
  for (const IndexSum& sum : sums) result.push_back(sum.to_expr(ir::kInt32));
  return result;
}

}  // namespace tirx::lower
