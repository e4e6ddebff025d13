#include "fuzz/corpus/changed.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "fuzz/agree/opinions.hpp"
#include "fuzz/agree/trace_closure.hpp"
#include "fuzz/mutate/mutations.hpp"
#include "fuzz/mutate/rewrite.hpp"
#include "fuzz/negative/misbehaviour.hpp"
#include "ir/all_ops.hpp"
#include "ir/visit.hpp"
#include "lower/lower.hpp"

namespace tirx::fuzz {

namespace {

/// Both lists, alternately.
std::vector<Mutation> mutations_of(const ir::Kernel& kernel, std::uint64_t number) {
  std::vector<Mutation> mutations =
      number % 2 == 0 ? fault_mutations(kernel) : all_mutations(kernel);
  return mutations.empty() ? fault_mutations(kernel) : mutations;
}

/// Whether it gives an address a name: what is wrong with it is then in two lines.
bool names_addresses(const ir::Kernel& kernel) {
  bool found = false;
  number_expressions(kernel, [&](std::size_t, const ir::Expr& expr, const ir::Stmt& in) {
    const Span at = expr->span;
    const bool elsewhere = at.begin < in.span.begin || at.end > in.span.end;
    found = found || (ir::as<ir::AddressOf>(expr) != nullptr && !at.empty() && elsewhere);
  });
  return found;
}

/// Where nothing but races in memory is reported, or nothing at all: what the definition of a race
/// says about what the threads did.
std::string wrong_race(const ir::Kernel& changed,
                       std::span<const ir::Argument> before,
                       const sim::SimOptions& sim,
                       const ir::Target& target) {
  const Result<lower::LoweredKernel> lowered = lower::lower(changed, target);
  if (!lowered) return {};
  sim::race::Trace trace;
  sim::SimOptions options = sim;
  options.trace = &trace;
  const ir::LaunchOutcome outcome = sim::simulate(*lowered, clone(before), options);
  if (outcome.status != ir::LaunchStatus::ok) return {};
  for (const ir::Fault& fault : outcome.faults) {
    // One at a barrier is about who meets there.
    if (fault.kind != ir::FaultKind::race || fault.space.empty()) return {};
  }
  const bool reported = !outcome.faults.empty();
  if (has_race(trace).value_or(reported) == reported) return {};
  return reported ? "a race is reported that is not in the trace of the run"
                  : "the trace of the run has a race that is not reported";
}

/// A call in the loop or its condition whose value others may change.
bool looks_at_memory(const ir::Stmt& loop) {
  bool found = false;
  ir::for_each_in_body(
      {loop}, [](const ir::Stmt&) {},
      [&](const ir::Expr& expr) {
        const auto* call = ir::as<ir::MachineCall>(expr);
        found = found || (call != nullptr && ir::spec(call->op).effect == ir::Effect::memory);
      });
  return found;
}

bool may_leave(const ir::Body& body) {
  bool found = false;
  ir::for_each_in_body(
      body,
      [&](const ir::Stmt& stmt) {
        found = found || std::holds_alternative<ir::Break>(stmt.node) ||
                std::holds_alternative<ir::Return>(stmt.node);
      },
      [](const ir::Expr&) {});
  return found;
}

}  // namespace

bool polls(const ir::Kernel& kernel) {
  bool found = false;
  ir::for_each_in_body(
      kernel.body,
      [&](const ir::Stmt& stmt) {
        const auto* loop = std::get_if<ir::For>(&stmt.node);
        const bool open = std::holds_alternative<ir::While>(stmt.node) ||
                          (loop != nullptr && may_leave(loop->body));
        found = found || (open && looks_at_memory(stmt));
      },
      [](const ir::Expr&) {});
  return found;
}

std::optional<Finding> check_changed(const ir::Kernel& kernel,
                                     std::span<const ir::Argument> before,
                                     std::uint64_t steps,
                                     std::uint64_t number,
                                     const OracleOptions& options) {
  if (has_unspecified_order(kernel) || polls(kernel)) return std::nullopt;
  const std::vector<Mutation> mutations = mutations_of(kernel, number);
  if (mutations.empty()) return std::nullopt;
  const Mutation& mutation = pick_mutation(mutations, number);
  const std::string what =
      fmt::format("{}, line {}", mutation.kind, kernel.source->locate(mutation.span.begin).line);
  if (options.alive) options.alive(what);
  const ir::Kernel changed = mutation.apply(kernel);
  const ir::Target& target = options.target != nullptr ? *options.target : ir::default_target();
  // What takes so much longer does not end.
  constexpr std::uint64_t kLonger = 20, kLeast = 10'000, kLanes = 32, kPatience = 64;
  sim::SimOptions sim = options.sim;
  sim.max_steps = std::max(kLeast, steps * kLonger);
  const std::uint64_t tile_steps =
      std::min(options.max_tile_steps, std::max(kLeast, steps) * kLanes * kPatience);
  const Misbehaviour said =
      judge_changed(changed, before, sim, target, tile_steps, !names_addresses(kernel));
  const bool disagree = said.outcome == MisbehaviourOutcome::disagree && !said.stuck;
  std::string text = disagree ? said.text : "";
  constexpr std::uint64_t kShort = 1'000;
  if (text.empty() && steps <= kShort) text = wrong_race(changed, before, sim, target);
  if (text.empty()) return std::nullopt;
  return Finding{"changed", what + ": " + text, mutation.kind};
}

}  // namespace tirx::fuzz
