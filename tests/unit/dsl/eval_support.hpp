// Running scripts in tests: what they print, the kernels they build, the errors they get.
#pragma once

#include <string>
#include <vector>

#include "dsl/run_script.hpp"
#include "ir/kernel.hpp"

namespace tirx::dsl::test {

/// Records launches and runs nothing.
class FakeEngine : public Engine {
 public:
  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span call) override;

  [[nodiscard]] bool checks(ir::FaultKind) const override { return true; }

  std::vector<std::string> launched;  // "name(argument, …)"
};

struct Ran {
  ScriptResult result;
  std::string output;
  std::vector<std::string> launched;
  SourceRef source;

  /// "LINE:COLUMN: TEXT" of the errors (then of the differences), one a line, without notes.
  [[nodiscard]] std::string errors() const;
  /// The same for warnings.
  [[nodiscard]] std::string warnings() const;
  /// All notes of the first error: "LINE:COLUMN: TEXT", or "TEXT" without a place.
  [[nodiscard]] std::string notes() const;
};

[[nodiscard]] Ran run(const std::string& script);
/// The printed kernel, from T.device_entry() on (without that line and the ids), unindented.
[[nodiscard]] std::string body_of(const ir::Kernel& kernel);
/// The statements of one kernel with the usual frame around them: parameters A, B (float32, 64),
/// H (float16, 64), I (int32, 64), U (uint32, 64), `n: T.int32`, ids bx, t, lane.
[[nodiscard]] std::string in_kernel(const std::string& statements);
/// body_of what `in_kernel` builds, or its errors.
[[nodiscard]] std::string built(const std::string& statements);
/// The errors of `in_kernel`; lines count from the first statement.
[[nodiscard]] std::string rejected(const std::string& statements);
/// What a script prints; its errors if it has any.
[[nodiscard]] std::string printed(const std::string& script);

}  // namespace tirx::dsl::test
