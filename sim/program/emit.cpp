// Values into registers: where is each instruction placed, and which form does it take?
#include <algorithm>

#include "numerics/lanes.hpp"
#include "numerics/storage_bits.hpp"
#include "sim/program/compiler.hpp"

namespace tirx::sim {

namespace {

using Kind = ValueNode::Kind;

std::uint32_t pack_op(const ValueNode& node) {
  return static_cast<std::uint32_t>(node.op) | static_cast<std::uint32_t>(node.from) << 8 |
         static_cast<std::uint32_t>(node.dtype) << 16;
}

/// How a uniform register holds these bits.
std::int64_t uniform_bits(std::uint64_t bits, num::DType dtype) {
  return num::is_int(dtype) ? num::to_int64(bits, dtype) : static_cast<std::int64_t>(bits);
}

}  // namespace

void Compiler::push_scope() {
  scopes_.push_back(next_scope_++);
}

void Compiler::pop_scope() {
  scopes_.pop_back();
}

bool Compiler::usable(const CachedReg& cached) const {
  return cached.reg != kNoRegister && cached.scope < scopes_.size() &&
         scopes_[cached.scope] == cached.serial;
}

/// The code that makes a value: what every CTA needs alike is made once per warp, the rest in front
/// of the outermost loop in which it is constant, or here.
Code& Compiler::code_for(const ValueNode& node, std::size_t& scope) {
  if (node.kind == Kind::constant || node.kind == Kind::table) {
    scope = 0;
    return preload_;
  }
  const int level = node.level;
  const auto at = static_cast<std::size_t>(level);
  if (at < loops_.size()) {
    scope = loops_[at]->scope;
    return loops_[at]->preheader;
  }
  scope = scopes_.size() - 1;
  return *code_;
}

Draft& Compiler::emit(Handler handler) {
  code_->emplace_back();
  code_->back().instr.run = handler;
  code_->back().span = statement_;
  return code_->back();
}

void Compiler::place_label(Label label) {
  code_->emplace_back();
  code_->back().mark = label;
}

Reg Compiler::new_vector(num::DType dtype) {
  return registers_.vector(wide(dtype) ? 8 : 4);
}

Reg Compiler::new_temporary(num::DType dtype, bool tracked) {
  return registers_.temporary(wide(dtype) ? 8 : 4, 1, tracked && init_);
}

Reg Compiler::new_uniform() {
  return registers_.uniform();
}

/// A value that lives in a fresh register, written once by an instruction emitted here.
ValueId Compiler::fresh_leaf(num::DType dtype, bool uniform, bool poison, Reg& reg) {
  reg = uniform ? new_uniform() : new_temporary(dtype, poison);
  ValueNode node;
  node.dtype = dtype;
  node.uniform = uniform;
  node.poison = poison && init_;
  node.level = static_cast<int>(depth());
  node.reg = reg;
  return table_.leaf(node);
}

Reg Compiler::vector_reg(ValueId id) {
  const ValueNode node = table_[id];
  if (node.kind == Kind::leaf && !node.uniform) return node.reg;
  if (node.kind == Kind::reinterpret && !node.uniform) return vector_reg(node.args[0]);
  if (const auto at = cached_.find(id); at != cached_.end() && usable(at->second.vector)) {
    return at->second.vector.reg;
  }
  std::size_t scope = 0;
  Code& code = code_for(node, scope);
  const bool kept = node.kind == Kind::constant || node.kind == Kind::table;
  const Reg reg = kept ? new_vector(node.dtype) : new_temporary(node.dtype, node.poison);
  emit_vector(code, id, reg);
  cached_[id].vector = {reg, scope, scopes_[scope]};
  return reg;
}

Reg Compiler::uniform_reg(ValueId id) {
  const ValueNode node = table_[id];
  TIRX_CHECK(node.uniform);
  if (node.kind == Kind::leaf) return node.reg;
  if (node.kind == Kind::constant && uniform_bits(node.bits, node.dtype) == 0) return zero_;
  // Sign-extended registers: widening and same-width reinterpretation of non-negative values.
  if (node.kind == Kind::cast && num::is_int(node.from) && num::is_int(node.dtype) &&
      table_[node.args[0]].range.within(range_of(node.dtype).lo, range_of(node.dtype).hi) &&
      (node.from != num::DType::u64 || table_[node.args[0]].range.lo >= 0) &&
      (node.dtype != num::DType::u64 || table_[node.args[0]].range.lo >= 0)) {
    return uniform_reg(node.args[0]);
  }
  if (const auto at = cached_.find(id); at != cached_.end() && usable(at->second.uniform)) {
    return at->second.uniform.reg;
  }
  std::size_t scope = 0;
  Code& code = code_for(node, scope);
  const Reg reg = new_uniform();
  emit_uniform(code, id, reg);
  cached_[id].uniform = {reg, scope, scopes_[scope]};
  return reg;
}

/// Appends to `code` the instruction that computes the value into a uniform register.
void Compiler::emit_uniform(Code& code, ValueId id, Reg into) {
  const ValueNode node = table_[id];
  Draft draft;
  draft.instr.d = into;
  draft.registers = Draft::kD;
  const auto operands = [&](int count) {
    std::uint32_t* fields[3] = {&draft.instr.a, &draft.instr.b, &draft.instr.c};
    constexpr std::uint8_t kBits[3] = {Draft::kA, Draft::kB, Draft::kC};
    for (int i = 0; i < count; ++i) {
      if (node.args[i] == kNoValue) break;
      *fields[i] = uniform_reg(node.args[i]);
      draft.registers |= kBits[i];
    }
  };
  switch (node.kind) {
    case Kind::constant:
      draft.instr.run = exec::u_const;
      draft.instr.data.imm = uniform_bits(node.bits, node.dtype);
      break;
    case Kind::table: {
      auto rows = std::make_unique<std::vector<std::uint64_t>>(table_.rows(id));
      for (std::uint64_t& bits : *rows) {
        bits = static_cast<std::uint64_t>(uniform_bits(bits, node.dtype));
      }
      draft.instr.run = exec::u_table;
      draft.instr.data.table = rows->data();
      program_->tables.push_back(std::move(rows));
      break;
    }
    case Kind::leaf:
      draft.instr.run = node.poison ? exec::u_copy_poison : exec::u_copy;
      draft.instr.a = node.reg;
      draft.registers |= Draft::kA;
      break;
    case Kind::op: {
      operands(3);
      Handler fast = node.poison ? nullptr : exec::find_u_op(node.op, node.from);
      draft.instr.run = fast != nullptr ? fast : node.poison ? exec::u_op_poison : exec::u_op;
      draft.instr.data.imm = pack_op(node);
      // Unused operands read register 0.
      break;
    }
    case Kind::cast:
      operands(1);
      draft.instr.run = node.poison ? exec::u_cast_poison : exec::u_cast;
      draft.instr.data.imm =
          static_cast<std::int64_t>(node.from) | static_cast<std::int64_t>(node.dtype) << 8;
      break;
    case Kind::reinterpret:
      // Through the raw bits: integers are kept extended, floats are not.
      operands(1);
      draft.instr.run = node.poison ? exec::u_cast_poison : exec::u_cast;
      draft.instr.data.imm = static_cast<std::int64_t>(node.from) |
                             static_cast<std::int64_t>(node.dtype) << 8 | std::int64_t{1} << 16;
      break;
    case Kind::select:
      operands(3);
      draft.instr.run = node.poison ? exec::u_select_poison : exec::u_select;
      break;
  }
  code.push_back(draft);
}

/// Appends to `code` the instruction that computes the value into a vector register.
void Compiler::emit_vector(Code& code, ValueId id, Reg into) {
  const ValueNode node = table_[id];
  Draft draft;
  draft.instr.d = into;
  draft.registers = Draft::kD;
  const bool is_wide = wide(node.dtype);
  const auto operand = [&](int i) {
    std::uint32_t* fields[3] = {&draft.instr.a, &draft.instr.b, &draft.instr.c};
    constexpr std::uint8_t kBits[3] = {Draft::kA, Draft::kB, Draft::kC};
    *fields[i] = vector_reg(node.args[i]);
    draft.registers |= kBits[i];
  };
  if (node.kind == Kind::constant) {
    draft.instr.run = is_wide ? lanes_.v_const64 : lanes_.v_const32;
    draft.instr.data.imm = static_cast<std::int64_t>(node.bits);
  } else if (node.kind == Kind::table) {
    auto rows = std::make_unique<std::vector<std::uint64_t>>(table_.rows(id));
    if (!is_wide) {
      // Packed to 32 bits a lane.
      std::vector<std::uint64_t> packed(rows->size() / 2);
      for (std::size_t i = 0; i < packed.size(); ++i) {
        packed[i] = ((*rows)[2 * i] & 0xffffffffU) | (*rows)[2 * i + 1] << 32;
      }
      *rows = std::move(packed);
    }
    draft.instr.run = is_wide ? lanes_.v_table64 : lanes_.v_table32;
    draft.instr.data.table = rows->data();
    program_->tables.push_back(std::move(rows));
  } else if (node.uniform) {
    draft.instr.a = uniform_reg(id);
    draft.registers |= Draft::kA;
    draft.instr.run = is_wide ? (node.poison ? lanes_.v_splat64_poison : lanes_.v_splat64)
                              : (node.poison ? lanes_.v_splat32_poison : lanes_.v_splat32);
    // 8- and 16-bit integers are zero-extended in vector registers.
    const int width = num::storage_bits(node.dtype);
    draft.instr.data.imm = width >= 32 ? -1 : (std::int64_t{1} << width) - 1;
  } else if (node.kind == Kind::leaf || node.kind == Kind::reinterpret) {
    draft.instr.a = vector_reg(id);
    draft.registers |= Draft::kA;
    draft.instr.run = is_wide ? (node.poison ? lanes_.v_copy64_poison : lanes_.v_copy64)
                              : (node.poison ? lanes_.v_copy32_poison : lanes_.v_copy32);
  } else if (node.kind == Kind::op) {
    int arity = 0;
    while (arity < 3 && node.args[arity] != kNoValue) operand(arity++);
    draft.instr.data.lane = num::find_lane_function(node.op, node.from);
    if (draft.instr.data.lane == nullptr) {
      fail({}, std::string("the operation ") + std::string(num::name(node.op)) +
                   " is not available for " + std::string(num::name(node.from)));
    }
    const Handler by_arity[4] = {lanes_.v_op, lanes_.v_op_poison1, lanes_.v_op_poison2,
                                 lanes_.v_op_poison3};
    const Handler fast = lanes_.find_fast_op(node.op, node.from, node.poison);
    draft.instr.run = fast != nullptr ? fast : node.poison ? by_arity[arity] : lanes_.v_op;
  } else if (node.kind == Kind::cast) {
    operand(0);
    draft.instr.data.convert = num::find_lane_conversion(node.from, node.dtype);
    draft.instr.run = node.poison ? lanes_.v_convert_poison : lanes_.v_convert;
  } else {
    operand(0);
    operand(1);
    operand(2);
    draft.instr.run = is_wide ? (node.poison ? lanes_.v_select64_poison : lanes_.v_select64)
                              : (node.poison ? lanes_.v_select32_poison : lanes_.v_select32);
  }
  code.push_back(draft);
}

/// Writes a value to the register of a mutable variable.
void Compiler::assign(ValueId id, Reg into, bool uniform, bool tracks_poison) {
  const ValueNode node = table_[id];
  const bool here = static_cast<std::size_t>(node.level) >= depth();
  const auto at = cached_.find(id);
  const bool has_register =
      at != cached_.end() && usable(uniform ? at->second.uniform : at->second.vector);
  const bool computed =
      node.kind == Kind::op || node.kind == Kind::cast || node.kind == Kind::select;
  const bool constant = node.kind == Kind::constant;
  if (uniform) {
    if (constant || (computed && here && !has_register)) {
      emit_uniform(*code_, id, into);
    } else {
      const Reg from = uniform_reg(id);
      Draft& draft = emit(node.poison ? exec::u_copy_poison : exec::u_copy);
      draft.instr.d = into;
      draft.instr.a = from;
      draft.registers = Draft::kD | Draft::kA;
    }
    if (tracks_poison && !node.poison) {
      Draft& clear = emit(exec::u_clear_poison);
      clear.instr.d = into;
      clear.registers = Draft::kD;
    }
    return;
  }
  if (constant || (computed && here && !has_register && !node.uniform)) {
    emit_vector(*code_, id, into);
  } else if (node.uniform && !has_register) {
    emit_vector(*code_, id, into);
  } else {
    const Reg from = vector_reg(id);
    const bool is_wide = wide(node.dtype);
    Draft& draft = emit(is_wide ? (node.poison ? lanes_.v_copy64_poison : lanes_.v_copy64)
                                : (node.poison ? lanes_.v_copy32_poison : lanes_.v_copy32));
    draft.instr.d = into;
    draft.instr.a = from;
    draft.registers = Draft::kD | Draft::kA;
  }
  if (tracks_poison && !node.poison) {
    Draft& clear = emit(lanes_.v_clear_poison);
    clear.instr.d = into;
    clear.registers = Draft::kD;
  }
}

/// Reports the poisoned lanes of a value that is about to matter, and keeps them from the access.
void Compiler::check_poison(
    ValueId id, Span span, std::string what, const MemSite* mem, const LocalSite* local) {
  if (!init_ || !table_[id].poison) return;
  auto site = std::make_unique<CheckSite>();
  site->kind = CheckSite::Kind::poison;
  site->place = place(span);
  site->mem = mem;
  site->local = local;
  site->what = std::move(what);
  const bool uniform = table_[id].uniform;
  const Reg reg = uniform ? uniform_reg(id) : vector_reg(id);
  Draft& draft = emit(uniform ? exec::check_poison_u : exec::check_poison_v);
  draft.instr.a = reg;
  draft.registers = Draft::kA;
  draft.check = site.get();
  draft.instr.data.check = site.get();
  program_->check_sites.push_back(std::move(site));
}

}  // namespace tirx::sim
