// Lockstep: the same launch on simulator and GPU, and where the results part.
#include <fmt/format.h>

#include "cli/engines.hpp"
#include "fuzz/agree/compare.hpp"
#include "ir/visit.hpp"
#include "sim/simulate.hpp"

namespace tirx::cli {

namespace {

/// The places of the script that write the parameter's storage: who made the wrong value.
std::vector<Note> writers(const lower::LoweredKernel& kernel, std::size_t parameter) {
  std::vector<Note> notes;
  const ir::Storage* storage = kernel.params[parameter].buffer->storage.get();
  const auto note_writer = [&](const ir::Stmt& stmt) {
    const auto* store = std::get_if<ir::Store>(&stmt.node);
    if (store == nullptr || store->to.buffer->storage.get() != storage || notes.size() >= 3) return;
    for (const Note& known : notes) {
      if (known.span == stmt.span) return;
    }
    notes.push_back({stmt.span, "written here"});
  };
  ir::for_each_in_body(kernel.body, note_writer, [](const ir::Expr&) {});
  return notes;
}

}  // namespace

ir::LaunchOutcome DiffEngine::launch(const ir::Kernel& kernel,
                                     std::span<const ir::Argument> args,
                                     Span call) {
  Comparison comparison;
  comparison.kernel = kernel.name;
  comparison.call = call;
  ir::LaunchOutcome outcome;
  const lower::LoweredKernel* lowered = cache_.get(kernel, outcome);
  if (lowered == nullptr) return outcome;
  DiagnosticList notices = std::move(outcome.diagnostics);
  const std::vector<ir::Argument> on_device = fuzz::clone(args);
  outcome = sim::simulate(*lowered, args, options_.sim);
  // A faulty launch promises nothing, and could take the device down.
  if (outcome.status == ir::LaunchStatus::ok && outcome.faults.empty()) {
    cuda::DeviceLaunchOptions device;
    device.timeout_seconds = options_.timeout_seconds;
    device.allow_raw_cuda = options_.allow_raw_cuda;
    const ir::LaunchOutcome measured = device_.launch(*lowered, on_device, device).outcome;
    for (const Diagnostic& diagnostic : measured.diagnostics) notices.push_back(diagnostic);
    outcome.faults.insert(outcome.faults.end(), measured.faults.begin(), measured.faults.end());
    if (measured.status == ir::LaunchStatus::ok) {
      comparison.ran_on_gpu = true;
      compare(*lowered, args, on_device, comparison);
    } else {
      outcome.status = measured.status;
    }
  }
  comparisons_.push_back(comparison);
  outcome.diagnostics.insert(outcome.diagnostics.begin(), notices.begin(), notices.end());
  return outcome;
}

void DiffEngine::compare(const lower::LoweredKernel& kernel,
                         std::span<const ir::Argument> simulated,
                         std::span<const ir::Argument> measured,
                         Comparison& comparison) {
  const fuzz::Agreement agreement = fuzz::compare(simulated, measured, {options_.nan_bits, false});
  comparison.elements += agreement.elements;
  comparison.differing += agreement.differing;
  for (const fuzz::Mismatch& mismatch : agreement.mismatches) {
    differences_.push_back(
        {comparison.call,
         fmt::format("{} differs on the GPU in {}", kernel.params[mismatch.argument].name,
                     fuzz::describe(mismatch, kernel.params, "simulator", "GPU")),
         writers(kernel, mismatch.argument), Severity::error});
  }
}

}  // namespace tirx::cli
