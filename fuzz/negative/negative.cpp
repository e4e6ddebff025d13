#include "fuzz/negative/negative.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "dsl/run_script.hpp"
#include "fuzz/agree/compare.hpp"
#include "fuzz/generate/program.hpp"
#include "fuzz/mutate/mutations.hpp"
#include "fuzz/negative/closure.hpp"
#include "ir/all_ops.hpp"
#include "ir/visit.hpp"
#include "lower/lower.hpp"

namespace tirx::fuzz {

namespace {

/// Tile calls do not say which thread touches what, and asynchronous copies act beside their
/// thread.
bool beyond_the_trace(const ir::Kernel& kernel) {
  bool found = false;
  ir::for_each_in_body(
      kernel.body,
      [&](const ir::Stmt& stmt) {
        found = found || std::holds_alternative<ir::TileCall>(stmt.node);
      },
      [&](const ir::Expr& expr) {
        const auto* call = ir::as<ir::MachineCall>(expr);
        found = found || (call != nullptr && ir::order(call->op).async);
      });
  return found;
}

/// Runs the kernel with one thing removed, on the simulator with its checks and under the closure.
class RemovalEngine : public dsl::Engine {
 public:
  RemovalEngine(std::uint64_t seed, const sim::SimOptions& options)
      : seed_(seed), options_(options) {}

  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span) override {
    const std::vector<Mutation> mutations = synchronisation_mutations(kernel);
    if (mutations.empty()) return {};
    const Mutation& mutation = mutations[seed_ % mutations.size()];
    removal.what = fmt::format("{}, {}", mutation.kind, kernel.source->where_line(mutation.span));
    const ir::Kernel changed = mutation.apply(kernel);
    Closure closure;
    sim::TileEvalOptions tile;
    tile.trace = &closure;
    const ir::LaunchOutcome traced = sim::tile_evaluate(changed, clone(args), tile);
    removal.conflicts = closure.conflicts();
    const Result<lower::LoweredKernel> lowered = lower::lower(changed, ir::default_target());
    if (!lowered) return {};
    const std::vector<ir::Argument> own = clone(args);
    const ir::LaunchOutcome outcome = sim::simulate(*lowered, own, options_);
    removal.outcome = judge(changed, outcome);
    return {};
  }

  [[nodiscard]] bool checks(ir::FaultKind) const override { return false; }

  Removal removal;

 private:
  [[nodiscard]] RemovalOutcome judge(const ir::Kernel& kernel, const ir::LaunchOutcome& outcome) {
    const auto has = [&](ir::FaultKind kind) {
      return std::any_of(outcome.faults.begin(), outcome.faults.end(),
                         [kind](const ir::Fault& fault) { return fault.kind == kind; });
    };
    if (!outcome.faults.empty()) removal.report = outcome.faults.front().text;
    // A race at a barrier, not in memory: who meets there is open.
    const bool by_chance =
        std::any_of(outcome.faults.begin(), outcome.faults.end(), [](const ir::Fault& fault) {
          return fault.kind == ir::FaultKind::race && fault.space.empty();
        });
    if (has(ir::FaultKind::deadlock) || has(ir::FaultKind::divergence) || by_chance)
      return RemovalOutcome::hang_reported;
    if (beyond_the_trace(kernel)) return RemovalOutcome::not_judged;
    if (removal.conflicts > 0)
      return outcome.faults.empty() ? RemovalOutcome::missed : RemovalOutcome::reported;
    return outcome.faults.empty() ? RemovalOutcome::harmless : RemovalOutcome::false_alarm;
  }

  std::uint64_t seed_;
  const sim::SimOptions& options_;
};

}  // namespace

Removal remove_one(std::uint64_t seed, const sim::SimOptions& options) {
  ProgramOptions program;
  program.synchronised = true;
  const std::string text = generate(seed, program).text;
  RemovalEngine engine(seed, options);
  dsl::ScriptOptions script;
  script.folder = "/nonexistent";
  (void)dsl::run_script(std::make_shared<const Source>("fuzz.tx", text), engine, script);
  return engine.removal;
}

}  // namespace tirx::fuzz
