// Scope ids become variables that every thread has at entry, and give the launch its dimensions.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "ir/loop_values.hpp"
#include "ir/simplify.hpp"
#include "ir/visit.hpp"
#include "lower/lowering.hpp"

namespace tirx::lower {

using ir::ScopeIdKind;

namespace {

constexpr std::int64_t kMaxGridX = 2147483647;  // CUDA: grid limits of every architecture
constexpr std::int64_t kMaxGridYZ = 65535;
constexpr std::int64_t kMaxBlockZ = 64;

/// The constant extents, if all are.
std::optional<std::vector<std::int64_t>> constants(const std::vector<ir::Expr>& extents) {
  std::vector<std::int64_t> values;
  for (const ir::Expr& extent : extents) {
    std::int64_t value = 0;
    if (!ir::is_const_int(extent, value)) return std::nullopt;
    values.push_back(value);
  }
  return values;
}

const ir::ScopeIdDef* declared(const ir::Kernel& kernel, ScopeIdKind kind) {
  for (const ir::ScopeIdDef& def : kernel.scope_ids) {
    if (def.kind == kind && !def.extents.empty()) return &def;
  }
  return nullptr;
}

}  // namespace

void Lowering::bind_thread_ids() {
  std::vector<ir::ScopeDecl> decls;
  for (const ir::ScopeIdDef& def : kernel_.scope_ids) {
    ir::ScopeDecl decl{def.kind, {}, false, {}, def.span};
    if (const auto extents = constants(def.extents)) {
      decl.extents = *extents;
    } else {
      decl.symbolic = true;
    }
    if (const auto preferred = constants(def.preferred)) decl.preferred = *preferred;
    if (decl.symbolic && def.kind != ScopeIdKind::cta_id && def.kind != ScopeIdKind::cluster_id) {
      fail({def.span,
            fmt::format("the extents of T.{} must be constants: only the grid may depend on "
                        "arguments",
                        ir::to_string(def.kind)),
            {}});
      return;
    }
    decls.push_back(std::move(decl));
  }
  Result<ir::ScopeBindings> bindings = ir::ScopeBindings::close(decls);
  if (!bindings) {
    fail(bindings.error());
    return;
  }
  const Result<std::int64_t> threads = bindings->threads();
  if (!threads) {
    Diagnostic error = threads.error();
    if (error.span.empty()) error.span = kernel_.span;
    fail(std::move(error));
    return;
  }
  fill_launch(*bindings);
  declare_thread_vars(*bindings);
  std::vector<std::int64_t> block = bindings->shape(ScopeIdKind::thread_id);
  std::vector<std::int64_t> cluster = bindings->shape(ScopeIdKind::cta_id_in_cluster);
  if (block.empty()) block = {*threads};
  if (cluster.empty()) cluster = {1};
  Result<ir::ActiveSet> all = ir::initial_active_set(block, cluster);
  if (!all) {
    fail({kernel_.span, all.error().text, all.error().notes});
    return;
  }
  active_ = std::move(all).value();
  guards_.set_space(active_.space);
}

void Lowering::fill_launch(const ir::ScopeBindings& bindings) {
  Launch& launch = result_.launch;
  const auto fill = [](std::array<std::int64_t, 3>& to, const std::vector<std::int64_t>& from) {
    for (std::size_t i = 0; i < from.size() && i < 3; ++i) to[i] = from[i];
  };
  fill(launch.block, bindings.shape(ScopeIdKind::thread_id));
  fill(launch.cluster, bindings.shape(ScopeIdKind::cta_id_in_cluster));
  launch.grid = {ir::make_int(1), ir::make_int(1), ir::make_int(1)};
  const auto place = [&](std::initializer_list<ScopeIdKind> kinds) {
    for (const ScopeIdKind kind : kinds) {
      const auto* def = declared(kernel_, kind);
      if (def != nullptr && !def->span.empty()) return def->span;
    }
    return kernel_.span;
  };
  launch.grid_span = place({ScopeIdKind::cta_id, ScopeIdKind::cluster_id});
  launch.block_span = place({ScopeIdKind::thread_id, ScopeIdKind::warp_id,
                             ScopeIdKind::warpgroup_id, ScopeIdKind::thread_id_in_wg});
  if (const auto* ctas = declared(kernel_, ScopeIdKind::cta_id)) {
    for (std::size_t i = 0; i < ctas->extents.size() && i < 3; ++i) {
      launch.grid[i] = expressions_.lower(ctas->extents[i]);
    }
    return;
  }
  const auto* clusters = declared(kernel_, ScopeIdKind::cluster_id);
  for (std::size_t i = 0; i < 3; ++i) {
    ir::IndexSum extent = launch.cluster[i];
    if (clusters != nullptr && i < clusters->extents.size()) {
      extent = ir::IndexSum::of(clusters->extents[i], facts_).times(extent);
    }
    launch.grid[i] = extent.to_expr(ir::kInt32);
  }
}

void Lowering::declare_thread_vars(const ir::ScopeBindings& bindings) {
  for (const ir::ScopeIdDef& def : kernel_.scope_ids) {
    const std::vector<std::int64_t> shape = bindings.shape(def.kind);
    for (std::size_t i = 0; i < def.vars.size(); ++i) {
      ir::Interval range{0, ir::values_of(num::DType::i32).high};
      if (def.vars.size() == 1 && bindings.extent(def.kind)) {
        range.high = *bindings.extent(def.kind) - 1;
      } else if (def.vars.size() > 1 && i < shape.size()) {
        range.high = shape[i] - 1;
      } else if (i < def.extents.size()) {
        range.high = std::max<std::int64_t>(ir::one_below(facts_.range(def.extents[i]).high), 0);
      }
      facts_.set(def.vars[i], {range, 1});
      result_.thread_vars.push_back({def.vars[i], def.kind, static_cast<int>(i)});
    }
  }
}

void Lowering::check_launch() {
  const Launch& launch = result_.launch;
  if (launch.threads() > target_.max_threads_per_cta) {
    fail({launch.block_span,
          fmt::format("{} threads per CTA; {} allows {}", launch.threads(), target_.name,
                      target_.max_threads_per_cta),
          {}});
  }
  if (launch.block[2] > kMaxBlockZ) {
    fail({launch.block_span,
          fmt::format("{} threads along z; a CTA has at most {}", launch.block[2], kMaxBlockZ),
          {}});
  }
  const std::int64_t cluster = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  if (cluster > target_.max_cluster) {
    const std::string text = target_.max_cluster == 1
                                 ? fmt::format("{} has no clusters", target_.name)
                                 : fmt::format("{} CTAs per cluster; {} allows {}", cluster,
                                               target_.name, target_.max_cluster);
    fail({launch.grid_span, text, {}});
  }
  for (std::size_t i = 0; i < 3; ++i) {
    bool is_float = false;
    ir::for_each_expr(launch.grid[i], [&](const ir::Expr& expr) {
      is_float = is_float || num::is_float(expr->type.dtype);
    });
    if (is_float) {
      fail({launch.grid[i]->span,
            "the grid is computed with floats; the host that launches the kernel counts CTAs in "
            "integers",
            {{{}, "for example T.ceildiv(n, 128)"}}});
    }
    std::int64_t extent = 0;
    if (!ir::is_const_int(launch.grid[i], extent)) continue;
    const std::int64_t limit = i == 0 ? kMaxGridX : kMaxGridYZ;
    if (extent > limit) {
      fail({launch.grid_span,
            fmt::format("{} CTAs along {}; the grid has at most {}", extent, "xyz"[i], limit),
            {}});
    }
    if (extent % launch.cluster[i] != 0) {
      fail({launch.grid_span,
            fmt::format("{} CTAs along {} are not whole clusters of {}", extent, "xyz"[i],
                        launch.cluster[i]),
            {}});
    }
  }
}

const ThreadVar* Lowering::named_thread_var(ScopeIdKind kind, int dim) const {
  // An id that the script asked for without naming it reads better under the usual name.
  for (const ThreadVar& known : result_.thread_vars) {
    const std::string& own = known.var->name;
    const bool named = !own.empty() && own != "_" && own != ir::to_string(kind);
    if (known.kind == kind && known.dim == dim && named && known.var->type == ir::kInt32) {
      return &known;
    }
  }
  return nullptr;
}

ir::IndexSum Lowering::thread_var(ScopeIdKind kind,
                                  int dim,
                                  const char* name,
                                  std::int64_t extent) {
  if (const ThreadVar* known = named_thread_var(kind, dim)) return ir::IndexSum::of(known->var);
  const auto var = std::make_shared<ir::Variable>(ir::Variable{name, ir::kInt32, kernel_.span});
  result_.thread_vars.push_back({var, kind, dim});
  facts_.set(var, {{0, std::max<std::int64_t>(extent - 1, 0)}, 1});
  return ir::IndexSum::of(var);
}

ir::Expr Lowering::thread_index(ir::ExecScope scope) {
  const std::vector<std::int64_t>& block = active_.space.block;
  const bool one_warp = block.size() == 1 && active_.space.threads() <= ir::kLanesPerWarp;
  if (scope == ir::ExecScope::thread) return {};
  if (scope == ir::ExecScope::warp &&
      (!one_warp || named_thread_var(ScopeIdKind::lane_id, 0) != nullptr)) {
    return thread_var(ScopeIdKind::lane_id, 0, "lane", active_.space.lanes()).to_expr(ir::kInt32);
  }
  if (scope == ir::ExecScope::warpgroup) {
    return thread_var(ScopeIdKind::thread_id_in_wg, 0, "tid_in_wg", ir::kThreadsPerWarpgroup)
        .to_expr(ir::kInt32);
  }
  constexpr std::array kNames{"tid", "tid_y", "tid_z"};
  ir::IndexSum linear;
  std::int64_t inner = 1;
  for (std::size_t i = 0; i < block.size() && i < kNames.size(); ++i) {
    if (block[i] > 1 || i == 0) {
      linear =
          linear.plus(thread_var(ScopeIdKind::thread_id, static_cast<int>(i), kNames[i], block[i])
                          .times(inner));
    }
    inner *= block[i];
  }
  return linear.to_expr(ir::kInt32);
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
