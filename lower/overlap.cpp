// Element by element: which bits of which thread's storage each element of two regions covers.
#include "lower/overlap.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "ir/print.hpp"
#include "lower/copy/copy.hpp"
#include "lower/elementwise/elementwise.hpp"

namespace tirx::lower {

namespace {

using ir::IndexSum;

/// Regions of more elements than this are compared by their first and last place only.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 17;

/// Where a region's elements lie.
struct Places {
  std::int64_t width = 8;             // bits of an element
  std::vector<std::int64_t> extents;  // of the dimensions of more than one element
  IndexSum base;                      // elements
  std::optional<ir::Swizzle> swizzle;
  std::vector<std::vector<std::int64_t>> memory;  // [dimension][coordinate], elements
  std::vector<std::vector<std::int64_t>> thread;  // likewise: which thread, as one number
  std::int64_t first_thread = 0;
  std::set<ir::Axis> axes;
  std::int64_t low = 0, high = 0;  // the least and the largest sum of `memory`

  [[nodiscard]] std::int64_t size() const {
    std::int64_t n = 1;
    for (const std::int64_t extent : extents) n *= extent;
    return n;
  }
};

/// The thread coordinates of a CTA as parts of one number.
bool counts_threads(const ir::Axis& axis) {
  return axis.id() >= ir::AxisId::laneid && axis.id() <= ir::AxisId::wgid;
}

std::int64_t on_axis(const ir::Axis& axis, std::int64_t value) {
  constexpr int kBitsPerAxis = 10;  // up to 1024 threads, and six axes
  return value << (kBitsPerAxis *
                   (static_cast<int>(axis.id()) - static_cast<int>(ir::AxisId::laneid)));
}

std::optional<Places> places_of(const Site& site, std::size_t operand) {
  const TileSide& side = *site.sides[operand];
  if (side.extents.size() != side.region.ranges.size()) return std::nullopt;
  const Result<StridedTile> tile =
      strided_tile(side, site.buffer_offsets[operand], site.facts, ir::AxisFusion::none);
  if (!tile || !tile->replica.empty()) return std::nullopt;
  Places places;
  places.width = element_bits(side.buffer().dtype);
  places.extents = side.wide_extents();
  places.base = tile->base;
  places.swizzle = tile->swizzle;
  if (places.size() > (std::int64_t{1} << 40)) return std::nullopt;
  for (const std::int64_t extent : places.extents) {
    if (extent > kMaxElements) return std::nullopt;
    places.memory.emplace_back(static_cast<std::size_t>(extent), 0);
    places.thread.emplace_back(static_cast<std::size_t>(extent), 0);
  }
  for (const auto& [axis, value] : tile->thread_offset) {
    if (!counts_threads(axis)) return std::nullopt;
    places.axes.insert(axis);
    places.first_thread += on_axis(axis, value);
  }
  for (const StridedIter& iter : tile->iters) {
    if (!iter.stride.is_constant()) return std::nullopt;
    const bool thread = counts_threads(iter.axis);
    if (!thread && iter.axis.id() != ir::AxisId::m) return std::nullopt;
    if (thread) places.axes.insert(iter.axis);
    std::vector<std::int64_t>& sums = (thread ? places.thread : places.memory)[iter.dim];
    for (std::size_t c = 0; c < sums.size(); ++c) {
      const std::int64_t digit = static_cast<std::int64_t>(c) / iter.weight % iter.extent;
      const std::int64_t moved = digit * iter.stride.constant();
      sums[c] += thread ? on_axis(iter.axis, moved) : moved;
    }
  }
  for (const auto& sums : places.memory) {
    places.low += *std::min_element(sums.begin(), sums.end());
    places.high += *std::max_element(sums.begin(), sums.end());
  }
  return places;
}

/// One granule of one element.
struct Covered {
  std::int64_t thread, granule, element;

  friend auto operator<=>(const Covered&, const Covered&) = default;
};

/// All granules of a region whose first element lies `base` granules from the common origin.
std::vector<Covered> covered(const Places& places, std::int64_t base, std::int64_t granule) {
  const std::int64_t scale = places.width / granule;
  std::vector<Covered> out;
  std::vector<std::size_t> at(places.extents.size(), 0);
  const std::int64_t size = places.size();
  for (std::int64_t element = 0; element < size; ++element) {
    std::int64_t place = 0;
    std::int64_t thread = places.first_thread;
    for (std::size_t k = 0; k < at.size(); ++k) {
      place += places.memory[k][at[k]];
      thread += places.thread[k][at[k]];
    }
    std::int64_t first = base + place * scale;
    if (places.swizzle) {  // the base is a constant then
      first = places.swizzle->apply(places.base.constant() + place) * scale;
    }
    for (std::int64_t g = 0; g < scale; ++g) out.push_back({thread, first + g, element});
    for (std::size_t k = at.size(); k-- > 0;) {
      if (++at[k] < places.memory[k].size()) break;
      at[k] = 0;
    }
  }
  return out;
}

/// For each dimension of dst of more than one element the source's, or none where it is repeated.
using WideMap = std::vector<std::optional<std::size_t>>;

/// The source's element that belongs to an element of dst.
std::int64_t partner(const Places& dst, const Places& src, const WideMap& map, std::int64_t e) {
  std::vector<std::int64_t> coordinates(src.extents.size(), 0);
  for (std::size_t k = dst.extents.size(); k-- > 0;) {
    if (map[k]) coordinates[*map[k]] = e % dst.extents[k];
    e /= dst.extents[k];
  }
  std::int64_t element = 0;
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    element = element * src.extents[k] + coordinates[k];
  }
  return element;
}

/// Whether they certainly meet, other than in place; `map` is empty where in place is no excuse.
bool collide(const Places& dst, const Places& src, const std::optional<WideMap>& map) {
  if (dst.axes != src.axes) return false;
  const std::int64_t granule = std::min(dst.width, src.width);
  const bool swizzled = dst.swizzle || src.swizzle;
  if (swizzled && !(dst.base.is_constant() && src.base.is_constant())) return false;
  const IndexSum away =
      dst.base.times(dst.width / granule).plus(src.base.times(-(src.width / granule)));
  if (!away.is_constant()) return false;
  // Without a swizzle the source's base is the origin.
  std::int64_t dst_base = away.constant(), src_base = 0;
  if (swizzled) {
    dst_base = dst.base.constant() * (dst.width / granule);
    src_base = src.base.constant() * (src.width / granule);
  } else {
    const std::int64_t d = dst.width / granule, s = src.width / granule;
    if (dst_base + dst.low * d >= (src.high + 1) * s) return false;
    if (dst_base + (dst.high + 1) * d <= src.low * s) return false;
  }
  if (dst.size() > kMaxElements || src.size() > kMaxElements) return false;
  std::vector<Covered> written = covered(dst, dst_base, granule);
  std::sort(written.begin(), written.end());
  const bool one_to_one = map && dst.width == src.width && dst.size() == src.size();
  for (const Covered& read : covered(src, src_base, granule)) {
    auto found =
        std::lower_bound(written.begin(), written.end(), Covered{read.thread, read.granule, 0});
    for (; found != written.end() && found->thread == read.thread && found->granule == read.granule;
         ++found) {
      if (!one_to_one || partner(dst, src, *map, found->element) != read.element) return true;
    }
  }
  return false;
}

/// Nothing: the shapes do not fit, which is another refusal's business.
std::optional<WideMap> wide_map(const Site& site, std::size_t operand) {
  const TileSide& dst = *site.sides[0];
  const TileSide& src = *site.sides[operand];
  WideMap map(dst.wide_dims.size());
  if (ir::spec(site.call.op).family == ir::TileFamily::copy) {
    if (src.wide_dims.size() != map.size()) return std::nullopt;
    for (std::size_t k = 0; k < map.size(); ++k) map[k] = k;
    return map;
  }
  const auto dims = align_dims(dst.extents, src.extents);
  if (!dims) return std::nullopt;
  for (std::size_t k = 0; k < map.size(); ++k) {
    const std::optional<std::size_t> dim = (*dims)[dst.wide_dims[k]];
    if (!dim) continue;
    const auto at = std::find(src.wide_dims.begin(), src.wide_dims.end(), *dim);
    if (at != src.wide_dims.end()) map[k] = static_cast<std::size_t>(at - src.wide_dims.begin());
  }
  return map;
}

/// How many elements of the region one thread holds.
std::int64_t held_by_thread(const Places& places) {
  std::int64_t count = 1;
  for (const auto& sums : places.memory) {
    count *= static_cast<std::int64_t>(std::set<std::int64_t>(sums.begin(), sums.end()).size());
  }
  return count;
}

/// The region itself, spelled alike.
bool is_destination(const Site& site, std::size_t operand) {
  const TileSide& dst = *site.sides[0];
  const TileSide& src = *site.sides[operand];
  return dst.region.buffer == src.region.buffer && dst.extents == src.extents &&
         std::equal(dst.begins.begin(), dst.begins.end(), src.begins.begin(), src.begins.end());
}

}  // namespace

std::optional<std::string> refuse_meeting(const Site& site) {
  const ir::TileFamily family = ir::spec(site.call.op).family;
  const bool reduction = family == ir::TileFamily::reduction;
  // permute_layout reads everything before it writes; gemm has rules of its own.
  if (!reduction && family != ir::TileFamily::copy && family != ir::TileFamily::elementwise) {
    return std::nullopt;
  }
  if (site.sides.empty() || !site.sides[0]) return std::nullopt;
  const ir::Storage* storage = site.sides[0]->buffer().storage.get();
  std::optional<Places> dst;
  for (const std::size_t i : region_operands(site)) {
    if (i == 0 || site.sides[i]->buffer().storage.get() != storage) continue;
    if (!reduction && is_destination(site, i)) continue;
    if (!dst) dst = places_of(site, 0);
    const std::optional<Places> src = places_of(site, i);
    if (!dst || !src) continue;
    std::optional<WideMap> map;
    if (reduction) {
      // A thread writes an output after it has read all of its elements.
      const bool registers = storage->scope == ir::MemoryScope::local;
      if (registers && held_by_thread(*dst) == 1) continue;
    } else {
      map = wide_map(site, i);
      if (!map) continue;
    }
    if (!collide(*dst, *src, map)) continue;
    return fmt::format(
        "in_place — {} overlaps the destination {}: a source is the destination itself or apart "
        "from it",
        ir::to_string(site.sides[i]->region), ir::to_string(site.sides[0]->region));
  }
  return std::nullopt;
}

}  // namespace tirx::lower
