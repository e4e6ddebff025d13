#include "fuzz/agree/opinions.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "ir/visit.hpp"
#include "sim/tile_eval/tile_evaluate.hpp"

namespace tirx::fuzz {

namespace {

using sim::AsyncPolicy;
using sim::Schedule;

constexpr auto kOpinions = std::to_array<Opinion>({
    {.name = "tile", .tile_level = true},
    {.name = "lazy", .async = AsyncPolicy::lazy},
    {.name = "reverse", .schedule = Schedule::reverse, .threads = 1},
    {.name = "random",
     .schedule = Schedule::random,
     .threads = 2,
     .portable = true,
     .parallel = true},
    {.name = "seed", .schedule = Schedule::random, .async = AsyncPolicy::lazy, .seed = 7},
});

constexpr auto kBare = std::to_array<Opinion>({
    {.name = "unchecked", .threads = 2, .parallel = true, .checks = "none"},
    {.name = "counted",
     .schedule = Schedule::random,
     .seed = 3,
     .stats = true,
     .resident = 1,
     .races_remembered = 5},
});

std::set<ir::FaultKind> kinds(const ir::LaunchOutcome& outcome, bool tile_level) {
  std::set<ir::FaultKind> found;
  for (const ir::Fault& fault : outcome.faults) {
    if (looks_for(fault.kind, tile_level)) found.insert(fault.kind);
  }
  return found;
}

std::string words(const std::set<ir::FaultKind>& found) {
  if (found.empty()) return "no fault";
  std::string text;
  for (const ir::FaultKind kind : found)
    text += (text.empty() ? "" : ", ") + std::string(ir::to_string(kind));
  return text;
}

std::string reason(const ir::LaunchOutcome& outcome) {
  for (const Diagnostic& diagnostic : outcome.diagnostics) {
    if (diagnostic.severity == Severity::error) return diagnostic.text;
  }
  return "incomplete";
}

bool is_atomic(ir::OpId op) {
  return ir::spec(op).name.starts_with("cuda.atomic_");
}

bool is_unspecified(const ir::Expr& expr, bool for_effect) {
  const auto* call = ir::as<ir::MachineCall>(expr);
  if (call == nullptr) return false;
  const std::string_view name = ir::spec(call->op).name;
  if (ir::spec(call->op).fidelity == ir::Fidelity::unordered || name.ends_with(".clock"))
    return true;
  if (!is_atomic(call->op)) return false;
  const bool exchanges = name.ends_with("exch") || name.ends_with("cas");
  return !for_effect || exchanges || num::is_float(expr->type.dtype);
}

/// Whether threads meet there, or exchange something; `at_memory`: also in memory, as at an
/// mbarrier.
bool meets_others(const ir::Kernel& kernel, Span span, bool at_memory) {
  bool found = false;
  ir::for_each_in_body(
      kernel.body, [](const ir::Stmt&) {},
      [&](const ir::Expr& expr) {
        const auto* call = ir::as<ir::MachineCall>(expr);
        if (call == nullptr || !(expr->span == span)) return;
        const ir::Effect effect = ir::spec(call->op).effect;
        found = found || effect == ir::Effect::sync || effect == ir::Effect::warp ||
                (at_memory && effect == ir::Effect::memory);
      });
  return found;
}

bool has_trap(const ir::LaunchOutcome& outcome) {
  return std::any_of(outcome.faults.begin(), outcome.faults.end(),
                     [](const ir::Fault& fault) { return fault.kind == ir::FaultKind::trap; });
}

}  // namespace

std::span<const Opinion> opinions() {
  return kOpinions;
}

std::span<const Opinion> bare_opinions() {
  return kBare;
}

bool looks_for(ir::FaultKind kind, bool tile_level) {
  return !tile_level || !(kind == ir::FaultKind::race || kind == ir::FaultKind::async ||
                          kind == ir::FaultKind::overflow || kind == ir::FaultKind::align);
}

bool is_for_the_evaluator(const ir::Kernel& kernel, const Run& first) {
  const auto& faults = first.outcome.faults;
  return std::all_of(faults.begin(), faults.end(), [&](const ir::Fault& fault) {
    using enum ir::FaultKind;
    if (fault.kind == race || fault.kind == async || fault.kind == divergence ||
        fault.kind == deadlock) {
      return false;
    }
    return !meets_others(kernel, fault.first.span, fault.kind == trap);
  });
}

bool both_trap(const Run& first, const Run& second) {
  return has_trap(first.outcome) && has_trap(second.outcome);
}

sim::SimOptions options_of(const Opinion& opinion, const sim::SimOptions& base) {
  sim::SimOptions options = base;
  options.schedule = opinion.schedule;
  options.async = opinion.async;
  options.seed = opinion.seed;
  if (opinion.threads > 0) options.threads = opinion.threads;
  if (opinion.portable) options.isa = num::LaneIsa::baseline;
  if (opinion.parallel) options.parallel_from = 0;
  if (opinion.checks != "all") options.checks = *sim::CheckSet::parse(opinion.checks);
  if (opinion.stats) options.stats = true;
  if (opinion.resident > 0) options.resident = opinion.resident;
  options.races_remembered = opinion.races_remembered;
  return options;
}

Run run_opinion(const Opinion& opinion,
                const ir::Kernel& kernel,
                const lower::LoweredKernel& lowered,
                std::span<const ir::Argument> before,
                const sim::SimOptions& base,
                std::uint64_t max_tile_steps) {
  Run run{{}, clone(before)};
  if (opinion.tile_level) {
    sim::TileEvalOptions options;
    options.target = lowered.target;
    options.max_steps = max_tile_steps;
    run.outcome = sim::tile_evaluate(kernel, run.arguments, options);
  } else {
    run.outcome = sim::simulate(lowered, run.arguments, options_of(opinion, base));
  }
  return run;
}

Verdict judge(const ir::Kernel& kernel,
              const Run& first,
              const Run& second,
              std::string_view name,
              bool tile_level,
              const CompareOptions& how) {
  using ir::LaunchStatus;
  Verdict verdict;
  const auto differs = [&](std::string text, std::string kind) {
    verdict.judgement =
        has_unspecified_order(kernel) ? Judgement::order_dependent : Judgement::differs;
    verdict.text = std::move(text);
    verdict.kind = std::move(kind);
    return verdict;
  };
  const LaunchStatus a = first.outcome.status, b = second.outcome.status;
  if (a == LaunchStatus::incomplete || b == LaunchStatus::incomplete) {
    verdict.judgement = Judgement::skipped;
    verdict.text = reason(b == LaunchStatus::incomplete ? second.outcome : first.outcome);
    return verdict;
  }
  if (a != b) {
    const std::string_view does = b == LaunchStatus::refused ? "refuses" : "accepts";
    return differs(fmt::format("{} {} the launch: {}", name, does,
                               reason(b == LaunchStatus::refused ? second.outcome : first.outcome)),
                   fmt::format("{} the launch", does));
  }
  const auto left = kinds(first.outcome, tile_level), right = kinds(second.outcome, tile_level);
  if (left != right && !both_trap(first, second)) {
    std::string text = fmt::format("finds {}, the first run {}", words(right), words(left));
    return differs(fmt::format("{} {}", name, text), text);
  }
  // After a fault the bytes promise nothing.
  if (!first.outcome.faults.empty() || !second.outcome.faults.empty()) return verdict;
  const Agreement agreement = compare(first.arguments, second.arguments, how);
  verdict.elements = agreement.elements;
  if (!agreement.same()) {
    const Mismatch& mismatch = agreement.mismatches.front();
    return differs(
        "differs in " + describe(mismatch, kernel.params, "simulator", fmt::format("{}", name)),
        kind_of(mismatch));
  }
  return verdict;
}

bool has_unspecified_order(const ir::Kernel& kernel) {
  bool found = false;
  std::set<const ir::ExprNode*> for_effect;
  ir::for_each_in_body(
      kernel.body,
      [&](const ir::Stmt& stmt) {
        if (const auto* evaluate = std::get_if<ir::Evaluate>(&stmt.node))
          for_effect.insert(evaluate->call.get());
      },
      [&](const ir::Expr& expr) {
        found = found || is_unspecified(expr, for_effect.contains(expr.get()));
      });
  return found;
}

}  // namespace tirx::fuzz
