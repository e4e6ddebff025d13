#include "backend_cuda/uses.hpp"

#include "backend_cuda/walk.hpp"
#include "ir/all_ops.hpp"

namespace tirx::cuda {

namespace {

void note_access(const ir::Access& access, std::uint16_t lanes, Uses& uses) {
  uses.buffers.insert(access.buffer.get());
  if (lanes > 1) uses.vector.insert(access.buffer->storage.get());
}

void note_call(const ir::MachineCall& call, Uses& uses) {
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const auto* address = ir::as<ir::AddressOf>(call.args[i]);
    if (address == nullptr) continue;
    note_access(address->element, 1, uses);
    if (ir::ptx::writes_through(call, i)) {
      uses.written.insert(address->element.buffer->storage.get());
    }
  }
}

bool is_integer_extreme(const ir::Scalar& scalar) {
  const num::DType dtype = scalar.args[0]->type.dtype;
  return (scalar.op == num::ScalarOp::min || scalar.op == num::ScalarOp::max) &&
         num::is_int(dtype) && num::bits(dtype) <= 32;
}

void note_expression(const ir::Expr& expr, Uses& uses) {
  if (const auto* ref = ir::as<ir::VarRef>(expr)) {
    uses.variables.insert(ref->var.get());
  } else if (const auto* load = ir::as<ir::Load>(expr)) {
    note_access(load->from, expr->type.lanes, uses);
  } else if (const auto* scalar = ir::as<ir::Scalar>(expr)) {
    uses.integer_extremes = uses.integer_extremes || is_integer_extreme(*scalar);
  } else if (const auto* call = ir::as<ir::MachineCall>(expr)) {
    note_call(*call, uses);
  } else if (const auto* address = ir::as<ir::AddressOf>(expr)) {
    note_access(address->element, 1, uses);
    uses.addressed.insert(address->element.buffer->storage.get());
  } else if (const auto* cast = ir::as<ir::Reinterpret>(expr)) {
    // A pointer as a number can go anywhere.
    if (const auto* escaped = ir::as<ir::AddressOf>(cast->value)) {
      uses.written.insert(escaped->element.buffer->storage.get());
    }
  }
}

void note_statement(const ir::Stmt& stmt, Uses& uses) {
  if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
    note_access(store->to, store->value->type.lanes, uses);
    uses.written.insert(store->to.buffer->storage.get());
    ++uses.stores[store->to.buffer->storage.get()];
  } else if (const auto* allocate = std::get_if<ir::Allocate>(&stmt.node)) {
    uses.allocated.insert(allocate->buffer->storage.get());
  } else if (const auto* view = std::get_if<ir::Declare>(&stmt.node)) {
    // Seen as wider elements (32-bit words of a fragment), it is aligned for them.
    const ir::Storage& storage = *view->buffer->storage;
    if (num::bytes(view->buffer->dtype) > num::bytes(storage.dtype)) uses.vector.insert(&storage);
  } else if (const auto* let = std::get_if<ir::Let>(&stmt.node)) {
    if (const auto* address = ir::as<ir::AddressOf>(let->value)) {
      uses.written.insert(address->element.buffer->storage.get());
    }
  }
}

}  // namespace

Uses find_uses(const lower::LoweredKernel& kernel) {
  Uses uses;
  walk(
      kernel.body, [&](const ir::Stmt& stmt) { note_statement(stmt, uses); },
      [&](const ir::Expr& expr) { note_expression(expr, uses); });
  return uses;
}

bool calls_machine(const ir::Expr& expr) {
  bool found = false;
  walk(expr, [&](const ir::Expr& e) { found = found || ir::as<ir::MachineCall>(e) != nullptr; });
  return found;
}

bool is_stable(const ir::Expr& expr) {
  bool stable = true;
  walk(expr, [&](const ir::Expr& e) {
    stable = stable && ir::as<ir::MachineCall>(e) == nullptr && ir::as<ir::Load>(e) == nullptr;
  });
  return stable;
}

}  // namespace tirx::cuda
