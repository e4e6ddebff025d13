// The partition; see partition.hpp.  After TIRx's align_layouts_gs; where the shared layout cannot
// be grouped like the global one, this refuses (there, it would go on unaligned).
#include "lower/copy/partition.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace tirx::lower {

namespace {

using ir::IndexSum;

bool is_global(const TileSide& side) {
  return side.buffer().scope() == ir::MemoryScope::global;
}

/// Sorting key of a stride: a symbolic one counts as larger than any number.
std::pair<std::size_t, std::int64_t> rank_of(const IndexSum& stride) {
  if (stride.is_constant()) return {0, stride.constant()};
  std::size_t degree = 0;
  std::int64_t coefficient = 0;
  for (const IndexSum::Term& term : stride.terms()) {
    if (term.factors.size() <= degree) continue;
    degree = term.factors.size();
    coefficient = term.coefficient;
  }
  return {degree, coefficient};
}

/// Splits `iters` so that its last ones before `end` have exactly `size` elements; gives the
/// position of the first of them.
std::optional<std::size_t> carve(StridedIters& iters, std::size_t end, std::int64_t size) {
  std::size_t at = end;
  while (size > 1) {
    if (at == 0) return std::nullopt;
    StridedIter& iter = iters[--at];
    if (iter.extent <= size) {
      if (size % iter.extent != 0) return std::nullopt;
      size /= iter.extent;
      continue;
    }
    if (iter.extent % size != 0) return std::nullopt;
    StridedIter inner = iter;
    inner.extent = size;
    iter.extent /= size;
    iter.stride = iter.stride.times(size);
    iters.insert(iters.begin() + static_cast<std::ptrdiff_t>(at) + 1, inner);
    return at + 1;
  }
  return at;
}

bool is_unit_chain(const StridedIters& iters) {
  std::int64_t expected = 1;
  for (std::size_t k = iters.size(); k-- > 0;) {
    if (!iters[k].stride.is_constant() || iters[k].stride.constant() != expected) return false;
    expected *= iters[k].extent;
  }
  return true;
}

}  // namespace

std::string try_vector(const Site& site, const Partition& sides, std::int64_t vec) {
  const ir::Facts& facts = site.facts;
  for (const StridedTile* tile : {&sides.global, &sides.shared}) {
    if (tile->swizzle && vec > tile->swizzle->chunk()) {
      return fmt::format("the swizzle keeps only {} elements together", tile->swizzle->chunk());
    }
    if (!tile->base.divisible_by(vec, facts)) return "a region does not start at a multiple of it";
  }
  if (!storage_aligned(site, vec)) return "a buffer is not aligned so far";
  StridedIters global = sides.global_order;
  const auto vec_at = carve(global, global.size(), vec);
  if (!vec_at) return "it does not divide the innermost extents";
  const std::size_t vec_count = global.size() - *vec_at;
  const auto threads_at = carve(global, *vec_at, site.threads);
  if (!threads_at) return fmt::format("{} threads do not divide the extents", site.threads);
  const auto groups = group(sides.shared_order, extents_of(global));
  if (!groups) return "the shared layout is not grouped alike";
  StridedIters shared_vector;
  const std::size_t split = global.size() - vec_count;
  for (std::size_t k = split; k < global.size(); ++k) {
    shared_vector.insert(shared_vector.end(), (*groups)[k].begin(), (*groups)[k].end());
  }
  const StridedIters global_vector(global.begin() + static_cast<std::ptrdiff_t>(split),
                                   global.end());
  if (!is_unit_chain(global_vector)) return "the global elements are not neighbours";
  if (!is_unit_chain(shared_vector)) return "the shared elements are not neighbours";
  for (std::size_t k = 0; k < split; ++k) {
    if (global[k].extent > 1 && !global[k].stride.divisible_by(vec, facts)) {
      return "a global stride is not known to be a multiple of it";
    }
    for (const StridedIter& iter : (*groups)[k]) {
      if (!iter.stride.divisible_by(vec, facts)) return "a shared stride is not a multiple of it";
    }
  }
  return {};
}

Result<Partition> align_sides(const Site& site) {
  const bool dst_global = is_global(copy_dst(site));
  const auto tile = [&](bool dst) {
    return strided_tile(dst ? copy_dst(site) : copy_src(site), site.buffer_offsets[dst ? 0 : 1],
                        site.facts, ir::AxisFusion::none);
  };
  Result<StridedTile> global = tile(dst_global);
  if (!global) return global.error();
  Result<StridedTile> shared = tile(!dst_global);
  if (!shared) return shared.error();
  for (const auto* side : {&*global, &*shared}) {
    for (const StridedIter& iter : side->iters) {
      if (iter.axis.id() != ir::AxisId::m) {
        return Diagnostic{{}, fmt::format("axis {} is not an address", iter.axis.name()), {}};
      }
    }
    if (!side->replica.empty()) return Diagnostic{{}, "a layout with replicas in memory", {}};
  }
  Partition sides{std::move(*global), std::move(*shared), {}, {}, {}, {}};
  const StridedIters& iters = sides.global.iters;
  auto groups = group(sides.shared.iters, extents_of(iters));
  if (!groups) {
    return Diagnostic{{},
                      fmt::format("the shared layout {} can not be grouped by the global one {}",
                                  to_string(sides.shared.iters), to_string(iters)),
                      {}};
  }
  sides.shared_groups = std::move(*groups);
  sides.permutation.resize(iters.size());
  std::iota(sides.permutation.begin(), sides.permutation.end(), std::size_t{0});
  std::stable_sort(sides.permutation.begin(), sides.permutation.end(),
                   [&](std::size_t a, std::size_t b) {
                     return rank_of(iters[a].stride) > rank_of(iters[b].stride);
                   });
  for (const std::size_t k : sides.permutation) {
    sides.global_order.push_back(iters[k]);
    sides.shared_order.insert(sides.shared_order.end(), sides.shared_groups[k].begin(),
                              sides.shared_groups[k].end());
  }
  sides.global_order = fuse(sides.global_order);
  sides.shared_order = fuse(sides.shared_order);
  return sides;
}

CopyPlan partition_plan(const Site& site, const Partition& sides, std::int64_t vec) {
  const bool dst_global = is_global(copy_dst(site));
  const StridedTile& dst = dst_global ? sides.global : sides.shared;
  const StridedTile& src = dst_global ? sides.shared : sides.global;
  CopyPlan plan;
  plan.dst_base = dst.base;
  plan.src_base = src.base;
  plan.dst_swizzle = dst.swizzle;
  plan.src_swizzle = src.swizzle;
  for (const std::size_t k : sides.permutation) {
    const StridedIter& global = sides.global.iters[k];
    std::int64_t inner = global.extent;
    for (const StridedIter& shared : sides.shared_groups[k]) {
      inner /= shared.extent;
      const IndexSum global_stride = global.stride.times(inner);
      plan.atoms.push_back({shared.extent, dst_global ? global_stride : shared.stride,
                            dst_global ? shared.stride : global_stride, global.dim,
                            global.weight * inner});
    }
  }
  plan.vector = vec;
  plan.round_step = site.threads * vec;
  plan.rounds = copy_dst(site).size() / plan.round_step;
  if (site.thread_index) {
    plan.thread_position = IndexSum::of(site.thread_index, site.facts).times(vec);
  }
  return plan;
}

std::optional<std::string> refuse_pair(const Site& site) {
  const TileSide& dst = copy_dst(site);
  const TileSide& src = copy_src(site);
  if (auto reason = refuse_inactive(site)) return reason;
  if (dst.extents.empty() != dst.region.ranges.empty() ||
      src.extents.empty() != src.region.ranges.empty()) {
    return "static_extents — the region's extents are not constants";
  }
  if (dst.size() % site.threads != 0) {
    return fmt::format("divides_thread_cnt — region size {} not divisible by thread_cnt={}",
                       dst.size(), site.threads);
  }
  return std::nullopt;
}

}  // namespace tirx::lower
