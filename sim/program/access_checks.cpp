// What an access of global or shared memory may touch: of its legality (indices inside the buffer's
// own shape, no index that leaves its type, alignment of vectors, no poisoned address) what is
// proved here needs no instruction; the rest is tested while the program runs.
#include <algorithm>
#include <cstdlib>

#include "sim/program/compiler.hpp"

namespace tirx::sim {

using num::DType;
using num::ScalarOp;
using Kind = ValueNode::Kind;

std::vector<std::int64_t> Compiler::shape_of(const ir::BufferNode& buffer) {
  std::vector<std::int64_t> shape;
  for (const ir::Expr& extent : buffer.shape) {
    // A dimension that is only known while the kernel runs is not checked on its own.
    shape.push_back(
        evaluate_int(extent, binding_).value_or(std::numeric_limits<std::int64_t>::max()));
  }
  return shape;
}

Compiler::Values Compiler::index_values(const ir::Access& access) {
  Values index;
  for (const ir::Expr& expr : access.indices) index.push_back(value(expr));
  return index;
}

/// Of vectors whose elements do not lie along the last dimension.
std::vector<Compiler::Values> Compiler::lane_values(const ir::Access& access) {
  std::vector<Values> lanes;
  for (const std::vector<ir::Expr>& lane : access.lane_indices) {
    if (lane.empty()) return {};  // neighbours in memory whose indices are not known
    Values& index = lanes.emplace_back();
    for (const ir::Expr& expr : lane) index.push_back(value(expr));
  }
  return lanes;
}

std::uint16_t Compiler::region_of(const ir::Storage& storage,
                                  std::int64_t& lo,
                                  std::int64_t& hi) const {
  if (const auto at = binding_.regions.find(&storage); at != binding_.regions.end()) {
    lo = binding_.tensors[at->second].lo;
    hi = binding_.tensors[at->second].hi;
    return static_cast<std::uint16_t>(at->second);
  }
  const auto at = shared_.find(&storage);
  TIRX_CHECK(at != shared_.end());
  for (const lower::SharedPlace& shared : kernel_.shared) {
    if (shared.storage.get() != &storage) continue;
    lo = shared.offset;
    if (storage.scope == ir::MemoryScope::shared_dynamic) lo += program_->dynamic_base;
    hi = lo + shared.bytes;
  }
  return static_cast<std::uint16_t>(program_->global_regions + at->second);
}

namespace {

/// Sums, differences and products of unsigned numbers, which may wrap on the way and come back.
bool comes_back(const ValueNode& node) {
  return node.kind == ValueNode::Kind::op && num::is_int(node.dtype) &&
         !num::is_signed(node.dtype) && num::bits(node.dtype) < 64 &&
         (node.op == ScalarOp::add || node.op == ScalarOp::sub || node.op == ScalarOp::mul);
}

}  // namespace

/// What such an expression is without wrapping; `leaves` are what it is made of.
ValueId Compiler::exact(ValueId id,
                        num::DType dtype,
                        std::map<ValueId, ValueId>& known,
                        Values& leaves) {
  if (const auto at = known.find(id); at != known.end()) return at->second;
  const ValueNode node = table_[id];
  ValueId made = kNoValue;
  if (node.dtype == dtype && comes_back(node)) {
    const ValueId a = exact(node.args[0], dtype, known, leaves);
    made = table_.binary(node.op, num::DType::i64, a, exact(node.args[1], dtype, known, leaves));
  } else {
    leaves.push_back(id);
    made = table_.cast(id, num::DType::i64);
  }
  known.emplace(id, made);
  return made;
}

/// An unsigned index that is not what it would be without wrapping.
void Compiler::check_unsigned(
    ValueId id, Place at, const MemSite* mem, const LocalSite* local, std::vector<ValueId>& done) {
  const num::DType dtype = table_[id].dtype;
  std::map<ValueId, ValueId> known;
  Values leaves;
  const ValueId wide = exact(id, dtype, known, leaves);
  for (const ValueId leaf : leaves) check_overflow(leaf, at, mem, local, done);
  check_overflow(wide, at, mem, local, done);
  const ValueNode node = table_[wide];
  const std::int64_t end = std::int64_t{1} << num::bits(dtype);
  if (node.range.lo >= 0 && node.range.hi < end) return;
  auto site = std::make_unique<CheckSite>();
  site->kind = CheckSite::Kind::overflow;
  site->place = at;
  site->mem = mem;
  site->local = local;
  site->dtype = dtype;
  site->hi = end;
  site->value = id;
  const Reg a = node.uniform ? uniform_reg(wide) : vector_reg(wide);
  Draft& draft = emit(node.uniform ? exec::check_unsigned_u : exec::check_unsigned_v);
  draft.instr.a = a;
  draft.registers = Draft::kA;
  draft.check = site.get();
  draft.instr.data.check = site.get();
  program_->check_sites.push_back(std::move(site));
}

/// Integer operations of an index that might leave their type, innermost first.
void Compiler::check_overflow(
    ValueId id, Place at, const MemSite* mem, const LocalSite* local, std::vector<ValueId>& done) {
  const ValueNode node = table_[id];
  if (node.kind != Kind::op && node.kind != Kind::cast && node.kind != Kind::select) return;
  if (std::find(done.begin(), done.end(), id) != done.end()) return;
  done.push_back(id);
  if (comes_back(node)) {
    check_unsigned(id, at, mem, local, done);
    return;
  }
  if (node.kind == Kind::op) {
    switch (node.op) {
      case ScalarOp::floormod:
      case ScalarOp::truncmod:
      case ScalarOp::bit_and:
      case ScalarOp::bit_or:
      case ScalarOp::bit_xor:
      case ScalarOp::shr:
        return;  // perhaps a hash, which may wrap
      default:
        break;
    }
  }
  for (const ValueId arg : node.args) {
    if (arg != kNoValue) check_overflow(arg, at, mem, local, done);
  }
  if (node.kind != Kind::op || !node.may_wrap || !num::is_int(node.dtype)) return;
  auto site = std::make_unique<CheckSite>();
  site->kind = CheckSite::Kind::overflow;
  site->place = at;
  site->mem = mem;
  site->local = local;
  site->dtype = node.dtype;
  site->op = node.op;
  site->value = id;
  const bool binary = node.args[1] != kNoValue;
  const auto reg = [&](ValueId v) { return node.uniform ? uniform_reg(v) : vector_reg(v); };
  const Reg a = reg(node.args[0]);
  const Reg b = binary ? reg(node.args[1]) : a;
  Draft& draft = emit(node.uniform ? exec::check_overflow_u : exec::check_overflow_v);
  draft.instr.a = a;
  draft.instr.b = b;
  draft.registers = Draft::kA | Draft::kB;
  draft.check = site.get();
  draft.instr.data.check = site.get();
  program_->check_sites.push_back(std::move(site));
}

/// Emits the tests that the access still needs; they take lanes out of it through Warp::skip.
void Compiler::check_access(const ir::Access& access,
                            const Values& index,
                            int count,
                            MemSite* mem,
                            LocalSite* local,
                            Span span) {
  bool& checked = mem != nullptr ? mem->checked : local->checked;
  const Place at = mem != nullptr ? mem->place : local->place;
  for (const ValueId id : index) {
    if (init_ && table_[id].poison) {
      checked = true;
      check_poison(id, span, "the index of " + access.buffer->name, mem, local);
    }
  }
  if (checks(ir::FaultKind::overflow)) {
    std::vector<ValueId> done;
    const std::size_t before = program_->check_sites.size();
    for (const ValueId id : index) check_overflow(id, at, mem, local, done);
    if (program_->check_sites.size() != before) checked = true;
  }
  if (!checks(ir::FaultKind::bounds)) return;
  const bool apart = !access.lane_indices.empty();
  check_indices(index, apart ? 0 : (count - 1) * std::abs(access.stride), apart, mem, local);
  for (const Values& lane : mem != nullptr ? mem->lane_indices : local->lane_indices) {
    check_indices(lane, 0, true, mem, local);
  }
}

/// Bounds of one tuple of indices, the last one of which reaches `last_reach` further.
/// `one_element`: of the vector's elements a report names the one that has these indices.
void Compiler::check_indices(const Values& index,
                             std::int64_t last_reach,
                             bool one_element,
                             MemSite* mem,
                             LocalSite* local) {
  const std::vector<std::int64_t>& shape = mem != nullptr ? mem->shape : local->shape;
  bool& checked = mem != nullptr ? mem->checked : local->checked;
  const Place at = mem != nullptr ? mem->place : local->place;
  for (std::size_t k = 0; k < index.size() && k < shape.size(); ++k) {
    if (shape[k] == std::numeric_limits<std::int64_t>::max()) continue;
    const std::int64_t reach = k + 1 == index.size() ? last_reach : 0;
    const Interval r = range(index[k]);
    if (r.within(0, shape[k] - 1 - reach)) continue;
    checked = true;
    auto site = std::make_unique<CheckSite>();
    site->kind = CheckSite::Kind::index;
    site->place = at;
    site->mem = mem;
    site->local = local;
    site->lo = 0;
    site->hi = shape[k] - reach;
    if (one_element) site->index = index;
    Linear linear;
    linearise(index[k], 1, true, linear);
    const Address address = split(linear);
    Draft draft;
    if (address.pattern != nullptr && address.k1 == 1) {
      site->imm = address.imm;
      site->pattern = address.pattern;
      draft.instr.run = exec::check_index_pattern;
      draft.instr.a = address.u0 == kNoValue ? zero_ : uniform_reg(address.u0);
      draft.instr.b = address.u1 == kNoValue ? zero_ : uniform_reg(address.u1);
      draft.registers = Draft::kA | Draft::kB;
    } else {
      const ValueId widened = table_.cast(
          index[k], num::bits(table_[index[k]].dtype) <= 32 && table_[index[k]].dtype != DType::u32
                        ? DType::i32
                        : DType::i64);
      draft.instr.a = vector_reg(widened);
      draft.registers = Draft::kA;
      draft.instr.run = wide(table_[widened].dtype) ? exec::check_index_v64 : exec::check_index_v32;
    }
    draft.instr.data.check = site.get();
    draft.check = site.get();
    code_->push_back(draft);
    program_->check_sites.push_back(std::move(site));
  }
}

/// Addresses that are no multiples of `need` are found while the program runs.
void Compiler::check_align(MemSite* site, std::int64_t need) {
  site->checked = true;
  auto check = std::make_unique<CheckSite>();
  check->kind = CheckSite::Kind::align;
  check->place = site->place;
  check->mem = site;
  check->hi = need;
  Draft& draft = emit(exec::check_align_pattern);
  draft.instr.data.check = check.get();
  draft.check = check.get();
  program_->check_sites.push_back(std::move(check));
}

std::unique_ptr<MemSite> Compiler::memory_site(
    const ir::Access& access, int count, bool write, Span span, std::int64_t access_bytes) {
  auto site = std::make_unique<MemSite>();
  const DType dtype = access.buffer->dtype;
  site->region = region_of(*access.buffer->storage, site->lo, site->hi);
  site->count = static_cast<std::uint16_t>(count);
  site->size = static_cast<std::uint8_t>(num::bytes(dtype));
  site->nibble = num::bits(dtype) == 4;
  const auto tensor = binding_.regions.find(access.buffer->storage.get());
  site->owned = tensor != binding_.regions.end() && binding_.tensors[tensor->second].written;
  site->boolean = dtype == DType::boolean;
  site->place = place(span);
  site->is_write = write;
  site->buffer = access.buffer;
  site->shape = shape_of(*access.buffer);
  const Values index = index_values(access);
  site->index = index;
  site->lane_indices = lane_values(access);
  const std::size_t assumed = assumed_.size();
  const ValueId flat = access.flat     ? value(access.flat)
                       : index.empty() ? table_.constant(DType::i64, 0)
                                       : index[0];
  check_access(access, index, count, site.get(), nullptr, span);
  if (!access.flat && index.size() > 1) fail(span, "an access has no flat address");
  for (std::size_t k = 0; k < index.size() && k < site->shape.size(); ++k) {
    assumed_.emplace_back(index[k], Interval{0, std::max<std::int64_t>(site->shape[k] - 1, 0)});
  }
  if (init_ && table_[flat].poison && !site->checked) {
    site->checked = true;
    check_poison(flat, span, "the address of " + access.buffer->name, site.get(), nullptr);
  }
  Linear linear;
  const std::int64_t unit = site->nibble ? 1 : site->size;
  linearise(flat, unit, false, linear);
  linear.constant += site->nibble ? site->lo * 2 : site->lo;
  const Address address = split(linear);
  assumed_.resize(assumed);
  site->stride = access.stride * unit;
  site->pattern = address.pattern;
  site->imm = address.imm;
  site->k1 = address.k1;
  site->u0 = address.u0 == kNoValue ? zero_ : uniform_reg(address.u0);
  site->u1 = address.u1 == kNoValue ? zero_ : uniform_reg(address.u1);
  if (address.pattern != nullptr) {
    const std::int64_t reach = (count - 1) * site->stride;
    site->low = address.pattern->min + std::min<std::int64_t>(reach, 0);
    site->high = address.pattern->max + std::max<std::int64_t>(reach, 0) + unit;
    site->begin = site->lo - site->low;
    const std::int64_t room = site->hi - site->lo - (site->high - site->low);
    site->fits = room >= 0 && !site->nibble;
    site->room = static_cast<std::uint64_t>(std::max<std::int64_t>(room, 0));
    site->half = address.pattern->half;
  }
  if (address.v != kNoValue) {
    site->v = vector_reg(address.v);
    site->v_wide = wide(table_[address.v].dtype);
  } else {
    site->v = kNoRegister;
  }
  // Vectors must be aligned to their size.
  const std::int64_t bytes = site->nibble ? count / 2 : count * site->size;
  const std::int64_t size = site->nibble ? count : bytes;  // as addresses count
  if (count > 1 && access.stride == 1 && size > 1 && (bytes & (bytes - 1)) == 0 && bytes > 0) {
    const std::int64_t need = std::min<std::int64_t>(bytes, 16) * (size / bytes);
    bool aligned = address.imm % need == 0;
    const auto multiple = [&](ValueId id) {
      return id == kNoValue ? std::int64_t{0} : table_[id].multiple;
    };
    aligned = aligned && multiple(address.u0) % need == 0 &&
              (multiple(address.u1) * (address.k1 % need)) % need == 0 &&
              multiple(address.v) % need == 0;
    if (address.pattern != nullptr) {
      for (const std::int32_t offset : address.pattern->offset)
        aligned = aligned && offset % need == 0;
    }
    site->aligned = aligned || checks(ir::FaultKind::align);
    if (!aligned && checks(ir::FaultKind::align)) {
      check_align(site.get(), need);
    }
  } else if (!site->nibble) {
    // Elements lie at multiples of their size from where the tensor begins, which is the host's
    // choice: another type's view of it need not begin at one.
    const std::int64_t need =
        access_bytes == 0 ? site->size : std::min<std::int64_t>(site->size, access_bytes);
    if (site->lo % need != 0 && checks(ir::FaultKind::align)) check_align(site.get(), need);
  }
  return site;
}

}  // namespace tirx::sim
