// Over which scope is a value uniform?  A variable is as uniform as what it is made of; a mutable
// scalar as the least uniform of its assignments and of the guards around them (a fixed point over
// the kernel, without regard to order).
#include <algorithm>

#include "ir/all_ops.hpp"
#include "ir/visit.hpp"
#include "lower/exits.hpp"
#include "lower/guards.hpp"

namespace tirx::lower {

using ir::ExecScope;
using ir::Expr;

namespace {

ExecScope scope_of(ir::ScopeIdKind kind) {
  return ir::facts_of(kind).child;
}

}  // namespace

Guards::Guards(const ir::Kernel& kernel, const ir::Facts& facts) : facts_(facts) {
  for (const ir::ScopeIdDef& def : kernel.scope_ids) {
    for (std::size_t i = 0; i < def.vars.size(); ++i) {
      scope_vars_[def.vars[i].get()] = {def.kind, static_cast<int>(i)};
      uniform_[def.vars[i].get()] = scope_of(def.kind);
    }
  }
  read_once(kernel.body);
  // Every round lowers at least one scope, and there are few scopes.
  do {
    changed_ = false;
    read(kernel.body, ExecScope::kernel);
  } while (changed_);
}

void Guards::lower_to(std::map<const void*, ExecScope>& of, const void* key, ExecScope scope) {
  const auto [it, fresh] = of.emplace(key, scope);
  if (fresh) {
    changed_ = changed_ || scope != ExecScope::kernel;
  } else if (scope < it->second) {
    it->second = scope;
    changed_ = true;
  }
}

namespace {

/// Whether it can put accesses of some threads of a CTA before those of others, as barriers of all
/// do not.
bool orders_some_threads(const ir::MachineCall& call) {
  const ir::OpSpec& op = ir::spec(call.op);
  const ir::OpOrder& order = ir::order(call.op);
  if (op.effect == ir::Effect::fence || order.mbarrier ||
      call.op == ir::AllOps::id_of<ir::LoadAcquire>()) {
    return true;
  }
  if (op.effect == ir::Effect::sync) {
    return call.op != ir::AllOps::id_of<ir::CtaSync>() &&
           call.op != ir::AllOps::id_of<ir::WarpSync>() && !order.async;
  }
  if (op.effect != ir::Effect::memory) return op.effect == ir::Effect::opaque;
  std::string_view words = call.text;
  if (op.ptx != nullptr) words = ir::ptx::decode(call)->word(0);
  return words.find("acq") != std::string_view::npos ||
         words.find("release") != std::string_view::npos;
}

bool parts_threads(const ir::Stmt& stmt) {
  const auto* evaluate = std::get_if<ir::Evaluate>(&stmt.node);
  const auto* call = evaluate != nullptr ? ir::as<ir::MachineCall>(evaluate->call) : nullptr;
  return (call != nullptr && call->op == ir::AllOps::id_of<ir::CtaSync>()) ||
         std::holds_alternative<ir::Break>(stmt.node) ||
         std::holds_alternative<ir::Continue>(stmt.node) ||
         std::holds_alternative<ir::Return>(stmt.node);
}

}  // namespace

void Guards::read_once(const ir::Body& body) {
  std::map<const void*, int> stores;
  std::map<const void*, Expr> values;
  const auto count_pointer = [&](const Expr& expr) {
    if (const auto* call = ir::as<ir::MachineCall>(expr)) {
      orders_in_part_ = orders_in_part_ || orders_some_threads(*call);
    }
    if (const auto* pointer = ir::as<ir::AddressOf>(expr)) {
      stores[pointer->element.buffer.get()] += 2;
      written_.insert(pointer->element.buffer->storage.get());
    }
  };
  const auto see = [&](const ir::Stmt& stmt) {
    if (const auto* let = std::get_if<ir::Let>(&stmt.node)) {
      aliases_[let->var.get()] = let->value;
    } else if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
      written_.insert(store->to.buffer->storage.get());
      ++stores[store->to.buffer.get()];
      values[store->to.buffer.get()] = store->value;
    } else if (const auto* call = std::get_if<ir::TileCall>(&stmt.node)) {
      if (call->operands.empty()) return;
      if (const auto* dst = std::get_if<ir::Region>(&call->operands[0])) {
        stores[dst->buffer.get()] += 2;
        written_.insert(dst->buffer->storage.get());
      }
    }
  };
  ir::for_each_in_body(body, see, count_pointer);
  for (const auto& [buffer, value] : values) {
    const auto* node = static_cast<const ir::BufferNode*>(buffer);
    // Other threads may write a shared scalar.
    if (!node->in_register() || stores[buffer] != 1) continue;
    // What it stands for must not change either.
    bool constant = true;
    ir::for_each_expr(value, [&](const Expr& expr) {
      constant =
          constant && ir::as<ir::Load>(expr) == nullptr && ir::as<ir::MachineCall>(expr) == nullptr;
      if (const auto* ref = ir::as<ir::VarRef>(expr)) {
        // A loop variable that has moved on since is another value.
        constant = constant && scope_vars_.contains(ref->var.get());
      }
    });
    if (constant) aliases_[buffer] = value;
  }
}

void Guards::read(const ir::Body& body, ExecScope context) {
  for (const ir::Stmt& stmt : body) {
    // Where threads part, the barrier of some may be another statement than that of the others.
    if (context < ExecScope::cta && parts_threads(stmt) && !orders_in_part_) {
      orders_in_part_ = changed_ = true;
    }
    ExecScope inner = context;
    if (const auto* let = std::get_if<ir::Let>(&stmt.node)) {
      lower_to(uniform_, let->var.get(), uniform_over(let->value));
    } else if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
      if (store->to.buffer->in_register()) {
        lower_to(uniform_, store->to.buffer.get(), std::min(context, uniform_over(store->value)));
      }
    } else if (const auto* loop = std::get_if<ir::For>(&stmt.node)) {
      ExecScope bounds = std::min(uniform_over(loop->begin), uniform_over(loop->end));
      if (loop->step) bounds = std::min(bounds, uniform_over(loop->step));
      lower_to(uniform_, loop->var.get(), bounds);
      inner = std::min(inner, bounds);
    } else if (const auto* repeat = std::get_if<ir::While>(&stmt.node)) {
      inner = std::min(inner, uniform_over(repeat->condition));
    } else if (const auto* branch = std::get_if<ir::If>(&stmt.node)) {
      inner = std::min(inner, uniform_over(branch->condition));
    }
    const bool loops =
        std::holds_alternative<ir::For>(stmt.node) || std::holds_alternative<ir::While>(stmt.node);
    ir::for_each_body(stmt, [&](const ir::Body& nested) {
      // Who has left the loop assigns nothing in its later rounds.
      const auto left = loops ? exits_of(nested, *this).breaks : std::nullopt;
      read(nested, std::min(inner, left.value_or(inner)));
    });
    // Nor do those in the rest of this round who have left it, though they are here again later.
    const Exits exits = exits_of(stmt, *this);
    for (const auto& left : {exits.breaks, exits.continues}) {
      context = std::min(context, left.value_or(context));
    }
  }
}

/// thread_id // 32 is the same in a warp, though thread_id is not.
ExecScope Guards::uniform_quotient(const Expr& expr) const {
  const auto* scalar = ir::as<ir::Scalar>(expr);
  std::int64_t divisor = 0;
  if (scalar == nullptr || scalar->args.size() != 2 ||
      (scalar->op != num::ScalarOp::floordiv && scalar->op != num::ScalarOp::truncdiv) ||
      !ir::is_const_int(scalar->args[1], divisor)) {
    return ExecScope::thread;
  }
  // Whole warps further on it still is; and under another name.
  const ir::IndexSum sum = resolve(scalar->args[0]);
  if (sum.terms().size() != 1 || sum.terms()[0].coefficient != 1 ||
      sum.terms()[0].factors.size() != 1) {
    return ExecScope::thread;
  }
  const ScopeVar* id = scope_var(sum.terms()[0].factors[0]);
  if (id == nullptr || space_.block.size() != 1) return ExecScope::thread;
  const bool floors = scalar->op == num::ScalarOp::floordiv || sum.constant() >= 0;
  if (id->kind == ir::ScopeIdKind::thread_id && divisor > 0 && floors) {
    const auto whole = [&](std::int64_t threads) {
      return divisor % threads == 0 && sum.constant() % threads == 0;
    };
    if (whole(ir::kThreadsPerWarpgroup)) return ExecScope::warpgroup;
    if (whole(ir::kLanesPerWarp)) return ExecScope::warp;
  }
  return ExecScope::thread;
}

ExecScope Guards::uniform_over(const Expr& expr) const {
  if (!expr || ir::as_const(expr) != nullptr) return ExecScope::kernel;
  if (const auto* ref = ir::as<ir::VarRef>(expr)) {
    // Parameters and symbols are not in the table: the same for all.
    const auto found = uniform_.find(ref->var.get());
    return found == uniform_.end() ? ExecScope::kernel : found->second;
  }
  ExecScope scope = ExecScope::kernel;
  if (const auto* load = ir::as<ir::Load>(expr)) {
    const ir::BufferNode& buffer = *load->from.buffer;
    if (buffer.in_register()) {
      const auto found = uniform_.find(&buffer);
      return found == uniform_.end() ? ExecScope::kernel : found->second;
    }
    if (ir::is_shared(buffer.scope()) && !orders_in_part_) {
      // Who wrote between two of the threads' reads would race with one of them: they come to the
      // statement between the same two barriers of all.
      scope = ExecScope::cta;
    } else if (buffer.scope() != ir::MemoryScope::global ||
               written_.contains(buffer.storage.get())) {
      return ExecScope::thread;
    }
    // Where the view begins, and how it is laid out, may hold an id too.
    if (buffer.offset) scope = std::min(scope, uniform_over(buffer.offset));
    for (const Expr& stride : buffer.strides) scope = std::min(scope, uniform_over(stride));
  }
  if (ir::as<ir::MachineCall>(expr) != nullptr) return ExecScope::thread;
  if (const ExecScope quotient = uniform_quotient(expr); quotient != ExecScope::thread) {
    return quotient;
  }
  ir::for_each_child(expr,
                     [&](const Expr& child) { scope = std::min(scope, uniform_over(child)); });
  return scope;
}

namespace {

/// Different integers up to this one, of either sign, are different numbers of the type.
std::int64_t exact_up_to(num::DType dtype) {
  if (num::is_int(dtype)) return ir::values_of(dtype).high;
  switch (dtype) {
    case num::DType::f64:
      return std::int64_t{1} << 53;
    case num::DType::f32:
      return std::int64_t{1} << 24;
    case num::DType::f16:
      return 2048;
    case num::DType::bf16:
      return 256;
    default:
      return 0;  // not asked for
  }
}

}  // namespace

ir::Var Guards::told_apart_by(const Expr& expr, ExecScope scope) const {
  if (!expr) return nullptr;
  Expr number = expr;
  ir::Interval kept;
  while (const auto* cast = ir::as<ir::Cast>(number)) {
    const std::int64_t limit = exact_up_to(number->type.dtype);
    kept = ir::intersect(
        kept,
        {num::is_int(number->type.dtype) ? ir::values_of(number->type.dtype).low : -limit, limit});
    number = cast->value;
  }
  if (!num::is_int(number->type.dtype) || number->type.is_vector()) return nullptr;
  const ir::IndexSum sum = resolve(number);
  ir::Var found;
  for (const ir::IndexSum::Term& term : sum.terms()) {
    const bool alike = std::all_of(term.factors.begin(), term.factors.end(),
                                   [&](const Expr& one) { return uniform_over(one) >= scope; });
    if (alike) continue;
    // Two of them could make up for each other.
    if (found || term.factors.size() != 1) return nullptr;
    const ScopeVar* id = scope_var(term.factors[0]);
    if (id == nullptr || id->dim != 0 || space_.block.size() != 1) return nullptr;
    found = ir::as<ir::VarRef>(term.factors[0])->var;
  }
  if (!found) return nullptr;
  const ir::Interval ids = facts_.of(found).range;
  return ids.low < ids.high && sum.range(facts_).within(kept) ? found : nullptr;
}

}  // namespace tirx::lower
