// Stores that leave something out or go to the wrong place, addresses that are off, accumulators
// and padding that are not cleared, layouts without their swizzle.
#include <algorithm>

#include "fuzz/mutate/places.hpp"
#include "ir/ptx/instruction.hpp"
#include "ir/visit.hpp"

namespace tirx::fuzz {

namespace {

using ir::Body;
using ir::Expr;
using ir::MachineCall;
using ir::Stmt;
using num::ScalarOp;

/// The element of a global tensor that a statement writes: by a store, or through the pointer of an
/// instruction.
ir::Access* written(Stmt& stmt) {
  if (auto* store = std::get_if<ir::Store>(&stmt.node)) {
    return is_global(*store->to.buffer) && !store->to.indices.empty() ? &store->to : nullptr;
  }
  return nullptr;
}

/// Those of instructions: argument `at` is such a pointer.
const ir::Access* pointer(const MachineCall& call, std::size_t at) {
  const auto* address = at < call.args.size() ? ir::as<ir::AddressOf>(call.args[at]) : nullptr;
  return address != nullptr && !address->element.indices.empty() ? &address->element : nullptr;
}

std::optional<std::size_t> written_argument(const MachineCall& call) {
  for (std::size_t at = 0; at < call.args.size(); ++at) {
    const ir::Access* to = pointer(call, at);
    if (to != nullptr && is_global(*to->buffer) && ir::ptx::writes_through(call, at)) return at;
  }
  return std::nullopt;
}

/// The access with which the statement writes a global tensor, changed.
Stmt with_written(const Stmt& stmt, const std::function<void(ir::Access&)>& change) {
  Stmt out = stmt;
  if (ir::Access* to = written(out)) {
    change(*to);
    return out;
  }
  MachineCall call = *call_of(stmt);
  Expr& address = call.args[*written_argument(call)];
  ir::AddressOf changed = *ir::as<ir::AddressOf>(address);
  change(changed.element);
  address = ir::make_expr(address->type, address->span, std::move(changed));
  return with_call(stmt, std::move(call));
}

Expr clamped(const Expr& index, const Expr& extent) {
  return scalar(ScalarOp::floormod, index, extent_like(extent, index));
}

/// column ^ lanes, where that lies inside.
Expr neighbour(const Expr& column, const Expr& extent, int lanes) {
  const Expr other = scalar(ScalarOp::bit_xor, column, same_type(lanes, column));
  std::int64_t known = 0;
  if (ir::is_const_int(extent, known) && known % (2 * lanes) == 0) return other;
  const Expr inside = scalar(ScalarOp::lt, other, extent_like(extent, other));
  return ir::make_expr(column->type, column->span, ir::Select{inside, other, column});
}

void of_output(Places& places, std::size_t n, const Stmt& stmt) {
  Stmt copy = stmt;
  const ir::Access* to = written(copy);
  int lanes = 1;
  if (to != nullptr) {
    lanes = std::get<ir::Store>(copy.node).value->type.lanes;
  } else {
    const MachineCall* call = call_of(stmt);
    const auto at = call != nullptr ? written_argument(*call) : std::nullopt;
    if (!at) return;
    to = pointer(*call, *at);
    lanes = 0;  // as many as the instruction likes: its neighbours are not exchanged
  }
  const std::vector<Expr>& shape = to->buffer->shape;
  std::int64_t rows = 0, columns = 0;
  if (shape.empty() || shape.size() != to->indices.size()) return;
  const bool row_known = ir::is_const_int(shape.front(), rows);
  // A pointer of an instruction whose value is wanted cannot be left out in some lanes.
  const bool optional = !std::holds_alternative<ir::Let>(stmt.node) &&
                        (lanes > 0 || std::holds_alternative<ir::Evaluate>(stmt.node));
  std::int64_t row = 0;
  const bool other_row = row_known && ir::is_const_int(to->indices.front(), row) && row != rows - 1;
  if (optional && !other_row && (!row_known || rows > 1)) {
    places.statement("last row unwritten", n, stmt, [](const Stmt& old) {
      // Of the kernel at hand: another run's has other variables.
      Stmt own = old;
      const ir::Access* place = written(own);
      if (place == nullptr) place = pointer(*call_of(old), *written_argument(*call_of(old)));
      const Expr index = place->indices.front();
      const Expr end = extent_like(place->buffer->shape.front(), index);
      std::int64_t known = 0;
      const Expr left_out = ir::is_const_int(end, known)
                                ? same_type(known - 1, index)
                                : scalar(ScalarOp::sub, end, same_type(1, index));
      return only_where(scalar(ScalarOp::ne, index, left_out), old);
    });
  }
  if (lanes > 0 && !(ir::is_const_int(shape.back(), columns) && columns < 2 * lanes)) {
    places.statement("neighbouring columns swapped", n, stmt, [lanes](const Stmt& old) {
      return Body{with_written(old, [lanes](ir::Access& place) {
        place.indices.back() = neighbour(place.indices.back(), place.buffer->shape.back(), lanes);
      })};
    });
  }
  if (lanes == 1 && to->indices.size() >= 2) {
    places.statement("row and column exchanged", n, stmt, [](const Stmt& old) {
      return Body{with_written(old, [](ir::Access& place) {
        const std::size_t last = place.indices.size() - 1;
        std::swap(place.indices[last], place.indices[last - 1]);
        for (const std::size_t d : {last - 1, last})
          place.indices[d] = clamped(place.indices[d], place.buffer->shape[d]);
      })};
    });
  }
}

/// One pointer operand, an element further; mbarriers have their own mutations.
void addresses(Places& places, std::size_t n, const Stmt& stmt) {
  const MachineCall* call = call_of(stmt);
  if (call == nullptr || ir::order(call->op).mbarrier) return;
  for (std::size_t at = 0; at < call->args.size(); ++at) {
    const ir::Access* to = pointer(*call, at);
    if (to == nullptr) continue;
    std::int64_t extent = 0;
    if (ir::is_const_int(to->buffer->shape.back(), extent) && extent < 2) continue;
    places.statement("address one element off", n, stmt, [at](const Stmt& old) {
      MachineCall changed = *call_of(old);
      Expr& address = changed.args[at];
      ir::AddressOf off = *ir::as<ir::AddressOf>(address);
      Expr& last = off.element.indices.back();
      last = scalar(ScalarOp::add, last, same_type(1, last));
      address = ir::make_expr(address->type, address->span, std::move(off));
      return Body{with_call(old, std::move(changed))};
    });
  }
}

void not_cleared(Places& places, std::size_t n, const Stmt& stmt, const ir::Store& store) {
  if (!is_zero(store.value) || is_global(*store.to.buffer)) return;
  const bool local = store.to.buffer->scope() == ir::MemoryScope::local;
  places.statement(local ? "accumulator not cleared" : "padding not cleared", n, stmt,
                   [](const Stmt&) { return Body{}; });
}

bool swizzled(const ir::BufferNode& buffer) {
  return buffer.layout && buffer.layout->swizzle;
}

/// The same storage through the layout without its swizzle.
ir::Buffer plain(const ir::BufferNode& buffer) {
  auto view = std::make_shared<ir::BufferNode>(buffer);
  view->layout->swizzle.reset();
  view->is_view = true;
  view->name += "_plain";
  return view;
}

void plain_operand(Places& places, std::size_t n, const Stmt& stmt, const ir::TileCall& call) {
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const auto* region = std::get_if<ir::Region>(&call.operands[i]);
    if (region == nullptr || !swizzled(*region->buffer)) continue;
    places.statement("wrong swizzle", n, stmt, [i](const Stmt& old) {
      Stmt changed = old;
      auto& operand = std::get<ir::Region>(std::get<ir::TileCall>(changed.node).operands[i]);
      operand.buffer = plain(*operand.buffer);
      return Body{Stmt{old.span, ir::Declare{operand.buffer}}, changed};
    });
  }
}

/// The expression's accesses to one buffer, through another view.
Expr through(const Expr& expr, const ir::Buffer& buffer, const ir::Buffer& view) {
  const Expr inner =
      map_children(expr, [&](const Expr& child) { return through(child, buffer, view); });
  const auto* load = ir::as<ir::Load>(inner);
  const auto* address = ir::as<ir::AddressOf>(inner);
  if (load != nullptr && load->from.buffer == buffer) {
    ir::Load changed = *load;
    changed.from.buffer = view;
    return ir::make_expr(inner->type, inner->span, std::move(changed));
  }
  if (address != nullptr && address->element.buffer == buffer) {
    ir::AddressOf changed = *address;
    changed.element.buffer = view;
    return ir::make_expr(inner->type, inner->span, std::move(changed));
  }
  return inner;
}

/// The swizzled buffer that a store, a let or a call reads or writes.
ir::Buffer swizzled_access(const Stmt& stmt) {
  const auto* store = std::get_if<ir::Store>(&stmt.node);
  if (store != nullptr && swizzled(*store->to.buffer)) return store->to.buffer;
  ir::Buffer found;
  if (store == nullptr && !std::holds_alternative<ir::Let>(stmt.node) &&
      !std::holds_alternative<ir::Evaluate>(stmt.node))
    return found;
  ir::for_each_operand(stmt, [&](const Expr& operand) {
    ir::for_each_expr(operand, [&](const Expr& e) {
      const auto* load = ir::as<ir::Load>(e);
      const auto* address = ir::as<ir::AddressOf>(e);
      const ir::Buffer buffer = load != nullptr      ? load->from.buffer
                                : address != nullptr ? address->element.buffer
                                                     : nullptr;
      if (!found && buffer && swizzled(*buffer)) found = buffer;
    });
  });
  return found;
}

void plain_access(Places& places, std::size_t n, const Stmt& stmt) {
  if (!swizzled_access(stmt)) return;
  places.statement("wrong swizzle", n, stmt, [](const Stmt& old) {
    const ir::Buffer buffer = swizzled_access(old);
    const ir::Buffer view = plain(*buffer);
    Stmt changed = with_operands(old, [&](const Expr& e) { return through(e, buffer, view); });
    auto* store = std::get_if<ir::Store>(&changed.node);
    if (store != nullptr && store->to.buffer == buffer) store->to.buffer = view;
    return Body{Stmt{old.span, ir::Declare{view}}, changed};
  });
}

}  // namespace

void find_stores(Places& places) {
  number_statements(places.kernel(), [&](std::size_t n, const Stmt& stmt) {
    of_output(places, n, stmt);
    addresses(places, n, stmt);
    if (const auto* store = std::get_if<ir::Store>(&stmt.node))
      not_cleared(places, n, stmt, *store);
    if (const auto* call = std::get_if<ir::TileCall>(&stmt.node)) {
      plain_operand(places, n, stmt, *call);
    } else {
      plain_access(places, n, stmt);
    }
  });
}

}  // namespace tirx::fuzz
