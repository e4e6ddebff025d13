#include "fuzz/check/oracle.hpp"

#include <cctype>
#include <memory>

#include <fmt/format.h>

#include "dsl/run_script.hpp"
#include "fuzz/check/oracle_engine.hpp"
#include "ir/equal.hpp"
#include "ir/print.hpp"

namespace tirx::fuzz {

namespace {

SourceRef source_of(const std::string& text) {
  const std::string name(says_cuda(text) ? kQuotedName : "fuzz.tx");
  return std::make_shared<const Source>(name, text);
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

dsl::ScriptResult run_given(const SourceRef& source,
                            OracleEngine& engine,
                            const OracleOptions& options) {
  dsl::ScriptOptions script;
  script.target = options.target;
  script.folder = options.given->folder;
  script.set = options.given->set;
  script.saves_in_memory = true;
  return dsl::run_script(source, engine, script);
}

/// What a run of a script that is right does not end in.
std::optional<Finding> trouble(const dsl::ScriptResult& result) {
  for (const dsl::LaunchRecord& launch : result.launches) {
    for (const ir::Fault& fault : launch.outcome.faults) {
      if (launch.expected != ir::to_string(fault.kind))
        return Finding{fmt::format("fault {}", ir::to_string(fault.kind)), fault.text,
                       trait_of(*launch.kernel, fault)};
    }
  }
  if (!result.findings.empty()) return Finding{"host check", result.findings[0].text, {}};
  if (!result.differences.empty()) return Finding{"assertion", result.differences[0].text, {}};
  for (const Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.severity == Severity::error)
      return Finding{result.incomplete ? "incomplete" : "refused", diagnostic.text, {}};
  }
  return std::nullopt;
}

/// A printed kernel reads back as itself.
std::optional<Finding> reparse(const ir::Kernel& kernel, bool renames) {
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
  // A name that the print itself imports (S, R) was another one in the script.
  if (renames && ir::to_string(*again.kernels[0]) == text) return std::nullopt;
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
  if (options.emit && says_cuda(text)) {
    const ir::Target& target = options.target != nullptr ? *options.target : ir::default_target();
    if (auto broken = broken_text(result.kernels, target, options.emit))
      report.finding = Finding{"cuda", std::move(broken->sentence), std::move(broken->claim)};
  }
  if (options.reparse) {
    for (const auto& kernel : result.kernels) {
      if (!report.finding) report.finding = reparse(*kernel, false);
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

OracleReport check_given(const std::string& text, const OracleOptions& options) {
  const SourceRef source = source_of(text);
  OracleEngine engine(options, false);
  const dsl::ScriptResult result = run_given(source, engine, options);
  const std::optional<Finding> wrong = trouble(result);
  if (wrong && !options.given->recorded) engine.note(wrong->kind, wrong->text, wrong->trait);
  // Results may depend on what has no order; the script's assertions hold in each.
  for (const Opinion& opinion : opinions()) {
    if (!engine.order_matters || wrong || options.given->recorded || opinion.tile_level) continue;
    OracleOptions other = options;
    other.sim = options_of(opinion, options.sim);
    OracleEngine alone(other, true);
    if (const auto then = trouble(run_given(source, alone, other)))
      engine.note(std::string(opinion.name),
                  fmt::format("in its order: {}: {}", then->kind, then->text), then->kind);
  }
  if (options.reparse) {
    for (const auto& kernel : result.kernels) {
      if (const auto differs = reparse(*kernel, true)) engine.note(differs->kind, differs->text);
    }
  }
  return engine.report;
}

}  // namespace tirx::fuzz
