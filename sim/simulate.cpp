// From arguments to outcome: bind, make bytecode, run the grid.
#include "sim/simulate.hpp"

#include "sim/bind.hpp"
#include "sim/machine/grid.hpp"
#include "sim/program/compiler.hpp"

namespace tirx::sim {

ir::LaunchOutcome simulate(const lower::LoweredKernel& kernel,
                           std::span<const ir::Argument> arguments,
                           const SimOptions& options) {
  ir::LaunchOutcome outcome;
  const Result<Binding> binding = bind(kernel, arguments);
  if (!binding) {
    outcome.status = ir::LaunchStatus::refused;
    outcome.diagnostics.push_back(binding.error());
    return outcome;
  }
  const Result<std::unique_ptr<Program>> program = Compiler(kernel, binding.value(), options).run();
  if (!program) {
    outcome.status = ir::LaunchStatus::incomplete;
    outcome.diagnostics.push_back(program.error());
    return outcome;
  }
  run_grid(kernel, binding.value(), *program.value(), options, outcome);
  return outcome;
}

}  // namespace tirx::sim
