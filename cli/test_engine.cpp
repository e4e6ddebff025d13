#include "cli/test_engine.hpp"

#include <fmt/format.h>

namespace tirx::cli {

namespace {

using fuzz::Judgement;

}  // namespace

TestEngine::TestEngine(const Options& options, std::optional<cuda::Device> gpu)
    : options_(options),
      gpu_(std::move(gpu)),
      cache_(gpu_ ? *gpu_->info().target : options.arch()) {
  for (const fuzz::Opinion& opinion : fuzz::opinions()) {
    totals_.emplace_back();
    totals_.back().name = opinion.name;
  }
  totals_.emplace_back();
  totals_.back().name = "gpu";
}

bool TestEngine::checks(ir::FaultKind kind) const {
  return sim::notices(options_.sim, kind);
}

ir::LaunchOutcome TestEngine::launch(const ir::Kernel& kernel,
                                     std::span<const ir::Argument> args,
                                     Span call) {
  ir::LaunchOutcome outcome;
  const lower::LoweredKernel* lowered = cache_.get(kernel, outcome);
  if (lowered == nullptr) return outcome;
  DiagnosticList warnings = std::move(outcome.diagnostics);
  const std::vector<ir::Argument> before = fuzz::clone(args);
  fuzz::Run first{sim::simulate(*lowered, args, options_.sim), {args.begin(), args.end()}};
  ++launches_;
  // A launch that was refused or given up is reported as such; there is nothing to agree on.
  if (first.outcome.status == ir::LaunchStatus::ok) {
    std::size_t column = 0;
    for (const fuzz::Opinion& opinion : fuzz::opinions()) {
      OpinionTotal& total = totals_[column++];
      if (opinion.tile_level && !fuzz::is_for_the_evaluator(kernel, first)) continue;
      ask(opinion, kernel, *lowered, before, first, call, total);
    }
    if (gpu_ && first.outcome.faults.empty()) ask_gpu(*lowered, before, first, call);
  }
  outcome = std::move(first.outcome);
  outcome.diagnostics.insert(outcome.diagnostics.begin(), warnings.begin(), warnings.end());
  return outcome;
}

void TestEngine::ask(const fuzz::Opinion& opinion,
                     const ir::Kernel& kernel,
                     const lower::LoweredKernel& lowered,
                     std::span<const ir::Argument> before,
                     const fuzz::Run& first,
                     Span call,
                     OpinionTotal& total) {
  const fuzz::Run second =
      fuzz::run_opinion(opinion, kernel, lowered, before, options_.sim, options_.max_tile_steps);
  const fuzz::Verdict verdict =
      fuzz::judge(kernel, first, second, opinion.name, opinion.tile_level);
  ++total.launches;
  total.elements += verdict.elements;
  const auto report = [&](std::string_view what) {
    return Diagnostic{call, fmt::format("{}: {}", what, verdict.text), {}, Severity::warning};
  };
  switch (verdict.judgement) {
    case Judgement::same:
      return;
    case Judgement::differs:
      ++total.differing;
      differences_.push_back(report(opinion.name));
      differences_.back().severity = Severity::error;
      return;
    case Judgement::order_dependent:
      ++total.ordered;
      notices_.push_back(report(fmt::format("{}: order-dependent", opinion.name)));
      notices_.back().notes.push_back(
          {{},
           "the kernel asks for what no order is specified for: an elected lane, the value an "
           "atomic returns, a clock, a sum of float atomics"});
      return;
    case Judgement::skipped:
      ++total.skipped;
      notices_.push_back(report(fmt::format("{}: not compared", opinion.name)));
      return;
  }
}

void TestEngine::ask_gpu(const lower::LoweredKernel& lowered,
                         std::span<const ir::Argument> before,
                         const fuzz::Run& first,
                         Span call) {
  OpinionTotal& total = totals_.back();
  fuzz::Run second{{}, fuzz::clone(before)};
  cuda::DeviceLaunchOptions device;
  device.timeout_seconds = options_.timeout_seconds;
  device.allow_raw_cuda = options_.allow_raw_cuda;
  second.outcome = gpu_->launch(lowered, second.arguments, device).outcome;
  ++total.launches;
  if (second.outcome.status != ir::LaunchStatus::ok || !second.outcome.faults.empty()) {
    ++total.differing;
    std::string why = "the launch failed";
    for (const Diagnostic& diagnostic : second.outcome.diagnostics) why = diagnostic.text;
    for (const ir::Fault& fault : second.outcome.faults) why = fault.text;
    differences_.push_back({call, "gpu: " + why, {}, Severity::error});
    return;
  }
  const fuzz::Agreement agreement =
      fuzz::compare(first.arguments, second.arguments, {options_.nan_bits, false});
  total.elements += agreement.elements;
  if (agreement.same()) return;
  ++total.differing;
  for (const fuzz::Mismatch& mismatch : agreement.mismatches) {
    differences_.push_back(
        {call,
         "gpu: differs in " + fuzz::describe(mismatch, lowered.params, "simulator", "GPU"),
         {},
         Severity::error});
  }
}

}  // namespace tirx::cli
