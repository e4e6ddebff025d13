// CTAs on several host threads, where they cannot meet: each line of memory belongs to those that
// one thread runs (exec/claim.cpp); where they do meet, memory is restored and they take turns.
#include <chrono>
#include <mutex>
#include <thread>

#include "sim/large_memory.hpp"
#include "sim/machine/grid_run.hpp"

namespace tirx::sim {

namespace {

/// What CTAs run on several host threads have changed, to be able to start again.
struct Saved {
  std::vector<std::byte, LargeAllocator<std::byte>> bytes;
  std::vector<std::uint64_t> valid;
};

/// What one CTA reported; most report nothing.
struct Report {
  std::int64_t cta = 0;
  FaultSink faults;
  std::string output;
};

}  // namespace

bool Grid::run_parallel() {
  const unsigned hardware = std::max(1U, std::thread::hardware_concurrency());
  const std::int64_t wanted = options_.threads > 0 ? options_.threads : hardware;
  const std::int64_t workers = std::min({wanted, binding_.ctas(), affordable_});
  if (workers < 2 || options_.trace != nullptr || stats_ != nullptr || program_.ordered ||
      work_estimate() < options_.parallel_from) {
    return false;
  }
  std::vector<Saved> saved;
  std::vector<std::vector<std::uint32_t>> owners;
  for (const BoundTensor& tensor : binding_.tensors) {
    saved.emplace_back();
    owners.emplace_back();
    if (!tensor.written) continue;
    const auto& bytes = tensor.memory->bytes;
    saved.back() = {{bytes.begin(), bytes.end()}, tensor.memory->valid};
    owners.back().resize(tensor.memory->bytes.size() / kOwnerLine + 2);
  }
  Machine machine = machine_;
  for (std::vector<std::uint32_t>& owner : owners) {
    machine.owners.push_back(owner.empty() ? nullptr : owner.data());
  }
  const std::int64_t share = share_of(workers);
  std::atomic<std::int64_t> next{0}, ended{0};
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> steps{0};
  std::mutex lock;
  std::vector<Report> reports;
  std::vector<ir::PoisonOrigins> poisoned(binding_.tensors.size());
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<std::int64_t> working{workers};
  const auto work = [&] {
    // CTAs that touch what others touch end the attempt: a host thread sees its own CTAs only.
    std::unique_ptr<GlobalRaces> races;
    if (program_.races) races = std::make_unique<GlobalRaces>(machine);
    if (races != nullptr) races->alone = true;
    Cta cta(machine, races.get());
    const bool watches = options_.watch != nullptr && std::this_thread::get_id() == caller;
    std::int64_t i = 0, end = 0;
    while (!stop.load(std::memory_order_relaxed)) {
      if (i == end) {
        i = next.fetch_add(share, std::memory_order_relaxed);
        end = std::min(i + share, binding_.ctas());
        if (i >= end) return;
        cta.owner = static_cast<std::uint32_t>(i + 1);
        // Lines belong to shares, so nobody meets what earlier ones left here: it goes when it
        // has become much.
        constexpr std::size_t kMuch = std::size_t{1} << 20;
        if (races != nullptr && races->space.bytes() > kMuch) races->space.clear();
      }
      const std::int64_t number = i++;
      cta.reset(number, nullptr);
      const CtaState state = advance(cta, options_.max_steps, [&] {
        if (watches) static_cast<void>(watch(ended, steps + cta.steps));
        return !stop && !interrupted_;
      });
      const std::uint64_t total = steps.fetch_add(cta.steps) + cta.steps;
      ended.fetch_add(1, std::memory_order_relaxed);
      if (state == CtaState::waiting) {
        cta.report_deadlock("every warp of the CTA waits for something that never comes");
      }
      if (watches && !interrupted_ && i == end) static_cast<void>(watch(ended, total));
      if (cta.conflict || cta.trapped || state == CtaState::step_limit || interrupted_ ||
          total > options_.max_steps) {
        stop = true;
      }
      // Where its values are not known, those of its share that follow must not meet them: only
      // CTAs in turns are told where they come from.
      if (!cta.stored_poison.empty()) cta.owner = static_cast<std::uint32_t>(i + 1);
      if (races != nullptr && races->full) races_full_ = true;
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
    const auto counted = [&] {
      work();
      working.fetch_sub(1);
    };
    for (std::int64_t i = 1; i < workers; ++i) threads.emplace_back(counted);
    counted();
    // The others may take long, and only this thread is asked whether to go on.
    while (options_.watch != nullptr && working != 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (!interrupted_) static_cast<void>(watch(ended, steps));
    }
  }
  if (stop && !interrupted_) {
    for (std::size_t i = 0; i < saved.size(); ++i) {
      const BoundTensor& tensor = binding_.tensors[i];
      if (!tensor.written) continue;
      std::copy(saved[i].bytes.begin(), saved[i].bytes.end(), tensor.memory->bytes.begin());
      tensor.memory->valid = std::move(saved[i].valid);
    }
    races_full_ = false;
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
  ended_ = ended;
  return true;
}

std::int64_t Grid::share_of(std::int64_t workers) const {
  const std::int64_t share = std::clamp<std::int64_t>(binding_.ctas() / (workers * 32), 1, 32);
  return share < 4 ? share : (share + 7) / 8 * 8;
}

double Grid::work_estimate() const {
  return static_cast<double>(binding_.ctas()) * static_cast<double>(binding_.threads()) / 32 *
         static_cast<double>(program_.code.size());
}

}  // namespace tirx::sim
