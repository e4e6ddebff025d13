// Lockstep: the same launch on simulator and GPU, and where the results part.
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/engines.hpp"
#include "ir/visit.hpp"
#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"
#include "numerics/text.hpp"
#include "sim/simulate.hpp"

namespace tirx::cli {

namespace {

/// The same arguments on memory of their own; arguments that share memory still do.
std::vector<ir::Argument> clone(std::span<const ir::Argument> args) {
  std::unordered_map<const ir::Memory*, std::shared_ptr<ir::Memory>> copies;
  std::vector<ir::Argument> out(args.begin(), args.end());
  for (ir::Argument& argument : out) {
    auto* tensor = std::get_if<ir::Tensor>(&argument);
    if (tensor == nullptr) continue;
    std::shared_ptr<ir::Memory>& copy = copies[tensor->memory.get()];
    if (!copy) copy = std::make_shared<ir::Memory>(*tensor->memory);
    tensor->memory = copy;
  }
  return out;
}

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

struct FirstDifference {
  std::int64_t flat = 0;
  num::Bits simulated = 0;
  num::Bits measured = 0;
};

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
  const std::vector<ir::Argument> on_device = clone(args);
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
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    const auto* a = std::get_if<ir::Tensor>(&simulated[i]);
    if (a == nullptr || !kernel.params[i].buffer) continue;
    const auto& b = std::get<ir::Tensor>(measured[i]);
    const std::int64_t size = a->size();
    std::int64_t differing = 0;
    FirstDifference first;
    for (std::int64_t flat = 0; flat < size; ++flat) {
      const auto at = static_cast<std::size_t>(a->offset + flat);
      const auto begin = static_cast<std::size_t>(ir::storage_bytes(a->dtype, a->offset + flat));
      const auto end = static_cast<std::size_t>(ir::storage_bytes(a->dtype, a->offset + flat + 1));
      if (!a->memory->is_valid(std::min(begin, end - 1), end))
        continue;  // never written: nothing to promise
      const num::Bits x = num::load_element(
          reinterpret_cast<const std::uint8_t*>(a->memory->bytes.data()), at, a->dtype);
      const num::Bits y = num::load_element(
          reinterpret_cast<const std::uint8_t*>(b.memory->bytes.data()), at, b.dtype);
      ++comparison.elements;
      if (x == y || (!options_.nan_bits && num::same_value(x, y, a->dtype))) continue;
      if (differing++ == 0) first = {flat, x, y};
    }
    if (differing == 0) continue;
    comparison.differing += differing;
    std::vector<std::int64_t> index(a->shape.size(), 0);
    std::int64_t rest = first.flat;
    for (std::size_t d = index.size(); d-- > 0; rest /= a->shape[d]) index[d] = rest % a->shape[d];
    Diagnostic report{comparison.call, {}, writers(kernel, i), Severity::error};
    report.text = fmt::format(
        "{} differs on the GPU in {} of {} elements; first at {}[{}]: simulator {} ({}), GPU {} "
        "({})",
        kernel.params[i].name, differing, size, kernel.params[i].buffer->name,
        fmt::join(index, ", "), num::to_text(first.simulated, a->dtype),
        num::to_hex(first.simulated, a->dtype), num::to_text(first.measured, a->dtype),
        num::to_hex(first.measured, a->dtype));
    if (const auto ulp = num::ulp_distance(first.simulated, first.measured, a->dtype)) {
      report.text += fmt::format(", {} ulp apart", *ulp);
    }
    differences_.push_back(std::move(report));
  }
}

}  // namespace tirx::cli
