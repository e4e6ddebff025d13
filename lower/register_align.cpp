// See register_align.hpp; grouping follows TIRx's alignment of operands to an anchor, with one
// addition: a replicated operand may be broadcast over the threads that hold its copies.
#include "lower/register_align.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace tirx::lower {

namespace {

struct Tile {
  const TileSide* side;
  StridedTile strided;
  std::vector<StridedIters> by_dim;  // one per dimension of the region

  Tile(const TileSide& s, StridedTile t) : side(&s), strided(std::move(t)) {
    by_dim.resize(s.extents.size());
    for (const StridedIter& iter : strided.iters) by_dim[s.wide_dims[iter.dim]].push_back(iter);
  }
};

/// Replicas as few as possible, sorted.
std::vector<ir::Iter> normal_form(std::vector<ir::Iter> iters) {
  std::erase_if(iters, [](const ir::Iter& iter) { return iter.extent == 1; });
  std::sort(iters.begin(), iters.end(), [](const ir::Iter& a, const ir::Iter& b) {
    if (!(a.axis == b.axis)) return a.axis < b.axis;
    return a.stride < b.stride;
  });
  std::vector<ir::Iter> fused;
  for (const ir::Iter& iter : iters) {
    if (!fused.empty() && fused.back().axis == iter.axis &&
        fused.back().stride * fused.back().extent == iter.stride) {
      fused.back().extent *= iter.extent;
    } else {
      fused.push_back(iter);
    }
  }
  return fused;
}

/// Boundaries (products of inner extents) at which some operand ends a digit.
std::optional<std::vector<std::int64_t>> refine(const std::vector<const StridedIters*>& runs,
                                                std::int64_t extent) {
  std::set<std::int64_t> cuts{1, extent};
  for (const StridedIters* run : runs) {
    std::int64_t inner = 1;
    for (std::size_t k = run->size(); k-- > 0;) cuts.insert(inner *= (*run)[k].extent);
  }
  std::vector<std::int64_t> extents;  // innermost first
  std::int64_t before = 1;
  for (const std::int64_t cut : cuts) {
    if (cut % before != 0) return std::nullopt;
    if (cut != before) extents.push_back(cut / before);
    before = cut;
  }
  std::reverse(extents.begin(), extents.end());
  return extents;
}

}  // namespace

ir::IndexSum thread_digit(const Site& site,
                          const ir::Axis& axis,
                          std::int64_t stride,
                          std::int64_t extent) {
  const ir::IndexSum value = ir::IndexSum::of(site.axis_values.at(axis.id()), site.facts);
  return value.floordiv(stride, site.facts).floormod(extent, site.facts);
}

std::int64_t AlignedRegisters::count() const {
  std::int64_t count = 1;
  for (const AlignedDigit& digit : digits) {
    if (!digit.axis.is_thread()) count *= digit.extent;
  }
  return count;
}

RegisterPlace register_place(const Site& site,
                             const AlignedRegisters& aligned,
                             const ir::IndexSum& element) {
  RegisterPlace place;
  place.registers = aligned.bases;
  place.coordinates.resize(aligned.rank);
  const std::int64_t count = aligned.count();
  std::vector<ir::IndexSum> values(aligned.digits.size());
  std::int64_t inner = 1;
  for (std::size_t k = aligned.digits.size(); k-- > 0;) {
    const AlignedDigit& digit = aligned.digits[k];
    if (digit.axis.is_thread()) {
      values[k] = thread_digit(site, digit.axis, digit.strides[0], digit.extent);
      continue;
    }
    values[k] = element.floordiv(inner, site.facts);
    inner *= digit.extent;
    if (inner < count) values[k] = values[k].floormod(digit.extent, site.facts);
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    const AlignedDigit& digit = aligned.digits[k];
    place.coordinates[digit.dim] = place.coordinates[digit.dim].plus(values[k].times(digit.weight));
    if (digit.axis.is_thread()) continue;
    for (std::size_t i = 0; i < place.registers.size(); ++i) {
      place.registers[i] = place.registers[i].plus(values[k].times(digit.strides[i]));
    }
  }
  return place;
}

std::optional<std::string> refuse_spread(const Site& site,
                                         const TileSide& side,
                                         const StridedTile& tile) {
  const std::string& name = side.buffer().name;
  const std::string_view scope = ir::name_of(site.scope);
  std::vector<ir::Iter> iters;
  for (const StridedIter& iter : tile.iters) {
    if (iter.axis.is_thread()) iters.push_back({iter.extent, iter.stride.constant(), iter.axis});
  }
  const bool sharded = !iters.empty();
  for (const ir::Iter& iter : tile.replica) {
    if (!iter.axis.is_thread()) return fmt::format("replicas — {} has copies in memory", name);
    iters.push_back(iter);
  }
  for (const auto& [axis, offset] : tile.thread_offset) {
    if (offset == 0) continue;
    return fmt::format(
        "thread_offset — the region of {} starts at {} = {}, not at the first thread", name,
        axis.name(), offset);
  }
  if (site.scope == ir::ExecScope::thread) {
    if (iters.empty()) return std::nullopt;
    return fmt::format("thread_axes — {} is spread over threads ({}): use the op at a larger scope",
                       name, iters.front().axis.name());
  }
  if (!sharded && iters.empty()) {
    return fmt::format(
        "thread_axes — got a thread-local view with no thread axes: {} is each thread's own, and "
        "the threads of the {} would not share the work; use the op at thread scope",
        name, scope);
  }
  const std::vector<ir::Iter> whole = normal_form(iters);
  for (const ir::Iter& iter : whole) {
    const auto extent = site.axis_extents.find(iter.axis.id());
    if (extent == site.axis_extents.end() || extent->second != site.threads) {
      return fmt::format("thread_axes — {} lies on {}, which does not count the threads of the {}",
                         name, iter.axis.name(), scope);
    }
  }
  if (whole.size() != 1 || whole[0].stride != 1) {
    return fmt::format("thread_axes — the threads of {} do not tile a complete {}:1", name,
                       site.threads);
  }
  if (whole[0].extent != site.threads) {
    return fmt::format("thread_axes — {} span{} {} threads, not the full {} of the {}", name,
                       name.empty() ? "" : "s", whole[0].extent, site.threads, scope);
  }
  return std::nullopt;
}

Result<AlignedRegisters> align_registers(const Site& site,
                                         const std::vector<std::size_t>& operands,
                                         const std::vector<DimMap>& dims) {
  std::vector<const TileSide*> sides;
  std::vector<StridedTile> strided;
  for (const std::size_t i : operands) {
    Result<StridedTile> tile =
        strided_tile(*site.sides[i], site.buffer_offsets[i], site.facts, ir::AxisFusion::cuda);
    if (!tile) return tile.error();
    if (auto reason = refuse_spread(site, *site.sides[i], *tile))
      return placeless(std::move(*reason));
    sides.push_back(&*site.sides[i]);
    strided.push_back(std::move(*tile));
  }
  return align_tiles(site, sides, std::move(strided), dims);
}

Result<AlignedRegisters> align_tiles(const Site&,
                                     const std::vector<const TileSide*>& sides,
                                     std::vector<StridedTile> strided,
                                     const std::vector<DimMap>& dims) {
  std::vector<Tile> tiles;
  AlignedRegisters aligned;
  for (std::size_t k = 0; k < sides.size(); ++k) {
    aligned.bases.push_back(strided[k].base);
    tiles.emplace_back(*sides[k], std::move(strided[k]));
  }
  const TileSide& anchor = *tiles[0].side;
  aligned.rank = anchor.extents.size();
  // What the operand's replicas must be: the anchor's, and the threads it is broadcast over.
  std::vector<std::vector<ir::Iter>> copies(
      tiles.size(), {tiles[0].strided.replica.begin(), tiles[0].strided.replica.end()});
  for (std::size_t d = 0; d < anchor.extents.size(); ++d) {
    if (anchor.extents[d] == 1) continue;
    std::vector<const StridedIters*> runs;
    for (std::size_t k = 0; k < tiles.size(); ++k) {
      if (dims[k][d]) runs.push_back(&tiles[k].by_dim[*dims[k][d]]);
    }
    const auto extents = refine(runs, anchor.extents[d]);
    if (!extents) {
      return placeless(fmt::format("layouts — the registers of dimension {} are not cut alike", d));
    }
    std::vector<std::vector<StridedIters>> groups(tiles.size());
    for (std::size_t k = 0; k < tiles.size(); ++k) {
      if (!dims[k][d]) continue;
      auto cut = group(tiles[k].by_dim[*dims[k][d]], *extents);
      if (!cut) {
        return placeless(
            fmt::format("layouts — the registers of dimension {} are not cut alike", d));
      }
      groups[k] = std::move(*cut);
    }
    std::int64_t weight = anchor.extents[d];
    for (std::size_t e = 0; e < extents->size(); ++e) {
      weight /= (*extents)[e];
      const StridedIter& own = groups[0][e].front();
      AlignedDigit digit{d, (*extents)[e], weight, own.axis, {}};
      for (std::size_t k = 0; k < tiles.size(); ++k) {
        // Not walked by the operand at all, or with stride 0: one register for all of the digit.
        const auto repeated = [&](const StridedIter& other) {
          return k > 0 && own.axis.is_thread() && !other.axis.is_thread() &&
                 other.stride == ir::IndexSum(0);
        };
        if (!dims[k][d] || repeated(groups[k][e].front())) {
          if (own.axis.is_thread()) {
            copies[k].push_back({digit.extent, own.stride.constant(), own.axis});
          }
          digit.strides.push_back(0);
          continue;
        }
        const StridedIter& other = groups[k][e].front();
        const bool on_threads = own.axis.is_thread();
        if (!(other.axis == own.axis) || (on_threads && !(other.stride == own.stride))) {
          return placeless(fmt::format(
              "layouts — thread part mismatch between anchor and operand after alignment: {} of {} "
              "against {} of {}",
              to_string(tiles[0].strided.iters), anchor.buffer().name,
              to_string(tiles[k].strided.iters), tiles[k].side->buffer().name));
        }
        digit.strides.push_back(k == 0 && on_threads ? own.stride.constant()
                                : on_threads         ? 0
                                                     : other.stride.constant());
      }
      aligned.digits.push_back(std::move(digit));
    }
  }
  for (std::size_t k = 1; k < tiles.size(); ++k) {
    const auto& replica = tiles[k].strided.replica;
    if (normal_form(copies[k]) == normal_form({replica.begin(), replica.end()})) continue;
    return placeless(
        fmt::format("layouts — replica part mismatch: {} is not held by the threads "
                    "that need it for {}",
                    tiles[k].side->buffer().name, anchor.buffer().name));
  }
  return aligned;
}

}  // namespace tirx::lower
