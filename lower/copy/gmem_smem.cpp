// copy / gmem_smem: global <-> shared, neither side a register; the partition is in partition.hpp.
#include <utility>

#include <fmt/format.h>

#include "lower/copy/edge.hpp"
#include "lower/copy/partition.hpp"

namespace tirx::lower {

namespace {

bool is_global(const TileSide& side) {
  return side.buffer().scope() == ir::MemoryScope::global;
}

bool is_shared(const TileSide& side) {
  return ir::is_shared(side.buffer().scope());
}

}  // namespace

std::optional<std::string> refuse_gmem_smem(const Site& site) {
  if (auto reason = refuse_scope(site)) return reason;
  if (auto reason = refuse_operands(site)) return reason;
  const TileSide& dst = copy_dst(site);
  const TileSide& src = copy_src(site);
  const bool pair = (is_global(dst) && is_shared(src)) || (is_shared(dst) && is_global(src));
  if (!pair) {
    return fmt::format("scope_allowed — needs one global and one shared side, not {} -> {}",
                       ir::to_string(src.buffer().scope()), ir::to_string(dst.buffer().scope()));
  }
  if (auto reason = refuse_pair(site)) return reason;
  return refuse_edge(site);
}

Result<Expansion> expand_gmem_smem(const Site& site) {
  const Result<Partition> sides = align_sides(site);
  if (!sides) return sides.error();
  std::vector<Refusal> wider;
  for (const std::int64_t vec : vector_candidates(copy_dst(site).buffer().dtype)) {
    std::string reason = try_vector(site, *sides, vec);
    if (reason.empty()) {
      Expansion expansion = emit_copy(site, partition_plan(site, *sides, vec));
      expansion.wider = std::move(wider);
      return expansion;
    }
    wider.push_back({fmt::format("vec {}", vec), std::move(reason)});
  }
  return Diagnostic{
      {}, fmt::format("no vector length fits, not even the shortest: {}", wider.back().reason), {}};
}

}  // namespace tirx::lower
