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
