#include "fuzz/check/refused.hpp"

#include <memory>
#include <vector>

#include <fmt/format.h>

#include "dsl/run_script.hpp"
#include "fuzz/agree/opinions.hpp"
#include "fuzz/expect/expectation.hpp"
#include "lower/lower.hpp"

namespace tirx::fuzz {

namespace {

/// Lowers and launches, and keeps the first error.
class RefusingEngine : public dsl::Engine {
 public:
  explicit RefusingEngine(const OracleOptions& options) : options_(options) {}

  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span) override {
    const ir::Target& target = options_.target != nullptr ? *options_.target : ir::default_target();
    const Result<lower::LoweredKernel> lowered = lower::lower(kernel, target);
    if (!lowered) {
      note(lowered.error());
      ir::LaunchOutcome refused;
      refused.status = ir::LaunchStatus::refused;
      return refused;
    }
    ir::LaunchOutcome outcome = sim::simulate(*lowered, args, options_.sim);
    ++launches;
    for (const Diagnostic& diagnostic : outcome.diagnostics) note(diagnostic);
    if (!error && !outcome.faults.empty() && fault.empty())
      fault = fmt::format(", fault {}: {}", ir::to_string(outcome.faults[0].kind),
                          outcome.faults[0].text);
    return outcome;
  }

  [[nodiscard]] bool checks(ir::FaultKind kind) const override {
    return sim::notices(options_.sim, kind);
  }

  /// What a run has shown comes before what the script says of it.
  void note(const Diagnostic& diagnostic) {
    if (diagnostic.severity == Severity::error && !error && fault.empty()) error = diagnostic;
  }

  std::optional<Diagnostic> error;
  std::string fault;
  int launches = 0;

 private:
  const OracleOptions& options_;
};

}  // namespace

std::optional<Finding> check_refused(const std::string& text, const OracleOptions& options) {
  const auto source = std::make_shared<const Source>("fuzz.tx", text);
  RefusingEngine engine(options);
  dsl::ScriptOptions script;
  script.target = options.target;
  script.folder = "/nonexistent";
  const dsl::ScriptResult result = dsl::run_script(source, engine, script);
  for (const Diagnostic& diagnostic : result.diagnostics) engine.note(diagnostic);
  if (!engine.error) {
    if (engine.launches == 0)
      return Finding{"no launch", "the script with a planted fault launches nothing", {}};
    return Finding{"accepted",
                   fmt::format("a kernel that breaks a static rule is not refused; it ran, {} "
                               "launches{}",
                               engine.launches, engine.fault),
                   {}};
  }
  const Diagnostic& error = *engine.error;
  const std::size_t line = error.span.empty() ? 0 : source->locate(error.span.begin).line;
  std::string missed;
  for (const Expectation& expected : expectations_of(text)) {
    if (expected.word != "refused") continue;
    const bool here = expected.line == 0 || expected.line == line;
    if (here && error.text.find(expected.words) != std::string::npos) return std::nullopt;
    missed = fmt::format("\"{}\"", expected.words);
    if (expected.line != 0) missed += fmt::format(" at line {}", expected.line);
  }
  if (missed.empty()) return std::nullopt;
  return Finding{"hidden",
                 fmt::format("refused, but not with {}: at line {}: {}", missed, line, error.text),
                 {}};
}

}  // namespace tirx::fuzz
