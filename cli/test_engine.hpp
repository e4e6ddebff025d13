// The engine behind `tirx test`: each launch runs on the simulator, and every other opinion starts
// from the same bytes and must end in the same ones.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/engines.hpp"
#include "fuzz/agree/opinions.hpp"

namespace tirx::cli {

/// What one opinion came to over all launches of a script.
struct OpinionTotal {
  std::string name;
  std::int64_t launches = 0;
  std::int64_t elements = 0;
  std::int64_t differing = 0;  // launches that differ
  std::int64_t ordered = 0;    // launches that differ where the order is not specified
  std::int64_t skipped = 0;
};

class TestEngine : public dsl::Engine {
 public:
  /// `gpu` is asked too, where there is one.
  TestEngine(const Options& options, std::optional<cuda::Device> gpu);

  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span call) override;
  [[nodiscard]] bool checks(ir::FaultKind kind) const override;

  /// One total per opinion; the last is the GPU's.
  [[nodiscard]] const std::vector<OpinionTotal>& totals() const { return totals_; }

  [[nodiscard]] const DiagnosticList& differences() const { return differences_; }

  [[nodiscard]] const DiagnosticList& notices() const { return notices_; }

  [[nodiscard]] std::int64_t launches() const { return launches_; }

 private:
  void ask(const fuzz::Opinion& opinion,
           const ir::Kernel& kernel,
           const lower::LoweredKernel& lowered,
           std::span<const ir::Argument> before,
           const fuzz::Run& first,
           Span call,
           OpinionTotal& total);
  void ask_gpu(const lower::LoweredKernel& lowered,
               std::span<const ir::Argument> before,
               const fuzz::Run& first,
               Span call);

  const Options& options_;
  std::optional<cuda::Device> gpu_;
  LoweringCache cache_;
  std::vector<OpinionTotal> totals_;
  std::int64_t launches_ = 0;
  DiagnosticList differences_;
  DiagnosticList notices_;  // order-dependent results, opinions that could not run
};

}  // namespace tirx::cli
