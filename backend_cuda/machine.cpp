#include "backend_cuda/machine.hpp"

namespace tirx::cuda {

const ir::Access& MachineSite::pointee(std::size_t i) const {
  const auto* address = ir::as<ir::AddressOf>(call.args[i]);
  TIRX_CHECK(address != nullptr);
  return address->element;
}

Text MachineSite::mask(std::size_t i) const {
  std::int64_t value = 0;
  if (!ir::is_const_int(call.args[i], value)) return arg(i);
  return {fmt::format("0x{:x}u", static_cast<std::uint32_t>(value))};
}

Text KernelEmitter::machine(const ir::Expr& expr, const ir::MachineCall& call) {
  TIRX_CHECK(ir::ptx::exists_on(call, target().sm));  // lowering refuses the others
  const MachineSite site{*this, call, expr->type, expr->span};
  const bool before = in_index_;
  in_index_ = false;  // what it takes is no part of an index
  Text text = ir::AllOps::visit(call.op, [&](auto op) { return emit_op(op, site); });
  in_index_ = before;
  return text;
}

}  // namespace tirx::cuda
