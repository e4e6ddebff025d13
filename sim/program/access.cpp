// Accesses: addresses as a lane pattern, uniform parts and a vector part; what of their legality is
// proved, and what is tested.
//
// An address is linear in values almost always.  Its terms that depend on the thread's place alone
// are tabulated over the CTA; if the table is (a number per warp) + (a number per lane), no vector
// arithmetic is left, and the access is one base address and a fixed pattern.
#include <algorithm>
#include <cstdlib>

#include "sim/program/compiler.hpp"

namespace tirx::sim {

namespace {

using num::DType;
using num::ScalarOp;
using Kind = ValueNode::Kind;

bool is_integral(DType dtype) {
  return num::is_int(dtype) || dtype == DType::boolean;
}

}  // namespace

/// Adds scale * value to a linear form.  `exact`: stop at operations that may wrap.
void Compiler::linearise(ValueId id, std::int64_t scale, bool exact, Linear& into) const {
  const ValueNode& node = table_[id];
  const auto term = [&] {
    for (auto& [other, factor] : into.terms) {
      if (other == id) {
        factor += scale;
        return;
      }
    }
    into.terms.emplace_back(id, scale);
  };
  if (node.kind == Kind::constant) {
    into.constant += scale * num::to_int64(node.bits, node.dtype);
    return;
  }
  constexpr int kMaxVisits = 1000;
  if (++into.visits > kMaxVisits) {
    term();
    return;
  }
  const bool wraps = exact && node.may_wrap;
  if (node.kind == Kind::op && num::is_int(node.from) && !wraps) {
    const auto constant = [&](int i) -> std::optional<std::int64_t> {
      const ValueNode& arg = table_[node.args[i]];
      if (arg.kind != Kind::constant) return std::nullopt;
      return num::to_int64(arg.bits, arg.dtype);
    };
    switch (node.op) {
      case ScalarOp::add:
        linearise(node.args[0], scale, exact, into);
        linearise(node.args[1], scale, exact, into);
        return;
      case ScalarOp::sub:
        linearise(node.args[0], scale, exact, into);
        linearise(node.args[1], -scale, exact, into);
        return;
      case ScalarOp::neg:
        linearise(node.args[0], -scale, exact, into);
        return;
      case ScalarOp::mul:
        if (const auto factor = constant(1)) {
          linearise(node.args[0], scale * *factor, exact, into);
          return;
        }
        if (const auto factor = constant(0)) {
          linearise(node.args[1], scale * *factor, exact, into);
          return;
        }
        break;
      case ScalarOp::shl:
        if (const auto shift = constant(1); shift && *shift >= 0 && *shift < 32) {
          linearise(node.args[0], scale * (std::int64_t{1} << *shift), exact, into);
          return;
        }
        break;
      default:
        break;
    }
  }
  if (node.kind == Kind::cast && is_integral(node.from) && num::is_int(node.dtype)) {
    const Interval to = range_of(node.dtype);
    const bool kept = table_[node.args[0]].range.within(to.lo, to.hi) &&
                      (node.from != DType::u64 || table_[node.args[0]].range.lo >= 0);
    if (kept || (!exact && num::bits(node.dtype) >= num::bits(node.from))) {
      linearise(node.args[0], scale, exact, into);
      return;
    }
  }
  term();
}

const LanePattern* Compiler::pattern(const std::vector<std::int64_t>& offsets) {
  for (const auto& known : program_->patterns) {
    if (std::equal(offsets.begin(), offsets.end(), known->offset.begin())) return known.get();
  }
  auto made = std::make_unique<LanePattern>();
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    made->offset[lane] = static_cast<std::int32_t>(offsets[lane]);
  }
  made->min = *std::min_element(offsets.begin(), offsets.end());
  made->max = *std::max_element(offsets.begin(), offsets.end());
  classify(*made);
  program_->patterns.push_back(std::move(made));
  return program_->patterns.back().get();
}

/// Sum of uniform terms as a 64-bit value; constant-in-loop terms first, so that they are hoisted.
ValueId Compiler::uniform_sum(std::vector<std::pair<ValueId, std::int64_t>> terms) {
  std::stable_sort(terms.begin(), terms.end(), [&](const auto& a, const auto& b) {
    return table_[a.first].level < table_[b.first].level;
  });
  ValueId sum = kNoValue;
  for (const auto& [id, scale] : terms) {
    ValueId term = table_.cast(id, DType::i64);
    if (scale != 1) {
      term = table_.binary(ScalarOp::mul, DType::i64, term,
                           table_.constant(DType::i64, static_cast<std::uint64_t>(scale)));
    }
    sum = sum == kNoValue ? term : table_.binary(ScalarOp::add, DType::i64, sum, term);
  }
  return sum;
}

Compiler::Address Compiler::split(const Linear& linear) {
  Address address;
  address.imm = linear.constant;
  const auto threads = static_cast<std::size_t>(table_.warps()) * kLanes;
  std::vector<std::int64_t> place(threads, 0);
  bool has_place = false;
  std::vector<std::pair<ValueId, std::int64_t>> uniform, varying;
  for (const auto& [id, scale] : linear.terms) {
    if (scale == 0) continue;
    const ValueNode& node = table_[id];
    if (node.kind == Kind::table) {
      has_place = true;
      const std::vector<std::uint64_t>& rows = table_.rows(id);
      for (std::size_t t = 0; t < threads; ++t) {
        place[t] += scale * num::to_int64(rows[t], node.dtype);
      }
    } else if (node.uniform) {
      uniform.emplace_back(id, scale);
    } else {
      varying.emplace_back(id, scale);
    }
  }
  std::vector<std::int64_t> lanes(kLanes, 0);
  if (has_place) {
    bool separable = true;
    for (std::size_t t = 0; t < threads && separable; ++t) {
      const std::size_t first = t & ~std::size_t{31};
      const std::int64_t offset = place[t & 31] - place[0];
      separable = place[t] - place[first] == offset && std::llabs(offset) < (1LL << 30);
    }
    if (separable) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = place[lane] - place[0];
      std::vector<std::uint64_t> warps(threads);
      for (std::size_t t = 0; t < threads; ++t) {
        warps[t] = static_cast<std::uint64_t>(place[t & ~std::size_t{31}]);
      }
      const ValueId base = table_.table(DType::i64, std::move(warps));
      if (table_[base].kind == Kind::constant) {
        address.imm += static_cast<std::int64_t>(table_[base].bits);
      } else {
        uniform.emplace_back(base, 1);
      }
    } else {
      std::vector<std::uint64_t> rows(threads);
      for (std::size_t t = 0; t < threads; ++t) rows[t] = static_cast<std::uint64_t>(place[t]);
      varying.insert(varying.begin(), {table_.table(DType::i64, std::move(rows)), 1});
    }
  }
  // Uniform terms: those fixed in this loop in one register, one more with its factor.
  std::vector<std::pair<ValueId, std::int64_t>> fixed, moving;
  for (const auto& term : uniform) {
    const bool here = static_cast<std::size_t>(table_[term.first].level) >= depth() && depth() > 0;
    (here ? moving : fixed).push_back(term);
  }
  if (moving.size() == 1) {
    address.u1 = moving[0].first;
    address.k1 = moving[0].second;
    if (!fixed.empty()) address.u0 = uniform_sum(fixed);
  } else if (!uniform.empty()) {
    address.u0 = uniform_sum(uniform);
  }
  if (varying.empty()) {
    address.pattern = pattern(lanes);
    return address;
  }
  // Vector terms, in 32 bits where they fit.
  bool narrow = true;
  std::int64_t reach = 0;
  for (const auto& [id, scale] : varying) {
    const Interval r = range(id);
    if (!r.within(-(1LL << 31), (1LL << 31) - 1) || std::llabs(scale) >= (1LL << 31)) {
      narrow = false;
      break;
    }
    reach += std::max(std::llabs(r.lo), std::llabs(r.hi)) * std::llabs(scale);
    if (reach >= (1LL << 31)) narrow = false;
    if (!narrow) break;
  }
  if (has_place && std::any_of(lanes.begin(), lanes.end(), [](std::int64_t v) { return v != 0; })) {
    std::vector<std::uint64_t> rows(threads);
    for (std::size_t t = 0; t < threads; ++t) rows[t] = static_cast<std::uint64_t>(lanes[t & 31]);
    varying.insert(varying.begin(), {table_.table(DType::i64, std::move(rows)), 1});
    for (const std::int64_t offset : lanes) reach += std::llabs(offset);
    if (reach >= (1LL << 31)) narrow = false;
  }
  std::stable_sort(varying.begin(), varying.end(), [&](const auto& a, const auto& b) {
    return table_[a.first].level < table_[b.first].level;
  });
  const DType dtype = narrow ? DType::i32 : DType::i64;
  for (const auto& [id, scale] : varying) {
    ValueId term = table_.cast(id, dtype);
    if (scale != 1) {
      term = table_.binary(ScalarOp::mul, dtype, term,
                           table_.constant(dtype, num::from_int64(scale, dtype)));
    }
    address.v = address.v == kNoValue ? term : table_.binary(ScalarOp::add, dtype, address.v, term);
  }
  return address;
}

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

/// Integer operations of an index that might leave their type, innermost first.
void Compiler::check_overflow(
    ValueId id, Place at, const MemSite* mem, const LocalSite* local, std::vector<ValueId>& done) {
  const ValueNode node = table_[id];
  if (node.kind != Kind::op && node.kind != Kind::cast && node.kind != Kind::select) return;
  if (std::find(done.begin(), done.end(), id) != done.end()) return;
  done.push_back(id);
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
  check_indices(index, access.lane_indices.empty() ? (count - 1) * std::abs(access.stride) : 0, mem,
                local);
  // Lanes that do not lie along the last dimension have indices of their own.
  for (const std::vector<ir::Expr>& lane : access.lane_indices) {
    Values own;
    for (const ir::Expr& expr : lane) own.push_back(value(expr));
    check_indices(own, 0, mem, local);
  }
}

/// Bounds of one tuple of indices, the last one of which reaches `reach` further.
void Compiler::check_indices(const Values& index,
                             std::int64_t last_reach,
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

std::unique_ptr<MemSite> Compiler::memory_site(const ir::Access& access,
                                               int count,
                                               bool write,
                                               Span span) {
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
  if (count > 1 && access.stride == 1 && bytes > 1 && (bytes & (bytes - 1)) == 0 &&
      checks(ir::FaultKind::align) && !site->nibble) {
    const std::int64_t need = std::min<std::int64_t>(bytes, 16);
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
    if (!aligned) {
      site->checked = true;
      auto check = std::make_unique<CheckSite>();
      check->kind = CheckSite::Kind::align;
      check->place = site->place;
      check->mem = site.get();
      check->hi = need;
      Draft& draft = emit(exec::check_align_pattern);
      draft.instr.data.check = check.get();
      draft.check = check.get();
      program_->check_sites.push_back(std::move(check));
    }
  }
  return site;
}

Compiler::Values Compiler::load(const ir::Access& access, ir::Type type, Span span) {
  const ir::BufferNode& buffer = *access.buffer;
  if (buffer.scalar) return {read_scalar(buffer)};
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

void Compiler::store(const ir::Access& access, const Values& stored, Span span) {
  const ir::BufferNode& buffer = *access.buffer;
  if (buffer.scalar) {
    const auto at = scalars_.find(buffer.storage.get());
    if (at == scalars_.end()) {
      fail(span, "the variable " + buffer.name + " is assigned before its declaration");
      return;
    }
    ScalarHome& home = at->second;
    if (checks(ir::FaultKind::overflow) && analysis_.index_scalars.contains(buffer.storage.get())) {
      std::vector<ValueId> done;
      check_overflow(stored[0], place(span), nullptr, nullptr, done);
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
  Draft& draft = emit(lanes_.find_store(*site, init_, poison));
  draft.instr.a = first;
  draft.registers = Draft::kA;
  draft.instr.data.mem = site.get();
  draft.mem = site.get();
  program_->mem_sites.push_back(std::move(site));
}

}  // namespace tirx::sim
