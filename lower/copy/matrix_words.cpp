// See matrix_words.hpp.
#include "lower/copy/matrix_words.hpp"

#include <array>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace tirx::lower {

namespace {

using ir::AxisId;
using ir::IndexSum;

constexpr std::int64_t kLanes = ir::kLanesPerWarp;

/// A digit of the register tile's coordinate with what it moves.
struct Digit {
  StridedIter reg;
  StridedIters memory;  // the same digits in shared memory

  [[nodiscard]] std::int64_t offset(std::int64_t value) const {
    std::int64_t sum = 0;
    std::int64_t inner = reg.extent;
    for (const StridedIter& part : memory) {
      inner /= part.extent;
      sum += value / inner % part.extent * part.stride.constant();
    }
    return sum;
  }
};

struct Digits {
  std::vector<Digit> lanes, registers;  // strides in lanes, in registers
};

/// Coordinate parts and offset that a lane, or a register, adds.
struct Place {
  std::int64_t offset = 0;
  std::vector<std::int64_t> coordinate;
};

/// What each value of some digits adds, by the sum of their steps (lanes, registers).
std::map<std::int64_t, Place> places_of(const std::vector<Digit>& digits, std::size_t dims) {
  std::map<std::int64_t, Place> places{{0, Place{0, std::vector<std::int64_t>(dims, 0)}}};
  for (const Digit& digit : digits) {
    std::map<std::int64_t, Place> next;
    for (const auto& [at, place] : places) {
      for (std::int64_t value = 0; value < digit.reg.extent; ++value) {
        Place moved = place;
        moved.offset += digit.offset(value);
        moved.coordinate[digit.reg.dim] += value * digit.reg.weight;
        next.emplace(at + value * digit.reg.stride.constant(), std::move(moved));
      }
    }
    places = std::move(next);
  }
  return places;
}

/// Every (lane, register) of the tile: the two parts of its place are independent.
class Places {
 public:
  Places(const Digits& digits, std::size_t dims)
      : lanes_(static_cast<std::size_t>(kLanes)), registers_(places_of(digits.registers, dims)) {
    for (auto& [lane, place] : places_of(digits.lanes, dims)) {
      if (lane >= 0 && lane < kLanes) lanes_[static_cast<std::size_t>(lane)] = place;
    }
  }

  /// Offset of register `reg` of a lane, if the tile has them.
  [[nodiscard]] std::optional<std::int64_t> offset(std::int64_t lane, const Place& reg) const {
    const auto& place = lanes_[static_cast<std::size_t>(lane)];
    if (!place) return std::nullopt;
    return place->offset + reg.offset;
  }

  /// Its coordinate, where there is an offset.
  [[nodiscard]] std::vector<std::int64_t> coordinate(std::int64_t lane, const Place& reg) const {
    std::vector<std::int64_t> sum = reg.coordinate;
    const auto& place = lanes_[static_cast<std::size_t>(lane)];
    for (std::size_t dim = 0; dim < sum.size(); ++dim) sum[dim] += place->coordinate[dim];
    return sum;
  }

  [[nodiscard]] const std::map<std::int64_t, Place>& registers() const { return registers_; }

 private:
  std::vector<std::optional<Place>> lanes_;
  std::map<std::int64_t, Place> registers_;
};

/// The word of two neighbouring registers as a matrix, or nothing.
std::optional<MatrixWord> word_at(const Places& places,
                                  std::int64_t reg,
                                  const std::array<const Place*, 2>& pair,
                                  bool transposed) {
  MatrixWord word;
  word.reg = reg;
  for (std::int64_t row = 0; row < 8; ++row) {
    const Place& at = *pair[static_cast<std::size_t>(transposed ? row % 2 : 0)];
    const std::int64_t lane = transposed ? row / 2 : 4 * row;
    const auto first = places.offset(lane, at);
    if (!first || *first % 8 != 0) return std::nullopt;
    const auto r = static_cast<std::size_t>(row);
    word.row_offset[r] = *first;
    word.row_coordinate[r] = places.coordinate(lane, at);
    for (std::int64_t column = 0; column < 8; ++column) {
      const auto place = transposed ? places.offset(4 * column + row / 2, at)
                                    : places.offset(4 * row + column / 2,
                                                    *pair[static_cast<std::size_t>(column % 2)]);
      if (!place || *place != *first + column) return std::nullopt;
    }
  }
  return word;
}

/// Splits a step on a thread axis into the part inside a warp and the part across warps.
struct ThreadStep {
  std::int64_t stride = 1;  // in threads
  bool by_warp = false;
};

std::optional<ThreadStep> step_of(AxisId axis, std::int64_t stride) {
  switch (axis) {
    case AxisId::laneid:
    case AxisId::tid_in_wg:
    case AxisId::tx:
      return ThreadStep{stride, stride >= kLanes};
    case AxisId::warpid:
    case AxisId::wid_in_wg:
    case AxisId::wgid:
      return ThreadStep{stride, true};
    default:
      return std::nullopt;
  }
}

class Builder {
 public:
  explicit Builder(const Site& site) : site_(site) {}

  Result<MatrixWords> run() {
    const bool load = copy_dst(site_).buffer().scope() == ir::MemoryScope::local;
    const TileSide& reg_side = load ? copy_dst(site_) : copy_src(site_);
    const TileSide& shared_side = load ? copy_src(site_) : copy_dst(site_);
    const auto tile = [&](const TileSide& side, std::size_t operand) {
      return strided_tile(side, site_.buffer_offsets[operand], site_.facts, ir::AxisFusion::none);
    };
    const Result<StridedTile> reg = tile(reg_side, load ? 0 : 1);
    if (!reg) return reg.error();
    const Result<StridedTile> shared = tile(shared_side, load ? 1 : 0);
    if (!shared) return shared.error();
    if (auto why = check(reg_side, *reg, *shared)) return placeless(std::move(*why));
    const auto groups = group(shared->iters, extents_of(reg->iters));
    if (!groups) {
      return placeless(fmt::format("fragments — the shared layout {} can not be grouped by {}",
                                   to_string(shared->iters), to_string(reg->iters)));
    }
    made_.swizzle = shared->swizzle;
    made_.reg_base = reg->base;
    made_.shared_base = shared->base;
    made_.dims = reg_side.wide_dims.size();
    made_.coordinate_base.resize(made_.dims);
    for (std::size_t k = 0; k < reg->iters.size(); ++k) {
      if (auto why = take({reg->iters[k], (*groups)[k]})) return placeless(std::move(*why));
    }
    return match(reg_side);
  }

 private:
  std::optional<std::string> check(const TileSide& reg_side,
                                   const StridedTile& reg,
                                   const StridedTile& shared) const {
    const std::string& name = reg_side.buffer().name;
    if (reg.swizzle) return fmt::format("plain_layout — the register tile {} is swizzled", name);
    if (!reg.replica.empty()) return fmt::format("no_replicas — {} has replicas", name);
    for (const auto& [axis, offset] : reg.thread_offset) {
      if (offset != 0) {
        return fmt::format("R sliced offset on thread axis '{}' is {}", axis.name(), offset);
      }
    }
    for (const StridedIter& iter : shared.iters) {
      if (iter.axis.id() != AxisId::m || !iter.stride.is_constant()) {
        return "fragments — the shared side has strides that are not constants";
      }
    }
    if (!shared.replica.empty()) return "a layout with replicas in memory";
    if (shared.swizzle && shared.swizzle->per_element < 3) {
      return fmt::format("swizzle — it keeps only {} elements together, a row of a matrix has 8",
                         shared.swizzle->chunk());
    }
    if (!shared.base.divisible_by(8, site_.facts)) {
      return "align — the shared region does not start at a multiple of 8 elements";
    }
    const bool load = copy_dst(site_).buffer().scope() == ir::MemoryScope::local;
    const TileSide& side = load ? copy_src(site_) : copy_dst(site_);
    if (side.buffer().storage->alignment < 16) {
      return fmt::format("align — {} is not aligned to 16 bytes", side.buffer().name);
    }
    if (!reg.base.divisible_by(2, site_.facts)) {
      return "align — the register region starts inside a 32-bit word";
    }
    return std::nullopt;
  }

  /// Sorts a digit into lanes, warps and registers; one across warps may have a part in each.
  std::optional<std::string> take(Digit digit) {
    const StridedIter& iter = digit.reg;
    if (!iter.axis.is_thread()) {
      digits_.registers.push_back(std::move(digit));
      return std::nullopt;
    }
    const AxisId axis = iter.axis.id();
    const std::int64_t stride = iter.stride.constant();
    const auto step = step_of(axis, stride);
    if (!step || site_.axis_extents.find(axis) == site_.axis_extents.end()) {
      return fmt::format("R thread axis '{}' is above the op's scope {}", iter.axis.name(),
                         ir::name_of(site_.scope));
    }
    if (!step->by_warp) {
      if (stride * iter.extent > kLanes) {
        return fmt::format("fragments — an iter of {} on axis {} crosses warps", iter.extent,
                           iter.axis.name());
      }
      digits_.lanes.push_back(std::move(digit));
      return std::nullopt;
    }
    const IndexSum value = IndexSum::of(site_.axis_values.at(axis), site_.facts)
                               .floordiv(stride, site_.facts)
                               .floormod(iter.extent, site_.facts);
    IndexSum& coordinate = made_.coordinate_base[iter.dim];
    coordinate = coordinate.plus(value.times(iter.weight));
    std::int64_t inner = iter.extent;
    for (const StridedIter& part : digit.memory) {
      inner /= part.extent;
      if (part.stride.constant() % 8 != 0) {
        return "align — a warp's rows do not start at a multiple of 8 elements";
      }
      made_.shared_base = made_.shared_base.plus(
          value.floordiv(inner, site_.facts).floormod(part.extent, site_.facts).times(part.stride));
    }
    return std::nullopt;
  }

  Result<MatrixWords> match(const TileSide& reg_side) {
    const Places places(digits_, made_.dims);
    const auto& registers = places.registers();
    const std::string& name = reg_side.buffer().name;
    for (const bool transposed : {false, true}) {
      made_.words.clear();
      made_.transposed = transposed;
      bool all = registers.size() % 2 == 0;
      for (auto at = registers.begin(); all && at != registers.end(); ++at) {
        const auto& [reg, even] = *at;
        const auto& [after, odd] = *++at;
        auto word = reg % 2 == 0 && after == reg + 1
                        ? word_at(places, reg, {&even, &odd}, transposed)
                        : std::optional<MatrixWord>();
        all = word.has_value();
        if (all) made_.words.push_back(std::move(*word));
      }
      if (all && !made_.words.empty()) return std::move(made_);
    }
    return placeless(fmt::format(
        "fragments — the registers of {} do not hold 8 x 8 matrices of rows (or columns) "
        "of 16 bytes",
        name));
  }

  const Site& site_;
  MatrixWords made_;
  Digits digits_;
};

}  // namespace

Result<MatrixWords> matrix_words(const Site& site) {
  return Builder(site).run();
}

}  // namespace tirx::lower
