#include "cli/engines.hpp"

#include <cstdlib>
#include <ostream>

#include <fmt/format.h>

#include "cli/progress.hpp"
#include "sim/simulate.hpp"

namespace tirx::cli {

const lower::LoweredKernel* LoweringCache::get(const ir::Kernel& kernel,
                                               ir::LaunchOutcome& outcome) {
  const auto known = lowered_.find(&kernel);
  if (known != lowered_.end()) return &known->second;
  Result<lower::LoweredKernel> lowered = lower::lower(kernel, target_);
  if (!lowered) {
    outcome.status = ir::LaunchStatus::refused;
    outcome.diagnostics.push_back(lowered.error());
    return nullptr;
  }
  for (const Diagnostic& warning : lowered->warnings) outcome.diagnostics.push_back(warning);
  return &lowered_.emplace(&kernel, std::move(lowered).value()).first->second;
}

namespace {

/// Puts what was noticed before the launch in front of what the launch says.
ir::LaunchOutcome joined(DiagnosticList before, ir::LaunchOutcome outcome) {
  outcome.diagnostics.insert(outcome.diagnostics.begin(), before.begin(), before.end());
  return outcome;
}

cuda::DeviceLaunchOptions device_options(const Options& options) {
  cuda::DeviceLaunchOptions device;
  device.timeout_seconds = options.timeout_seconds;
  device.allow_raw_cuda = options.allow_raw_cuda;
  return device;
}

}  // namespace

ir::LaunchOutcome SimEngine::launch(const ir::Kernel& kernel,
                                    std::span<const ir::Argument> args,
                                    Span) {
  ir::LaunchOutcome outcome;
  const lower::LoweredKernel* lowered = cache_.get(kernel, outcome);
  if (lowered == nullptr) return outcome;
  sim::SimOptions sim = options_.sim;
  ProgressLine line(options_, kernel.name);
  sim.watch = line.watch();
  return joined(std::move(outcome.diagnostics), sim::simulate(*lowered, args, sim));
}

bool SimEngine::checks(ir::FaultKind kind) const {
  return sim::notices(options_.sim, kind);
}

GpuEngine::GpuEngine(const Options& options, cuda::Device device)
    : options_(options), device_(std::move(device)), cache_(*device_.info().target) {}

ir::LaunchOutcome GpuEngine::launch(const ir::Kernel& kernel,
                                    std::span<const ir::Argument> args,
                                    Span) {
  ir::LaunchOutcome outcome;
  const lower::LoweredKernel* lowered = cache_.get(kernel, outcome);
  if (lowered == nullptr) return outcome;
  return joined(std::move(outcome.diagnostics),
                device_.launch(*lowered, args, device_options(options_)).outcome);
}

DiffEngine::DiffEngine(const Options& options, cuda::Device device)
    : options_(options), device_(std::move(device)), cache_(*device_.info().target) {}

bool DiffEngine::checks(ir::FaultKind kind) const {
  return sim::notices(options_.sim, kind);
}

void leave_if_lost(const cuda::Device& device, Exit code, std::ostream& out, std::ostream& err) {
  if (device.usable()) return;
  out.flush();
  err.flush();
  std::_Exit(static_cast<int>(code));
}

Result<cuda::Device> open_gpu(const Options& options) {
  Result<cuda::Device> device = cuda::open_device();
  if (!device) return device;
  const cuda::DeviceInfo& info = device->info();
  if (info.target == nullptr) {
    return Diagnostic{{},
                      fmt::format("the GPU {} (sm_{}) is of an architecture tirx does not know",
                                  info.name, info.sm),
                      {}};
  }
  if (options.target != nullptr && options.target != info.target) {
    return Diagnostic{{},
                      fmt::format("--arch {} was asked for, but the GPU is {}",
                                  options.target->name, info.target->name),
                      {Note{{}, "leave --arch out to take the device's"}}};
  }
  return device;
}

}  // namespace tirx::cli
