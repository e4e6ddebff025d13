// Loads, stores and copies of global and shared memory as instructions: which registers hold their
// values, and which handler moves them.
#include "sim/program/compiler.hpp"

namespace tirx::sim {

using num::DType;
using Kind = ValueNode::Kind;

Compiler::Values Compiler::load(const ir::Access& access, ir::Type type, Span span) {
  const ir::BufferNode& buffer = *access.buffer;
  if (buffer.in_register()) return {read_scalar(buffer)};
  const int count = type.lanes;
  if (buffer.scope() == ir::MemoryScope::local) return local_load(access, count, span);
  if (!binding_.regions.contains(buffer.storage.get()) && !shared_.contains(buffer.storage.get())) {
    fail(span, "the buffer " + buffer.name + " has no memory in this launch");
    return Values(static_cast<std::size_t>(count), table_.constant(type.dtype, 0));
  }
  std::unique_ptr<MemSite> site = memory_site(access, count, false, span);
  // A uniform address gives every lane the same value.
  const bool uniform = count == 1 && site->pattern != nullptr && !site->nibble &&
                       site->pattern->min == 0 && site->pattern->max == 0;
  const auto region = binding_.regions.find(buffer.storage.get());
  bool clean = region != binding_.regions.end() && binding_.tensors[region->second].all_valid &&
               !binding_.tensors[region->second].written && !site->checked;
  // Beyond the storage a load is poison, even where every index is legal.
  if (clean && site->pattern == nullptr) clean = false;
  bool init = init_ && !clean;
  Values result;
  std::vector<Reg> regs;
  if (uniform) {
    Reg reg = 0;
    result.push_back(fresh_leaf(type.dtype, true, init, reg));
    regs.push_back(reg);
  } else {
    const Reg block = registers_.temporary(wide(type.dtype) ? 8 : 4, count, init);
    for (int i = 0; i < count; ++i) {
      ValueNode node;
      node.dtype = type.dtype;
      node.uniform = false;
      node.poison = init;
      node.level = static_cast<int>(depth());
      node.reg = count == 1 ? block : registers_.row_of(block, i);
      result.push_back(table_.leaf(node));
      regs.push_back(node.reg);
    }
  }
  emit_race(*site, kNoRegister);
  Draft& draft = emit(lanes_.find_load(*site, uniform, init));
  draft.instr.d = regs[0];
  draft.instr.c = num::is_int(type.dtype) && num::is_signed(type.dtype) ? 1 : 0;  // uniform: extend
  draft.registers = Draft::kD;
  draft.instr.data.mem = site.get();
  draft.mem = site.get();
  program_->mem_sites.push_back(std::move(site));
  return result;
}

/// `B[i] = A[k]` between memories: one instruction that moves the bytes if nothing is special, in
/// front of the load and the store for when something is.
bool Compiler::copy(const ir::Store& node, Span span) {
  if (stats_) return false;  // the load and the store are counted
  const auto* source = ir::as<ir::Load>(node.value);
  if (source == nullptr) return false;
  const auto plain = [&](const ir::Access& access) {
    const ir::BufferNode& buffer = *access.buffer;
    return buffer.scope() != ir::MemoryScope::local && access.stride == 1 &&
           num::bits(buffer.dtype) >= 8 && buffer.dtype != DType::boolean &&
           (binding_.regions.contains(buffer.storage.get()) ||
            shared_.contains(buffer.storage.get()));
  };
  if (!plain(source->from) || !plain(node.to)) return false;
  const Values loaded = values(node.value);
  // The load is the last instruction; it moves behind the store's addresses.
  const Draft load_draft = code_->back();
  const MemSite* from = load_draft.mem;
  if (from == nullptr || from->checked || !from->fits || table_[loaded[0]].uniform) {
    store(node.to, loaded, span);
    return true;
  }
  const std::size_t load_at = code_->size() - 1;
  store(node.to, loaded, span);
  const Draft store_draft = code_->back();
  const MemSite* to = store_draft.mem;
  if (to == nullptr || to->checked || !to->fits || to->count != from->count ||
      to->size != from->size) {
    return true;
  }
  code_->erase(code_->begin() + static_cast<std::ptrdiff_t>(load_at));
  code_->pop_back();
  auto site = std::make_unique<CopySite>();
  site->from = from;
  site->to = to;
  site->bytes = from->count * from->size;
  Draft draft;
  draft.instr.run = lanes_.find_copy(*site, init_);
  draft.instr.data.copy = site.get();
  program_->copy_sites.push_back(std::move(site));
  if (draft.instr.run != nullptr) code_->push_back(draft);
  code_->push_back(load_draft);
  code_->push_back(store_draft);
  return true;
}

namespace {

/// An unsigned difference, which may come back where it is used.
bool goes_below(const ValueNode& node) {
  return node.kind == ValueNode::Kind::op && node.op == num::ScalarOp::sub &&
         num::is_unsigned(node.dtype);
}

}  // namespace

void Compiler::store(const ir::Access& access, const Values& given, Span span) {
  Values stored = given;
  const ir::BufferNode& buffer = *access.buffer;
  if (buffer.in_register()) {
    const auto at = scalars_.find(buffer.storage.get());
    if (at == scalars_.end()) {
      fail(span, "the variable " + buffer.name + " is assigned before its declaration");
      return;
    }
    ScalarHome& home = at->second;
    const bool fixed = analysis_.constants.contains(buffer.storage.get());
    // Where the value itself becomes the index it is checked there.
    const bool hidden = !fixed || mentions_alias(stored[0]);
    if (hidden && checks(ir::FaultKind::overflow) &&
        analysis_.index_scalars.contains(buffer.storage.get()) && !goes_below(table_[stored[0]])) {
      std::vector<ValueId> done;
      check_overflow(stored[0], place(span), nullptr, nullptr, done);
    }
    if (fixed) {
      home.fixed = named(table_.cast(stored[0], buffer.dtype));
      return;
    }
    assign(stored[0], home.reg, home.uniform, home.poison && init_);
    home.current = kNoValue;
    return;
  }
  if (buffer.scope() == ir::MemoryScope::local) {
    local_store(access, stored, span);
    return;
  }
  if (!binding_.regions.contains(buffer.storage.get()) && !shared_.contains(buffer.storage.get())) {
    fail(span, "the buffer " + buffer.name + " has no memory in this launch");
    return;
  }
  const auto count = static_cast<int>(stored.size());
  std::unique_ptr<MemSite> site = memory_site(access, count, true, span);
  // The values in neighbouring registers.
  bool poison = false;
  for (const ValueId id : stored) poison = poison || (init_ && table_[id].poison);
  const DType dtype = buffer.dtype;
  Reg first = 0;
  if (count == 1) {
    first = vector_reg(stored[0]);
  } else {
    bool in_place = true;  // the rows of one earlier vector load
    for (std::size_t i = 0; i < stored.size() && in_place; ++i) {
      const ValueNode& node = table_[stored[i]];
      in_place = node.kind == Kind::leaf && !node.uniform && registers_.is_row(node.reg, i) &&
                 registers_.parent(node.reg) == registers_.parent(table_[stored[0]].reg);
    }
    if (in_place) {
      first = table_[stored[0]].reg;
    } else {
      // Of two 4-bit elements that share a byte both are poison, or neither.
      if (poison && site->nibble)
        stored = regrouped(regrouped(stored, dtype, {DType::u8, 1}), DType::u8, {dtype, 1});
      std::vector<Reg> sources;
      for (const ValueId id : stored) sources.push_back(vector_reg(id));
      const Reg block = registers_.temporary(wide(dtype) ? 8 : 4, count, poison);
      for (int i = 0; i < count; ++i) {
        const Reg row = registers_.row_of(block, i);
        const bool p = init_ && table_[stored[static_cast<std::size_t>(i)]].poison;
        Draft& copy = emit(wide(dtype) ? (p ? lanes_.v_copy64_poison : lanes_.v_copy64)
                                       : (p ? lanes_.v_copy32_poison : lanes_.v_copy32));
        copy.instr.d = row;
        copy.instr.a = sources[static_cast<std::size_t>(i)];
        copy.registers = Draft::kD | Draft::kA;
        if (poison && !p) {
          Draft& clear = emit(lanes_.v_clear_poison);
          clear.instr.d = row;
          clear.registers = Draft::kD;
        }
        if (i == 0) first = row;
      }
    }
  }
  emit_race(*site, first);
  Draft& draft = emit(lanes_.find_store(*site, init_, poison));
  draft.instr.a = first;
  draft.registers = Draft::kA;
  draft.instr.data.mem = site.get();
  draft.mem = site.get();
  program_->mem_sites.push_back(std::move(site));
}

}  // namespace tirx::sim
