// copy / vec_256b … vec_16b: by name only, one access of that width by one thread.  Alignment is
// the caller's promise (checked when it runs).
#include <utility>

#include <fmt/format.h>

#include "lower/copy/copy.hpp"
#include "lower/copy/edge.hpp"

namespace tirx::lower {

std::optional<std::string> refuse_vec(const Site& site, std::int64_t bits) {
  if (site.scope != ir::ExecScope::thread) {
    return fmt::format("exec_scope — expected thread exec_scope, got {}", ir::name_of(site.scope));
  }
  if (auto reason = refuse_operands(site)) return reason;
  if (edge_asked(site)) return refuse_edge(site);
  const std::int64_t element = element_bits(copy_dst(site).buffer().dtype);
  const std::int64_t count = bits / element;
  if (count == 0) {
    return fmt::format("vector_len — an element of {} bits is wider than {} bits", element, bits);
  }
  for (const TileSide* side : {&copy_dst(site), &copy_src(site)}) {
    if ((side->extents.empty() && !side->region.ranges.empty()) || side->size() != count) {
      return fmt::format("vector_len — {} does not contain exactly {} elements",
                         side->buffer().name, count);
    }
  }
  return std::nullopt;
}

Result<Expansion> expand_vec(const Site& site, std::int64_t bits) {
  const TileSide& dst = copy_dst(site);
  const TileSide& src = copy_src(site);
  CopyPlan plan;
  plan.vector = bits / element_bits(dst.buffer().dtype);
  std::vector<StridedTile> tiles;
  for (std::size_t i = 0; i < 2; ++i) {
    Result<StridedTile> tile =
        strided_tile(i == 0 ? dst : src, site.buffer_offsets[i], site.facts, ir::AxisFusion::none);
    if (!tile) return tile.error();
    const StridedIters fused = fuse(tile->iters);
    const bool run =
        fused.empty() || (fused.size() == 1 && fused[0].axis.id() == ir::AxisId::m &&
                          fused[0].stride.is_constant() && fused[0].stride.constant() == 1);
    if (!run || (tile->swizzle && tile->swizzle->chunk() < plan.vector)) {
      return Diagnostic{{},
                        fmt::format("the {} elements of {} are not neighbours in memory",
                                    plan.vector, (i == 0 ? dst : src).buffer().name),
                        {}};
    }
    tiles.push_back(std::move(*tile));
  }
  plan.dst_base = tiles[0].base;
  plan.src_base = tiles[1].base;
  plan.dst_swizzle = tiles[0].swizzle;
  plan.src_swizzle = tiles[1].swizzle;
  std::int64_t stride = plan.vector;
  const std::vector<std::int64_t> wide = dst.wide_extents();
  for (std::size_t j = 0; j < wide.size(); ++j) {
    stride /= wide[j];
    plan.atoms.push_back({wide[j], stride, stride, j, 1});
  }
  return emit_copy(site, plan);
}

}  // namespace tirx::lower
