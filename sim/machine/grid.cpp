// CTAs are dispatched in linear order.  Kernels in which CTAs cannot wait for each other run them
// one after the other; where they can (clusters, polling loops), as many are resident as the target
// holds, and each runs until it waits.
#include "sim/machine/grid.hpp"

#include <fmt/format.h>

#include "sim/machine/grid_run.hpp"

namespace tirx::sim {

Grid::Grid(const lower::LoweredKernel& kernel,
           const Binding& binding,
           const Program& program,
           const SimOptions& options,
           ir::LaunchOutcome& outcome)
    : kernel_(kernel), binding_(binding), program_(program), options_(options), outcome_(outcome) {
  machine_.program = &program;
  machine_.binding = &binding;
  machine_.options = &options;
  machine_.source = kernel.source.get();
  if (options.stats) {
    stats_ = std::make_unique<Stats>(program);
    machine_.stats = stats_.get();
  }
  if (program.races) global_races_ = std::make_unique<GlobalRaces>(machine_);
  faults_ = FaultSink(options.checks);
}

void Grid::run() {
  const std::int64_t cluster = binding_.cluster[0] * binding_.cluster[1] * binding_.cluster[2];
  affordable_ = options_.max_memory / state_bytes(program_, binding_.threads());
  if (affordable_ < cluster) {
    out_of_memory();
    return;
  }
  if (program_.resumable || cluster > 1) {
    run_resident(cluster);
  } else if (!run_parallel()) {
    run_one_by_one();
  }
  finish();
}

bool Grid::watch(std::int64_t ended, std::uint64_t steps) {
  if (options_.watch == nullptr) return true;
  if (!options_.watch(Progress{ended, binding_.ctas(), steps})) interrupted_ = true;
  return !interrupted_;
}

void Grid::run_one_by_one() {
  machine_.counted = true;
  if (global_races_ != nullptr) global_races_->alone = true;
  Cta cta(machine_, global_races_.get());
  for (std::int64_t i = 0; i < binding_.ctas(); ++i) {
    cta.reset(i, nullptr);
    const std::uint64_t left = options_.max_steps - std::min(options_.max_steps, steps_);
    const CtaState state = advance(cta, left, [&] { return watch(ended_, steps_ + cta.steps); });
    if (!collect(cta, state)) return;
    ++ended_;
    // A CTA of few instructions takes a microsecond.
    if (steps_ - told_ < kOften && i % 256 != 255) continue;
    told_ = steps_;
    if (!watch(ended_, steps_)) return;
  }
}

void Grid::collect_faults(Cta& cta) {
  faults_.merge(cta.faults);
  cta.faults.clear();
  outcome_.output += cta.output;
  cta.output.clear();
  if (cta.takes_turns()) return;  // told as they were stored (exec::remember_poison)
  cta.tell_origins([&](std::size_t tensor) -> auto& {
    return binding_.tensors[tensor].memory->origins;
  });
}

bool Grid::collect(Cta& cta, CtaState state) {
  steps_ += cta.steps;
  if (state == CtaState::waiting) {
    cta.report_deadlock("every warp of the CTA waits for something that never comes");
  }
  if (state == CtaState::step_limit && !interrupted_) {
    step_limit_ = true;
    step_limit_at_ = cta.out_of_steps_at;
  }
  if (cta.trapped) stopped_ = true;
  collect_faults(cta);
  return !step_limit_ && !stopped_ && !interrupted_;
}

std::string Grid::how_far() const {
  return fmt::format("{} of {} CTAs had ended", ended_, binding_.ctas());
}

void Grid::out_of_memory() {
  outcome_.status = ir::LaunchStatus::incomplete;
  Diagnostic diagnostic{
      kernel_.span,
      fmt::format("memory limit: one CTA takes {} bytes of simulator state, the limit is {}",
                  state_bytes(program_, binding_.threads()), options_.max_memory),
      {},
      Severity::error};
  diagnostic.notes.push_back({{}, "use smaller local arrays, fewer threads, or a smaller grid"});
  outcome_.diagnostics.push_back(std::move(diagnostic));
}

void Grid::finish() {
  outcome_.warp_instructions = steps_;
  if (stats_ != nullptr) {
    outcome_.stats = stats_->take(kernel_.source.get());
    outcome_.stats->ctas = static_cast<std::uint64_t>(binding_.ctas());
    outcome_.stats->threads = static_cast<std::uint64_t>(binding_.threads());
  }
  outcome_.faults = faults_.take(options_.max_faults);
  if (step_limit_) {
    outcome_.status = ir::LaunchStatus::incomplete;
    Diagnostic diagnostic{step_limit_at_.empty() ? kernel_.span : step_limit_at_,
                          fmt::format("step limit: {} warp instructions", options_.max_steps),
                          {},
                          Severity::error};
    diagnostic.notes.push_back({{}, "if this loop does end, raise the limit with --max-steps"});
    if (binding_.ctas() > 1) diagnostic.notes.push_back({{}, how_far()});
    diagnostic.notes.insert(diagnostic.notes.end(), polls_.begin(), polls_.end());
    outcome_.diagnostics.push_back(std::move(diagnostic));
  }
  if (no_end_) {
    outcome_.status = ir::LaunchStatus::incomplete;
    Diagnostic diagnostic{step_limit_at_.empty() ? kernel_.span : step_limit_at_,
                          fmt::format("this launch goes round in circles: given up after {} warp "
                                      "instructions",
                                      steps_),
                          {},
                          Severity::error};
    if (binding_.ctas() > 1) diagnostic.notes.push_back({{}, how_far()});
    diagnostic.notes.insert(diagnostic.notes.end(), polls_.begin(), polls_.end());
    outcome_.diagnostics.push_back(std::move(diagnostic));
  }
  if (interrupted_) {
    outcome_.status = ir::LaunchStatus::incomplete;
    Diagnostic diagnostic{
        kernel_.span,
        fmt::format("time limit: {} after {} warp instructions", how_far(), steps_),
        {},
        Severity::error};
    diagnostic.notes.push_back(
        {{},
         binding_.ctas() > 1 ? "raise the limit with --max-seconds, or use a smaller grid"
                             : "raise the limit with --max-seconds, or use a smaller problem"});
    diagnostic.notes.insert(diagnostic.notes.end(), polls_.begin(), polls_.end());
    outcome_.diagnostics.push_back(std::move(diagnostic));
  }
  if (races_full_ || (global_races_ != nullptr && global_races_->full)) {
    outcome_.status = ir::LaunchStatus::incomplete;
    Diagnostic diagnostic{kernel_.span, "the race detector ran out of memory", {}, Severity::error};
    diagnostic.notes.push_back({{}, "use a smaller grid, or --check mem"});
    outcome_.diagnostics.push_back(std::move(diagnostic));
  }
  // Without the check nothing tracked what was written: the host sees whole tensors.
  if (!options_.checks.has(ir::FaultKind::uninit)) {
    for (const BoundTensor& tensor : binding_.tensors) {
      if (tensor.written) {
        tensor.memory->set_valid(static_cast<std::size_t>(tensor.lo),
                                 static_cast<std::size_t>(tensor.hi), true);
      }
    }
  }
}

void run_grid(const lower::LoweredKernel& kernel,
              const Binding& binding,
              const Program& program,
              const SimOptions& options,
              ir::LaunchOutcome& outcome) {
  Grid(kernel, binding, program, options, outcome).run();
}

}  // namespace tirx::sim
