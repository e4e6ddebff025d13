// Tile calls: who executes them, where their regions lie, which variant takes them.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ir/print.hpp"
#include "ir/visit.hpp"
#include "lower/explain.hpp"
#include "lower/lowering.hpp"

namespace tirx::lower {

namespace {

/// Whether evaluating it again later could give something else.
bool may_change(const ir::Expr& expr) {
  bool impure = false;
  ir::for_each_expr(expr, [&](const ir::Expr& e) {
    impure = impure || ir::as<ir::Load>(e) != nullptr || ir::as<ir::MachineCall>(e) != nullptr;
  });
  return impure;
}

std::string scope_prefix(ir::ExecScope scope) {
  return scope == ir::ExecScope::thread ? std::string("Tx")
                                        : fmt::format("Tx.{}", ir::name_of(scope));
}

/// "Tx.warp.copy(A_smem, A): gmem_smem, vec 4, 8 rounds"
std::string describe(const ir::TileCall& call, const DispatchNote& note) {
  std::string operands;
  for (const ir::TileOperand& operand : call.operands) {
    std::string text;
    if (const auto* region = std::get_if<ir::Region>(&operand)) text = region->buffer->name;
    if (const auto* value = std::get_if<ir::Expr>(&operand)) text = ir::to_string(*value);
    if (text.empty()) continue;
    if (!operands.empty()) operands += ", ";
    operands += text;
  }
  std::string out = fmt::format("{}.{}({}): {}", scope_prefix(call.scope), ir::spec(call.op).name,
                                operands, note.variant);
  if (note.vector > 0) out += fmt::format(", vec {}", note.vector);
  if (note.rounds > 0) {
    out += fmt::format(", {} round{}", note.rounds, note.rounds == 1 ? "" : "s");
  }
  return out;
}

}  // namespace

TileSide Lowering::make_side(const ir::Region& region, Span call, ir::Body& prologue) {
  TileSide side;
  side.region = region;
  const Span span = region.span.empty() ? call : region.span;
  bool fixed = true;
  for (std::size_t i = 0; i < region.ranges.size(); ++i) {
    ir::Range& range = side.region.ranges[i];
    range.begin = expressions_.lower(range.begin);
    range.extent = expressions_.lower(range.extent);
    if (may_change(range.begin)) {
      // The region is where it was when the call started.
      const auto name = std::make_shared<ir::Variable>(ir::Variable{
          fmt::format("{}_{}", region.buffer->name, "ijklmn"[std::min<std::size_t>(i, 5)]),
          range.begin->type, span});
      lower_let({span, {}}, {name, range.begin}, prologue);
      range.begin = ir::make_var(name, span);
    }
    std::int64_t extent = 0;
    if (ir::is_const_int(range.extent, extent)) {
      side.extents.push_back(extent);
      if (extent != 1) side.wide_dims.push_back(i);
    } else {
      fixed = false;
    }
    side.begins.push_back(ir::IndexSum::of(range.begin, facts_));
  }
  if (!fixed) {
    side.extents.clear();
    side.wide_dims.clear();
  }
  return side;
}

bool Lowering::fill_site(Site& site) {
  const Result<ir::ScopeSplit> parts = ir::split(active_, site.scope);
  if (!parts) {
    Diagnostic error = parts.error();
    error.notes.insert(error.notes.begin(), Note{error.span, "the guard"});
    if (error.span.empty()) error.notes.erase(error.notes.begin());
    error.span = site.span;
    fail(std::move(error));
    return false;
  }
  site.threads = parts->thread_count();
  site.cta_threads = active_.space.threads();
  if (!ir::all_threads_active(active_, site.scope)) {
    site.inactive = fmt::format("only part of the {} reaches the call ({})",
                                ir::name_of(site.scope), ir::to_string(active_));
  }
  if (site.scope > ir::ExecScope::cta) return true;
  site.thread_index = thread_index(site.scope);
  if (site.scope != ir::ExecScope::thread && site.threads > 1) {
    std::int64_t first = active_.laneid.offset;
    if (site.scope == ir::ExecScope::warpgroup) {
      first += active_.warpid.offset % ir::kWarpsPerWarpgroup * ir::kLanesPerWarp;
    } else if (site.scope == ir::ExecScope::cta) {
      first += active_.warpid.offset * ir::kLanesPerWarp;
    }
    site.first_thread =
        ir::make_expr(ir::kBool, site.span,
                      ir::Scalar{num::ScalarOp::eq, {site.thread_index, ir::make_int(first)}});
  }
  fill_axis_values(site);
  return true;
}

void Lowering::fill_axis_values(Site& site) {
  using ir::AxisId;
  if (site.scope == ir::ExecScope::thread) return;
  site.axis_values[AxisId::laneid] = thread_index(ir::ExecScope::warp);
  site.axis_extents[AxisId::laneid] = ir::kLanesPerWarp;
  if (site.scope == ir::ExecScope::warp) return;
  site.thread_in_cta = thread_index(ir::ExecScope::cta);
  const ir::IndexSum in_cta = ir::IndexSum::of(site.thread_in_cta, facts_);
  const ir::Expr in_wg = thread_index(ir::ExecScope::warpgroup);
  const std::int64_t threads = site.cta_threads;
  site.axis_values[AxisId::tid_in_wg] = in_wg;
  site.axis_extents[AxisId::tid_in_wg] = ir::kThreadsPerWarpgroup;
  site.axis_values[AxisId::wid_in_wg] =
      ir::IndexSum::of(in_wg, facts_).floordiv(ir::kLanesPerWarp, facts_).to_expr(ir::kInt32);
  site.axis_extents[AxisId::wid_in_wg] = ir::kWarpsPerWarpgroup;
  if (site.scope == ir::ExecScope::warpgroup) return;
  site.axis_values[AxisId::tx] = in_cta.to_expr(ir::kInt32);
  site.axis_extents[AxisId::tx] = threads;
  site.axis_values[AxisId::warpid] = in_cta.floordiv(ir::kLanesPerWarp, facts_).to_expr(ir::kInt32);
  site.axis_extents[AxisId::warpid] = threads / ir::kLanesPerWarp;
  site.axis_values[AxisId::wgid] =
      in_cta.floordiv(ir::kThreadsPerWarpgroup, facts_).to_expr(ir::kInt32);
  site.axis_extents[AxisId::wgid] = threads / ir::kThreadsPerWarpgroup;
}

bool Lowering::differs_by_thread(const Site& site) {
  if (site.scope == ir::ExecScope::thread || site.scope > ir::ExecScope::cta || site.threads < 2 ||
      !site.inactive.empty()) {
    return false;
  }
  const auto refuse = [&](std::string_view what, const ir::Expr& expr) {
    const ir::Var id = guards_.told_apart_by(expr, site.scope);
    if (id == nullptr) return false;
    fail({expr->span.empty() ? site.span : expr->span,
          fmt::format("{}.{}: {} differs between the threads of the {}: it depends on {}",
                      scope_prefix(site.scope), ir::spec(site.call.op).name, what,
                      ir::name_of(site.scope), id->name),
          {{{},
            fmt::format("all threads of a {} carry out one call; Tx.{} is carried out by each "
                        "thread with what it names",
                        ir::name_of(site.scope), ir::spec(site.call.op).name)}}});
    return true;
  };
  const bool lambda = !site.call.index_vars.empty();
  for (std::size_t i = 0; i < site.call.operands.size(); ++i) {
    const ir::TileOperand& operand = site.call.operands[i];
    if (const auto* region = std::get_if<ir::Region>(&operand)) {
      for (const ir::Range& range : region->ranges) {
        if (refuse("the region of " + region->buffer->name, range.begin)) return true;
      }
    }
    const auto* number = std::get_if<ir::Expr>(&operand);
    if (number == nullptr || (lambda && i + 1 == site.call.operands.size())) continue;
    if (refuse("an operand", *number)) return true;
  }
  for (const char* key : {"fill", "alpha", "beta"}) {
    const auto found = site.call.config.find(key);
    if (found == site.call.config.end()) continue;
    const auto* number = std::get_if<ir::Expr>(&found->second);
    if (number != nullptr && refuse(key, *number)) return true;
  }
  return false;
}

void Lowering::lower_tile_call(const ir::Stmt& stmt, const ir::TileCall& call, ir::Body& out) {
  Site site{call, stmt.span, target_, facts_};
  site.scope = call.scope;
  site.guarded = conditions_ > 0;
  ir::Group group;
  if (active_.empty) {
    group.comment =
        fmt::format("{}.{}: never reached", scope_prefix(call.scope), ir::spec(call.op).name);
    out.push_back({stmt.span, std::move(group)});
    result_.warnings.push_back(
        {stmt.span,
         fmt::format("no thread reaches this {} (degenerate thread_cnt=0): nothing is done",
                     ir::spec(call.op).name),
         {{{}, "its condition holds for no thread of the CTA"}},
         Severity::warning});
    return;
  }
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    site.sides.emplace_back();
    site.buffer_offsets.emplace_back();
    const auto* region = std::get_if<ir::Region>(&call.operands[i]);
    if (region == nullptr) continue;
    site.sides.back() = make_side(*region, stmt.span, group.body);
    if (region->buffer->offset) {
      site.buffer_offsets.back() = expressions_.lower(region->buffer->offset);
    }
  }
  if (!fill_site(site) || differs_by_thread(site)) return;
  Result<Dispatched> done = dispatch(site);
  if (!done) {
    fail(done.error());
    return;
  }
  if (explains_) add_later_refusals(site, done->note);
  group.comment = describe(call, done->note);
  ir::Body expanded = lower_body(done->expansion.body);
  std::move(expanded.begin(), expanded.end(), std::back_inserter(group.body));
  std::move(done->expansion.warnings.begin(), done->expansion.warnings.end(),
            std::back_inserter(result_.warnings));
  result_.dispatch.push_back(std::move(done->note));
  out.push_back({stmt.span, std::move(group)});
}

}  // namespace tirx::lower
