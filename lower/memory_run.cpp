#include "lower/memory_run.hpp"

#include "lower/copy/copy.hpp"

namespace tirx::lower {

bool is_run(const Site& site, std::size_t operand, std::int64_t lanes) {
  if (lanes == 1) return true;
  const TileSide& side = *site.sides[operand];
  if (side.buffer().storage->alignment < lanes * element_bits(side.buffer().dtype) / 8)
    return false;
  if (element_bits(side.buffer().dtype) < 8) return false;
  const Result<StridedTile> tile =
      strided_tile(side, site.buffer_offsets[operand], site.facts, ir::AxisFusion::none);
  if (!tile || tile->iters.empty()) return false;
  const StridedIter& last = tile->iters.back();
  if (side.wide_dims.back() + 1 != side.extents.size() || last.dim + 1 != side.wide_dims.size() ||
      last.weight != 1 || last.extent % lanes != 0 || !(last.stride == ir::IndexSum(1)) ||
      !tile->base.divisible_by(lanes, site.facts)) {
    return false;
  }
  if (tile->swizzle && tile->swizzle->chunk() < lanes) return false;
  for (std::size_t k = 0; k + 1 < tile->iters.size(); ++k) {
    if (!tile->iters[k].stride.divisible_by(lanes, site.facts)) return false;
  }
  return true;
}

}  // namespace tirx::lower
