// CTAs are dispatched in linear order.  Kernels in which CTAs cannot wait for each other run them
// one after the other; where they can (clusters, polling loops), as many are resident as the target
// holds, and each runs until it waits.
#include "sim/machine/grid.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>

namespace tirx::sim {

namespace {

class Grid {
 public:
  Grid(const lower::LoweredKernel& kernel,
       const Binding& binding,
       const Program& program,
       const SimOptions& options,
       ir::LaunchOutcome& outcome)
      : kernel_(kernel),
        binding_(binding),
        program_(program),
        options_(options),
        outcome_(outcome) {
    machine_.program = &program;
    machine_.binding = &binding;
    machine_.options = &options;
    machine_.source = kernel.source.get();
    if (options.stats) {
      stats_ = std::make_unique<Stats>(program);
      machine_.stats = stats_.get();
    }
    if (program.races) global_races_ = std::make_unique<GlobalRaces>(program);
    faults_ = FaultSink(options.checks);
  }

  void run() {
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

 private:
  /// What CTAs run on several host threads have changed, to be able to start again.
  struct Saved {
    std::vector<std::byte> bytes;
    std::vector<std::uint64_t> valid;
  };

  /// What one CTA reported; most report nothing.
  struct Report {
    std::int64_t cta = 0;
    FaultSink faults;
    std::string output;
  };

  /// Runs CTAs on several host threads.  False: it was not worth it, or CTAs turned out to touch
  /// the same memory, or the launch has to stop early; then nothing has happened.
  bool run_parallel() {
    const unsigned hardware = std::max(1U, std::thread::hardware_concurrency());
    const std::int64_t wanted = options_.threads > 0 ? options_.threads : hardware;
    const std::int64_t workers = std::min({wanted, binding_.ctas(), affordable_});
    if (workers < 2 || options_.trace != nullptr || stats_ != nullptr || program_.ordered ||
        work_estimate() < kWorthwhile) {
      return false;
    }
    std::vector<Saved> saved;
    std::vector<std::vector<std::uint32_t>> owners;
    for (const BoundTensor& tensor : binding_.tensors) {
      saved.emplace_back();
      owners.emplace_back();
      if (!tensor.written) continue;
      saved.back() = {tensor.memory->bytes, tensor.memory->valid};
      owners.back().resize(tensor.memory->bytes.size() / kOwnerLine + 2);
    }
    Machine machine = machine_;
    for (std::vector<std::uint32_t>& owner : owners) {
      machine.owners.push_back(owner.empty() ? nullptr : owner.data());
    }
    // Neighbours go to one thread: they touch neighbouring pages of the detector's memory.
    const std::int64_t share = std::clamp<std::int64_t>(binding_.ctas() / (workers * 32), 1, 32);
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> steps{0};
    std::mutex lock;
    std::vector<Report> reports;
    std::vector<ir::PoisonOrigins> poisoned(binding_.tensors.size());
    const auto work = [&] {
      // CTAs that touch what others touch end the attempt: a host thread sees its own CTAs only.
      std::unique_ptr<GlobalRaces> races;
      if (program_.races) races = std::make_unique<GlobalRaces>(program_);
      if (races != nullptr) races->alone = true;
      Cta cta(machine, races.get());
      std::int64_t i = 0, end = 0;
      while (!stop.load(std::memory_order_relaxed)) {
        if (i == end) {
          i = next.fetch_add(share, std::memory_order_relaxed);
          end = std::min(i + share, binding_.ctas());
          if (i >= end) return;
        }
        const std::int64_t number = i++;
        if (races != nullptr) {
          races_full_ = races_full_ || races->full;
          // Every line has one CTA, so nobody meets what earlier CTAs left here: it goes when it
          // has become much.
          constexpr std::size_t kMuch = std::size_t{4} << 20;
          if (races->space.bytes() > kMuch) races->space.clear();
        }
        cta.reset(number, nullptr);
        const CtaState state = cta.run(options_.max_steps);
        const std::uint64_t total = steps.fetch_add(cta.steps) + cta.steps;
        if (state == CtaState::waiting) {
          cta.report_deadlock("every warp of the CTA waits for something that never comes");
        }
        if (cta.conflict || cta.trapped || state == CtaState::step_limit ||
            total > options_.max_steps) {
          stop = true;
        }
        if (cta.faults.empty() && cta.output.empty() && cta.stored_poison.empty()) continue;
        const std::lock_guard guard(lock);
        cta.tell_origins([&](std::size_t tensor) -> auto& { return poisoned[tensor]; });
        reports.push_back({number, cta.faults, std::move(cta.output)});
        cta.faults.clear();
        cta.output.clear();
      }
    };
    {
      std::vector<std::jthread> threads;
      for (std::int64_t i = 1; i < workers; ++i) threads.emplace_back(work);
      work();
    }
    if (stop) {
      for (std::size_t i = 0; i < saved.size(); ++i) {
        const BoundTensor& tensor = binding_.tensors[i];
        if (!tensor.written) continue;
        tensor.memory->bytes = std::move(saved[i].bytes);
        tensor.memory->valid = std::move(saved[i].valid);
      }
      return false;
    }
    std::sort(reports.begin(), reports.end(),
              [](const Report& a, const Report& b) { return a.cta < b.cta; });
    for (const Report& report : reports) {
      faults_.merge(report.faults);
      outcome_.output += report.output;
    }
    for (std::size_t i = 0; i < poisoned.size(); ++i) {
      binding_.tensors[i].memory->origins.merge(poisoned[i]);
    }
    steps_ = steps;
    return true;
  }

  /// Instructions if no loop and no branch were taken: enough to tell a toy from a workload.
  double work_estimate() const {
    return static_cast<double>(binding_.ctas()) * static_cast<double>(binding_.threads()) / 32 *
           static_cast<double>(program_.code.size());
  }

  static constexpr double kWorthwhile = 20000;

  void run_one_by_one() {
    machine_.counted = true;
    if (global_races_ != nullptr) global_races_->alone = true;
    Cta cta(machine_, global_races_.get());
    for (std::int64_t i = 0; i < binding_.ctas(); ++i) {
      cta.reset(i, nullptr);
      const std::uint64_t left = options_.max_steps - std::min(options_.max_steps, steps_);
      const CtaState state = cta.run(left);
      if (!collect(cta, state)) return;
    }
  }

  /// CTAs that the target holds at a time.
  std::int64_t residency() const {
    if (options_.resident > 0) return options_.resident;
    const ir::Target& target = kernel_.target != nullptr ? *kernel_.target : ir::default_target();
    std::int64_t per_sm = target.max_ctas_per_sm;
    const std::int64_t threads = (binding_.threads() + 31) / 32 * 32;
    per_sm = std::min(per_sm, target.max_threads_per_sm / threads);
    // One KiB of shared memory is reserved for each CTA.
    const std::int64_t shared = program_.shared_bytes + 1024;
    per_sm = std::min(per_sm, target.max_shared_per_sm / shared);
    return std::max<std::int64_t>(per_sm, 1) * target.sm_count;
  }

  struct Resident {
    std::unique_ptr<Cta> cta;
    std::shared_ptr<Cluster> cluster;
    bool done = false;
  };

  /// The CTA's cluster, numbered in linear order of clusters.
  std::int64_t cluster_of(std::int64_t linear) const {
    const auto& g = binding_.grid;
    const auto& c = binding_.cluster;
    const std::int64_t x = linear % g[0] / c[0];
    const std::int64_t y = linear / g[0] % g[1] / c[1];
    const std::int64_t z = linear / (g[0] * g[1]) / c[2];
    return x + g[0] / c[0] * (y + g[1] / c[1] * z);
  }

  void run_resident(std::int64_t cluster_size) {
    // Clusters are dispatched whole.
    std::vector<std::int64_t> order(static_cast<std::size_t>(binding_.ctas()));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
    if (cluster_size > 1) {
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return cluster_of(a) < cluster_of(b);
      });
    }
    const std::int64_t held = std::min(residency(), affordable_);
    const bool short_of_memory = affordable_ < std::min(residency(), binding_.ctas());
    const std::int64_t limit = std::max(held / cluster_size * cluster_size, cluster_size);
    std::vector<Resident> live;
    std::size_t next = 0;
    std::shared_ptr<Cluster> cluster;
    std::uint64_t idle_rounds = 0;
    while (true) {
      while (next < order.size() && static_cast<std::int64_t>(live.size()) < limit) {
        if (next % static_cast<std::size_t>(cluster_size) == 0) {
          if (static_cast<std::int64_t>(live.size()) + cluster_size > limit) break;
          cluster = cluster_size > 1 ? std::make_shared<Cluster>() : nullptr;
          if (cluster != nullptr) {
            cluster->arriving.clear(race::kNoCta);
            cluster->left.clear(race::kNoCta);
            cluster->live = static_cast<std::uint32_t>(binding_.threads() * cluster_size);
          }
        }
        Resident resident;
        resident.cta = pool_.empty() ? std::make_unique<Cta>(machine_, global_races_.get())
                                     : std::move(pool_.back());
        if (!pool_.empty()) pool_.pop_back();
        resident.cluster = cluster;
        resident.cta->reset(order[next++], cluster.get());
        live.push_back(std::move(resident));
      }
      if (live.empty()) return;
      bool progress = false;
      std::uint64_t polled = 0;
      for (Resident& resident : live) {
        Cta& cta = *resident.cta;
        const std::uint64_t before = cta.steps;
        const std::uint64_t change = cta.progress;
        wake_cluster(cta);
        const std::uint64_t left = options_.max_steps - std::min(options_.max_steps, steps_);
        const CtaState state = cta.run(before + left);
        steps_ += cta.steps - before;
        polled += cta.steps - before;
        progress = progress || cta.progress != change || state == CtaState::done;
        if (state == CtaState::step_limit) {
          step_limit_ = true;
          step_limit_at_ = cta.out_of_steps_at;
          for (Resident& other : live) collect_faults(*other.cta);
          return;
        }
        if (state == CtaState::done) {
          resident.done = true;
          collect_faults(cta);
          if (cta.trapped) {
            stopped_ = true;
            return;
          }
        }
      }
      for (auto at = live.begin(); at != live.end();) {
        if (at->done) {
          pool_.push_back(std::move(at->cta));
          at = live.erase(at);
        } else {
          ++at;
        }
      }
      idle_rounds = progress ? 0 : idle_rounds + 1;
      // A polling loop may count its tries, so silence alone proves nothing at once.
      constexpr std::uint64_t kPatience = 10000;
      if (idle_rounds > (polled == 0 ? 0 : kPatience)) {
        const bool waiting = next < order.size();
        if (waiting && short_of_memory) {
          out_of_memory();
          return;
        }
        for (Resident& resident : live) {
          resident.cta->report_deadlock(
              waiting ? "every resident CTA waits, and the others cannot start before one ends"
                      : "every CTA waits for something that never comes");
          collect_faults(*resident.cta);
        }
        if (!waiting) return;
        live.clear();
        return;
      }
    }
  }

  /// The state of the CTAs that have to live together is beyond the limit.
  void out_of_memory() {
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

  void wake_cluster(Cta& cta) const {
    if (cta.cluster == nullptr) return;
    for (Warp& warp : cta.warps) {
      for (Strand& strand : warp.strands) {
        if (strand.state == StrandState::cluster && cta.cluster->phase >= strand.phase) {
          strand.state = StrandState::runnable;
        }
      }
    }
  }

  void collect_faults(Cta& cta) {
    faults_.merge(cta.faults);
    cta.faults.clear();
    outcome_.output += cta.output;
    cta.output.clear();
    cta.tell_origins([&](std::size_t tensor) -> auto& {
      return binding_.tensors[tensor].memory->origins;
    });
  }

  /// False when the launch stops here.
  bool collect(Cta& cta, CtaState state) {
    steps_ += cta.steps;
    if (state == CtaState::waiting) {
      cta.report_deadlock("every warp of the CTA waits for something that never comes");
    }
    if (state == CtaState::step_limit) {
      step_limit_ = true;
      step_limit_at_ = cta.out_of_steps_at;
    }
    if (cta.trapped) stopped_ = true;
    collect_faults(cta);
    return !step_limit_ && !stopped_;
  }

  void finish() {
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
      outcome_.diagnostics.push_back(std::move(diagnostic));
    }
    if (races_full_ || (global_races_ != nullptr && global_races_->full)) {
      outcome_.status = ir::LaunchStatus::incomplete;
      Diagnostic diagnostic{
          kernel_.span, "the race detector ran out of memory", {}, Severity::error};
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
  std::uint64_t steps_ = 0;
  bool step_limit_ = false;
  Span step_limit_at_;
  bool stopped_ = false;
};

}  // namespace

void run_grid(const lower::LoweredKernel& kernel,
              const Binding& binding,
              const Program& program,
              const SimOptions& options,
              ir::LaunchOutcome& outcome) {
  Grid(kernel, binding, program, options, outcome).run();
}

}  // namespace tirx::sim
