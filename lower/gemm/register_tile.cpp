// See register_tile.hpp.
#include "lower/gemm/register_tile.hpp"

#include <algorithm>

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
  const auto refuse = [](std::string reason) { return Diagnostic{{}, std::move(reason), {}}; };
  const TileSide& side = *site.sides[operand];
  const std::string& name = side.buffer().name;
  if (side.wide_dims.size() != 2) {
    return refuse(fmt::format("two_dims — {} has {} dimensions of more than one element, not 2",
                              name, side.wide_dims.size()));
  }
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
  made.transposed_ = transposed;
  const std::vector<std::int64_t> wide = side.wide_extents();
  made.extents_[0] = wide[transposed ? 1 : 0];
  made.extents_[1] = wide[transposed ? 0 : 1];
  made.base_ = tile->base;
  bool any_thread = false;
  const auto classify = [&](const ir::Axis& axis) -> std::optional<AxisStep> {
    if (site.axis_extents.find(axis.id()) == site.axis_extents.end()) return std::nullopt;
    return step_of(axis.id());
  };
  for (const StridedIter& iter : tile->iters) {
    const std::size_t dim = transposed ? 1 - iter.dim : iter.dim;
    Digit digit{dim, iter.extent, iter.weight, iter.stride.constant()};
    if (!iter.axis.is_thread()) {
      made.memory_.push_back(digit);
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
    digit.stride *= step->factor;
    if (step->counts == AxisStep::Counts::lanes) made.lanes_.push_back(digit);
    if (step->counts == AxisStep::Counts::warps) made.warps_.push_back(digit);
    if (step->counts == AxisStep::Counts::threads) made.linear_.push_back(digit);
  }
  if (!any_thread) {
    return refuse(
        fmt::format("fragments — {} is private to each thread: its layout has no laneid", name));
  }
  made.copies_ = {0};
  bool warps_told_apart = !made.warps_.empty() || !made.linear_.empty();
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

std::int64_t RegisterTile::sum(const std::vector<Digit>& digits,
                               std::int64_t i,
                               std::int64_t j) const {
  std::int64_t total = 0;
  for (const Digit& digit : digits) {
    total += (digit.dim == 0 ? i : j) / digit.weight % digit.extent * digit.stride;
  }
  return total;
}

bool RegisterTile::held(std::int64_t i,
                        std::int64_t j,
                        std::int64_t warp,
                        std::int64_t lane) const {
  const std::int64_t place =
      sum(linear_, i, j) + sum(lanes_, i, j) + sum(warps_, i, j) * ir::kLanesPerWarp;
  const std::int64_t wanted = in_every_warp_ ? lane : warp * ir::kLanesPerWarp + lane;
  return std::any_of(copies_.begin(), copies_.end(),
                     [&](std::int64_t copy) { return place + copy == wanted; });
}

std::int64_t RegisterTile::reg(std::int64_t i, std::int64_t j) const {
  return sum(memory_, i, j);
}

std::vector<ir::Expr> RegisterTile::indices(const IndexSum& i, const IndexSum& j) const {
  const IndexSum coordinate[2] = {i.plus(thread_part_[0]), j.plus(thread_part_[1])};
  std::vector<IndexSum> sums = side_->begins;
  for (std::size_t dim = 0; dim < 2; ++dim) {
    IndexSum& sum = sums[side_->wide_dims[transposed_ ? 1 - dim : dim]];
    sum = sum.plus(coordinate[dim]);
  }
  std::vector<ir::Expr> result;
  for (const IndexSum& sum : sums) result.push_back(sum.to_expr(ir::kInt32));
  return result;
}

}  // namespace tirx::lower
