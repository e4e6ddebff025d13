// Machine operations: operands into registers, one instruction each.
#include <algorithm>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "numerics/storage_bits.hpp"
#include "sim/program/compiler.hpp"

namespace tirx::sim {

namespace {

/// At one of the sixteen barriers of the CTA.
bool arrives(ir::OpId op) {
  return op == ir::AllOps::id_of<ir::CtaSync>() ||
         op == ir::AllOps::id_of<ir::NamedBarrierSync>() ||
         op == ir::AllOps::id_of<ir::NamedBarrierArrive>() ||
         op == ir::AllOps::id_of<ir::PtxBarRed>();
}

}  // namespace

bool Compiler::check_call(const ir::ExprNode& node, const ir::MachineCall& call) {
  const ir::OpSpec& spec = ir::spec(call.op);
  const ir::Target& target = kernel_.target != nullptr ? *kernel_.target : ir::default_target();
  if (!ir::ptx::exists_on(call, target.sm)) {
    fail(node.span, fmt::format("{} does not exist on {}", ir::ptx::name_of(call), target.name));
    return false;
  }
  if (spec.ptx != nullptr && !ir::ptx::decode(call)->recorded) {
    fail(node.span, fmt::format("the bits of {} have not been recorded", call.text),
         "emit the kernel, or compute in float32 and cast");
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
  if (ir::spec(call.op).ptx != nullptr) decode_instruction(*site, call);
  if (arrives(call.op)) {
    site->barrier = static_cast<std::uint32_t>(program_->barrier_sites.size());
    program_->barrier_sites.push_back(site.get());
  }
  note_scope(*site);
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
      pointer_operand(*site, call, i, *pointer, arg->span.empty() ? node.span : arg->span);
      continue;
    }
    const bool group = site->instruction != nullptr && site->instruction->argument(i).braces;
    if (arg->type.is_vector() || group) {
      operand.kind = CallOperand::Kind::vector;
      for (const ValueId id : values(arg)) {
        operand.poison = operand.poison || table_[id].poison;
        operand.group.push_back(vector_reg(id));
      }
      operand.reg = operand.group[0];
      poison = poison || operand.poison;
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
  if (node.type.is_vector()) {
    result = result_block(node.type, poison, reg);
  } else if (!node.type.is_void()) {
    result[0] = fresh_leaf(node.type.dtype, false, poison, reg);
  }
  Draft& draft = emit(exec::find_machine_op(call.op));
  if (!node.type.is_void()) {
    draft.instr.d = reg;
    draft.registers = Draft::kD;
  }
  draft.instr.data.call = site.get();
  draft.call = site.get();
  const CallSite* polled = site.get();
  program_->call_sites.push_back(std::move(site));
  if (polls(call)) {
    emit(exec::yield_poll).instr.data.call = polled;
    program_->resumable = true;
  }
  return result;
}

/// The instruction of an operation called by name, and what is known about it before the run.
void Compiler::decode_instruction(CallSite& site, const ir::MachineCall& call) {
  site.instruction = ir::ptx::decode(call);
  site.form = resolve(*site.instruction);
  if (call.op != ir::AllOps::id_of<ir::PtxMma>()) return;
  const ir::Target& target = kernel_.target != nullptr ? *kernel_.target : ir::default_target();
  const ir::ptx::MatrixShape& shape = site.form.matrix;
  site.mma = num::find_mma_row(target.sm, num::MmaFamily::mma_sync, shape.a, shape.b, shape.c,
                               shape.k, shape.saturate);
}

/// A pointer operand: address, limits and the checks of the access.
void Compiler::pointer_operand(CallSite& site,
                               const ir::MachineCall& call,
                               std::size_t at,
                               const ir::AddressOf& pointer,
                               Span span) {
  const ir::BufferNode& buffer = *pointer.element.buffer;
  const bool writes = ir::ptx::writes_through(call, at);
  if (buffer.scope() == ir::MemoryScope::global) {
    const auto tensor = binding_.regions.find(buffer.storage.get());
    const bool changes =
        tensor != binding_.regions.end() && binding_.tensors[tensor->second].written;
    if (writes || changes) program_->ordered = true;
  }
  ir::Access access = pointer.element;
  int count = 1;
  std::int64_t bytes = 0;
  std::uint32_t lanes = kFullMask;
  Reg guard = kNoRegister;
  if (site.instruction != nullptr) {
    const ir::ptx::Operand& operand = site.instruction->argument(at);
    bytes = operand.bytes != 0 ? operand.bytes : ir::ptx::immediate_of(call);
    count = std::max(static_cast<int>(bytes) * 8 / num::storage_bits(buffer.dtype), 1);
    if (operand.lanes < kLanes) lanes = (1U << operand.lanes) - 1;
    // Bytes that lie together need not be neighbours by their indices: then the first element's
    // indices are checked, and the rest by the storage's limits.
    if (!runs_along_last(buffer)) access.lane_indices = {{}};
    access.stride = 1;
    if (const std::size_t size = operand.size_argument; size < call.args.size()) {
      // Fewer bytes may be read, or none: then the address may be anything.
      access.lane_indices = {{}};
      guard = vector_reg(value(call.args[size]));
    }
  }
  const std::size_t before = program_->check_sites.size();
  std::unique_ptr<MemSite> mem = memory_site(access, count, writes, span, bytes);
  for (std::size_t i = before; i < program_->check_sites.size(); ++i) {
    program_->check_sites[i]->lanes = lanes;
    program_->check_sites[i]->guard = guard;
  }
  mem->call = &site;
  watch(*mem, &site);
  site.args[at].pointer = mem.get();
  program_->mem_sites.push_back(std::move(mem));
}

/// Neighbours along the last dimension are neighbours in memory.
bool Compiler::runs_along_last(const ir::BufferNode& buffer) {
  if (buffer.layout) {
    const auto shape = ir::static_shape(buffer);
    if (!shape || buffer.layout->is_swizzled()) return false;
    const auto plain = ir::TileLayout::row_major(*shape);
    return plain.ok() && plain.value() == buffer.layout->tile;
  }
  std::int64_t last = 0;
  return buffer.strides.empty() || (ir::is_const_int(buffer.strides.back(), last) && last == 1);
}

/// Rows for the lanes of a vector result.
Compiler::Values Compiler::result_block(ir::Type type, bool poison, Reg& first) {
  const Reg block = registers_.temporary(wide(type.dtype) ? 8 : 4, type.lanes, poison);
  Values result;
  for (int i = 0; i < type.lanes; ++i) {
    ValueNode lane;
    lane.dtype = type.dtype;
    lane.uniform = false;
    lane.poison = poison;
    lane.level = static_cast<int>(depth());
    lane.reg = registers_.row_of(block, i);
    if (i == 0) first = lane.reg;
    result.push_back(table_.leaf(lane));
  }
  return result;
}

/// Whether a loop may wait for the operation's value to change.
bool Compiler::polls(const ir::MachineCall& call) {
  const ir::OpId op = call.op;
  if (op == ir::AllOps::id_of<ir::PtxLoad>()) {
    const std::string_view order = ir::ptx::decode(call)->word(0);
    return order == "volatile" || order == "relaxed" || order == "acquire";
  }
  if (op == ir::AllOps::id_of<ir::PtxAtom>() ||
      op == ir::AllOps::id_of<ir::PtxMbarrierTestWait>() ||
      op == ir::AllOps::id_of<ir::PtxMbarrierTryWait>()) {
    return true;
  }
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
