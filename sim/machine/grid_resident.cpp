// CTAs that can wait for each other: clusters, and kernels that poll.  As many are resident as the
// target holds, each runs until it waits.
#include <fmt/format.h>

#include "sim/machine/grid_run.hpp"

namespace tirx::sim {

namespace {

struct Resident {
  std::unique_ptr<Cta> cta;
  std::shared_ptr<Cluster> cluster;
  bool done = false;
};

/// Rounds of all warps after which one asks whether they get anywhere.
constexpr std::uint64_t kPatience = 10000;
/// … where what they poll does change, so that it may be the order of turns that keeps them from
/// it.
constexpr std::uint64_t kLongPatience = 100000;

/// Some rounds in many with turns that end anywhere, for who polls for a lock and finds it taken
/// each time, because it is then that the others' turns end.
bool is_restless(std::uint64_t round) {
  return round % 512 >= 448;
}

/// Where the warps are, for a launch that ends at a limit.
std::vector<Note> poll_notes(const std::vector<Cta*>& polling, std::string said) {
  constexpr std::size_t kMost = 16;
  std::vector<Note> notes;
  notes.push_back({{}, std::move(said)});
  std::size_t left_out = 0;
  for (Cta* cta : polling) {
    for (Note& note : cta->wait_table()) {
      if (notes.size() <= kMost) {
        notes.push_back(std::move(note));
      } else {
        ++left_out;
      }
    }
  }
  if (left_out != 0) notes.push_back({{}, fmt::format("and {} more", left_out)});
  return notes;
}

}  // namespace

std::int64_t Grid::residency() const {
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

std::int64_t Grid::cluster_of(std::int64_t linear) const {
  const auto& g = binding_.grid;
  const auto& c = binding_.cluster;
  const std::int64_t x = linear % g[0] / c[0];
  const std::int64_t y = linear / g[0] % g[1] / c[1];
  const std::int64_t z = linear / (g[0] * g[1]) / c[2];
  return x + g[0] / c[0] * (y + g[1] / c[1] * z);
}

void Grid::run_resident(std::int64_t cluster_size) {
  // Clusters are dispatched whole.
  std::vector<std::int64_t> order(static_cast<std::size_t>(binding_.ctas()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  if (cluster_size > 1) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return cluster_of(a) < cluster_of(b); });
  }
  const std::int64_t held = std::min(residency(), affordable_);
  const bool short_of_memory = affordable_ < std::min(residency(), binding_.ctas());
  const std::int64_t limit = std::max(held / cluster_size * cluster_size, cluster_size);
  std::vector<Resident> live;
  std::size_t next = 0;
  std::shared_ptr<Cluster> cluster;
  // Rounds since a CTA has begun or ended; of these, since anything has changed that polls read.
  std::uint64_t rounds = 0, idle_rounds = 0;
  PollWatch polls;
  std::vector<Cta*> polling;
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
    bool progress = false, ended = false;
    const bool restless = is_restless(rounds);
    std::uint64_t polled = 0;
    for (Resident& resident : live) {
      Cta& cta = *resident.cta;
      const std::uint64_t before = cta.steps;
      const std::uint64_t change = cta.changes;
      cta.restless = restless;
      wake_cluster(cta);
      const std::uint64_t left = options_.max_steps - std::min(options_.max_steps, steps_);
      const CtaState state =
          advance(cta, left, [&] { return watch(ended_, steps_ + (cta.steps - before)); });
      steps_ += cta.steps - before;
      polled += cta.steps - before;
      ended = ended || state == CtaState::done;
      progress = progress || cta.changes != change || ended;
      if (steps_ - told_ >= kOften && !interrupted_) {
        told_ = steps_;
        static_cast<void>(watch(ended_, steps_));
      }
      if (interrupted_ || state == CtaState::step_limit) {
        step_limit_ = !interrupted_;
        step_limit_at_ = cta.out_of_steps_at;
        if (idle_rounds >= kPatience) {
          polls_ = poll_notes(
              polling,
              fmt::format("it looks like a deadlock: in the last {} rounds of all warps no "
                          "atomic, ordered store, mbarrier or copy has changed anything",
                          idle_rounds));
        } else if (rounds >= kPatience) {
          polls_ = poll_notes(
              polling, fmt::format("in the last {} rounds of all warps no CTA has ended", rounds));
        }
        for (Resident& other : live) collect_faults(*other.cta);
        return;
      }
      if (state == CtaState::done) {
        resident.done = true;
        ++ended_;
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
    rounds = ended ? 0 : rounds + 1;
    idle_rounds = progress ? 0 : idle_rounds + 1;
    if (rounds == 1) {
      polling.clear();
      for (const Resident& resident : live) polling.push_back(resident.cta.get());
    }
    const bool steady = !restless;
    if (rounds == kPatience || idle_rounds == kPatience) polls.begin(rounds);
    const bool back = rounds >= kPatience && polls.comes_back(polling, rounds, steady, steps_);
    const bool in_vain = back && idle_rounds >= std::max(kPatience, rounds - polls.remembered());
    const bool stuck = idle_rounds != 0 && (polled == 0 || in_vain);
    const bool in_circles = back && !in_vain && rounds >= kLongPatience;
    if (stuck || in_circles) {
      bool more = false;
      for (const Resident& resident : live) more = resident.cta->give_up_mbarriers() || more;
      if (more) {
        rounds = idle_rounds = 0;
        continue;
      }
    }
    if (in_circles) {
      no_end_ = true;
      step_limit_at_ = polling.front()->where_it_waits();
      polls_ = poll_notes(
          polling,
          fmt::format("all registers and all memory are as they were before, and no CTA has ended "
                      "in {} rounds of all warps, in many of them with turns of random length",
                      rounds));
      for (Resident& resident : live) collect_faults(*resident.cta);
      return;
    }
    if (stuck) {
      const bool waiting = next < order.size();
      if (waiting && short_of_memory) {
        out_of_memory();
        return;
      }
      // The CTAs of a cluster stand side by side.
      for (auto begin = live.begin(); begin != live.end();) {
        const auto end = std::find_if(begin + 1, live.end(), [&](const Resident& other) {
          return other.cluster == nullptr || other.cluster != begin->cluster;
        });
        std::vector<Cta*> together;
        for (auto one = begin; one != end; ++one) together.push_back(one->cta.get());
        Cta::report_deadlock(
            together, waiting
                          ? "every resident CTA waits, and the others cannot start before one ends"
                          : "every CTA waits for something that never comes");
        for (Cta* cta : together) collect_faults(*cta);
        begin = end;
      }
      if (!waiting) return;
      live.clear();
      return;
    }
  }
}

void Grid::wake_cluster(Cta& cta) const {
  if (cta.cluster == nullptr) return;
  for (Warp& warp : cta.warps) {
    for (Strand& strand : warp.strands) {
      if (strand.state == StrandState::cluster && cta.cluster->phase >= strand.phase) {
        strand.state = StrandState::runnable;
      }
    }
  }
}

}  // namespace tirx::sim
