// Local arrays are rows of the vector register file.  An element with a known index is a register
// like any other; the rest goes through LocalSite.  4-bit elements are accessed as the bytes that
// hold two of them.
#include <algorithm>

#include "sim/program/compiler.hpp"

namespace tirx::sim {

using Kind = ValueNode::Kind;

std::unique_ptr<LocalSite> Compiler::local_site(
    const ir::Access& access, ValueId flat, int count, bool write, Span span, int each) {
  const LocalArray& array = arrays_.at(access.buffer->storage.get());
  auto site = std::make_unique<LocalSite>();
  site->base = array.reg;
  site->granule = static_cast<std::uint8_t>(array.granule);
  site->lane_bytes = array.granule == 8 ? 8 : 4;
  site->mixed = array.mixed;
  site->size = static_cast<std::uint8_t>(num::bytes(access.buffer->dtype));
  site->rows = (array.bytes + array.granule - 1) / array.granule;
  site->elements = array.bytes / site->size;
  site->stride = access.stride;
  site->count = static_cast<std::uint16_t>(count);
  site->wide_value = wide(access.buffer->dtype);
  site->place = place(span);
  site->is_write = write;
  site->buffer = access.buffer;
  site->index = index_values(access);
  site->lane_indices = lane_values(access);
  site->shape = shape_of(*access.buffer);
  site->each = static_cast<std::uint8_t>(each);
  check_access(access, site->index, count * each, nullptr, site.get(), span);
  if (init_ && table_[flat].poison && !site->checked) {
    site->checked = true;
    check_poison(flat, span, "the index of " + access.buffer->name, nullptr, site.get());
  }
  return site;
}

/// Two 4-bit elements share a byte: the number of the byte that holds an element, and of a vector
/// whether it begins with one.
ValueId Compiler::byte_of_half(ValueId element) {
  const num::DType counted = table_[element].dtype;
  return table_.binary(num::ScalarOp::shr, counted, element, table_.constant(counted, 1));
}

void Compiler::check_whole_byte(LocalSite& site, ValueId element) {
  const ValueNode& node = table_[element];
  const bool even = node.kind == Kind::constant ? (node.bits & 1) == 0 : node.multiple % 2 == 0;
  if (even || !checks(ir::FaultKind::align)) return;
  site.checked = true;
  auto check = std::make_unique<CheckSite>();
  check->kind = CheckSite::Kind::align;
  check->place = site.place;
  check->local = &site;
  check->lo = 0;
  check->hi = 1;
  const ValueId narrow = table_.cast(element, num::DType::i32);
  const ValueId odd = table_.binary(num::ScalarOp::bit_and, num::DType::i32, narrow,
                                    table_.constant(num::DType::i32, 1));
  Draft draft;
  draft.instr.a = vector_reg(odd);
  draft.registers = Draft::kA;
  draft.instr.run = exec::check_index_v32;
  draft.instr.data.check = check.get();
  draft.check = check.get();
  code_->push_back(draft);
  program_->check_sites.push_back(std::move(check));
}

Compiler::Values Compiler::local_load(const ir::Access& access, int lanes, Span span) {
  const ir::BufferNode& buffer = *access.buffer;
  const auto at = arrays_.find(buffer.storage.get());
  if (at == arrays_.end()) {
    fail(span, "the buffer " + buffer.name + " is used before its allocation");
    return Values(static_cast<std::size_t>(lanes), table_.constant(buffer.dtype, 0));
  }
  const LocalArray array = at->second;
  const ValueId number = value(access.flat ? access.flat : access.indices[0]);
  // Of 4-bit elements the bytes are loaded, each of which holds two.
  const bool halves = num::bits(buffer.dtype) == 4;
  const int each = halves && lanes > 1 ? 2 : 1, count = lanes / each;
  const ValueId flat = halves ? byte_of_half(number) : number;
  std::unique_ptr<LocalSite> site = local_site(access, flat, count, false, span, each);
  if (each == 2) check_whole_byte(*site, number);
  Linear linear;
  linearise(flat, 1, false, linear);
  const std::int64_t first = linear.constant;
  const std::int64_t last = first + (count - 1) * access.stride;
  const bool fixed = linear.terms.empty() && !array.mixed && !site->checked &&
                     std::min(first, last) >= 0 && std::max(first, last) < site->elements;
  Values result;
  const auto make = [&](Reg reg, bool alias, bool poison) {
    ValueNode node;
    node.dtype = halves ? num::DType::u8 : buffer.dtype;
    node.uniform = false;
    node.poison = poison;
    node.alias = alias;
    node.reg = reg;
    node.level = static_cast<int>(depth());
    result.push_back(table_.leaf(node));
  };
  if (fixed) {
    for (int i = 0; i < count; ++i) {
      make(registers_.row_of(array.reg, first + i * access.stride), true, init_);
    }
    return result;
  }
  const Reg block = registers_.temporary(site->wide_value ? 8 : 4, count, init_);
  for (int i = 0; i < count; ++i) {
    make(count == 1 ? block : registers_.row_of(block, i), false, init_);
  }
  place_local(*site, linear);
  Draft& draft = emit(init_ ? exec::local_load_init : exec::local_load);
  draft.instr.d = block;
  draft.registers = Draft::kD;
  draft.instr.data.local = site.get();
  draft.local = site.get();
  program_->local_sites.push_back(std::move(site));
  if (each == 2) return regrouped(result, num::DType::u8, ir::Type{buffer.dtype, 1});
  if (halves) result[0] = half_of(result[0], number, buffer.dtype);
  return result;
}

/// The low four bits of a byte for an even element, the high ones for an odd one.
ValueId Compiler::half_of(ValueId byte, ValueId element, num::DType dtype) {
  using num::DType;
  using num::ScalarOp;
  const auto u32 = [&](std::uint64_t bits) { return table_.constant(DType::u32, bits); };
  const ValueId odd =
      table_.binary(ScalarOp::bit_and, DType::u32, table_.cast(element, DType::u32), u32(1));
  const ValueId shift = table_.binary(ScalarOp::shl, DType::u32, odd, u32(2));
  const ValueId down =
      table_.binary(ScalarOp::shr, DType::u32, table_.cast(byte, DType::u32), shift);
  const ValueId half = table_.binary(ScalarOp::bit_and, DType::u32, down, u32(15));
  return table_.reinterpret(table_.cast(half, DType::u8), dtype);
}

/// The element number as a constant and one register.
void Compiler::place_local(LocalSite& site, const Linear& linear) {
  site.imm = linear.constant;
  const bool uniform = std::all_of(linear.terms.begin(), linear.terms.end(),
                                   [&](const auto& term) { return table_[term.first].uniform; });
  site.u = zero_;
  site.v = kNoRegister;
  if (uniform) {
    if (!linear.terms.empty()) site.u = uniform_reg(uniform_sum(linear.terms));
    return;
  }
  site.varying = true;
  // Also for the uniform terms: one vector of element numbers.
  const ValueId sum = uniform_sum(linear.terms);
  site.v = vector_reg(sum);
  site.v_wide = true;
}

void Compiler::local_store(const ir::Access& access, const Values& given, Span span) {
  const ir::BufferNode& buffer = *access.buffer;
  const auto at = arrays_.find(buffer.storage.get());
  if (at == arrays_.end()) {
    fail(span, "the buffer " + buffer.name + " is used before its allocation");
    return;
  }
  const LocalArray array = at->second;
  const ValueId number = value(access.flat ? access.flat : access.indices[0]);
  // Of 4-bit elements whole bytes are stored.
  const int each = num::bits(buffer.dtype) == 4 ? 2 : 1;
  const auto count = static_cast<int>(given.size()) / each;
  const Values stored =
      each == 1 ? given : regrouped(given, buffer.dtype, ir::Type{num::DType::u8, 1});
  const ValueId flat = each == 1 ? number : byte_of_half(number);
  std::unique_ptr<LocalSite> site = local_site(access, flat, count, true, span, each);
  if (each == 2) check_whole_byte(*site, number);
  Linear linear;
  linearise(flat, 1, false, linear);
  const std::int64_t first = linear.constant;
  const std::int64_t last = first + (count - 1) * access.stride;
  const bool fixed = linear.terms.empty() && !array.mixed && !site->checked &&
                     std::min(first, last) >= 0 && std::max(first, last) < site->elements;
  if (fixed && count == 1) {
    assign(stored[0], registers_.row_of(array.reg, first), false, init_);
    return;
  }
  // All values before the first write: they may come from the same array.
  const bool is_wide = wide(buffer.dtype);
  std::vector<Reg> sources;
  Reg block = kNoRegister;
  const bool copies =
      std::any_of(stored.begin(), stored.end(), [&](ValueId id) { return mentions_alias(id); });
  for (const ValueId id : stored) sources.push_back(vector_reg(id));
  const auto copy = [&](Reg into, Reg from, bool poison) {
    Draft& draft = emit(is_wide ? (poison ? lanes_.v_copy64_poison : lanes_.v_copy64)
                                : (poison ? lanes_.v_copy32_poison : lanes_.v_copy32));
    draft.instr.d = into;
    draft.instr.a = from;
    draft.registers = Draft::kD | Draft::kA;
    if (init_ && !poison) {
      Draft& clear = emit(lanes_.v_clear_poison);
      clear.instr.d = into;
      clear.registers = Draft::kD;
    }
  };
  if (!fixed || copies) {
    block = registers_.temporary(is_wide ? 8 : 4, count, init_);
    for (int i = 0; i < count; ++i) {
      const Reg row = registers_.row_of(block, i);
      const auto k = static_cast<std::size_t>(i);
      copy(row, sources[k], init_ && table_[stored[k]].poison);
      sources[k] = row;
    }
  }
  if (fixed) {
    for (int i = 0; i < count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      copy(registers_.row_of(array.reg, first + i * access.stride), sources[k],
           init_ && (copies || table_[stored[k]].poison));
    }
    return;
  }
  place_local(*site, linear);
  Draft& draft = emit(init_ ? exec::local_store_init : exec::local_store);
  draft.instr.a = block;
  draft.registers = Draft::kA;
  draft.instr.data.local = site.get();
  draft.local = site.get();
  program_->local_sites.push_back(std::move(site));
}

}  // namespace tirx::sim
