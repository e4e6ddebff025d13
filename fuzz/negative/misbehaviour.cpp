#include "fuzz/negative/misbehaviour.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "dsl/run_script.hpp"
#include "fuzz/agree/opinions.hpp"
#include "fuzz/generate/dice.hpp"
#include "fuzz/generate/program.hpp"
#include "lower/lower.hpp"

namespace tirx::fuzz {

namespace {

bool has(const ir::LaunchOutcome& outcome, ir::FaultKind kind) {
  return std::any_of(outcome.faults.begin(), outcome.faults.end(),
                     [kind](const ir::Fault& fault) { return fault.kind == kind; });
}

/// What the evaluator cannot see: it knows no time.
bool about_time(const ir::LaunchOutcome& outcome) {
  return has(outcome, ir::FaultKind::race) || has(outcome, ir::FaultKind::async) ||
         has(outcome, ir::FaultKind::deadlock) || has(outcome, ir::FaultKind::divergence);
}

std::string kinds_of(const ir::LaunchOutcome& outcome) {
  std::set<std::string_view> kinds;
  for (const ir::Fault& fault : outcome.faults) kinds.insert(ir::to_string(fault.kind));
  std::string text;
  for (const std::string_view kind : kinds) text += (text.empty() ? "" : "+") + std::string(kind);
  return text;
}

/// "bounds in line 31, uninit in line 40": of each kind the lines it is reported in.
std::string places_of(const ir::Kernel& kernel, const ir::LaunchOutcome& outcome, bool tile_level) {
  std::set<std::pair<std::string_view, std::size_t>> places;
  for (const ir::Fault& fault : outcome.faults) {
    if (!looks_for(fault.kind, tile_level)) continue;
    places.emplace(ir::to_string(fault.kind), kernel.source->locate(fault.first.span.begin).line);
  }
  std::string text;
  for (const auto& [kind, line] : places)
    text += fmt::format("{}{} in line {}", text.empty() ? "" : ", ", kind, line);
  return text;
}

class MisbehavingEngine : public dsl::Engine {
 public:
  MisbehavingEngine(std::uint64_t seed, const sim::SimOptions& options)
      : seed_(seed), options_(options) {}

  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span) override {
    const std::vector<Mutation> mutations = fault_mutations(kernel);
    if (mutations.empty()) return {};
    const Mutation& mutation = pick_mutation(mutations, seed_);
    constexpr std::uint64_t kMaxTileSteps = 20'000'000;
    misbehaviour =
        judge_changed(mutation.apply(kernel), args, options_, ir::default_target(), kMaxTileSteps);
    misbehaviour.what =
        fmt::format("{}, {}", mutation.kind, kernel.source->where_line(mutation.span));
    return {};
  }

  [[nodiscard]] bool checks(ir::FaultKind) const override { return false; }

  Misbehaviour misbehaviour;

 private:
  std::uint64_t seed_;
  const sim::SimOptions& options_;
};

}  // namespace

const Mutation& pick_mutation(const std::vector<Mutation>& mutations, std::uint64_t number) {
  Dice dice(number);
  std::set<std::string> kinds;
  for (const Mutation& mutation : mutations) kinds.insert(mutation.kind);
  auto kind = kinds.begin();
  std::advance(kind, dice.below(static_cast<int>(kinds.size())));
  std::vector<const Mutation*> of_kind;
  for (const Mutation& mutation : mutations) {
    if (mutation.kind == *kind) of_kind.push_back(&mutation);
  }
  return *dice.pick(of_kind);
}

Misbehaviour judge_changed(const ir::Kernel& changed,
                           std::span<const ir::Argument> args,
                           const sim::SimOptions& options,
                           const ir::Target& target,
                           std::uint64_t max_tile_steps,
                           bool by_line) {
  Misbehaviour misbehaviour;
  const Result<lower::LoweredKernel> lowered = lower::lower(changed, target);
  if (!lowered) {
    misbehaviour.outcome = MisbehaviourOutcome::refused;
    return misbehaviour;
  }
  const std::vector<ir::Argument> own = clone(args);
  const Run first{sim::simulate(*lowered, own, options), own};
  misbehaviour.kinds = kinds_of(first.outcome);
  if (first.outcome.status != ir::LaunchStatus::ok || about_time(first.outcome)) {
    misbehaviour.outcome = MisbehaviourOutcome::not_judged;
    return misbehaviour;
  }
  misbehaviour.outcome =
      first.outcome.faults.empty() ? MisbehaviourOutcome::harmless : MisbehaviourOutcome::faults;
  for (const Opinion& opinion : opinions()) {
    const Run second = run_opinion(opinion, changed, *lowered, args, options, max_tile_steps);
    const Verdict verdict = judge(changed, first, second, opinion.name, opinion.tile_level);
    if (verdict.judgement == Judgement::same) {
      // Alike is not only what, but where.
      const std::string here = places_of(changed, first.outcome, opinion.tile_level),
                        there = places_of(changed, second.outcome, opinion.tile_level);
      if (here == there || !by_line || both_trap(first, second)) continue;
      misbehaviour.outcome = MisbehaviourOutcome::disagree;
      misbehaviour.text = fmt::format("{} finds {}, the first run {}", opinion.name, there, here);
      return misbehaviour;
    }
    if (verdict.judgement == Judgement::skipped) {
      misbehaviour.outcome = MisbehaviourOutcome::schedules_alone;
      continue;
    }
    // A barrier that refuses its operands stops the launch here; there its threads wait for ever.
    if (opinion.tile_level && has(first.outcome, ir::FaultKind::trap) &&
        has(second.outcome, ir::FaultKind::deadlock)) {
      misbehaviour.outcome = MisbehaviourOutcome::not_judged;
      return misbehaviour;
    }
    misbehaviour.outcome = MisbehaviourOutcome::disagree;
    misbehaviour.text = verdict.text;
    misbehaviour.stuck = !first.outcome.faults.empty() && about_time(second.outcome);
    return misbehaviour;
  }
  return misbehaviour;
}

Misbehaviour plant_one(std::uint64_t seed, const sim::SimOptions& options) {
  MisbehavingEngine engine(seed, options);
  dsl::ScriptOptions script;
  script.folder = "/nonexistent";
  (void)dsl::run_script(std::make_shared<const Source>("fuzz.tx", generate(seed).text), engine,
                        script);
  return engine.misbehaviour;
}

}  // namespace tirx::fuzz
