// sum, max, min by their definition (docs/language/tile_ops.md): which element meets which, in
// which order.  Written from that text; lowering is checked against it.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "ir/layout/algebra.hpp"
#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"
#include "sim/tile_eval/evaluator.hpp"
#include "sim/tile_eval/index.hpp"

namespace tirx::sim::tile {

namespace {

using ir::TileOp;
using num::DType;
using num::ScalarOp;

struct Fold {
  ScalarOp op;
  DType dtype;

  [[nodiscard]] Cell operator()(Cell a, Cell b) const {
    return {num::evaluate(op, dtype, a.bits, b.bits).value, a.poison || b.poison};
  }

  /// 0, the lowest and the largest finite value.
  [[nodiscard]] Cell neutral() const {
    if (op == ScalarOp::add) return {num::from_double(0.0, dtype), false};
    const bool low = op == ScalarOp::max;
    if (!num::is_float(dtype)) {
      const int width = num::bits(dtype);
      const std::uint64_t all = ~std::uint64_t{0} >> (64 - width);
      if (num::is_unsigned(dtype)) return {low ? 0 : all, false};
      return {low ? (all >> 1) + 1 : all >> 1, false};
    }
    // The finite value next to infinity.
    const std::uint64_t infinity = num::from_double(HUGE_VAL, dtype);
    const std::uint64_t sign = std::uint64_t{1} << (num::bits(dtype) - 1);
    return {low ? (infinity - 1) | sign : infinity - 1, false};
  }
};

bool flag(const ir::TileCall& call, const char* key) {
  const auto found = call.config.find(key);
  const bool* value = found == call.config.end() ? nullptr : std::get_if<bool>(&found->second);
  return value != nullptr && *value;
}

std::vector<bool> axes_of(const ir::TileCall& call, std::size_t rank) {
  std::vector<bool> reduced(rank, false);
  const auto found = call.config.find("axes");
  std::vector<std::int64_t> axes{-1};
  if (found != call.config.end()) {
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&found->second)) axes = *list;
    if (const auto* one = std::get_if<std::int64_t>(&found->second)) axes = {*one};
  }
  for (std::int64_t axis : axes) {
    if (axis < 0) axis += static_cast<std::int64_t>(rank);
    if (axis >= 0 && axis < static_cast<std::int64_t>(rank)) {
      reduced[static_cast<std::size_t>(axis)] = true;
    }
  }
  return reduced;
}

/// The distances between lanes that share an output: bits of the lane number.
std::vector<std::size_t> lane_distances(const ir::BufferNode& buffer,
                                        const std::vector<std::int64_t>& shape,
                                        const std::vector<bool>& reduced) {
  std::vector<std::size_t> found;
  if (!buffer.layout) return found;
  const auto grouped = ir::group(buffer.layout->tile, shape);
  if (!grouped) return found;
  for (std::size_t k = 0; k < reduced.size(); ++k) {
    if (!reduced[k]) continue;
    for (const ir::Iter& iter : grouped->group(k)) {
      if (!iter.axis.is_thread()) continue;
      for (std::int64_t step = 1; step < iter.extent; step *= 2) {
        found.push_back(static_cast<std::size_t>(step * iter.stride));
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

void Evaluator::reduce(const ir::TileCall& call,
                       const Box& dst,
                       const std::vector<std::size_t>& threads,
                       Span span) {
  const auto* operand =
      call.operands.size() > 1 ? std::get_if<ir::Region>(&call.operands[1]) : nullptr;
  const std::optional<Box> src =
      operand == nullptr ? std::nullopt : box_of(*operand, threads, span);
  if (!src) {
    if (!stopped_) unsupported(span, "a reduction without a source region");
    return;
  }
  const DType from = src->buffer->dtype;
  const Fold fold{call.op == TileOp::sum   ? ScalarOp::add
                  : call.op == TileOp::max ? ScalarOp::max
                                           : ScalarOp::min,
                  dst.buffer->dtype};
  const std::vector<bool> reduced = axes_of(call, src->extent.size());
  std::vector<std::int64_t> kept(src->extent), gone(src->extent), wide_kept;
  std::int64_t elements = 1;
  for (std::size_t k = 0; k < reduced.size(); ++k) {
    (reduced[k] ? kept : gone)[k] = 1;
    if (reduced[k]) elements *= src->extent[k];
    if (!reduced[k] && src->extent[k] != 1) wide_kept.push_back(src->extent[k]);
  }
  const bool partial = without_units(dst.extent) != wide_kept;
  const bool registers = src->buffer->scope() == ir::MemoryScope::local;
  const bool accumulate = flag(call, "accum");

  const auto source = [&](const std::vector<std::int64_t>& output,
                          const std::vector<std::int64_t>& element) {
    std::vector<std::int64_t> at = src->begin;
    for (std::size_t k = 0; k < at.size(); ++k) at[k] += output[k] + element[k];
    return at;
  };
  const auto converted = [&](Cell cell) {
    return Cell{num::convert(cell.bits, from, fold.dtype), cell.poison};
  };

  // One result for each output and, in registers, each thread.
  using Output = std::vector<std::int64_t>;
  std::map<Output, std::map<std::size_t, Cell>> results;
  std::map<std::pair<Output, std::size_t>, std::vector<Cell>>
      held_by;  // where dst's value is first
  std::vector<std::size_t> distances;
  if (registers && threads.size() > 1) {
    distances = lane_distances(*src->buffer, shape_of(*src->buffer), reduced);
    if (partial && !flag(call, "thread_reduce")) distances.clear();
    if (!partial && !flag(call, "thread_reduce")) std::reverse(distances.begin(), distances.end());
  }
  const bool exchange = !distances.empty();
  const bool old_first = registers && accumulate && !exchange;
  for_each_index(kept, [&](const std::vector<std::int64_t>& output) {
    if (stopped_) return;
    std::map<std::size_t, Cell>& result = results[output];
    if (!registers) {
      // Lanes of a group take every g-th element; then distances 1, 2, ….
      std::int64_t g = 1;
      while (g < elements) g *= 2;
      g = std::min({g, std::int64_t{32}, static_cast<std::int64_t>(threads.size())});
      std::vector<Cell> lanes(static_cast<std::size_t>(g), fold.neutral());
      std::size_t number = 0;
      for_each_index(gone, [&](const std::vector<std::int64_t>& element) {
        Cell& lane = lanes[number++ % lanes.size()];
        lane = fold(lane, converted(read_element(*src, source(output, element), threads, span)));
      });
      for (std::size_t distance = 1; distance < lanes.size(); distance *= 2) {
        const std::vector<Cell> before = lanes;
        for (std::size_t l = 0; l < lanes.size(); ++l) {
          lanes[l] = fold(before[l], before[l ^ distance]);
        }
      }
      result[threads[0]] = lanes[0];
      return;
    }
    std::map<std::size_t, std::vector<Cell>> held;
    for_each_index(gone, [&](const std::vector<std::int64_t>& element) {
      if (stopped_) return;
      for (const Owner& owner : owners(*src->buffer, source(output, element), threads, span)) {
        const Place place = place_of(*src->buffer, owner.element, owner.thread);
        if (inside(place, from)) held[owner.thread].push_back(converted(read(place, from)));
      }
    });
    for (const auto& [thread, cells] : held) {
      if (exchange && !partial && cells.size() == 1) {
        result[thread] = cells[0];
        continue;
      }
      if (old_first) continue;  // from dst's old value, below
      Cell sum = fold.neutral();
      for (const Cell& cell : cells) sum = fold(sum, cell);
      result[thread] = sum;
    }
    for (const std::size_t distance : distances) {
      const std::map<std::size_t, Cell> before = result;
      for (auto& [thread, cell] : result) {
        const auto other = before.find(thread ^ distance);
        if (other != before.end()) cell = fold(before.at(thread), other->second);
      }
    }
    if (!old_first) return;
    for (const auto& [thread, cells] : held) held_by[{output, thread}] = cells;
  });

  // Which output an element of dst belongs to.
  for_each_index(dst.extent, [&](const std::vector<std::int64_t>& index) {
    if (stopped_) return;
    std::vector<std::int64_t> output(src->extent.size(), 0);
    std::size_t next = 0;
    for (std::size_t k = 0; k < output.size(); ++k) {
      if (reduced[k] || src->extent[k] == 1) continue;
      if (partial) {
        output[k] = index[k];
        continue;
      }
      while (next < index.size() && dst.extent[next] == 1) ++next;
      output[k] = index[next++];
    }
    std::vector<std::int64_t> at = dst.begin;
    for (std::size_t k = 0; k < at.size(); ++k) at[k] += index[k];
    const std::map<std::size_t, Cell>& result = results.at(output);
    const std::vector<Owner> holders = owners(*dst.buffer, at, threads, span);
    if (holders.empty() && !stopped_) outside(*dst.buffer, at, span, true);
    for (const Owner& owner : holders) {
      const Place place = place_of(*dst.buffer, owner.element, owner.thread);
      if (!inside(place, fold.dtype)) {
        outside(*dst.buffer, at, span, true);
        continue;
      }
      Cell value;
      if (old_first) {
        value = read(place, fold.dtype);
        for (const Cell& cell : held_by[{output, owner.thread}]) value = fold(value, cell);
      } else {
        const auto own = registers ? result.find(owner.thread) : result.begin();
        if (own == result.end()) {
          unsupported(span, "a thread holds a result of a reduction, but no element of it");
          return;
        }
        value = own->second;
        if (accumulate) value = fold(read(place, fold.dtype), value);
      }
      write(place, fold.dtype, value);
    }
  });
}

}  // namespace tirx::sim::tile
