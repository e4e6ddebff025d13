// Statements to bytecode; see compiler.hpp.
#include "sim/program/compiler.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "sim/program/walk.hpp"

namespace tirx::sim {

namespace {

using num::DType;
using num::ScalarOp;
using Kind = ValueNode::Kind;

/// The value of a thread variable for one thread; nothing if it depends on the CTA.
std::optional<std::int64_t> thread_value(const lower::ThreadVar& var,
                                         std::int64_t thread,
                                         const std::array<std::int64_t, 3>& block) {
  switch (var.kind) {
    case ir::ScopeIdKind::thread_id:
      if (var.dim == 0) return thread % block[0];
      if (var.dim == 1) return thread / block[0] % block[1];
      return thread / (block[0] * block[1]);
    case ir::ScopeIdKind::lane_id:
      return thread % 32;
    case ir::ScopeIdKind::warp_id:
      return thread / 32;
    case ir::ScopeIdKind::warpgroup_id:
      return thread / 128;
    case ir::ScopeIdKind::warp_id_in_wg:
      return thread / 32 % 4;
    case ir::ScopeIdKind::thread_id_in_wg:
      return thread % 128;
    default:
      return std::nullopt;
  }
}

}  // namespace

Compiler::Compiler(const lower::LoweredKernel& kernel,
                   const Binding& binding,
                   const SimOptions& options)
    : kernel_(kernel),
      binding_(binding),
      checks_(options.checks),
      lanes_(exec::lane_handlers(options.isa.value_or(num::best_lane_isa()))),
      init_(options.checks.has(ir::FaultKind::uninit)),
      stats_(options.stats),
      table_(binding.threads()),
      program_(std::make_unique<Program>()) {}

void Compiler::fail(Span span, std::string text, std::string help) {
  Diagnostic diagnostic{span, std::move(text), {}, Severity::error};
  if (!help.empty()) diagnostic.notes.push_back({{}, help});
  errors_.push_back(std::move(diagnostic));
}

Result<std::unique_ptr<Program>> Compiler::run() {
  push_scope();
  entry();
  statements(kernel_.body);
  emit(exec::exit_lanes);
  pop_scope();
  if (!errors_.empty()) return errors_[0];
  finish();
  return std::move(program_);
}

void Compiler::entry() {
  zero_ = new_uniform();  // registers begin as zeros
  program_->global_regions = binding_.tensors.size();
  thread_variables();
  declare_shared();
  local_arrays();
}

void Compiler::thread_variables() {
  std::unordered_set<const void*> varying;
  std::array<Reg, 3> cta{};
  std::array<ValueId, 3> cta_value{};
  for (std::size_t i = 0; i < 3; ++i) {
    cta[i] = new_uniform();
    ValueNode node;
    node.dtype = DType::i32;
    node.reg = cta[i];
    node.range = {0, binding_.grid[i] - 1};
    cta_value[i] = binding_.grid[i] == 1 ? table_.constant(DType::i32, 0) : table_.leaf(node);
    program_->cta_register[i] = cta[i];
  }
  const auto i32 = [&](std::int64_t v) {
    return table_.constant(DType::i32, num::from_int64(v, DType::i32));
  };
  for (const lower::ThreadVar& var : kernel_.thread_vars) {
    const DType dtype = var.var->type.dtype;
    const auto dim = static_cast<std::size_t>(var.dim);
    ValueId id = kNoValue;
    const auto divided = [&](ScalarOp op, ValueId v, std::int64_t by) {
      return table_.binary(op, DType::i32, v, i32(by));
    };
    switch (var.kind) {
      case ir::ScopeIdKind::cta_id:
        id = cta_value[dim];
        break;
      case ir::ScopeIdKind::cluster_id:
        id = divided(ScalarOp::floordiv, cta_value[dim], binding_.cluster[dim]);
        break;
      case ir::ScopeIdKind::cta_id_in_cluster:
        id = divided(ScalarOp::floormod, cta_value[dim], binding_.cluster[dim]);
        break;
      case ir::ScopeIdKind::cta_id_in_pair:
        id = divided(ScalarOp::floormod,
                     divided(ScalarOp::floormod, cta_value[0], binding_.cluster[0]), 2);
        break;
      default: {
        std::vector<std::uint64_t> rows(static_cast<std::size_t>(table_.warps()) * kLanes);
        for (std::size_t t = 0; t < rows.size(); ++t) {
          const auto v = thread_value(var, static_cast<std::int64_t>(t), binding_.block);
          rows[t] = num::from_int64(v.value_or(0), dtype);
        }
        id = table_.table(dtype, std::move(rows));
      }
    }
    id = table_.cast(id, dtype);
    variables_[var.var.get()] = {id};
    if (!table_[id].uniform) varying.insert(var.var.get());
  }
  analysis_ = analyse(kernel_.body, binding_, varying);
}

/// Shared storages become regions; those that overlap share one, so that what has been written in
/// one is known in the other.
void Compiler::declare_shared() {
  program_->dynamic_base = (kernel_.static_shared_bytes + 1023) / 1024 * 1024;
  if (kernel_.static_shared_bytes == 0) program_->dynamic_base = 0;
  std::int64_t end = kernel_.dynamic_shared_bytes > 0
                         ? program_->dynamic_base + kernel_.dynamic_shared_bytes
                         : kernel_.static_shared_bytes;
  for (const lower::SharedPlace& shared : kernel_.shared) {
    const bool dynamic = shared.storage->scope == ir::MemoryScope::shared_dynamic;
    const std::int64_t lo = shared.offset + (dynamic ? program_->dynamic_base : 0);
    SharedRegion region{lo, lo + shared.bytes};
    end = std::max(end, region.hi);
    std::size_t at = program_->shared_regions.size();
    for (std::size_t i = 0; i < program_->shared_regions.size(); ++i) {
      SharedRegion& other = program_->shared_regions[i];
      if (region.lo < other.hi && other.lo < region.hi) {
        other.lo = std::min(other.lo, region.lo);
        other.hi = std::max(other.hi, region.hi);
        at = i;
        break;
      }
    }
    if (at == program_->shared_regions.size()) program_->shared_regions.push_back(region);
    shared_[shared.storage.get()] = at;
  }
  program_->shared_bytes = end;
}

/// Widths of all views of each local storage: they decide how its rows are laid out.
void Compiler::local_arrays() {
  const auto note = [&](const ir::BufferNode& buffer) {
    if (buffer.scope() != ir::MemoryScope::local || buffer.in_register()) return;
    LocalArray& array = arrays_[buffer.storage.get()];
    const int size = num::bytes(buffer.dtype);
    if (array.bytes != 0 && array.granule != size) array.mixed = true;
    array.granule = array.bytes == 0 ? size : std::max(array.granule, size);
    if (num::bits(buffer.dtype) == 4) array.mixed = true;
    array.bytes = 1;
  };
  walk_statements(
      kernel_.body,
      [&](const ir::Stmt& stmt) {
        if (const auto* n = std::get_if<ir::Allocate>(&stmt.node)) note(*n->buffer);
        if (const auto* n = std::get_if<ir::Declare>(&stmt.node)) note(*n->buffer);
        if (const auto* n = std::get_if<ir::Store>(&stmt.node)) note(*n->to.buffer);
      },
      [&](const ir::Expr& expr) {
        if (const auto* load = ir::as<ir::Load>(expr)) note(*load->from.buffer);
        if (const auto* pointer = ir::as<ir::AddressOf>(expr)) note(*pointer->element.buffer);
      });
  for (auto& [storage, array] : arrays_) {
    const auto elements = evaluate_int(storage->elements, binding_);
    if (!elements || *elements < 0) {
      fail(storage->span, "the size of local array " + storage->name + " is not a constant");
      continue;
    }
    array.bytes = std::max<std::int64_t>(ir::storage_bytes(storage->dtype, *elements), 1);
    if (array.bytes > (std::int64_t{1} << 20)) {
      fail(storage->span, fmt::format("local array {} has {} bytes a thread; at most 512 KiB",
                                      storage->name, array.bytes));
      array.bytes = 1;
    }
    const int granule = array.granule;
    array.reg = registers_.vector(granule == 8 ? 8 : 4, (array.bytes + granule - 1) / granule);
  }
}

void Compiler::statements(const ir::Body& body) {
  for (const ir::Stmt& stmt : body) statement(stmt);
}

void Compiler::statement(const ir::Stmt& stmt) {
  if (!stmt.span.empty()) statement_ = stmt.span;
  std::visit(ir::Match{
                 [&](const ir::Let& n) { let(n); },
                 [&](const ir::Allocate& n) { allocate(n); },
                 [](const ir::Declare&) {},
                 [&](const ir::Store& n) {
                   if (!copy(n, stmt.span)) store(n.to, values(n.value), stmt.span);
                 },
                 [&](const ir::For& n) { for_loop(n, stmt.span); },
                 [&](const ir::While& n) { while_loop(n, stmt.span); },
                 [&](const ir::If& n) { if_statement(n); },
                 [&](const ir::Break&) { break_loop(); },
                 [&](const ir::Continue&) { continue_loop(); },
                 [&](const ir::Return&) { emit(exec::exit_lanes); },
                 [&](const ir::Assert& n) { assertion(n, stmt.span); },
                 [&](const ir::Evaluate& n) { static_cast<void>(values(n.call)); },
                 [&](const ir::TileCall&) { fail(stmt.span, "a tile call was not lowered"); },
                 [&](const ir::Group& n) { statements(n.body); },
             },
             stmt.node);
}

/// A value that a name keeps: computed now, and safe from later assignments to what it reads.
ValueId Compiler::named(ValueId id) {
  if (mentions_alias(id)) {
    const ValueNode known = table_[id];
    ValueNode copy;
    copy.dtype = known.dtype;
    copy.uniform = known.uniform;
    copy.poison = known.poison;
    copy.range = known.range;
    copy.multiple = known.multiple;
    copy.level = static_cast<int>(depth());
    copy.reg = known.uniform ? new_uniform() : new_temporary(known.dtype, known.poison);
    assign(id, copy.reg, known.uniform, false);
    return table_.leaf(copy);
  }
  const Kind kind = table_[id].kind;
  if (table_[id].uniform) {
    static_cast<void>(uniform_reg(id));
  } else if (kind == Kind::op || kind == Kind::cast || kind == Kind::select) {
    static_cast<void>(vector_reg(id));
  }
  return id;
}

void Compiler::let(const ir::Let& node) {
  Values bound = values(node.value);
  for (ValueId& id : bound) id = named(id);
  variables_[node.var.get()] = std::move(bound);
}

void Compiler::allocate(const ir::Allocate& node) {
  const ir::Storage* storage = node.buffer->storage.get();
  if (storage->scope != ir::MemoryScope::local) return;
  if (node.buffer->in_register()) {
    auto [at, fresh] = scalars_.try_emplace(storage);
    ScalarHome& home = at->second;
    if (analysis_.constants.contains(storage)) return;
    if (fresh) {
      home.uniform = !analysis_.varying.contains(storage);
      home.poison = analysis_.poisoned.contains(storage);
      home.reg = home.uniform ? new_uniform() : new_vector(node.buffer->dtype);
    }
    home.current = kNoValue;
    if (init_ && home.poison) {
      auto site = std::make_unique<CheckSite>();
      site->kind = CheckSite::Kind::poison;
      site->place = place(node.buffer->span);
      site->what = node.buffer->name;
      site->dtype = node.buffer->dtype;
      Draft& draft = emit(home.uniform ? exec::u_taint : lanes_.v_taint);
      draft.instr.d = home.reg;
      draft.registers = Draft::kD;
      draft.instr.data.check = site.get();
      program_->check_sites.push_back(std::move(site));
    }
    return;
  }
  if (!init_) return;
  const auto at = arrays_.find(storage);
  if (at == arrays_.end()) return;
  const LocalArray& array = at->second;
  auto site = std::make_unique<LocalSite>();
  site->place = place(node.buffer->span);
  site->buffer = node.buffer;
  site->base = array.reg;
  site->lane_bytes = array.granule == 8 ? 8 : 4;
  site->rows = (array.bytes + array.granule - 1) / array.granule;
  site->u = zero_;
  site->v = kNoRegister;
  Draft& draft = emit(exec::local_taint);
  draft.instr.data.local = site.get();
  draft.local = site.get();
  program_->local_sites.push_back(std::move(site));
}

}  // namespace tirx::sim
