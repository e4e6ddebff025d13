// Scoping and shapes; see verify.hpp.
#include "ir/verify.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "ir/scope/bindings.hpp"
#include "ir/visit.hpp"

namespace tirx::ir {

namespace {

class Verifier {
 public:
  std::optional<Diagnostic> run(const Kernel& kernel) {
    for (const Var& symbol : kernel.symbols) bind(symbol, kernel.span);
    for (const Param& param : kernel.params) {
      if (param.scalar) bind(param.scalar, param.span);
    }
    for (const Param& param : kernel.params) {
      if (!param.buffer) continue;
      storages_.insert(param.buffer->storage.get());
      buffer(*param.buffer, param.span);
    }
    // A let of the host part stays in force in the device part.
    for (const Stmt& s : kernel.host_body) stmt(s, 0);
    scope_ids(kernel);
    attributes(kernel);
    body(kernel.body, 0);
    return std::move(error_);
  }

 private:
  void fail(Span span, std::string text, std::vector<Note> notes = {}) {
    if (!error_) error_ = Diagnostic{span, std::move(text), std::move(notes)};
  }

  void bind(const Var& var, Span span) {
    if (!vars_.insert(var.get()).second) {
      fail(span, fmt::format("the variable {} is defined twice", var->name));
    }
  }

  void scope_ids(const Kernel& kernel) {
    std::vector<ScopeDecl> decls;
    for (const ScopeIdDef& def : kernel.scope_ids) {
      ScopeDecl decl{def.kind, {}, false, {}, def.span};
      for (const Expr& extent : def.extents) {
        std::int64_t value = 0;
        expr(extent, def.span);
        if (is_const_int(extent, value)) {
          decl.extents.push_back(value);
        } else {
          decl.symbolic = true;
        }
      }
      if (decl.symbolic) decl.extents.clear();
      for (const Expr& extent : def.preferred) {
        std::int64_t value = 0;
        if (is_const_int(extent, value)) decl.preferred.push_back(value);
      }
      for (const Var& var : def.vars) bind(var, def.span);
      if (!def.extents.empty() && def.extents.size() != def.vars.size()) {
        fail(def.span, fmt::format("T.{} has {} extents for {} variables", to_string(def.kind),
                                   def.extents.size(), def.vars.size()));
      }
      decls.push_back(std::move(decl));
    }
    const Result<ScopeBindings> bindings = ScopeBindings::close(decls);
    if (!bindings) {
      fail(bindings.error().span, bindings.error().text, bindings.error().notes);
    } else if (const auto threads = bindings->threads(); !threads) {
      const Span span = threads.error().span.empty() ? kernel.span : threads.error().span;
      fail(span, threads.error().text, threads.error().notes);
    }
  }

  void attributes(const Kernel& kernel) {
    const KernelAttributes& a = kernel.attributes;
    if (a.max_registers && (a.min_blocks_per_sm || a.max_blocks_per_cluster)) {
      fail(kernel.span, "tirx.max_registers cannot be combined with CUDA launch bounds");
    }
  }

  void buffer(const BufferNode& buffer, Span span) {
    if (!storages_.contains(buffer.storage.get())) {
      fail(span,
           fmt::format("{} is used without a prior DeclBuffer or other declaration", buffer.name));
      return;
    }
    if (!seen_.insert(&buffer).second) return;
    for (const Expr& extent : buffer.shape) expr(extent, span);
    for (const Expr& stride : buffer.strides) expr(stride, span);
    if (buffer.offset) expr(buffer.offset, span);
    if (!buffer.strides.empty() && buffer.strides.size() != buffer.shape.size()) {
      fail(span, fmt::format("{} has {} strides for {} dimensions", buffer.name,
                             buffer.strides.size(), buffer.shape.size()));
    }
  }

  void access(const Access& access, Span span) {
    buffer(*access.buffer, span);
    if (access.indices.size() != access.buffer->shape.size()) {
      fail(span, fmt::format("{} has {} dimensions, not {}", access.buffer->name,
                             access.buffer->shape.size(), access.indices.size()));
    }
  }

  /// The expression itself, and what is below it.
  void expr(const Expr& root, Span span) {
    for_each_expr(root, [&](const Expr& e) {
      const Span at = e->span.empty() ? span : e->span;
      if (const auto* ref = as<VarRef>(e)) {
        if (!vars_.contains(ref->var.get())) {
          fail(at, fmt::format("the variable {} is used before it is defined", ref->var->name));
        }
      } else if (const auto* load = as<Load>(e)) {
        access(load->from, at);
      } else if (const auto* pointer = as<AddressOf>(e)) {
        access(pointer->element, at);
      }
    });
  }

  void region(const Region& region, Span span) {
    buffer(*region.buffer, region.span.empty() ? span : region.span);
  }

  void stmt(const Stmt& stmt, int loops) {
    const auto* tile = std::get_if<TileCall>(&stmt.node);
    if (tile != nullptr) {
      for (const Var& var : tile->index_vars) bind(var, stmt.span);
    }
    for_each_operand(stmt, [&](const Expr& operand) { expr(operand, stmt.span); });
    if (const auto* let = std::get_if<Let>(&stmt.node)) {
      bind(let->var, stmt.span);
    } else if (const auto* allocate = std::get_if<Allocate>(&stmt.node)) {
      if (!storages_.insert(allocate->buffer->storage.get()).second) {
        fail(stmt.span, fmt::format("{} is allocated twice", allocate->buffer->name));
      }
      buffer(*allocate->buffer, stmt.span);
    } else if (const auto* declare = std::get_if<Declare>(&stmt.node)) {
      buffer(*declare->buffer, stmt.span);
    } else if (const auto* store = std::get_if<Store>(&stmt.node)) {
      access(store->to, stmt.span);
      if (store->value->type.dtype != store->to.buffer->dtype) {
        fail(stmt.span,
             fmt::format("a {} is stored to {}, which holds {}", to_string(store->value->type),
                         store->to.buffer->name, num::name(store->to.buffer->dtype)));
      }
    } else if (const auto* loop = std::get_if<For>(&stmt.node)) {
      bind(loop->var, stmt.span);
      ++loops;
    } else if (std::holds_alternative<While>(stmt.node)) {
      ++loops;
    } else if (std::holds_alternative<Break>(stmt.node) ||
               std::holds_alternative<Continue>(stmt.node)) {
      if (loops == 0) fail(stmt.span, "break and continue belong in a loop");
    } else if (tile != nullptr) {
      for (const TileOperand& operand : tile->operands) {
        if (const auto* part = std::get_if<Region>(&operand)) region(*part, stmt.span);
      }
      if (!error_) {
        if (auto wrong = verify_tile_call(*tile, stmt.span)) error_ = std::move(wrong);
      }
    }
    if (tile != nullptr) {
      for (const Var& var : tile->index_vars) vars_.erase(var.get());
    }
    for_each_body(stmt, [&](const Body& inner) { body(inner, loops); });
    if (const auto* loop = std::get_if<For>(&stmt.node)) vars_.erase(loop->var.get());
  }

  /// Names and storage last until the end of their body.
  void body(const Body& statements, int loops) {
    for (const Stmt& s : statements) {
      if (error_) return;
      stmt(s, loops);
    }
    for (const Stmt& s : statements) {
      if (const auto* let = std::get_if<Let>(&s.node)) vars_.erase(let->var.get());
      if (const auto* allocate = std::get_if<Allocate>(&s.node)) {
        storages_.erase(allocate->buffer->storage.get());
      }
    }
  }

  std::set<const Variable*> vars_;
  std::set<const Storage*> storages_;
  std::set<const BufferNode*> seen_;
  std::optional<Diagnostic> error_;
};

}  // namespace

std::optional<Diagnostic> verify(const Kernel& kernel) {
  return Verifier().run(kernel);
}

}  // namespace tirx::ir
