// Machine operations: operands into registers, one instruction each.
#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "sim/program/compiler.hpp"

namespace tirx::sim {

bool Compiler::check_call(const ir::ExprNode& node, const ir::MachineCall& call) {
  const ir::OpSpec& spec = ir::spec(call.op);
  const ir::Target& target = kernel_.target != nullptr ? *kernel_.target : ir::default_target();
  if (target.sm < spec.min_sm) {
    fail(node.span,
         fmt::format("{} needs sm_{}; the target is {}", spec.name, spec.min_sm, target.name));
    return false;
  }
  if (spec.effect == ir::Effect::opaque) {
    fail(node.span, fmt::format("{} is CUDA source: it runs only on a GPU", spec.name),
         "emit the kernel, or write the function in the language");
    return false;
  }
  return true;
}

Compiler::Values Compiler::machine_call(const ir::ExprNode& node, const ir::MachineCall& call) {
  const auto none = [&] {
    return Values{table_.constant(node.type.is_void() ? num::DType::i32 : node.type.dtype, 0)};
  };
  if (!check_call(node, call)) return none();
  auto site = std::make_unique<CallSite>();
  site->op = call.op;
  site->place = place(node.span);
  site->text = call.text;
  site->result = node.type;
  site->serial = site->place.id;
  bool poison = false;
  bool memory = false;
  for (std::size_t i = 0; i < call.args.size() && i < site->args.size(); ++i) {
    const ir::Expr& arg = call.args[i];
    CallOperand& operand = site->args[i];
    if (!arg) continue;
    operand.type = arg->type;
    if (const auto* pointer = ir::as<ir::AddressOf>(arg)) {
      memory = true;
      const ir::BufferNode& buffer = *pointer->element.buffer;
      if (buffer.scope() == ir::MemoryScope::local) {
        local_operand(*site, operand, pointer->element, arg->span);
        continue;
      }
      if (!binding_.regions.contains(buffer.storage.get()) &&
          !shared_.contains(buffer.storage.get())) {
        fail(arg->span, "the buffer " + buffer.name + " has no memory in this launch");
        return none();
      }
      operand.kind = CallOperand::Kind::pointer;
      if (buffer.scope() == ir::MemoryScope::global) program_->ordered = true;
      std::unique_ptr<MemSite> mem =
          memory_site(pointer->element, 1, ir::spec(call.op).effect == ir::Effect::memory,
                      arg->span.empty() ? node.span : arg->span);
      operand.pointer = mem.get();
      program_->mem_sites.push_back(std::move(mem));
      continue;
    }
    const ValueId id = value(arg);
    const ValueNode known = table_[id];
    operand.poison = known.poison;
    poison = poison || known.poison;
    operand.kind = known.uniform ? CallOperand::Kind::uniform : CallOperand::Kind::vector;
    operand.reg = known.uniform ? uniform_reg(id) : vector_reg(id);
  }
  const ir::OpSpec& spec = ir::spec(call.op);
  poison = init_ && (poison || memory || spec.effect == ir::Effect::warp);
  site->result_poison = poison;
  Values result = none();
  Reg reg = 0;
  if (!node.type.is_void()) result[0] = fresh_leaf(node.type.dtype, false, poison, reg);
  Draft& draft = emit(exec::find_machine_op(call.op));
  if (!node.type.is_void()) {
    draft.instr.d = reg;
    draft.registers = Draft::kD;
  }
  draft.instr.data.call = site.get();
  draft.call = site.get();
  const CallSite* polled = site.get();
  program_->call_sites.push_back(std::move(site));
  if (spec.effect == ir::Effect::memory && polls(call.op)) {
    emit(exec::yield_poll).instr.data.call = polled;
    program_->resumable = true;
  }
  return result;
}

bool Compiler::polls(ir::OpId op) {
  return op == ir::AllOps::id_of<ir::LoadAcquire>() || op == ir::AllOps::id_of<ir::AtomicCas>() ||
         op == ir::AllOps::id_of<ir::AtomicExchange>() ||
         op == ir::AllOps::id_of<ir::AtomicAdd>() || op == ir::AllOps::id_of<ir::AtomicOr>() ||
         op == ir::AllOps::id_of<ir::AtomicAnd>() || op == ir::AllOps::id_of<ir::AtomicMax>() ||
         op == ir::AllOps::id_of<ir::AtomicMin>();
}

/// A local array as an operand (print_buffer): its rows.
void Compiler::local_operand(CallSite& call,
                             CallOperand& operand,
                             const ir::Access& access,
                             Span span) {
  const bool prints = call.op == ir::AllOps::id_of<ir::PrintBuffer>();
  const auto at = arrays_.find(access.buffer->storage.get());
  if (!prints || at == arrays_.end()) {
    fail(span, fmt::format("{} cannot point into local memory", ir::spec(call.op).name),
         "use a shared or global buffer");
    return;
  }
  auto site = std::make_unique<LocalSite>();
  const LocalArray& array = at->second;
  site->base = array.reg;
  site->granule = static_cast<std::uint8_t>(array.granule);
  site->lane_bytes = array.granule == 8 ? 8 : 4;
  site->mixed = array.mixed;
  site->size = static_cast<std::uint8_t>(num::bytes(access.buffer->dtype));
  site->elements = array.bytes / site->size;
  site->buffer = access.buffer;
  site->u = zero_;
  site->v = kNoRegister;
  Linear linear;
  linearise(value(access.flat ? access.flat : access.indices[0]), 1, false, linear);
  site->imm = linear.constant;
  operand.kind = CallOperand::Kind::local;
  operand.local = site.get();
  program_->local_sites.push_back(std::move(site));
}

}  // namespace tirx::sim
