// One atom against the box.  Lanes, warps and CTAs are filtered on their own axis; flat thread ids
// need two axes at once and are decided by looking at the threads.  Some filters that would fit are
// refused as TIRx refuses them, so that a guard means the same here and there.
#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "ir/layout/arithmetic.hpp"
#include "ir/scope/narrow.hpp"

namespace tirx::ir {

namespace {

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

Filtered refused(const ActiveSet& set, std::string reason) {
  return {FilterStatus::refused, set, std::move(reason)};
}

Filtered empty(const ActiveSet& set, ScopeIdKind id) {
  return {FilterStatus::empty, set,
          fmt::format("filter on {} produces an empty range", to_string(id))};
}

Filtered narrowed(ActiveSet set) {
  return {FilterStatus::narrowed, std::move(set), ""};
}

/// The arithmetic progression with these values; `stride` is kept for a single one.
std::optional<AxisRange> fit(const std::vector<std::int64_t>& values, std::int64_t stride) {
  if (values.empty()) return std::nullopt;
  if (values.size() > 1) stride = values[1] - values[0];
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] - values[i - 1] != stride) return std::nullopt;
  }
  return AxisRange{static_cast<std::int64_t>(values.size()), values[0], stride};
}

/// A test of one id, whichever form it was written in.
struct Test {
  ScopeIdKind id;
  int dim = 0;
  std::function<bool(std::int64_t)> passes;
  std::int64_t modulus = 0;  // 0: a range
};

using Pick = std::function<AxisRange&(ActiveSet&)>;

class Filter {
 public:
  Filter(const ActiveSet& set, Test test) : set_(set), test_(std::move(test)) {}

  Filtered run() {
    switch (test_.id) {
      case ScopeIdKind::lane_id:
        return on_lanes();
      case ScopeIdKind::warp_id:
        return on_warps([](std::int64_t w) { return w; });
      case ScopeIdKind::warpgroup_id:
        return on_warpgroups();
      case ScopeIdKind::warp_id_in_wg:
        return on_warps_in_warpgroup();
      case ScopeIdKind::thread_id:
        return on_threads(thread_coordinate());
      case ScopeIdKind::thread_id_in_wg:
        return on_threads_in_warpgroup();
      case ScopeIdKind::cta_id_in_cluster:
        return on_ctas(static_cast<std::size_t>(test_.dim), [](std::int64_t c) { return c; });
      case ScopeIdKind::cta_id_in_pair:
        return on_pairs();
      case ScopeIdKind::cta_id:
        return on_grid();
      case ScopeIdKind::cluster_id:
        break;
    }
    return refused(set_, fmt::format("filter on {} is not supported", to_string(test_.id)));
  }

 private:
  using Value = std::function<std::int64_t(std::int64_t)>;

  /// Keeps the values of one axis whose id passes.
  Filtered on_axis(const Pick& pick, const Value& id_of) {
    ActiveSet out = set_;
    AxisRange& range = pick(out);
    std::vector<std::int64_t> kept;
    for (std::int64_t i = 0; i < range.extent; ++i) {
      if (test_.passes(id_of(range.at(i)))) kept.push_back(range.at(i));
    }
    if (kept.empty()) return empty(set_, test_.id);
    if (static_cast<std::int64_t>(kept.size()) == range.extent) return narrowed(set_);
    const auto fitted = fit(kept, range.stride);
    if (!fitted) {
      return refused(set_, fmt::format("filter on {} leaves values that are not evenly spaced",
                                       to_string(test_.id)));
    }
    const bool single = fitted->extent == 1 && range.stride == 1 && test_.modulus > 1;
    range = *fitted;
    if (single) range.stride = test_.modulus;
    return narrowed(std::move(out));
  }

  Filtered on_lanes() {
    if (!set_.elected) {
      return on_axis([](ActiveSet& s) -> AxisRange& { return s.laneid; },
                     [](std::int64_t lane) { return lane; });
    }
    return on_threads([](std::int64_t t) { return t % kLanesPerWarp; });
  }

  Filtered on_warps(const Value& id_of) {
    return on_axis([](ActiveSet& s) -> AxisRange& { return s.warpid; }, id_of);
  }

  /// All warps of the set agree, so the filter keeps all or nothing.
  [[nodiscard]] bool decides_nothing(const Value& id_of) const {
    std::int64_t passing = 0;
    for (std::int64_t i = 0; i < set_.warpid.extent; ++i) {
      passing += test_.passes(id_of(set_.warpid.at(i))) ? 1 : 0;
    }
    return passing == 0 || passing == set_.warpid.extent;
  }

  Filtered on_warpgroups() {
    const Value id_of = [](std::int64_t w) { return w / kWarpsPerWarpgroup; };
    const bool aligned = set_.warpid.stride == 1 && set_.warpid.offset % kWarpsPerWarpgroup == 0;
    if (!aligned && !decides_nothing(id_of)) {
      return refused(
          set_, fmt::format("filter on warpgroup_id requires the warp range {} to be aligned to "
                            "WG_SIZE ({} warps)",
                            to_string(set_.warpid), kWarpsPerWarpgroup));
    }
    return on_warps(id_of);
  }

  [[nodiscard]] bool in_one_warpgroup() const {
    return set_.warpid.offset / kWarpsPerWarpgroup == set_.warpid.last() / kWarpsPerWarpgroup;
  }

  Filtered on_warps_in_warpgroup() {
    const Value id_of = [](std::int64_t w) { return w % kWarpsPerWarpgroup; };
    if (!in_one_warpgroup() && test_.modulus == 0 && !decides_nothing(id_of)) {
      return refused(
          set_, "filter on warp_id_in_wg would break A's box: warpid spans multiple warpgroups");
    }
    return on_warps(id_of);
  }

  Filtered on_threads_in_warpgroup() {
    const Value id_of = [](std::int64_t t) { return t % kThreadsPerWarpgroup; };
    Filtered out = on_threads(id_of);
    const bool changed = out.status == FilterStatus::narrowed && !(out.set == set_);
    if (!in_one_warpgroup() && test_.modulus == 0 &&
        (changed || out.status == FilterStatus::refused)) {
      return refused(set_,
                     "a partial filter on thread_id_in_wg needs A inside one warpgroup, but warpid "
                     "spans multiple warpgroups");
    }
    return out;
  }

  [[nodiscard]] Value thread_coordinate() const {
    std::int64_t inner = 1;
    const auto dim = static_cast<std::size_t>(test_.dim);
    for (std::size_t d = 0; d < dim && d < set_.space.block.size(); ++d)
      inner *= set_.space.block[d];
    const std::int64_t extent = dim < set_.space.block.size() ? set_.space.block[dim] : 1;
    return [inner, extent](std::int64_t t) { return t / inner % extent; };
  }

  /// Keeps the threads whose id passes, if they are the same lanes in evenly spaced warps.
  Filtered on_threads(const Value& id_of) {
    const std::int64_t threads = set_.space.threads();
    std::vector<std::int64_t> warps;
    std::vector<std::int64_t> lanes;
    bool all = true;
    bool box = true;
    for (std::int64_t w = 0; w < set_.warpid.extent; ++w) {
      const std::int64_t first = set_.warpid.at(w) * kLanesPerWarp;
      std::vector<std::int64_t> here;
      bool whole = true;
      const std::int64_t candidates = set_.elected ? set_.space.lanes() : set_.laneid.extent;
      for (std::int64_t l = 0; l < candidates; ++l) {
        const std::int64_t lane = set_.elected ? l : set_.laneid.at(l);
        if (first + lane >= threads) continue;
        const bool passes = test_.passes(id_of(first + lane));
        if (passes) here.push_back(lane);
        whole = whole && passes;
      }
      all = all && whole;
      if (here.empty()) continue;
      if (set_.elected && !whole) box = false;  // which lane was elected is not known
      if (warps.empty()) lanes = here;
      box = box && lanes == here;
      warps.push_back(set_.warpid.at(w));
    }
    if (all) return narrowed(set_);
    if (warps.empty()) return empty(set_, test_.id);
    const auto fitted_warps = fit(warps, set_.warpid.stride);
    const auto fitted_lanes = set_.elected ? set_.laneid : fit(lanes, set_.laneid.stride);
    if (!box || !fitted_warps || !fitted_lanes) {
      return refused(
          set_, fmt::format("filter on {} is non-rectangular: the threads that pass are neither "
                            "whole warps nor inside one warp",
                            to_string(test_.id)));
    }
    ActiveSet out = set_;
    out.warpid = *fitted_warps;
    out.laneid = *fitted_lanes;
    return narrowed(std::move(out));
  }

  Filtered on_ctas(std::size_t dim, const Value& id_of) {
    if (dim >= set_.cta.size()) {
      return test_.passes(id_of(0)) ? narrowed(set_) : empty(set_, test_.id);
    }
    return on_axis([dim](ActiveSet& s) -> AxisRange& { return s.cta[dim]; }, id_of);
  }

  Filtered on_pairs() {
    if (set_.space.cluster.size() > 1 && set_.space.cluster[0] % 2 != 0) {
      return refused(set_, "filter on cta_id_in_pair needs an even first cluster extent");
    }
    return on_ctas(0, [](std::int64_t c) { return c % 2; });
  }

  Filtered on_grid() {
    const auto dim = static_cast<std::size_t>(test_.dim);
    const std::int64_t extent = dim < set_.space.cluster.size() ? set_.space.cluster[dim] : 1;
    if (test_.modulus > 1 && extent % test_.modulus == 0) {
      return on_ctas(dim, [](std::int64_t c) { return c; });
    }
    return refused(set_, "filter on cta_id does not say which CTAs of a cluster pass");
  }

  const ActiveSet& set_;
  Test test_;
};

Filtered filter_elect(const ActiveSet& set) {
  if (set.elected) return narrowed(set);
  if (!set.laneid.is_full(set.space.lanes())) {
    return refused(set, "elect_sync() below a guard on lanes does not elect one of them");
  }
  ActiveSet out = set;
  out.laneid = {1, 0, 1};
  out.elected = true;
  return narrowed(std::move(out));
}

/// a - b, held at the ends of the type.
std::int64_t saturating_sub(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (!__builtin_sub_overflow(a, b, &out)) return out;
  return a < 0 ? -kFar : kFar;
}

std::int64_t next(std::int64_t value) {
  return value == kFar ? value : value + 1;
}

Relation mirrored(Relation relation) {
  switch (relation) {
    case Relation::lt:
      return Relation::gt;
    case Relation::le:
      return Relation::ge;
    case Relation::gt:
      return Relation::lt;
    case Relation::ge:
      return Relation::le;
    default:
      return relation;
  }
}

/// The end of a range does not cut an instance of `size` threads in two.
bool is_boundary(std::int64_t end, std::int64_t size, std::int64_t total) {
  return end <= 0 || end >= total || end % size == 0;
}

ExecScope uniform_scope_of_threads(const IdRange& range, const ThreadSpace& space) {
  const bool in_warpgroup = range.id == ScopeIdKind::thread_id_in_wg;
  if (!in_warpgroup && space.block.size() > 1) return ExecScope::thread;
  const std::int64_t total = in_warpgroup ? kThreadsPerWarpgroup : space.threads();
  const auto cuts_at = [&](std::int64_t size) {
    return is_boundary(range.lo, size, total) && is_boundary(range.hi, size, total);
  };
  if (cuts_at(kThreadsPerWarpgroup)) return ExecScope::warpgroup;
  return cuts_at(kLanesPerWarp) ? ExecScope::warp : ExecScope::thread;
}

ExecScope uniform_scope_of_grid(int dim, const IdRange* range, const ThreadSpace& space) {
  const auto d = static_cast<std::size_t>(dim);
  const std::int64_t extent = d < space.cluster.size() ? space.cluster[d] : 1;
  const bool whole = extent == 1 || (range != nullptr && floor_mod(range->lo, extent) == 0 &&
                                     floor_mod(range->hi, extent) == 0);
  return whole ? ExecScope::cluster : ExecScope::cta;
}

ExecScope uniform_scope_of_id(ScopeIdKind id,
                              int dim,
                              const IdRange* range,
                              const ThreadSpace& space) {
  switch (id) {
    case ScopeIdKind::cluster_id:
      return ExecScope::cluster;
    case ScopeIdKind::cta_id:
      return uniform_scope_of_grid(dim, range, space);
    case ScopeIdKind::cta_id_in_cluster:
    case ScopeIdKind::cta_id_in_pair:
      return ExecScope::cta;
    case ScopeIdKind::warpgroup_id:
      return ExecScope::warpgroup;
    case ScopeIdKind::warp_id:
    case ScopeIdKind::warp_id_in_wg:
      return ExecScope::warp;
    case ScopeIdKind::thread_id:
    case ScopeIdKind::thread_id_in_wg:
      return range == nullptr ? ExecScope::thread : uniform_scope_of_threads(*range, space);
    case ScopeIdKind::lane_id:
      break;
  }
  return ExecScope::thread;
}

}  // namespace

IdRange compare_id(ScopeIdKind id,
                   int dim,
                   int sign,
                   std::int64_t constant,
                   Relation relation,
                   std::int64_t value) {
  const std::int64_t bound =
      sign > 0 ? saturating_sub(value, constant) : saturating_sub(constant, value);
  switch (sign > 0 ? relation : mirrored(relation)) {
    case Relation::eq:
      return {id, dim, bound, next(bound), false};
    case Relation::ne:
      return {id, dim, bound, next(bound), true};
    case Relation::lt:
      return {id, dim, -kFar, bound, false};
    case Relation::le:
      return {id, dim, -kFar, next(bound), false};
    case Relation::gt:
      return {id, dim, next(bound), kFar, false};
    case Relation::ge:
      break;
  }
  return {id, dim, bound, kFar, false};
}

ExecScope uniform_scope(const Atom& atom, const ThreadSpace& space) {
  if (const auto* range = std::get_if<IdRange>(&atom.test)) {
    return uniform_scope_of_id(range->id, range->dim, range, space);
  }
  if (const auto* modulo = std::get_if<IdModulo>(&atom.test)) {
    return uniform_scope_of_id(modulo->id, modulo->dim, nullptr, space);
  }
  if (const auto* opaque = std::get_if<OpaqueAtom>(&atom.test)) return opaque->uniform_over;
  return ExecScope::thread;
}

Filtered filter(const ActiveSet& set, const Atom& atom) {
  if (set.empty) return {FilterStatus::empty, set, "no thread reaches the filter"};
  if (std::holds_alternative<Elect>(atom.test)) return filter_elect(set);
  if (const auto* opaque = std::get_if<OpaqueAtom>(&atom.test)) return refused(set, opaque->reason);
  if (const auto* modulo = std::get_if<IdModulo>(&atom.test)) {
    const IdModulo test = *modulo;
    if (test.modulus <= 0) return refused(set, "filter with a modulus that is not positive");
    const auto passes = [test](std::int64_t x) {
      return (floor_mod(x, test.modulus) == test.residue) != test.negated;
    };
    return Filter(set, {test.id, test.dim, passes, test.modulus}).run();
  }
  const IdRange range = std::get<IdRange>(atom.test);
  if (range.lo >= range.hi && !range.negated) {
    return {FilterStatus::empty, set, "filter range is empty or inverted"};
  }
  const auto passes = [range](std::int64_t x) {
    return (x >= range.lo && x < range.hi) != range.negated;
  };
  return Filter(set, {range.id, range.dim, passes, 0}).run();
}

}  // namespace tirx::ir
