// Scope ids become variables that every thread has at entry, and give the launch its dimensions.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "ir/visit.hpp"
#include "lower/lowering.hpp"

namespace tirx::lower {

namespace {

const ir::ScopeIdDef* find_def(const ir::Kernel& kernel, ir::ScopeIdKind kind) {
  for (const ir::ScopeIdDef& def : kernel.scope_ids) {
    if (def.kind == kind && !def.extents.empty()) return &def;
  }
  return nullptr;
}

}  // namespace

void Lowering::bind_thread_ids() {
  using ir::ScopeIdKind;
  Launch& launch = result_.launch;
  launch.grid = {ir::make_int(1), ir::make_int(1), ir::make_int(1)};
  if (const auto* def = find_def(kernel_, ScopeIdKind::cta_id)) {
    for (std::size_t i = 0; i < def->extents.size() && i < 3; ++i) {
      launch.grid[i] = expressions_.lower(def->extents[i]);
    }
  }
  const auto* threads = find_def(kernel_, ScopeIdKind::thread_id);
  if (threads == nullptr) {
    fail({kernel_.span,
          "kernel has no thread launch parameters. At minimum, declare cta->thread extent",
          {{{}, "help: T.thread_id([128])"}}});
    return;
  }
  for (std::size_t i = 0; i < threads->extents.size() && i < 3; ++i) {
    if (!ir::is_const_int(threads->extents[i], launch.block[i])) {
      fail({threads->span, "the number of threads must be a constant", {}});
    }
  }
  for (const ir::ScopeIdDef& def : kernel_.scope_ids) {
    for (std::size_t i = 0; i < def.vars.size(); ++i) {
      ir::Interval range{0, ir::values_of(ir::kInt32.dtype).high};
      if (i < def.extents.size()) range.high = facts_.range(def.extents[i]).high - 1;
      facts_.set(def.vars[i], {range, 1});
      result_.thread_vars.push_back({def.vars[i], def.kind, static_cast<int>(i)});
    }
  }
}

void Lowering::check_launch() {
  const Launch& launch = result_.launch;
  if (launch.threads() > target_.max_threads_per_cta) {
    fail({kernel_.span,
          fmt::format("{} threads per CTA; {} allows {}", launch.threads(), target_.name,
                      target_.max_threads_per_cta),
          {}});
  }
}

ir::Var Lowering::thread_var(ir::ScopeIdKind kind, int dim, const char* name) {
  for (const ThreadVar& known : result_.thread_vars) {
    if (known.kind == kind && known.dim == dim) return known.var;
  }
  const auto var = std::make_shared<ir::Variable>(ir::Variable{name, ir::kInt32, kernel_.span});
  result_.thread_vars.push_back({var, kind, dim});
  return var;
}

void Lowering::drop_unused_thread_vars() {
  std::set<const ir::Variable*> used;
  ir::for_each_in_body(
      result_.body, [](const ir::Stmt&) {},
      [&](const ir::Expr& expr) {
        if (const auto* ref = ir::as<ir::VarRef>(expr)) used.insert(ref->var.get());
      });
  std::erase_if(result_.thread_vars,
                [&](const ThreadVar& thread) { return !used.contains(thread.var.get()); });
}

}  // namespace tirx::lower
