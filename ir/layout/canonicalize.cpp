// Which scopes do a layout's thread axes connect, and what is its simplest form?
#include <algorithm>
#include <tuple>
#include <utility>

#include "ir/layout/algebra.hpp"
#include "ir/layout/arithmetic.hpp"

namespace tirx::ir {

namespace {

std::vector<Axis> thread_axes(const TileLayout& layout) {
  std::vector<Axis> out;
  const auto add = [&out](const Axis& axis) {
    if (axis.is_thread() && std::find(out.begin(), out.end(), axis) == out.end()) {
      out.push_back(axis);
    }
  };
  for (const Iter& it : layout.shard()) add(it.axis);
  for (const Iter& it : layout.replica()) add(it.axis);
  for (const auto& [axis, value] : layout.offset()) add(axis);
  return out;
}

/// One axis written as a multiple of another, for layouts between two scopes.
struct FusionRow {
  ScopePair scopes;
  AxisId axis;
  AxisId onto;
  std::int64_t factor;
};

constexpr ScopePair kThreadToCta = {ExecScope::thread, ExecScope::cta};
constexpr ScopePair kThreadToWarpgroup = {ExecScope::thread, ExecScope::warpgroup};
constexpr ScopePair kWarpToCta = {ExecScope::warp, ExecScope::cta};

constexpr FusionRow kFusions[] = {
    {kThreadToCta, AxisId::laneid, AxisId::tx, 1},
    {kThreadToCta, AxisId::warpid, AxisId::tx, kLanesPerWarp},
    {kThreadToCta, AxisId::wid_in_wg, AxisId::tx, kLanesPerWarp},
    {kThreadToCta, AxisId::wgid, AxisId::tx, kThreadsPerWarpgroup},
    {kThreadToCta, AxisId::tid_in_wg, AxisId::tx, 1},
    {kThreadToWarpgroup, AxisId::laneid, AxisId::tid_in_wg, 1},
    {kThreadToWarpgroup, AxisId::wid_in_wg, AxisId::tid_in_wg, kLanesPerWarp},
    {kWarpToCta, AxisId::wid_in_wg, AxisId::warpid, 1},
    {kWarpToCta, AxisId::wgid, AxisId::warpid, kWarpsPerWarpgroup},
};

const FusionRow* find_fusion(const ScopePair& scopes, const Axis& axis) {
  for (const FusionRow& row : kFusions) {
    if (row.scopes == scopes && row.axis == axis.id()) return &row;
  }
  return nullptr;
}

/// Rewrites iters and offsets onto the fused axes; false when a stride becomes too large.
bool fuse_axes(const ScopePair& scopes, Iters& shard, Iters& replica, AxisValues& offset) {
  for (Iters* iters : {&shard, &replica}) {
    for (Iter& it : *iters) {
      const FusionRow* row = find_fusion(scopes, it.axis);
      if (row == nullptr) continue;
      const Checked stride = Checked(it.stride) * row->factor;
      if (!stride.fits()) return false;
      it.stride = stride.value();
      it.axis = row->onto;
    }
  }
  std::map<Axis, Checked> fused;
  for (const auto& [axis, value] : offset) {
    const FusionRow* row = find_fusion(scopes, axis);
    const Axis onto = row == nullptr ? axis : Axis(row->onto);
    fused.emplace(onto, 0).first->second += Checked(value) * (row == nullptr ? 1 : row->factor);
  }
  offset.clear();
  for (const auto& [axis, value] : fused) {
    if (!value.fits()) return false;
    offset[axis] = value.value();
  }
  return true;
}

void drop_unit_iters(Iters& iters) {
  std::erase_if(iters, [](const Iter& it) { return it.extent == 1; });
}

/// Neighbours of which the inner one runs exactly up to the outer one's stride become one.
Iters fuse_neighbours(const Iters& iters) {
  Iters out;
  for (const Iter& it : iters) {
    if (!out.empty() && out.back().axis == it.axis) {
      const Checked run = Checked(it.extent) * it.stride;
      if (run.fits() && run.value() == out.back().stride) {
        out.back().extent *= it.extent;
        out.back().stride = it.stride;
        continue;
      }
    }
    out.push_back(it);
  }
  return out;
}

}  // namespace

Result<std::optional<ScopePair>> scope_pair(const TileLayout& layout) {
  std::map<ExecScope, ExecScope> up;  // subscope -> scope
  for (const Axis& axis : thread_axes(layout)) {
    const AxisFacts& facts = axis.facts();
    const auto [it, fresh] = up.emplace(facts.subscope, facts.scope);
    if (!fresh && it->second != facts.scope) {
      return layout_error(
          "Ill-formed tile layout: conflicting scopes for {}: {} and {} in {}; use axes of one "
          "chain, "
          "as laneid with warpid",
          name_of(facts.subscope), name_of(it->second), name_of(facts.scope), to_string(layout));
    }
  }
  if (up.empty()) return std::optional<ScopePair>();
  const ExecScope from = up.begin()->first;
  ExecScope to = from;
  std::size_t links = 0;
  for (auto it = up.find(to); it != up.end(); it = up.find(to), ++links) to = it->second;
  if (links != up.size()) {
    return layout_error(
        "Ill-formed tile layout: disconnected scope chain: the axes of {} lead from {} to {} and "
        "no "
        "further; add the axis in between",
        to_string(layout), name_of(from), name_of(to));
  }
  return std::optional(ScopePair{from, to});
}

Result<TileLayout> canonicalize(const TileLayout& layout, AxisFusion fusion) {
  Iters shard = layout.shard();
  Iters replica = layout.replica();
  AxisValues offset = layout.offset();
  drop_unit_iters(shard);
  drop_unit_iters(replica);
  if (shard.empty() && !layout.shard().empty()) shard.push_back({1, 1, layout.shard()[0].axis});
  std::erase_if(offset, [](const auto& entry) { return entry.second == 0; });
  if (fusion == AxisFusion::cuda) {
    const auto scopes = scope_pair(layout);
    if (!scopes) return scopes.error();
    if (*scopes && !fuse_axes(**scopes, shard, replica, offset)) return too_large();
    std::erase_if(offset, [](const auto& entry) { return entry.second == 0; });
  }
  shard = fuse_neighbours(shard);
  std::sort(replica.begin(), replica.end(), [](const Iter& a, const Iter& b) {
    return std::tie(a.axis, b.stride, a.extent) < std::tie(b.axis, a.stride, b.extent);
  });
  return TileLayout::make(std::move(shard), std::move(replica), std::move(offset));
}

Result<Layout> canonicalize(const Layout& layout, AxisFusion fusion) {
  auto tile = canonicalize(layout.tile, fusion);
  if (!tile) return tile.error();
  Layout out = layout;
  out.tile = std::move(*tile);
  return out;
}

}  // namespace tirx::ir
