// Races while a launch runs: the detector (sim/race) for the threads of one CTA, with the shadow of
// its shared memory and that of global memory, which CTAs share.
//
// For operations to come: an operation that accesses memory calls access() for its pointer's
// RaceSite (Compiler::watch makes it); one that waits calls the detector's release() and acquire()
// with an Object of its own and note()s the synchronisation for reports; a transfer that runs on
// its own is a race::Transfer (see race/detector.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/machine/barrier_order.hpp"
#include "sim/machine/warp.hpp"
#include "sim/race/detector.hpp"

namespace tirx::sim {

struct Machine;
struct Cluster;

/// Global memory's part: CTAs that run one after the other, or in turns, share one.
struct GlobalRaces {
  explicit GlobalRaces(const Machine& machine);

  race::Space space;
  std::unordered_map<std::uint64_t, race::Location> locations;  // region << 48 | byte
  bool alone = false;  // one CTA at a time: what is new belongs to it
  bool full = false;   // the detector ran out of numbers: it may have missed something
};

/// A synchronisation that threads of the CTA shared, for reports.
struct RaceEvent {
  Span span;
  std::string_view what;
  std::uint32_t place = 0;  // Place::id
  // By warp, where they came to it from several places; else empty: all of them from the one above.
  std::vector<const CallSite*> from;
  std::vector<race::Lanes> lanes;  // by warp
  std::vector<race::Tick> tick;    // by warp: what they did up to it came before
};

class CtaRaces {
 public:
  CtaRaces(const Machine& machine, GlobalRaces& global);

  void reset(std::int64_t linear);

  // Accesses.

  /// The state of a site in one warp: its stamp, and what its last row of words became.
  struct Slot {
    race::Tick tick = 0;
    std::uint64_t generation = 0;
    std::uint32_t stamp = 0;
    bool used = false;  // some word may name the stamp
    bool fresh_known = false;
    std::uint64_t rows_known = 0;   // a bit for each of the first 64 rows: before and after hold
    std::vector<race::Word> fresh;  // words of a row that nobody else has read
    std::vector<race::Word> before, after;  // words of the last other row
  };

  /// Numbers of stamps and links that are ordered before all that the warp does: those from before
  /// a barrier of the whole CTA.
  struct Safe {
    race::Word stamps = 0, stamp_count = 0, links = race::kChain, link_count = 0;
  };

  [[nodiscard]] race::Space& space(const RaceSite& site) {
    return site.shared ? shared_ : global_.space;
  }

  [[nodiscard]] Slot& slot(std::uint32_t warp, const RaceSite& site) {
    Slot& known = slots_[warp * sites_ + site.number];
    if (known.tick != threads.tick(warp) || known.generation != space(site).generation()) {
      refresh(known, warp, site);
    }
    return known;
  }

  [[nodiscard]] const Safe& safe(std::uint32_t warp, const RaceSite& site) const {
    return site.shared ? safe_shared_[warp] : safe_global_[warp];
  }

  // Reads of shared memory that nobody writes between two barriers of the whole CTA need not be
  // known: they are put down, and told to the words only if somebody does write before the next
  // barrier.

  /// All writes to the site's memory come before what the warp does now, by their numbers.
  [[nodiscard]] bool quiet(std::uint32_t warp, const RaceSite& site) const {
    const std::uint32_t last = last_write_[site.shadow];
    return last == 0 || (last << 5) - safe_shared_[warp].stamps < safe_shared_[warp].stamp_count;
  }

  /// The rows of the site, from this granule on, were read.
  void put_down(const RaceSite& site, std::int64_t granule, std::uint32_t stamp) {
    std::vector<Reading>& notes = readings_[site.shadow];
    notes.push_back({&site, granule, stamp});
    if (notes.size() < kMostReadings) return;
    // Too many to put down: until the next barrier the words are kept as reads come.
    tell_readings(site.shadow);
    last_write_[site.shadow] = std::max(last_write_[site.shadow], stamp);
  }

  /// Before a write or an atomic by this stamp: the words know all reads.
  void writes(const RaceSite& site, std::uint32_t stamp) {
    if (!site.shared) return;
    if (!readings_[site.shadow].empty()) tell_readings(site.shadow);
    last_write_[site.shadow] = std::max(last_write_[site.shadow], stamp);
  }

  /// The place of an ordered access: what was released to it.
  void synchronise(const RaceSite& site,
                   std::uint32_t warp,
                   int lane,
                   std::int64_t byte,
                   bool reads,
                   bool writes);

  // Synchronisation.
  /// `expected`: threads; `waits`: not bar.arrive.
  void arrive(std::uint32_t barrier,
              const Warp& warp,
              race::Lanes lanes,
              std::uint32_t expected,
              bool waits,
              const CallSite& site);
  /// All have arrived: those that wait go on.
  void complete(std::uint32_t barrier, std::vector<Warp>& warps, bool whole_cta);
  void warp_sync(const Warp& warp, race::Lanes lanes, const CallSite& site);
  void fence(std::uint32_t warp, race::Lanes lanes, std::string_view scope);
  void leave(std::uint32_t warp, race::Lanes lanes, Cluster* cluster);
  void cluster_arrive(Cluster& cluster, std::uint32_t warp, race::Lanes lanes);
  void cluster_wait(const Cluster& cluster,
                    const Warp& warp,
                    race::Lanes lanes,
                    const CallSite& site);
  /// A new event, of no lanes yet; the oldest one is forgotten.
  RaceEvent& note();

  // Copies in flight (machine/async.hpp): race::Transfers from issue to wait.
  struct Flight {
    std::uint64_t number = 0;
    std::vector<race::Transfer> parts;
    race::Lanes pending = 0;   // lanes that have not waited for it
    race::Lanes complete = 0;  // of these, the ones that have told an mbarrier
    // What was there when it began: nothing later is older than a barrier meanwhile.
    std::uint32_t shared_stamps = 1, shared_links = 1, global_stamps = 1, global_links = 1;
  };

  const Flight& copy_issued(std::uint64_t number, std::uint32_t warp, race::Lanes lanes);
  void copy_waited(std::uint64_t number, race::Lanes lanes);
  /// A thread's copies up to this number have arrived, which an mbarrier is told.
  void copies_complete(std::uint32_t warp, int lane, std::uint64_t last, race::Object& object);
  /// Whether the lane's part of a transfer has not been waited for.
  [[nodiscard]] bool in_flight(std::uint32_t actor, race::Tick tick, int lane) const;

  /// Calls f(event) for those that are remembered, oldest first.
  template <typename F>
  void for_events(F&& f) const {
    const std::size_t size = events_.size();
    for (std::size_t i = event_count_ - std::min(event_count_, size); i < event_count_; ++i) {
      f(events_[i % size]);
    }
  }

  /// The linear number of a CTA that a stamp names.
  [[nodiscard]] std::int64_t linear_of(std::uint32_t cta) const;

  race::Detector threads;
  BarrierOrder order;

 private:
  struct Reading {
    const RaceSite* site = nullptr;
    std::int64_t granule = 0;
    std::uint32_t stamp = 0;
  };

  static constexpr std::size_t kMostReadings = 4096;

  void tell_readings(std::size_t shadow);
  void tell_waiting(std::uint32_t barrier, const std::vector<Warp>& warps);
  void refresh(Slot& slot, std::uint32_t warp, const RaceSite& site);
  [[nodiscard]] std::uint32_t number_of(std::int64_t linear) const;

  const Machine& machine_;
  GlobalRaces& global_;
  race::Space shared_;
  std::size_t sites_ = 0;
  std::vector<Slot> slots_;  // [warp][site]
  std::vector<Safe> safe_shared_, safe_global_;
  std::vector<std::vector<Reading>> readings_;  // by shadow of shared memory
  std::vector<std::uint32_t> last_write_;       // no write has a larger stamp; 0: none
  race::Word first_global_stamp_ = 1, first_global_link_ = 1;
  std::array<race::Object, 16> barriers_;
  std::array<race::Tick, 32> arrived_{};  // by warp: when it came to the last barrier
  std::uint32_t used_barriers_ = 0;
  std::unordered_map<std::uint64_t, race::Location> shared_locations_;
  std::vector<RaceEvent> events_;
  std::size_t event_count_ = 0;
  std::vector<Flight> flights_;
};

}  // namespace tirx::sim
