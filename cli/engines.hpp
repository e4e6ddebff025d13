// The engines behind a script's launches: the simulator, the GPU, or both in lockstep.
#pragma once

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "backend_cuda/launch.hpp"
#include "cli/options.hpp"
#include "cli/report.hpp"
#include "dsl/host/engine.hpp"
#include "ir/base/result.hpp"
#include "lower/lower.hpp"

namespace tirx::cli {

/// Lowers each kernel once; the warnings of a kernel come with its first launch.
class LoweringCache {
 public:
  explicit LoweringCache(const ir::Target& target) : target_(target) {}

  /// Null where lowering failed; `outcome` then says why.
  const lower::LoweredKernel* get(const ir::Kernel& kernel, ir::LaunchOutcome& outcome);

 private:
  const ir::Target& target_;
  std::map<const ir::Kernel*, lower::LoweredKernel> lowered_;
};

class SimEngine : public dsl::Engine {
 public:
  explicit SimEngine(const Options& options) : options_(options), cache_(options.arch()) {}

  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span call) override;
  [[nodiscard]] bool checks(ir::FaultKind kind) const override;

 private:
  const Options& options_;
  LoweringCache cache_;
};

class GpuEngine : public dsl::Engine {
 public:
  GpuEngine(const Options& options, cuda::Device device);

  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span call) override;

  /// The hardware tells of nothing.
  [[nodiscard]] bool checks(ir::FaultKind) const override { return false; }

 private:
  const Options& options_;
  cuda::Device device_;
  LoweringCache cache_;
};

/// What came of one launch on both engines.
struct Comparison {
  std::string kernel;
  Span call;
  std::int64_t elements = 0;  // compared
  std::int64_t differing = 0;
  std::int64_t gpu_runs = 0;  // launches on the GPU: repeats and compilers' options count
  bool ran_on_gpu = false;
};

/// Both engines start from the same bytes; the simulator's result goes on.
class DiffEngine : public dsl::Engine {
 public:
  DiffEngine(const Options& options, cuda::Device device);

  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span call) override;
  [[nodiscard]] bool checks(ir::FaultKind kind) const override;

  [[nodiscard]] const std::vector<Comparison>& comparisons() const { return comparisons_; }

  [[nodiscard]] const DiagnosticList& differences() const { return differences_; }

 private:
  void compare(const lower::LoweredKernel& kernel,
               std::span<const ir::Argument> simulated,
               std::span<const ir::Argument> measured,
               std::string_view gpu,
               Comparison& comparison);

  const Options& options_;
  cuda::Device device_;
  LoweringCache cache_;
  std::vector<Comparison> comparisons_;
  DiagnosticList differences_;
};

/// Ends the process at once where the device was lost: after a time-out the kernel still runs, and
/// the driver would wait for it at exit.  Returns otherwise.
void leave_if_lost(const cuda::Device& device, Exit code, std::ostream& out, std::ostream& err);

/// The GPU, or why there is none; an architecture that was asked for and is not the device's is an
/// error.
[[nodiscard]] Result<cuda::Device> open_gpu(const Options& options);

}  // namespace tirx::cli
