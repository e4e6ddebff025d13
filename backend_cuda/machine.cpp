#include "backend_cuda/machine.hpp"

namespace tirx::cuda {

namespace {

/// The architectures that have an operation, for the way out.
std::string architectures_with(const ir::MachineCall& call) {
  std::string out;
  for (const ir::Target& target : ir::targets()) {
    if (!ir::ptx::exists_on(call, target.sm)) continue;
    if (!out.empty()) out += ", ";
    out += target.name;
  }
  return out;
}

}  // namespace

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
  if (!ir::ptx::exists_on(call, target().sm)) {
    return fail(expr->span,
                fmt::format("{} does not exist on {}", ir::ptx::name_of(call), target().name),
                {{{}, "architectures that have it: " + architectures_with(call)}});
  }
  const MachineSite site{*this, call, expr->type, expr->span};
  const bool before = in_index_;
  in_index_ = false;  // what it takes is no part of an index
  Text text = ir::AllOps::visit(call.op, [&](auto op) { return emit_op(op, site); });
  in_index_ = before;
  return text;
}

}  // namespace tirx::cuda
