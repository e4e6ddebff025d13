// The box itself, its split by scope, and its text.
#include "ir/scope/active_set.hpp"

#include <fmt/format.h>

namespace tirx::ir {

namespace {

// Far beyond any hardware; keeps every later computation small.
constexpr std::int64_t kMostThreads = 65536;

std::int64_t product(const std::vector<std::int64_t>& extents) {
  std::int64_t out = 1;
  for (const std::int64_t extent : extents) out *= extent;
  return out;
}

bool is_reasonable(const std::vector<std::int64_t>& extents) {
  if (extents.empty() || extents.size() > 3) return false;
  std::int64_t size = 1;
  for (const std::int64_t extent : extents) {
    if (extent <= 0 || extent > kMostThreads / size) return false;
    size *= extent;
  }
  return true;
}

const AxisRange* find(const AxisRanges& ranges, const Axis& axis) {
  for (const auto& [name, range] : ranges) {
    if (name == axis) return &range;
  }
  return nullptr;
}

/// warpid as warpgroups times warps in a warpgroup: only if every warpgroup has the same warps.
struct WarpgroupFactors {
  AxisRange wid_in_wg;
  AxisRange wgid;
};

std::optional<WarpgroupFactors> factor(const AxisRange& warps) {
  const std::int64_t first = warps.offset % kWarpsPerWarpgroup;
  const std::int64_t wg = warps.offset / kWarpsPerWarpgroup;
  if (warps.last() / kWarpsPerWarpgroup == wg) {
    return WarpgroupFactors{{warps.extent, first, warps.stride}, {1, wg, 1}};
  }
  if (warps.stride % kWarpsPerWarpgroup == 0) {
    return WarpgroupFactors{{1, first, 1}, {warps.extent, wg, warps.stride / kWarpsPerWarpgroup}};
  }
  if (kWarpsPerWarpgroup % warps.stride != 0 || first >= warps.stride) return std::nullopt;
  const std::int64_t each = kWarpsPerWarpgroup / warps.stride;
  if (warps.extent % each != 0) return std::nullopt;
  return WarpgroupFactors{{each, first, warps.stride}, {warps.extent / each, wg, 1}};
}

std::optional<Diagnostic> check_opaque(const ActiveSet& set, ExecScope scope) {
  for (const OpaqueGuard& guard : set.opaque) {
    if (guard.uniform_over >= scope) continue;
    Diagnostic error{
        {},
        fmt::format(
            "a {0} operation must know which threads of the {0} reach it, but a guard around "
            "it cannot be represented: {1}",
            name_of(scope), guard.reason),
        {}};
    if (!guard.span.empty()) error.notes.push_back({guard.span, "the guard is here"});
    error.notes.push_back(
        {{},
         fmt::format("guard it by a condition that all threads of a {} decide alike",
                     name_of(scope))});
    return error;
  }
  return std::nullopt;
}

/// With 48 threads, warp 1 has only 16 lanes: no box.
bool has_part_of_last_warp(const ActiveSet& set) {
  const std::int64_t threads = set.space.threads();
  if (threads < kLanesPerWarp || threads % kLanesPerWarp == 0) return false;
  const std::int64_t last_lane = set.elected ? kLanesPerWarp - 1 : set.laneid.last();
  return set.warpid.contains(threads / kLanesPerWarp) && last_lane >= threads % kLanesPerWarp;
}

}  // namespace

bool AxisRange::contains(std::int64_t value) const {
  return value >= offset && value <= last() && (value - offset) % stride == 0;
}

bool AxisRange::same_values(const AxisRange& other) const {
  return extent == other.extent && offset == other.offset &&
         (extent == 1 || stride == other.stride);
}

std::int64_t ThreadSpace::threads() const {
  return product(block);
}

std::int64_t ThreadSpace::warps() const {
  return (threads() + kLanesPerWarp - 1) / kLanesPerWarp;
}

std::int64_t ThreadSpace::lanes() const {
  return std::min<std::int64_t>(threads(), kLanesPerWarp);
}

std::int64_t ThreadSpace::ctas() const {
  return product(cluster);
}

Axis ActiveSet::cta_axis(std::size_t dim) const {
  if (cta.size() == 1) return AxisId::cta_id;
  constexpr AxisId kAxes[] = {AxisId::cbx, AxisId::cby, AxisId::cbz};
  return kAxes[dim];
}

std::int64_t ActiveSet::size() const {
  if (empty) return 0;
  std::int64_t out = laneid.extent * warpid.extent;
  for (const AxisRange& range : cta) out *= range.extent;
  return out;
}

Result<ActiveSet> initial_active_set(std::vector<std::int64_t> block,
                                     std::vector<std::int64_t> cluster) {
  if (!is_reasonable(block) || !is_reasonable(cluster)) {
    return Diagnostic{{},
                      fmt::format("a CTA and a cluster have one to three positive extents with a "
                                  "product of at most {}",
                                  kMostThreads),
                      {}};
  }
  ActiveSet set;
  set.space = {std::move(block), std::move(cluster)};
  set.laneid = {set.space.lanes(), 0, 1};
  set.warpid = {set.space.warps(), 0, 1};
  for (const std::int64_t extent : set.space.cluster) set.cta.push_back({extent, 0, 1});
  return set;
}

const AxisRange* ScopeSplit::find_intra(const Axis& axis) const {
  return find(intra, axis);
}

const AxisRange* ScopeSplit::find_inter(const Axis& axis) const {
  return find(inter, axis);
}

std::int64_t ScopeSplit::thread_count() const {
  std::int64_t out = 1;
  for (const auto& [axis, range] : intra) out *= range.extent;
  return out;
}

Result<ScopeSplit> split(const ActiveSet& set, ExecScope scope) {
  if (auto error = check_opaque(set, scope)) return *error;
  if (scope > ExecScope::thread && has_part_of_last_warp(set)) {
    return Diagnostic{
        {},
        fmt::format("a {} operation needs whole warps: {} threads are not a multiple of {}",
                    name_of(scope), set.space.threads(), kLanesPerWarp),
        {}};
  }
  ScopeSplit out;
  AxisRanges& lanes = scope == ExecScope::thread ? out.inter : out.intra;
  lanes.emplace_back(AxisId::laneid, set.laneid);
  if (scope == ExecScope::warpgroup) {
    const auto factors = factor(set.warpid);
    if (!factors) {
      return Diagnostic{
          {},
          fmt::format("scope_switch(warpgroup) failed: warpid {} crosses warpgroup boundary "
                      "and is not aligned to whole warpgroups",
                      to_string(set.warpid)),
          {}};
    }
    out.intra.emplace_back(AxisId::wid_in_wg, factors->wid_in_wg);
    out.inter.emplace_back(AxisId::wgid, factors->wgid);
  } else {
    AxisRanges& warps = scope >= ExecScope::cta ? out.intra : out.inter;
    warps.emplace_back(AxisId::warpid, set.warpid);
  }
  AxisRanges& ctas = scope >= ExecScope::cluster ? out.intra : out.inter;
  for (std::size_t i = 0; i < set.cta.size(); ++i) ctas.emplace_back(set.cta_axis(i), set.cta[i]);
  return out;
}

bool all_threads_active(const ActiveSet& set, ExecScope scope) {
  if (scope == ExecScope::thread) return true;
  if (set.empty || set.elected || !set.laneid.is_full(set.space.lanes())) return false;
  const auto parts = split(set, scope);
  if (!parts) return false;
  if (scope == ExecScope::warp) return true;
  if (scope == ExecScope::warpgroup) {
    return parts->find_intra(AxisId::wid_in_wg)->is_full(kWarpsPerWarpgroup);
  }
  if (!set.warpid.is_full(set.space.warps())) return false;
  if (scope == ExecScope::cta) return true;
  for (std::size_t i = 0; i < set.cta.size(); ++i) {
    if (!set.cta[i].is_full(set.space.cluster[i])) return false;
  }
  return true;
}

std::string to_string(const AxisRange& range) {
  if (range.stride == 1) return fmt::format("{}@{}", range.extent, range.offset);
  return fmt::format("{}@{} step {}", range.extent, range.offset, range.stride);
}

std::string to_string(const ActiveSet& set) {
  if (set.empty) return "no threads";
  std::string out = fmt::format("laneid {}{}, warpid {}", to_string(set.laneid),
                                set.elected ? " (elected)" : "", to_string(set.warpid));
  for (std::size_t i = 0; i < set.cta.size(); ++i) {
    out += fmt::format(", {} {}", set.cta_axis(i).name(), to_string(set.cta[i]));
  }
  return out;
}

}  // namespace tirx::ir
