// The state of one CTA: warps, shared memory, barriers, what it reported and printed.  A CTA is a
// state machine: it can be left wherever all its strands wait, and resumed later.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/launch.hpp"
#include "sim/bind.hpp"
#include "sim/machine/async.hpp"
#include "sim/machine/faults.hpp"
#include "sim/machine/mbarrier.hpp"
#include "sim/machine/polling.hpp"
#include "sim/machine/race.hpp"
#include "sim/machine/stats.hpp"
#include "sim/machine/warp.hpp"
#include "sim/simulate.hpp"

namespace tirx::sim {

struct Barrier {
  std::uint32_t expected = 0;  // threads; 0: nobody has come yet
  std::uint32_t arrived = 0;
  bool whole_cta = false;  // exited threads count

  // Who came first by warp with an operation that names a count, and with one that does not.
  struct Form {
    std::uint32_t warp = 0;
    const CallSite* site = nullptr;
  };

  Form with_count, without_count;
  bool counts_differ = false;  // reported already
  // Some lanes arrived without waiting (Cta::early); how many of them have exited: they count once.
  bool has_early = false;
  std::uint32_t early_left = 0;
  // bar.red: threads that brought a predicate, those for which it held, and whether any of them was
  // never written.
  bool reduces = false;
  std::uint32_t given = 0, held = 0;
  bool poison = false;
  std::uint32_t origin = 0;  // of the first poisoned predicate, a number of Cta::origins
};

using Origin = ir::PoisonOrigin;

/// What the CTAs of one cluster share.
struct Cluster {
  std::uint32_t arrived = 0;
  std::uint32_t live = 0;  // threads that have not returned
  std::uint64_t phase = 0;
  // What those that arrive release, those that have returned did, and a completed phase gave.
  race::Object arriving, left, completed;
};

/// Common to all CTAs of a launch; read-only while they run.
struct Machine {
  const Program* program = nullptr;
  const Binding* binding = nullptr;
  const SimOptions* options = nullptr;
  const Source* source = nullptr;
  Stats* stats = nullptr;              // what is executed is counted
  bool counted = false;                // one CTA at a time: validity of tensors is counted exactly
  std::vector<std::uint32_t*> owners;  // per tensor, where CTAs run on several host threads
};

enum class CtaState : std::uint8_t { running, waiting, done, step_limit };

/// Bytes that the state of one CTA takes.
[[nodiscard]] std::int64_t state_bytes(const Program& program, std::int64_t threads);

struct Cta {
  /// `global`: where accesses to global memory are watched for races, or null.
  explicit Cta(const Machine& machine_, GlobalRaces* global = nullptr);

  /// Prepares the CTA with this linear index; its memory is reused.
  void reset(std::int64_t linear_, Cluster* cluster_);

  /// Runs until every strand waits or has returned.
  CtaState run(std::uint64_t budget);

  /// What polls may read has changed: by an atomic, an ordered store, an mbarrier's phase, a copy.
  std::uint64_t changes = 0;
  /// Turns of warps end anywhere.  Else they end at polls, and who polls for a lock may find it
  /// taken each time.
  bool restless = false;

  const Machine& machine;
  std::int64_t linear = 0;
  std::uint32_t owner = 0;  // of the lines it touches, where CTAs run on several host threads
  std::array<std::int64_t, 3> coordinates{};
  std::vector<Warp> warps;
  std::vector<Region> regions;
  std::array<Barrier, 16> barriers;
  std::array<std::array<std::uint32_t, 32>, 16> early{};  // lanes, by barrier and warp
  Cluster* cluster = nullptr;
  std::uint32_t live = 0;  // threads that have not returned
  std::uint32_t threads = 0;
  std::uint64_t steps = 0;
  std::uint64_t random_state = 0;
  AsyncCopies copies;  // in flight
  Mbarriers mbarriers;
  std::unique_ptr<CtaRaces> races;  // null: not looked for
  FaultSink faults;
  std::string output;
  std::vector<Origin> origins{Origin{}};                           // number 0: unknown
  std::unordered_map<std::uint64_t, std::uint32_t> stored_poison;  // region << 48 | byte -> origin
  bool trapped = false;
  Span out_of_steps_at;   // the statement at which the step limit was reached
  bool conflict = false;  // touched a line that another CTA has touched: they must take turns

  /// What this CTA left in tensors instead of values, to `of_tensor(i)`: where
  /// it came from.
  template <typename OfTensor>
  void tell_origins(OfTensor&& of_tensor) const {
    std::unordered_map<std::uint32_t, std::shared_ptr<const ir::PoisonOrigin>> made;
    for (const auto& [key, number] : stored_poison) {
      const std::size_t region = key >> 48;
      if (region >= machine.binding->tensors.size()) continue;
      const auto byte = static_cast<std::size_t>(key & ((std::uint64_t{1} << 48) - 1));
      if (number == 0) {
        of_tensor(region).forget(byte);
        continue;
      }
      std::shared_ptr<const ir::PoisonOrigin>& origin = made[number];
      if (origin == nullptr) origin = std::make_shared<const ir::PoisonOrigin>(origins[number]);
      of_tensor(region).remember(byte, origin);
    }
  }

  /// CTAs run in turns: others may run before this one has ended.
  [[nodiscard]] bool takes_turns() const {
    return cluster != nullptr || machine.program->resumable;
  }

  /// Whether a strand that may be waiting for memory lets the others run, by the schedule.
  [[nodiscard]] bool gives_way(Strand& strand);

  /// The number of the origin at this site; `make` describes it once.
  template <typename Make>
  std::uint32_t origin_at(std::uint32_t site, Make&& make) {
    const auto [at, fresh] =
        origin_sites_.try_emplace(site, static_cast<std::uint32_t>(origins.size()));
    if (fresh) origins.push_back(make());
    return at->second;
  }

  /// … of one element (or lane) at this site, as long as there are few of them;
  /// then `general`.
  template <typename Make, typename General>
  std::uint32_t origin_at(std::uint32_t site,
                          std::uint64_t element,
                          Make&& make,
                          General&& general) {
    constexpr std::size_t kMost = 128;
    auto& known = origin_elements_[site];
    const auto at = known.find(element);
    if (at != known.end()) return at->second;
    if (known.size() >= kMost) return origin_at(site, general);
    known.emplace(element, static_cast<std::uint32_t>(origins.size()));
    origins.push_back(make());
    return static_cast<std::uint32_t>(origins.size() - 1);
  }

  [[nodiscard]] ir::ThreadCoordinate where(const Warp& warp, int lane) const;
  /// FaultAccess::role of what happens at a place.
  [[nodiscard]] std::string role_at(const Place& place) const;
  /// Threads that returned: barriers that wait for all may be complete now.
  void lanes_left(Warp& warp, std::uint32_t lanes);
  /// These lanes arrive at a barrier and do not wait.
  void arrive_early(std::uint32_t id, const Warp& warp, std::uint32_t lanes);
  /// Threads of a warp arrive at a barrier; completes it when all are there.  `whole_cta`: the
  /// operation names no count.
  void arrive(std::uint32_t id,
              std::uint32_t count,
              std::uint32_t expected,
              bool whole_cta,
              const Warp& warp,
              const CallSite& site);
  void release_cluster();
  /// Operations with and without a count have met at a barrier.
  void report_forms(std::uint32_t id);
  /// Reports barriers at which the order of the run decides who meets whom;
  /// true: some.
  bool report_barriers();
  /// … at mbarriers.
  bool report_mbarriers();
  /// Both; and takes back what follows from races on mbarriers.
  bool report_order();
  /// Strands that wait for an mbarrier to be made go on without it.  True: some.
  bool give_up_mbarriers();
  /// Remembers in which state each warp is.
  void remember_state();
  /// Whether all warps are in the remembered state again.
  [[nodiscard]] bool repeats_itself() const;
  void hash_shared(MemoryHash& hash) const;
  /// What every strand waits for.
  [[nodiscard]] std::vector<Note> wait_table();
  /// The place of the first of them.
  [[nodiscard]] Span where_it_waits();
  /// Reports it, once for CTAs that wait for each other (a cluster, or one alone).
  static void report_deadlock(std::span<Cta* const> ctas, std::string_view why);

  void report_deadlock(std::string_view why) {
    Cta* const alone[] = {this};
    report_deadlock(alone, why);
  }

 private:
  /// How often the warp has arrived at barriers at this site.
  [[nodiscard]] std::uint32_t& came(const Warp& warp, const CallSite& site) {
    return came_[warp.index * machine.program->barrier_sites.size() + site.barrier];
  }

  bool run_warp(Warp& warp, std::uint64_t budget);
  void complete(std::uint32_t id);
  void clear_barrier(std::uint32_t id);

  struct Waiting {
    const Warp* warp = nullptr;
    const Strand* strand = nullptr;
    std::string text;
  };

  /// By warp and lane.
  [[nodiscard]] std::vector<Waiting> who_waits();
  /// Lanes of one warp that wait for each other, or for lanes that went elsewhere.  True: some.
  bool report_divergence();
  [[nodiscard]] std::uint32_t site_of(const Waiting& line) const;
  [[nodiscard]] ir::Fault fault_at(const Waiting& line,
                                   int lane,
                                   std::string text,
                                   std::vector<Note> table);
  [[nodiscard]] Note note_of(const Waiting& line) const;
  [[nodiscard]] std::vector<Note> joins_table() const;
  // deadlock_help.cpp
  [[nodiscard]] std::string came_text(const Warp& warp);
  [[nodiscard]] bool out_of_step();
  [[nodiscard]] std::vector<Note> ended_table(Span otherwise);
  [[nodiscard]] static std::string barrier_help(std::span<Cta* const> ctas);
  void doubt_polls();
  [[nodiscard]] const Mbarrier* polled(const Strand& strand);
  [[nodiscard]] std::string mbarrier_text(const Strand& strand);

  std::unordered_map<std::uint32_t, std::uint32_t> origin_sites_;
  std::unordered_map<std::uint32_t, std::unordered_map<std::uint64_t, std::uint32_t>>
      origin_elements_;

  struct Free {
    void operator()(std::uint32_t* memory) const { std::free(memory); }
  };

  // As large as the register files, and touched where there is poison only.
  std::unique_ptr<std::uint32_t[], Free> origin_;
  std::vector<std::uint32_t> uniform_origin_;
  std::vector<std::byte> storage_;  // register files
  std::vector<std::uint64_t> uniform_;
  std::vector<std::uint32_t> poison_;
  std::vector<std::uint8_t> uniform_poison_;
  std::vector<std::byte> shared_;
  std::vector<std::uint64_t> shared_valid_;
  std::vector<std::uint32_t> came_;  // [warp][barrier site]
  std::vector<std::size_t> order_;
  std::vector<WarpImage> images_;  // by warp; empty: not asked for
  std::array<Barrier, 16> barriers_then_;
  AsyncCopies::State copies_then_;
  std::uint64_t turns_ = 0;  // random numbers: how long they are
};

}  // namespace tirx::sim
