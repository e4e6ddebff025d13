// What happens when the host calls a kernel?  The arguments are checked against the parameters
// (dtype, shape, symbols, overlap), then the engine runs.
#pragma once

#include "dsl/eval/arguments.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/objects.hpp"

namespace tirx::dsl {

[[nodiscard]] Value launch_kernel(Interpreter& interpreter,
                                  const std::shared_ptr<KernelValue>& kernel,
                                  CallArgs args);
/// kernel(a, b) of a jit kernel whose constexprs all have defaults.
[[nodiscard]] Value launch_jit(Interpreter& interpreter,
                               const std::shared_ptr<JitValue>& jit,
                               CallArgs args);

/// The arguments of a launch, checked; errors name the parameter.
[[nodiscard]] std::vector<ir::Argument> launch_arguments(Interpreter& interpreter,
                                                         const ir::Kernel& kernel,
                                                         CallArgs args);
/// Runs a launch and records it.  `expected`: the word of a fault that must come, or empty.
ir::LaunchOutcome run_launch(Interpreter& interpreter,
                             const std::shared_ptr<const ir::Kernel>& kernel,
                             const std::vector<ir::Argument>& args,
                             Span span,
                             const std::string& expected = {});

}  // namespace tirx::dsl
