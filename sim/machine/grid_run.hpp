// The run of one launch: CTAs in turns (grid.cpp), on several host threads (grid_parallel.cpp), or
// as many at a time as the target holds (grid_resident.cpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "lower/lowered.hpp"
#include "sim/machine/cta.hpp"

namespace tirx::sim {

class Grid {
 public:
  Grid(const lower::LoweredKernel& kernel,
       const Binding& binding,
       const Program& program,
       const SimOptions& options,
       ir::LaunchOutcome& outcome);

  void run();

 private:
  /// Runs CTAs on several host threads.  False: it was not worth it, or CTAs turned out to touch
  /// the same memory, or the launch has to stop early; then nothing has happened.
  bool run_parallel();

  /// CTAs that one host thread takes at a time.  Neighbours: they touch neighbouring pages of the
  /// detector's memory, and a line of a tensor may hold the results of eight.
  std::int64_t share_of(std::int64_t workers) const;

  /// Instructions if no loop and no branch were taken: enough to tell a toy from a workload.
  double work_estimate() const;

  /// Runs a CTA for up to `budget` more instructions, in slices: `go_on` is asked after each.  The
  /// slices are the same whoever asks, for a schedule begins anew with each.
  template <typename GoOn>
  CtaState advance(Cta& cta, std::uint64_t budget, GoOn&& go_on) {
    constexpr std::uint64_t kSlice = std::uint64_t{1} << 22;
    while (true) {
      const std::uint64_t before = cta.steps;
      const CtaState state = cta.run(before + std::min(budget, kSlice));
      budget -= std::min(budget, cta.steps - before);
      if (state != CtaState::step_limit) return state;
      if (budget == 0 || !go_on()) {
        cta.report_order();
        return state;
      }
    }
  }

  /// Says how far the launch is; false where it has to end.
  bool watch(std::int64_t ended, std::uint64_t steps);

  void run_one_by_one();

  /// CTAs that the target holds at a time.
  std::int64_t residency() const;

  /// The CTA's cluster, numbered in linear order of clusters.
  std::int64_t cluster_of(std::int64_t linear) const;

  void run_resident(std::int64_t cluster_size);

  void wake_cluster(Cta& cta) const;

  void collect_faults(Cta& cta);

  /// False when the launch stops here.
  bool collect(Cta& cta, CtaState state);

  /// "12 of 64 CTAs had ended".
  std::string how_far() const;

  /// The state of the CTAs that have to live together is beyond the limit.
  void out_of_memory();

  void finish();

  static constexpr std::uint64_t kOften = std::uint64_t{1} << 16;  // instructions

  const lower::LoweredKernel& kernel_;
  const Binding& binding_;
  const Program& program_;
  const SimOptions& options_;
  ir::LaunchOutcome& outcome_;
  Machine machine_;
  FaultSink faults_;
  std::unique_ptr<GlobalRaces> global_races_;
  std::unique_ptr<Stats> stats_;
  std::atomic<bool> races_full_ = false;
  std::vector<std::unique_ptr<Cta>> pool_;
  std::int64_t affordable_ = 1;  // CTAs whose state fits in memory
  std::uint64_t steps_ = 0, told_ = 0;
  std::int64_t ended_ = 0;  // CTAs
  std::atomic<bool> interrupted_ = false;
  bool step_limit_ = false;
  Span step_limit_at_;
  bool no_end_ = false;      // the launch repeats itself, though what it polls changes
  std::vector<Note> polls_;  // at a limit, where nothing but polling went on: who waits for what
  bool stopped_ = false;
};

}  // namespace tirx::sim
