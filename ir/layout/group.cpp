// Which iters belong to which dimension?  Cutting the shard where the dimensions of a shape end,
// and moving the pieces around.
#include <algorithm>
#include <map>
#include <utility>

#include "ir/layout/algebra.hpp"
#include "ir/layout/arithmetic.hpp"

namespace tirx::ir {

namespace {

Diagnostic cannot_group(const TileLayout& layout, std::span<const std::int64_t> shape) {
  return layout_error("layout {} can not be grouped by shape {}", to_string(layout),
                      to_string(shape));
}

std::optional<Diagnostic> check_shape(std::span<const std::int64_t> shape) {
  Checked size(1);
  for (const std::int64_t extent : shape) {
    if (extent <= 0) {
      return layout_error("shape {} must have positive extents", to_string(shape));
    }
    size *= extent;
  }
  if (!size.fits()) return layout_error("layout too large: shape {}", to_string(shape));
  return std::nullopt;
}

Result<TileLayout> with_shard(const TileLayout& layout, Iters shard) {
  return TileLayout::make(std::move(shard), layout.replica(), layout.offset());
}

bool is_permutation_of_all(std::span<const std::int64_t> perm, std::size_t count) {
  std::vector<bool> seen(count);
  if (perm.size() != count) return false;
  for (const std::int64_t p : perm) {
    if (p < 0 || p >= static_cast<std::int64_t>(count) || seen[static_cast<std::size_t>(p)]) {
      return false;
    }
    seen[static_cast<std::size_t>(p)] = true;
  }
  return true;
}

/// Products of the first 0, 1, 2, … extents.
std::vector<std::int64_t> boundaries_of(std::span<const std::int64_t> extents) {
  std::vector<std::int64_t> out = {1};
  for (const std::int64_t extent : extents) out.push_back(out.back() * extent);
  return out;
}

using Boundaries = std::vector<std::int64_t>;

/// All boundaries of all sequences, each as often as the sequence that has it most often.
Boundaries merge_boundaries(const std::vector<Boundaries>& sequences) {
  std::map<std::int64_t, std::size_t> most;
  for (const Boundaries& sequence : sequences) {
    std::map<std::int64_t, std::size_t> count;
    for (const std::int64_t boundary : sequence) ++count[boundary];
    for (const auto& [boundary, times] : count) most[boundary] = std::max(most[boundary], times);
  }
  Boundaries out;
  for (const auto& [boundary, times] : most) out.insert(out.end(), times, boundary);
  return out;
}

/// Where each boundary of one sequence lies among the merged ones; the last takes the last place,
/// so that repeated boundaries (unit iters) at the end belong to the last dimension.
std::vector<std::size_t> positions_in(const Boundaries& merged, const Boundaries& sequence) {
  std::vector<std::size_t> out;
  std::size_t from = 0;
  for (const std::int64_t boundary : sequence) {
    while (merged[from] != boundary) ++from;
    out.push_back(from++);
  }
  out.back() = merged.size() - 1;
  return out;
}

}  // namespace

Result<Grouped> group(const TileLayout& layout, std::span<const std::int64_t> shape) {
  if (auto error = check_shape(shape)) return *error;
  Grouped out;
  out.separators.push_back(0);
  Iters shard;
  std::size_t k = 0;
  Checked open(1);  // the part of dimension k (and beyond) seen so far
  for (const Iter& it : layout.shard()) {
    std::int64_t extent = it.extent;
    open *= extent;
    if (!open.fits()) return cannot_group(layout, shape);
    while (k < shape.size() && open.value() % shape[k] == 0) {
      const std::int64_t rest = open.value() / shape[k];
      const Checked stride = Checked(it.stride) * rest;
      if (extent % rest != 0 || !stride.fits()) return cannot_group(layout, shape);
      shard.push_back({extent / rest, stride.value(), it.axis});
      extent = rest;
      open = rest;
      ++k;
      out.separators.push_back(shard.size());
    }
    if (extent == 1) continue;
    if (k == shape.size()) return cannot_group(layout, shape);
    shard.push_back({extent, it.stride, it.axis});
  }
  if (layout.shard().empty()) {
    for (; k < shape.size() && shape[k] == 1; ++k) {
      shard.push_back({1, 1, AxisId::m});
      out.separators.push_back(shard.size());
    }
  }
  if (k != shape.size()) return cannot_group(layout, shape);
  auto grouped = with_shard(layout, std::move(shard));
  if (!grouped) return grouped.error();
  out.layout = std::move(*grouped);
  return out;
}

std::optional<Grouped> covering_group(const TileLayout& layout,
                                      std::span<const std::int64_t> shape) {
  if (check_shape(shape)) return std::nullopt;
  const Iters& iters = layout.shard();
  const bool broadcasts =
      std::any_of(iters.begin(), iters.end(), [](const Iter& it) { return it.stride == 0; });
  if (!broadcasts) return std::nullopt;
  std::vector<std::int64_t> rest(iters.size() + 1, 1);  // elements of the iters from k on
  for (std::size_t k = iters.size(); k-- > 0;) rest[k] = rest[k + 1] * iters[k].extent;
  std::int64_t wanted = 1;  // elements of the dimensions that are still to come
  for (const std::int64_t extent : shape) wanted *= extent;
  Grouped out{layout, {0}};
  std::size_t next = 0;
  for (const std::int64_t extent : shape) {
    wanted /= extent;
    std::int64_t covered = 1;
    const std::size_t first = next;
    while (next < iters.size() && (covered < extent || next == first)) {
      covered *= iters[next++].extent;
    }
    if (covered < extent || next == first) return std::nullopt;
    while (next < iters.size() && iters[next].stride == 0 && rest[next + 1] >= wanted) ++next;
    out.separators.push_back(next);
  }
  // Iters that belong to no dimension must not matter.
  for (; next < iters.size(); ++next) {
    if (iters[next].extent != 1) return std::nullopt;
  }
  return out;
}

Result<Grouped> group_dims(const TileLayout& layout, std::span<const std::int64_t> shape) {
  auto exact = group(layout, shape);
  if (exact) return exact;
  if (auto covering = covering_group(layout, shape)) return *covering;
  return exact;
}

Result<GroupedMany> group_many(const TileLayout& layout, const std::vector<Shape>& shapes) {
  if (shapes.empty()) return layout_error("group_many requires at least one shape");
  Iters iters = layout.shard();
  if (iters.empty()) iters.push_back({1, 1, AxisId::m});
  Shape extents;
  for (const Iter& it : iters) extents.push_back(it.extent);
  std::vector<Boundaries> sequences;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].empty()) return layout_error("group_many shape {} must not be empty", i);
    if (auto error = check_shape(shapes[i])) return *error;
    sequences.push_back(boundaries_of(shapes[i]));
    if (sequences.back().back() != layout.size()) {
      return layout_error(
          "group_many needs equal total products: layout {} has {} elements, shape {} has {}",
          to_string(layout), layout.size(), to_string(shapes[i]), sequences.back().back());
    }
  }
  sequences.push_back(boundaries_of(extents));
  const Boundaries merged = merge_boundaries(sequences);
  for (std::size_t i = 1; i < merged.size(); ++i) {
    if (merged[i] % merged[i - 1] != 0) {
      return layout_error(
          "group_many has incompatible cumulative boundaries: {} does not divide {}", merged[i - 1],
          merged[i]);
    }
  }
  const std::vector<std::size_t> at = positions_in(merged, sequences.back());
  Iters shard;
  for (std::size_t k = 0; k < iters.size(); ++k) {
    for (std::size_t p = at[k]; p < at[k + 1]; ++p) {
      const Checked stride = Checked(iters[k].stride) * (merged[at[k + 1]] / merged[p + 1]);
      if (!stride.fits()) return too_large();
      shard.push_back({merged[p + 1] / merged[p], stride.value(), iters[k].axis});
    }
  }
  auto refined = with_shard(layout, std::move(shard));
  if (!refined) return refined.error();
  GroupedMany out{std::move(*refined), {}};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    out.separators.push_back(positions_in(merged, sequences[i]));
  }
  return out;
}

Result<TileLayout> permute_dims(const TileLayout& layout, std::span<const std::int64_t> perm) {
  const Iters& iters = layout.shard();
  if (!is_permutation_of_all(perm, iters.size())) {
    return layout_error("permute_dims: {} is not a permutation of the layout's {} iters",
                        to_string(perm), iters.size());
  }
  Iters shard;
  for (const std::int64_t p : perm) shard.push_back(iters[static_cast<std::size_t>(p)]);
  return with_shard(layout, std::move(shard));
}

Result<TileLayout> permute_by_groups(const TileLayout& layout,
                                     std::span<const std::size_t> separators,
                                     std::span<const std::int64_t> perm) {
  const Iters& iters = layout.shard();
  const bool cuts = !separators.empty() && separators.front() == 0 &&
                    separators.back() == iters.size() &&
                    std::is_sorted(separators.begin(), separators.end());
  if (!cuts) {
    return layout_error(
        "permute_by_groups: the separators must rise from 0 to the layout's {} iters",
        iters.size());
  }
  if (!is_permutation_of_all(perm, separators.size() - 1)) {
    return layout_error("permute_by_groups: {} is not a permutation of {} groups", to_string(perm),
                        separators.size() - 1);
  }
  Iters shard;
  for (const std::int64_t p : perm) {
    const auto k = static_cast<std::size_t>(p);
    const auto group = std::span(iters).subspan(separators[k], separators[k + 1] - separators[k]);
    shard.insert(shard.end(), group.begin(), group.end());
  }
  return with_shard(layout, std::move(shard));
}

}  // namespace tirx::ir
