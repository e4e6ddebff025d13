#include "fuzz/check/oracle_engine.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "fuzz/agree/trace_closure.hpp"
#include "fuzz/check/arguments.hpp"
#include "fuzz/check/features.hpp"
#include "fuzz/check/promises.hpp"
#include "fuzz/check/unjudged.hpp"
#include "fuzz/corpus/changed.hpp"
#include "ir/visit.hpp"
#include "lower/lower.hpp"

namespace tirx::fuzz {

namespace {

std::string_view line_at(const ir::Kernel& kernel, Span span) {
  if (!kernel.source || span.empty()) return {};
  return kernel.source->locate(span.begin).text;
}

/// "store", "for", "T.cuda.cta_sync": what a reduction must not turn into something else.
std::string statement_kind(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(" ([:"));
  if (word == "for" || word == "if" || word == "elif" || word == "while" || word == "else")
    return std::string(word);
  if (word.starts_with("T.") || word.starts_with("Tx.")) return std::string(word);
  const std::size_t assignment = line.find(" = ");
  if (assignment == std::string_view::npos) return "other";
  return line.substr(0, assignment).ends_with(']') ? "store" : "assignment";
}

/// What was printed, in an order that does not depend on who came first.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// What backend_cuda/compile_apart.cpp says of a compiler that a valid program brought down: a
/// fault of its own (docs/fidelity.md), and no difference.
bool is_compiler_crash(std::string_view text) {
  return text.starts_with("NVRTC ") && text.find(" ended with signal ") != std::string_view::npos;
}

bool adds_up(const std::optional<ir::LaunchStats>& stats) {
  if (!stats) return false;
  std::uint64_t sum = 0;
  for (const ir::LineStats& line : stats->lines) sum += line.instructions;
  return sum > 0 && sum <= stats->instructions;
}

}  // namespace

std::string trait_of(const ir::Kernel& kernel, const ir::Fault& fault) {
  std::string trait = statement_kind(line_at(kernel, fault.first.span));
  // Of a race, which two accesses meet.
  if (fault.second)
    trait += fmt::format(" ({}), {} ({})", fault.first.what,
                         statement_kind(line_at(kernel, fault.second->span)), fault.second->what);
  return trait;
}

ir::LaunchOutcome OracleEngine::launch(const ir::Kernel& kernel,
                                       std::span<const ir::Argument> args,
                                       Span) {
  ir::LaunchOutcome refused;
  const lower::LoweredKernel* lowered = lower_once(kernel, refused);
  if (lowered == nullptr) return refused;
  const std::vector<ir::Argument> before = clone(args);
  alive(kernel.name);
  Run first{sim::simulate(*lowered, args, options_.sim), {args.begin(), args.end()}};
  ++report.launches;
  if (promises_counts(kernel)) count(kernel, *lowered, before);
  // What a script that was given is refused or reported for, it may have meant.
  for (const Diagnostic& diagnostic : first.outcome.diagnostics) {
    if (diagnostic.severity == Severity::error && !options_.given) note("refused", diagnostic.text);
  }
  for (const ir::Fault& fault : first.outcome.faults) {
    if (options_.given) break;
    note(fmt::format("fault {}", ir::to_string(fault.kind)), fault.text, trait_of(kernel, fault));
  }
  const bool comparable = !options_.given || first.outcome.status == ir::LaunchStatus::ok;
  if (!report.finding && !alone_ && comparable) {
    compare_all(kernel, *lowered, before, first);
    if (!report.finding && options_.all_opinions) {
      if (const auto wrong = wrong_binding(*lowered, args, &kernel)) note("arguments", *wrong);
      if (options_.given && first.outcome.faults.empty()) change(kernel, before, first);
    }
  }
  if (!options_.given) results.push_back(clone(args));
  return first.outcome;
}

bool OracleEngine::checks(ir::FaultKind kind) const {
  return sim::notices(options_.sim, kind);
}

const lower::LoweredKernel* OracleEngine::lower_once(const ir::Kernel& kernel,
                                                     ir::LaunchOutcome& outcome) {
  const auto known = lowered_.find(&kernel);
  if (known != lowered_.end()) return &known->second;
  const ir::Target& target = options_.target != nullptr ? *options_.target : ir::default_target();
  Result<lower::LoweredKernel> lowered = lower::lower(kernel, target);
  if (!lowered) {
    outcome.status = ir::LaunchStatus::refused;
    outcome.diagnostics.push_back(lowered.error());
    if (!options_.given) note("refused", lowered.error().text);
    return nullptr;
  }
  if (!emits(*lowered)) {
    outcome.status = ir::LaunchStatus::refused;
    return nullptr;
  }
  add_features(*lowered, report.features);
  if (auto broken = broken_promise(kernel, *lowered))
    note("lowering", std::move(*broken), "promise");
  return &lowered_.emplace(&kernel, std::move(lowered).value()).first->second;
}

/// What has no CUDA is refused then.
bool OracleEngine::emits(const lower::LoweredKernel& lowered) {
  if (!options_.emit || options_.given) return true;
  const lower::LoweredKernel* const one[] = {&lowered};
  const Result<std::string> text = options_.emit(one, false);
  if (!text) {
    note("refused", text.error().text);
  } else if (auto lacking = not_self_contained(*text)) {
    note("cuda", std::move(*lacking));
  }
  return static_cast<bool>(text);
}

/// A run of its own: where an instruction ends is another matter with counts.
void OracleEngine::count(const ir::Kernel& kernel,
                         const lower::LoweredKernel& lowered,
                         std::span<const ir::Argument> before) {
  sim::SimOptions options = options_.sim;
  options.stats = true;
  const ir::LaunchOutcome counted = sim::simulate(lowered, clone(before), options);
  if (!counted.stats) return;
  if (auto broken = broken_count(kernel, *counted.stats))
    note("lowering", std::move(*broken), "promise");
}

void OracleEngine::compare_one(const Opinion& opinion,
                               const ir::Kernel& kernel,
                               const Run& first,
                               const Run& second,
                               Said& said) {
  const Verdict verdict = judge(kernel, first, second, opinion.name, opinion.tile_level);
  report.elements += verdict.elements;
  // The generator asks for nothing whose order is not specified; who wrote a script may, and may
  // poll for less than what comes.
  const bool ordered = verdict.judgement == Judgement::order_dependent;
  const bool differs = verdict.judgement == Judgement::differs;
  const bool gives_up = verdict.judgement == Judgement::skipped && !opinion.tile_level;
  const bool by_chance = options_.given && (differs || gives_up) && polls(kernel);
  if (by_chance && opinion.tile_level) {
    said.alone = Finding{std::string(opinion.name), verdict.text, verdict.kind};
    return;
  }
  if (by_chance || (options_.given && ordered)) {
    said.order_matters = true;
    return;
  }
  if (ordered || differs) note(std::string(opinion.name), verdict.text, verdict.kind);
  if (!opinion.tile_level && first.outcome.faults.empty())
    compare_prints(first, second, opinion.name);
  if (verdict.judgement != Judgement::skipped) return;
  const bool may = !may_give_up(kernel, second.outcome).empty() ||
                   (options_.given && may_take_long(kernel, first));
  if (opinion.tile_level && may) {
    ++report.unjudged;
  } else if (said.nothing.empty()) {
    said.nothing =
        fmt::format("{} has no opinion: {}",
                    opinion.tile_level ? "the tile-level evaluator" : opinion.name, verdict.text);
  }
}

/// Some changed copies of the first kernels that a script launches.
void OracleEngine::change(const ir::Kernel& kernel,
                          std::span<const ir::Argument> before,
                          const Run& first) {
  constexpr std::uint64_t kLargest = 20'000;  // warp instructions: each runs half a dozen times
  const std::uint64_t steps = first.outcome.warp_instructions;
  if (steps > kLargest) return;
  const std::uint64_t most = options_.given->changes;
  for (std::uint64_t k = 0; k < kChangesALaunch && changed_ < most && !report.finding; ++k) {
    if (const auto wrong = check_changed(kernel, before, steps, changed_++, options_))
      note(wrong->kind, wrong->text, wrong->trait);
  }
}

/// Whether so many steps may be too few: who polls may never end there, as threads run one after
/// the other; and there is a limit for everybody.
bool OracleEngine::may_take_long(const ir::Kernel& kernel, const Run& first) const {
  bool polls = most_tile_steps(first) == options_.max_tile_steps;
  ir::for_each_in_body(
      kernel.body,
      [&](const ir::Stmt& stmt) { polls = polls || std::holds_alternative<ir::While>(stmt.node); },
      [](const ir::Expr&) {});
  return polls;
}

std::uint64_t OracleEngine::most_tile_steps(const Run& first) const {
  constexpr std::uint64_t kLanes = 32, kPatience = 64, kLeast = 200'000;
  const std::uint64_t steps = first.outcome.warp_instructions;
  return std::min(options_.max_tile_steps, std::max(kLeast, steps * kLanes * kPatience));
}

void OracleEngine::compare_all(const ir::Kernel& kernel,
                               const lower::LoweredKernel& lowered,
                               std::span<const ir::Argument> before,
                               const Run& first) {
  Said said;
  for (const Opinion& opinion : opinions()) {
    if (!options_.all_opinions) break;
    if (opinion.tile_level && !is_for_the_evaluator(kernel, first)) continue;
    alive(fmt::format("{}, {}", kernel.name, opinion.name));
    const Run second =
        run_opinion(opinion, kernel, lowered, before, options_.sim,
                    options_.given ? most_tile_steps(first) : options_.max_tile_steps);
    compare_one(opinion, kernel, first, second, said);
    if (opinion.name == options_.last_opinion && !said.alone) break;
  }
  // Of a kernel that polls, what the evaluator alone says is one more order only where the
  // simulator's own orders do not agree either.
  if (said.alone && !said.order_matters)
    note(said.alone->kind, said.alone->text, said.alone->trait);
  order_matters = order_matters || said.order_matters;
  if (!said.nothing.empty()) note("no opinion", said.nothing);
  // One program in three: there are many.
  if (options_.all_opinions && options_.draw.value_or(0) % 3 == 0)
    bare(kernel, lowered, before, first);
  if (options_.device) ask_device(kernel, lowered, before, first);
}

void OracleEngine::ask_device(const ir::Kernel& kernel,
                              const lower::LoweredKernel& lowered,
                              std::span<const ir::Argument> before,
                              const Run& first) {
  // A GPU does not stop at a fault, and has an order of its own.
  if (options_.given && (!first.outcome.faults.empty() || has_unspecified_order(kernel))) return;
  alive(kernel.name + ", gpu");
  Run on_device{{}, clone(before)};
  on_device.outcome = options_.device(lowered, on_device.arguments);
  if (on_device.outcome.status != ir::LaunchStatus::ok || !on_device.outcome.faults.empty()) {
    std::string why = "the launch failed";
    for (const Diagnostic& diagnostic : on_device.outcome.diagnostics) why = diagnostic.text;
    for (const ir::Fault& fault : on_device.outcome.faults) why = fault.text;
    if (is_compiler_crash(why)) {
      report.compiler_crash = why;
      return;
    }
    return note("gpu", why);
  }
  const Agreement agreement = compare(first.arguments, on_device.arguments, {false, false});
  report.elements += agreement.elements;
  compare_prints(first, on_device, "gpu");
  for (const Mismatch& mismatch : agreement.mismatches)
    note("gpu", "differs in " + describe(mismatch, kernel.params, "simulator", "GPU"),
         kind_of(mismatch));
}

/// Without checks, with counts, and to the last instruction: what must change nothing.
void OracleEngine::bare(const ir::Kernel& kernel,
                        const lower::LoweredKernel& lowered,
                        std::span<const ir::Argument> before,
                        const Run& first) {
  if (!first.outcome.faults.empty()) return;
  for (Opinion opinion : bare_opinions()) {
    // A CTA may wait for one that comes later.
    if (options_.given) opinion.resident = 0;
    alive(fmt::format("{}, {}", kernel.name, opinion.name));
    const Run second =
        run_opinion(opinion, kernel, lowered, before, options_.sim, options_.max_tile_steps);
    const Verdict verdict =
        judge(kernel, first, second, opinion.name, false, {.validity = opinion.checks == "all"});
    const bool ordered = verdict.judgement == Judgement::order_dependent || polls(kernel);
    if (verdict.judgement != Judgement::same && !(options_.given && ordered))
      note(std::string(opinion.name), verdict.text, verdict.kind);
    if (opinion.stats && !adds_up(second.outcome.stats))
      note(std::string(opinion.name), "the counts of the lines are not that of the launch",
           "stats");
  }
  if (!options_.given || !polls(kernel)) by_its_trace(lowered, before, first);
}

/// A short one again, with everything that its threads do written down, and then with one step
/// less.
void OracleEngine::by_its_trace(const lower::LoweredKernel& lowered,
                                std::span<const ir::Argument> before,
                                const Run& first) {
  const std::uint64_t steps = first.outcome.warp_instructions;
  constexpr std::uint64_t kShort = 600;
  if (steps == 0 || steps > kShort) return;
  sim::race::Trace trace;
  sim::SimOptions options = options_.sim;
  options.trace = &trace;
  options.max_steps = steps;
  const ir::LaunchOutcome whole = sim::simulate(lowered, clone(before), options);
  if (whole.status != ir::LaunchStatus::ok || whole.warp_instructions != steps)
    note("steps", "ends elsewhere with as many steps as it needs", "whole");
  if (has_race(trace).value_or(false)) note("closure", "its trace has a race", "trace");
  options.trace = nullptr;
  options.max_steps = steps - 1;
  if (sim::simulate(lowered, clone(before), options).status != ir::LaunchStatus::incomplete)
    note("steps", "ends with one step less than it needs", "one less");
}

void OracleEngine::compare_prints(const Run& first, const Run& second, std::string_view name) {
  const auto left = lines_of(first.outcome.output), right = lines_of(second.outcome.output);
  if (left == right) return;
  const auto at = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  const auto line = [](auto place, auto end) {
    return place == end ? std::string("nothing") : fmt::format("\"{}\"", *place);
  };
  note(std::string(name),
       fmt::format("prints {}, the simulator {}", line(at.second, right.end()),
                   line(at.first, left.end())),
       "another print");
}

}  // namespace tirx::fuzz
