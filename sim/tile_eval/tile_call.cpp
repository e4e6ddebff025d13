// Tile calls: element by element in the order of the destination's region.  An element of a
// register tile lies in the threads that the layout's thread axes name, and in all its replicas.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "ir/known_values.hpp"
#include "ir/visit.hpp"
#include "sim/tile_eval/evaluator.hpp"
#include "sim/tile_eval/index.hpp"

namespace tirx::sim::tile {

namespace {

/// The coordinate of a thread along a thread axis; nothing for axes beyond the CTA.
std::optional<std::int64_t> thread_coordinate(const ir::Axis& axis, std::size_t thread) {
  const auto t = static_cast<std::int64_t>(thread);
  switch (axis.id()) {
    case ir::AxisId::laneid:
      return t % 32;
    case ir::AxisId::warpid:
      return t / 32;
    case ir::AxisId::tx:
      return t;
    case ir::AxisId::tid_in_wg:
      return t % 128;
    case ir::AxisId::wid_in_wg:
      return t % 128 / 32;
    case ir::AxisId::wgid:
      return t / 128;
    default:
      return std::nullopt;
  }
}

/// Coordinates in a box from an index over its dimensions other than 1.
std::vector<std::int64_t> spread(const std::vector<std::int64_t>& begin,
                                 const std::vector<std::int64_t>& extent,
                                 const std::vector<std::int64_t>& index) {
  std::vector<std::int64_t> at = begin;
  std::size_t next = 0;
  for (std::size_t k = 0; k < extent.size(); ++k) {
    if (extent[k] != 1) at[k] += index[next++];
  }
  return at;
}

/// Whether nobody comes to the end of it.
bool always_left(const ir::Body& body) {
  return std::any_of(body.begin(), body.end(), [](const ir::Stmt& stmt) {
    const auto* branch = std::get_if<ir::If>(&stmt.node);
    return std::holds_alternative<ir::Return>(stmt.node) ||
           std::holds_alternative<ir::Break>(stmt.node) ||
           std::holds_alternative<ir::Continue>(stmt.node) ||
           (branch != nullptr && always_left(branch->then_body) && always_left(branch->else_body));
  });
}

/// Calls that a condition decides about: those inside of an `if` or `while`, and those behind an
/// `if` that some threads have left by.
void find_conditional(const ir::Body& body, int& conditions, std::set<const ir::TileCall*>& found) {
  for (const ir::Stmt& stmt : body) {
    const auto* call = std::get_if<ir::TileCall>(&stmt.node);
    if (call != nullptr && conditions > 0) found.insert(call);
    const auto* branch = std::get_if<ir::If>(&stmt.node);
    const bool repeats = std::holds_alternative<ir::While>(stmt.node);
    if (branch != nullptr || repeats) ++conditions;
    ir::for_each_body(stmt,
                      [&](const ir::Body& inner) { find_conditional(inner, conditions, found); });
    const bool left =
        branch != nullptr && (always_left(branch->then_body) || always_left(branch->else_body));
    if (repeats || (branch != nullptr && !left)) --conditions;
  }
}

}  // namespace

std::vector<Evaluator::Owner> Evaluator::owners(const ir::BufferNode& buffer,
                                                std::span<const std::int64_t> at,
                                                const std::vector<std::size_t>& threads,
                                                Span span,
                                                bool first_only) {
  std::vector<Owner> found;
  thread_ = threads[0];
  const bool spread_out = buffer.scope() == ir::MemoryScope::local && buffer.layout &&
                          buffer.layout->tile.has_thread_axes();
  if (!spread_out) {
    const auto element = offset_of(buffer, at);
    if (!element) return found;
    if (buffer.scope() == ir::MemoryScope::local && threads.size() > 1) {
      unsupported(span,
                  fmt::format("{} is private to each thread, but the tile call is executed by "
                              "{} threads together",
                              buffer.name, threads.size()));
      return found;
    }
    found.push_back({threads[0], *element});
    return found;
  }
  const std::vector<std::int64_t> shape = shape_of(buffer);
  for (std::size_t i = 0; i < at.size() && i < shape.size(); ++i) {
    if (at[i] < 0 || at[i] >= shape[i]) return found;
  }
  const ir::Placement* placement = placement_of(buffer);
  if (placement == nullptr) {
    unsupported(span, fmt::format("{} has a layout that does not fit its shape", buffer.name));
    return found;
  }
  const std::vector<std::int64_t> digits = placement->digits(at);
  const ir::TileLayout& tile = placement->layout().tile;
  ir::AxisValues place = tile.offset();
  for (std::size_t k = 0; k < digits.size(); ++k) {
    place[tile.shard()[k].axis] += digits[k] * tile.shard()[k].stride;
  }
  if (const auto& swizzle = placement->layout().swizzle) {
    std::int64_t& memory = place[ir::Axis(ir::AxisId::m)];
    memory = swizzle->apply(memory);
  }
  const auto base = buffer.offset ? eval_int(buffer.offset) : std::optional<std::int64_t>(0);
  // Every combination of replicas.
  std::vector<std::int64_t> extents;
  for (const ir::Iter& iter : buffer.layout->tile.replica()) extents.push_back(iter.extent);
  for_each_index(extents, [&](const std::vector<std::int64_t>& copy) {
    ir::AxisValues where = place;
    for (std::size_t i = 0; i < copy.size(); ++i) {
      const ir::Iter& iter = buffer.layout->tile.replica()[i];
      where[iter.axis] += copy[i] * iter.stride;
    }
    std::int64_t element = base.value_or(0);
    std::vector<std::pair<ir::Axis, std::int64_t>> wanted;
    for (const auto& [axis, value] : where) {
      if (axis.is_thread()) {
        wanted.emplace_back(axis, value);
      } else if (axis.id() == ir::AxisId::m) {
        element += value;
      }
    }
    for (const std::size_t thread : threads) {
      if (first_only && !found.empty()) return;
      bool mine = true;
      for (const auto& [axis, value] : wanted) {
        if (thread_coordinate(axis, thread) == value) continue;
        mine = false;
        break;
      }
      if (mine) found.push_back({thread, element});
    }
  });
  if (found.empty()) {
    unsupported(span,
                fmt::format("no thread of the tile call holds an element of {}", buffer.name));
  }
  return found;
}

std::optional<Evaluator::Box> Evaluator::box_of(const ir::Region& region,
                                                const std::vector<std::size_t>& threads,
                                                Span span) {
  Box box;
  box.buffer = region.buffer;
  for (const ir::Range& range : region.ranges) {
    std::optional<std::int64_t> begin, extent;
    for (const std::size_t thread : threads) {
      thread_ = thread;
      const auto b = eval_int(range.begin);
      const auto e = eval_int(range.extent);
      if (!b || !e) {
        fault(ir::FaultKind::uninit, span,
              fmt::format("the region of {} depends on data that was never written",
                          region.buffer->name));
        return std::nullopt;
      }
      if (begin && (*begin != *b || *extent != *e)) {
        unsupported(span, fmt::format("the region of {} differs between threads of the tile call",
                                      region.buffer->name));
        return std::nullopt;
      }
      begin = b;
      extent = e;
    }
    box.begin.push_back(begin.value_or(0));
    box.extent.push_back(extent.value_or(0));
  }
  return box;
}

Cell Evaluator::read_element(const Box& box,
                             std::span<const std::int64_t> at,
                             const std::vector<std::size_t>& threads,
                             Span span) {
  const std::vector<Owner> found = owners(*box.buffer, at, threads, span, true);
  if (stopped_) return {};
  if (!found.empty()) {
    const Place place = place_of(*box.buffer, found[0].element, found[0].thread);
    if (inside(place, box.buffer->dtype)) return read(place, box.buffer->dtype);
  }
  outside(*box.buffer, at, span, false);
  return {0, true};
}

void Evaluator::write_element(const Box& box,
                              std::span<const std::int64_t> at,
                              Cell value,
                              const std::vector<std::size_t>& threads,
                              Span span) {
  const std::vector<Owner> found = owners(*box.buffer, at, threads, span);
  if (stopped_) return;
  bool written = false;
  for (const Owner& owner : found) {
    const Place place = place_of(*box.buffer, owner.element, owner.thread);
    if (!inside(place, box.buffer->dtype)) continue;
    write(place, box.buffer->dtype, value);
    written = true;
  }
  if (!written) outside(*box.buffer, at, span, true);
}

/// copy_async: which elements are zeros instead of the source's, or whether nothing is copied.
Evaluator::Filling Evaluator::filling_of(const ir::TileCall& call,
                                         const std::vector<std::size_t>& threads,
                                         Span span) {
  if (call.op != ir::TileOp::copy_async) return Filling::none;
  const auto mode = call.config.find("fill_mode");
  const auto predicate = call.config.find("predicate");
  const bool zeros = mode != call.config.end();
  if (predicate == call.config.end()) return zeros ? Filling::outside : Filling::none;
  std::optional<bool> taken;
  if (const auto* known = std::get_if<bool>(&predicate->second)) taken = *known;
  if (const auto* expr = std::get_if<ir::Expr>(&predicate->second)) {
    for (const std::size_t thread : threads) {
      thread_ = thread;
      const bool mine = eval_one(*expr).bits != 0;
      if (taken && *taken != mine) {
        unsupported(span, "the predicate differs between threads of the tile call");
        return Filling::none;
      }
      taken = mine;
    }
  }
  if (taken.value_or(true)) return Filling::none;
  return zeros ? Filling::all : Filling::skip;
}

/// copy with clip, fill, or out of buffers whose shapes are constants: what lies outside of src or
/// dst is not moved, and fill goes where only src ends.  False: every element lies inside, or
/// leaving is a fault.
bool Evaluator::edge_copy(const ir::TileCall& call,
                          const Box& dst,
                          const Box& src,
                          const std::vector<std::size_t>& threads,
                          Span span) {
  const auto fill = call.config.find("fill");
  const auto clip = call.config.find("clip");
  const bool asked = fill != call.config.end() ||
                     (clip != call.config.end() && std::get_if<bool>(&clip->second) != nullptr &&
                      std::get<bool>(clip->second));
  const auto leaves = [&](const Box& box) {
    const std::vector<std::int64_t> shape = shape_of(*box.buffer);
    for (std::size_t k = 0; k < shape.size() && k < box.begin.size(); ++k) {
      if (box.begin[k] < 0 || box.begin[k] + box.extent[k] > shape[k]) return true;
    }
    return false;
  };
  if (!leaves(dst) && !leaves(src)) return false;
  // Under a condition, somebody has looked at the end: to leave is a fault.
  if (!conditional_) {
    conditional_.emplace();
    int conditions = 0;
    find_conditional(kernel_.body, conditions, *conditional_);
  }
  // Dimensions over whose ends nothing is moved.  Unasked: those of a buffer of constant shape, and
  // not where only the run shows that the region leaves it.
  const auto clipped = [&](const Box& box, std::size_t operand) {
    const auto& ranges = std::get<ir::Region>(call.operands[operand]).ranges;
    const std::vector<std::int64_t> shape = shape_of(*box.buffer);
    const bool may = asked || (!conditional_->contains(&call) && ir::static_shape(*box.buffer));
    std::vector<bool> dims;
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const bool below = box.begin[k] < 0;
      const bool above = box.begin[k] + box.extent[k] > shape[k];
      const auto known = [&] {
        const ir::Interval range = known_range(ranges[k].begin);
        return (!below || ir::low_is_known(range)) && (!above || ir::high_is_known(range));
      };
      dims.push_back(asked || (may && known()));
    }
    return dims;
  };
  const std::vector<bool> of_dst = clipped(dst, 0), of_src = clipped(src, 1);
  const auto any = [](const std::vector<bool>& dims) {
    return std::find(dims.begin(), dims.end(), true) != dims.end();
  };
  if (!any(of_dst) && !any(of_src)) return false;
  std::optional<Cell> value;
  if (fill != call.config.end()) {
    Cell same;
    if (!same_in_all(std::get<ir::Expr>(fill->second), threads, same)) {
      unsupported(span, "fill differs between threads of the tile call");
      return true;
    }
    value = same;
  }
  const auto outside_of = [&](const Box& box, const std::vector<bool>& dims,
                              const std::vector<std::int64_t>& at) {
    const std::vector<std::int64_t> shape = shape_of(*box.buffer);
    for (std::size_t k = 0; k < shape.size(); ++k) {
      if (dims[k] && (at[k] < 0 || at[k] >= shape[k])) return true;
    }
    return false;
  };
  for_each_index(without_units(dst.extent), [&](const std::vector<std::int64_t>& index) {
    if (stopped_) return;
    const std::vector<std::int64_t> to = spread(dst.begin, dst.extent, index);
    const std::vector<std::int64_t> from = spread(src.begin, src.extent, index);
    if (outside_of(dst, of_dst, to)) return;
    if (!outside_of(src, of_src, from)) {
      write_element(dst, to, read_element(src, from, threads, span), threads, span);
    } else if (value) {
      write_element(dst, to, *value, threads, span);
    }
  });
  return true;
}

void Evaluator::execute(CtaRun& cta,
                        const ir::TileCall& call,
                        const std::vector<std::size_t>& threads,
                        Span span) {
  cta_ = &cta;
  thread_ = threads[0];
  blocked_ = false;
  const std::string_view name = ir::spec(call.op).name;
  const auto region = [&](std::size_t i) -> std::optional<Box> {
    if (i >= call.operands.size()) return std::nullopt;
    const auto* operand = std::get_if<ir::Region>(&call.operands[i]);
    return operand == nullptr ? std::nullopt : box_of(*operand, threads, span);
  };
  const std::optional<Box> dst = region(0);
  if (!dst) {
    if (!stopped_) unsupported(span, fmt::format("{} without a destination region", name));
    return;
  }
  switch (ir::spec(call.op).family) {
    case ir::TileFamily::copy:
    case ir::TileFamily::copy_async:
    case ir::TileFamily::permute_layout: {
      const std::optional<Box> src = region(1);
      if (!src) {
        if (!stopped_) unsupported(span, fmt::format("{} without a source region", name));
        return;
      }
      const std::vector<std::int64_t> extent = without_units(dst->extent);
      if (extent != without_units(src->extent)) {
        unsupported(span, fmt::format("{}: the regions have different extents", name));
        return;
      }
      if (call.op == ir::TileOp::copy && edge_copy(call, *dst, *src, threads, span)) return;
      // All reads before all writes: the regions may overlap (permute_layout).
      std::vector<Cell> values;
      const Filling filling = filling_of(call, threads, span);
      if (stopped_ || filling == Filling::skip) return;
      const std::vector<std::int64_t> shape = shape_of(*src->buffer);
      for_each_index(extent, [&](const std::vector<std::int64_t>& index) {
        if (stopped_) return;
        const std::vector<std::int64_t> at = spread(src->begin, src->extent, index);
        bool zero = filling == Filling::all;
        for (std::size_t i = 0; filling == Filling::outside && i < at.size(); ++i) {
          zero = zero || at[i] < 0 || at[i] >= shape[i];
        }
        values.push_back(zero ? Cell{0, false} : read_element(*src, at, threads, span));
      });
      std::size_t next = 0;
      for_each_index(extent, [&](const std::vector<std::int64_t>& index) {
        if (stopped_) return;
        write_element(*dst, spread(dst->begin, dst->extent, index), values[next++], threads, span);
      });
      return;
    }
    case ir::TileFamily::elementwise:
      elementwise(call, *dst, threads, span);
      return;
    case ir::TileFamily::gemm:
      gemm(call, threads, span);
      return;
    case ir::TileFamily::reduction:
      reduce(call, *dst, threads, span);
      return;
  }
}

}  // namespace tirx::sim::tile
