// Lockstep: the same launch on simulator and GPU, and where the results part.
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/engines.hpp"
#include "fuzz/agree/compare.hpp"
#include "ir/all_ops.hpp"
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

/// One way to ask the GPU: as it is, once more, or compiled with other options of ptxas.
struct Opinion {
  std::string name;
  std::vector<std::string> flags;
};

std::vector<Opinion> gpu_opinions(const Options& options) {
  std::vector<Opinion> all{{"GPU", {}}};
  for (int i = 1; i < options.repeat; ++i) all.push_back({fmt::format("GPU, run {}", i + 1), {}});
  for (const std::string& level : options.ptxas_levels)
    all.push_back({"GPU, ptxas -" + level, {"--ptxas-options=-" + level}});
  return all;
}

/// What the kernel uses whose bits are not witnessed, or have no order: "exp2 (defined)".
std::vector<Note> fidelity_notes(const lower::LoweredKernel& kernel) {
  std::set<std::string> names;
  ir::for_each_in_body(
      kernel.body, [](const ir::Stmt&) {},
      [&](const ir::Expr& expr) {
        if (const auto* call = ir::as<ir::MachineCall>(expr)) {
          const ir::OpSpec& spec = ir::spec(call->op);
          if (spec.result != ir::ResultRule::none && spec.fidelity != ir::Fidelity::witnessed)
            names.insert(fmt::format("{} ({})", spec.name, ir::to_string(spec.fidelity)));
        } else if (const auto* scalar = ir::as<ir::Scalar>(expr)) {
          const num::Evidence evidence = num::row(scalar->op).evidence;
          if (evidence == num::Evidence::published || evidence == num::Evidence::modelled)
            names.insert(
                fmt::format("{} ({})", num::name(scalar->op),
                            evidence == num::Evidence::published ? "published" : "modelled"));
        }
      });
  if (names.empty()) return {};
  return {
      {{},
       fmt::format("of what the kernel uses, not witnessed on a GPU: {}", fmt::join(names, ", "))}};
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
  const std::vector<ir::Argument> before = fuzz::clone(args);
  outcome = sim::simulate(*lowered, args, options_.sim);
  // A faulty launch promises nothing, and could take the device down.
  if (outcome.status == ir::LaunchStatus::ok && outcome.faults.empty()) {
    for (const Opinion& opinion : gpu_opinions(options_)) {
      cuda::DeviceLaunchOptions device;
      device.timeout_seconds = options_.timeout_seconds;
      device.allow_raw_cuda = options_.allow_raw_cuda;
      device.compile_flags = opinion.flags;
      const std::vector<ir::Argument> on_device = fuzz::clone(before);
      const ir::LaunchOutcome measured = device_.launch(*lowered, on_device, device).outcome;
      for (const Diagnostic& diagnostic : measured.diagnostics) notices.push_back(diagnostic);
      outcome.faults.insert(outcome.faults.end(), measured.faults.begin(), measured.faults.end());
      if (measured.status != ir::LaunchStatus::ok) {
        outcome.status = measured.status;
        break;
      }
      comparison.ran_on_gpu = true;
      ++comparison.gpu_runs;
      compare(*lowered, args, on_device, opinion.name, comparison);
    }
  }
  comparisons_.push_back(comparison);
  outcome.diagnostics.insert(outcome.diagnostics.begin(), notices.begin(), notices.end());
  return outcome;
}

void DiffEngine::compare(const lower::LoweredKernel& kernel,
                         std::span<const ir::Argument> simulated,
                         std::span<const ir::Argument> measured,
                         std::string_view gpu,
                         Comparison& comparison) {
  const fuzz::Agreement agreement = fuzz::compare(simulated, measured, {options_.nan_bits, false});
  comparison.elements += agreement.elements;
  comparison.differing += agreement.differing;
  for (const fuzz::Mismatch& mismatch : agreement.mismatches) {
    std::vector<Note> notes = writers(kernel, mismatch.argument);
    for (Note& note : fidelity_notes(kernel)) notes.push_back(std::move(note));
    differences_.push_back(
        {comparison.call,
         fmt::format("{} differs on the GPU in {}", kernel.params[mismatch.argument].name,
                     fuzz::describe(mismatch, kernel.params, "simulator", gpu)),
         std::move(notes), Severity::error});
  }
}

}  // namespace tirx::cli
