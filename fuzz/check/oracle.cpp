#include "fuzz/check/oracle.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "dsl/run_script.hpp"
#include "fuzz/agree/opinions.hpp"
#include "fuzz/agree/trace_closure.hpp"
#include "fuzz/check/arguments.hpp"
#include "fuzz/check/features.hpp"
#include "fuzz/check/promises.hpp"
#include "fuzz/check/unjudged.hpp"
#include "ir/equal.hpp"
#include "ir/print.hpp"
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

/// The simulator, then everything that must agree with it; keeps what each launch left.
class OracleEngine : public dsl::Engine {
 public:
  OracleEngine(const OracleOptions& options, bool alone) : options_(options), alone_(alone) {}

  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span) override {
    const lower::LoweredKernel* lowered = lower_once(kernel);
    if (lowered == nullptr) {
      ir::LaunchOutcome refused;
      refused.status = ir::LaunchStatus::refused;
      return refused;
    }
    const std::vector<ir::Argument> before = clone(args);
    Run first{sim::simulate(*lowered, args, options_.sim), {args.begin(), args.end()}};
    ++report.launches;
    if (promises_counts(kernel)) count(kernel, *lowered, before);
    for (const Diagnostic& diagnostic : first.outcome.diagnostics) {
      if (diagnostic.severity == Severity::error) note("refused", diagnostic.text);
    }
    for (const ir::Fault& fault : first.outcome.faults)
      note(fmt::format("fault {}", ir::to_string(fault.kind)), fault.text,
           statement_kind(line_at(kernel, fault.first.span)));
    if (!report.finding && !alone_) compare_all(kernel, *lowered, before, first);
    if (!report.finding && !alone_ && options_.all_opinions) {
      if (const auto wrong = wrong_binding(*lowered, args)) note("arguments", *wrong);
    }
    results.push_back(clone(args));
    return first.outcome;
  }

  [[nodiscard]] bool checks(ir::FaultKind kind) const override {
    return sim::notices(options_.sim, kind);
  }

  void note(std::string kind, std::string text, std::string trait = {}) {
    if (!report.finding)
      report.finding = Finding{std::move(kind), std::move(text), std::move(trait)};
  }

  OracleReport report;
  std::vector<std::vector<ir::Argument>> results;

 private:
  const lower::LoweredKernel* lower_once(const ir::Kernel& kernel) {
    const auto known = lowered_.find(&kernel);
    if (known != lowered_.end()) return &known->second;
    const ir::Target& target = options_.target != nullptr ? *options_.target : ir::default_target();
    Result<lower::LoweredKernel> lowered = lower::lower(kernel, target);
    if (!lowered) {
      note("refused", lowered.error().text);
      return nullptr;
    }
    add_features(*lowered, report.features);
    if (auto broken = broken_promise(kernel, *lowered))
      note("lowering", std::move(*broken), "promise");
    return &lowered_.emplace(&kernel, std::move(lowered).value()).first->second;
  }

  /// A run of its own: where an instruction ends is another matter with counts.
  void count(const ir::Kernel& kernel,
             const lower::LoweredKernel& lowered,
             std::span<const ir::Argument> before) {
    sim::SimOptions options = options_.sim;
    options.stats = true;
    const ir::LaunchOutcome counted = sim::simulate(lowered, clone(before), options);
    if (!counted.stats) return;
    if (auto broken = broken_count(kernel, *counted.stats))
      note("lowering", std::move(*broken), "promise");
  }

  void compare_all(const ir::Kernel& kernel,
                   const lower::LoweredKernel& lowered,
                   std::span<const ir::Argument> before,
                   const Run& first) {
    std::string silent;
    for (const Opinion& opinion : opinions()) {
      if (!options_.all_opinions) break;
      const Run second =
          run_opinion(opinion, kernel, lowered, before, options_.sim, options_.max_tile_steps);
      const Verdict verdict = judge(kernel, first, second, opinion.name, opinion.tile_level);
      report.elements += verdict.elements;
      // The generator asks for nothing whose order is not specified.
      if (verdict.judgement == Judgement::differs ||
          verdict.judgement == Judgement::order_dependent)
        note(std::string(opinion.name), verdict.text, verdict.kind);
      if (!opinion.tile_level) compare_prints(first, second, opinion.name);
      const bool skipped = verdict.judgement == Judgement::skipped;
      if (skipped && opinion.tile_level && !may_give_up(kernel, second.outcome).empty()) {
        ++report.unjudged;
      } else if (skipped && silent.empty()) {
        silent = fmt::format("{} has no opinion: {}",
                             opinion.tile_level ? "the tile-level evaluator" : opinion.name,
                             verdict.text);
      }
      if (opinion.name == options_.last_opinion) break;
    }
    if (!silent.empty()) note("no opinion", silent);
    // One program in three: there are many.
    if (options_.all_opinions && options_.draw.value_or(0) % 3 == 0)
      bare(kernel, lowered, before, first);
    if (!options_.device) return;
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

  static bool adds_up(const std::optional<ir::LaunchStats>& stats) {
    if (!stats) return false;
    std::uint64_t sum = 0;
    for (const ir::LineStats& line : stats->lines) sum += line.instructions;
    return sum > 0 && sum <= stats->instructions;
  }

  /// Without checks, with counts, and to the last instruction: what must change nothing.
  void bare(const ir::Kernel& kernel,
            const lower::LoweredKernel& lowered,
            std::span<const ir::Argument> before,
            const Run& first) {
    for (const Opinion& opinion : bare_opinions()) {
      const Run second =
          run_opinion(opinion, kernel, lowered, before, options_.sim, options_.max_tile_steps);
      const Verdict verdict =
          judge(kernel, first, second, opinion.name, false, {.validity = opinion.checks == "all"});
      if (verdict.judgement != Judgement::same)
        note(std::string(opinion.name), verdict.text, verdict.kind);
      if (opinion.stats && !adds_up(second.outcome.stats))
        note(std::string(opinion.name), "the counts of the lines are not that of the launch",
             "stats");
    }
    const std::uint64_t steps = first.outcome.warp_instructions;
    constexpr std::uint64_t kShort = 600;
    if (steps > kShort) return;
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

  void compare_prints(const Run& first, const Run& second, std::string_view name) {
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

  const OracleOptions& options_;
  bool alone_;
  std::map<const ir::Kernel*, lower::LoweredKernel> lowered_;
};

SourceRef source_of(const std::string& text) {
  return std::make_shared<const Source>("fuzz.tx", text);
}

dsl::ScriptResult run(const SourceRef& source,
                      OracleEngine& engine,
                      const OracleOptions& options,
                      bool alternative) {
  dsl::ScriptOptions script;
  script.target = options.target;
  script.folder = "/nonexistent";
  if (alternative) script.set["ALT"] = "1";
  dsl::ScriptResult result = dsl::run_script(source, engine, script);
  for (const Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.severity == Severity::error) engine.note("refused", diagnostic.text);
  }
  return result;
}

/// A printed kernel reads back as itself.
std::optional<Finding> reparse(const ir::Kernel& kernel) {
  const std::string text = ir::to_string(kernel);
  const dsl::ScriptResult again = dsl::collect_kernels(source_of(text));
  for (const Diagnostic& diagnostic : again.diagnostics) {
    if (diagnostic.severity == Severity::error)
      return Finding{"reparse", "the printed kernel is refused: " + diagnostic.text, {}};
  }
  if (again.kernels.size() != 1)
    return Finding{"reparse", "the printed kernel is not one kernel", {}};
  const std::string difference = ir::first_difference(kernel, *again.kernels[0]);
  if (difference.empty()) return std::nullopt;
  return Finding{"reparse", "the printed kernel reads back differently: " + difference, {}};
}

std::optional<Finding> compare_runs(const OracleEngine& first,
                                    const OracleEngine& second,
                                    const dsl::ScriptResult& result,
                                    OracleReport& report) {
  if (first.results.size() != second.results.size())
    return Finding{"alternative", "another number of launches", {}};
  for (std::size_t i = 0; i < first.results.size(); ++i) {
    const Agreement agreement = compare(first.results[i], second.results[i]);
    report.elements += agreement.elements;
    if (agreement.same()) continue;
    return Finding{"alternative",
                   "differs in " + describe(agreement.mismatches.front(),
                                            result.launches[i].kernel->params, "ALT=0", "ALT=1"),
                   kind_of(agreement.mismatches.front())};
  }
  return std::nullopt;
}

}  // namespace

std::string signature(const Finding& finding) {
  if (!finding.trait.empty()) return finding.kind + ": " + finding.trait;
  // What stands behind a semicolon is what else came of it.
  if (finding.kind == "accepted") return finding.kind;
  std::string text = finding.kind + ": ";
  for (const char c : finding.text) {
    const bool again = (c == ' ' || c == '-') && text.back() == c;  // the width of a column
    if (std::isdigit(static_cast<unsigned char>(c)) == 0 && !again) text += c;
  }
  // A table of variants says in each row why; another reason is another finding.
  constexpr std::size_t kSentence = 90;
  return text.find("Variant") == std::string::npos ? text.substr(0, kSentence) : text;
}

OracleReport check_script(const std::string& text, const OracleOptions& options) {
  const SourceRef source = source_of(text);
  OracleEngine engine(options, false);
  const dsl::ScriptResult result = run(source, engine, options, false);
  OracleReport report = engine.report;
  if (report.finding) return report;
  if (result.launches.empty()) {
    report.finding = Finding{"refused", "nothing was launched", {}};
    return report;
  }
  if (options.reparse) {
    for (const auto& kernel : result.kernels) {
      if (!report.finding) report.finding = reparse(*kernel);
    }
  }
  if (options.alternative && !report.finding && text.find("\"ALT\"") != std::string::npos) {
    OracleEngine other(options, true);
    const dsl::ScriptResult again = run(source, other, options, true);
    report.finding = other.report.finding;
    if (!report.finding) report.finding = compare_runs(engine, other, again, report);
  }
  return report;
}

}  // namespace tirx::fuzz
