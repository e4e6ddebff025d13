// The entry of the layer: errors become values here.
#include "dsl/run_script.hpp"

#include <algorithm>

#include "dsl/eval/interpreter.hpp"
#include "dsl/parse.hpp"

namespace tirx::dsl {

namespace {

/// Runs nothing: `tirx emit` wants the kernels only.
class RecordingEngine : public Engine {
 public:
  ir::LaunchOutcome launch(const ir::Kernel&, std::span<const ir::Argument>, Span) override {
    return {};
  }

  [[nodiscard]] bool checks(ir::FaultKind) const override { return false; }
};

/// --set of a name that the script, at its end, had not asked for.
void report_unknown_parameters(const ScriptOptions& options, ScriptResult& result) {
  for (const auto& [name, value] : options.set) {
    if (std::find(result.params.begin(), result.params.end(), name) != result.params.end()) {
      continue;
    }
    Diagnostic diagnostic{{},
                          fmt::format("--set {}={}: the script has no tirx.param(\"{}\", …){}",
                                      name, value, name, did_you_mean(name, result.params)),
                          {}};
    if (result.params.empty()) diagnostic.notes.push_back({{}, "it has no parameters at all"});
    result.diagnostics.push_back(std::move(diagnostic));
  }
}

}  // namespace

bool ScriptResult::has_errors() const {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

ScriptResult run_script(const SourceRef& source, Engine& engine, const ScriptOptions& options) {
  ScriptResult result;
  ParseResult parsed = parse(source);
  if (!parsed.ok()) {
    result.diagnostics = std::move(parsed.errors);
    return result;
  }
  try {
    Interpreter interpreter(source, engine, options, result);
    interpreter.run(parsed.module);
    report_unknown_parameters(options, result);
  } catch (EvalError& error) {
    result.diagnostics.push_back(std::move(error.diagnostic));
  } catch (const ScriptStopped&) {
    // Recorded where it was thrown.
  }
  return result;
}

ScriptResult collect_kernels(const SourceRef& source, const ScriptOptions& options) {
  RecordingEngine engine;
  ScriptOptions collecting = options;
  collecting.collect_only = true;
  collecting.output = nullptr;
  ScriptResult result = run_script(source, engine, collecting);
  result.differences.clear();
  result.findings.clear();
  return result;
}

}  // namespace tirx::dsl
