// Barriers in shared memory (PTX ISA 9.7.13.15, "mbarrier"): arrivals and bytes that the current
// phase still misses, and the rules of their use.  A barrier is named by its byte address.  Its
// eight bytes hold an encoding of its state, so that an ordinary store to it is noticed at the next
// use.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/machine/mbarrier_order.hpp"
#include "sim/machine/warp.hpp"
#include "sim/race/detector.hpp"

namespace tirx::sim {

struct Cta;

struct Mbarrier {
  std::uint32_t expected = 0;  // arrivals of a phase
  std::uint32_t pending = 0;   // that are missing
  std::int64_t bytes = 0;      // of transactions that are missing
  std::uint64_t phase = 0;     // phases that are complete
  const CallSite* made = nullptr;
  // For the race detector: what the arrivals of this phase and of the last one released.
  race::Object arriving, complete;
  MbarrierArrivals arrivals;

  /// What its memory holds.
  [[nodiscard]] std::uint64_t word() const {
    return phase << 40 ^ std::uint64_t{pending} << 20 ^ expected ^
           static_cast<std::uint64_t>(bytes) * 0x9e3779b97f4a7c15U;
  }

  /// What arrive returns: the phase, and the arrivals that were missing.
  [[nodiscard]] std::uint64_t state() const { return phase << 20 | pending; }

  [[nodiscard]] static std::uint64_t phase_of(std::uint64_t state) { return state >> 20; }

  [[nodiscard]] static std::uint32_t pending_of(std::uint64_t state) {
    return static_cast<std::uint32_t>(state & 0xfffff);
  }
};

/// "full[1]": the one at this address of the memory in which the site's buffer lies, row by row.
[[nodiscard]] std::string mbarrier_name(const MemSite& site, std::int64_t address);

/// An arrival that comes when a thread's copies have arrived (cp.async.mbarrier.arrive).
struct DeferredArrival {
  std::uint32_t warp = 0;
  int lane = 0;
  std::int64_t address = 0;
  std::uint64_t last_copy = 0;  // number of the thread's last copy before it
  const CallSite* site = nullptr;
};

/// The barriers of one CTA.
class Mbarriers {
 public:
  static constexpr std::uint32_t kMostArrivals = (1U << 20) - 1;
  /// Strand::wanted of who waits for an mbarrier to be made, not for a phase.
  static constexpr std::uint32_t kNotMade = 2;

  MbarrierOrder order;

  void reset() {
    barriers_.clear();
    deferred_.clear();
    never_made_.clear();
    misused_.clear();
    raced_.clear();
    order.reset();
  }

  [[nodiscard]] Mbarrier* find(std::int64_t address) {
    const auto at = barriers_.find(address);
    return at == barriers_.end() ? nullptr : &at->second;
  }

  Mbarrier& make(std::int64_t address) {
    never_made_.erase(address);
    return barriers_[address] = {};
  }

  // Who uses an mbarrier that is none waits, so that its mbarrier.init comes first in every order
  // of the warps in which it can; that nothing orders the two is then a race.

  /// Nobody else can go on: who uses the one at this address finds none.
  void give_up(std::int64_t address) { never_made_.insert(address); }

  [[nodiscard]] bool is_expected(std::int64_t address) const {
    return !barriers_.contains(address) && !never_made_.contains(address);
  }

  // What is wrong with an mbarrier on whose memory there is a race, and who waits for it then,
  // follows from the order of the run.

  /// At this place (Place::id) one was used that is none, or that was overwritten.
  void misused(std::uint32_t place, std::int64_t address) { misused_[place].insert(address); }

  void race_at(std::int64_t byte) { raced_.insert(byte / 8 * 8); }

  [[nodiscard]] bool is_broken() const { return !misused_.empty() || !raced_.empty(); }

  [[nodiscard]] bool has_races() const { return !raced_.empty(); }

  /// The places where each misuse follows from a race.
  [[nodiscard]] std::set<std::uint32_t> follow_from_races() const;

  void erase(std::int64_t address) { barriers_.erase(address); }

  /// A phase with nothing missing ends; true if one did.
  [[nodiscard]] static bool advance(Mbarrier& barrier) {
    if (barrier.pending != 0 || barrier.bytes != 0) return false;
    ++barrier.phase;
    barrier.pending = barrier.expected;
    barrier.complete = barrier.arriving;
    barrier.arriving.clear(barrier.arriving.clock.cta());
    barrier.arrivals.next_phase();
    return true;
  }

  void defer(const DeferredArrival& arrival) { deferred_.push_back(arrival); }

  /// Arrivals at this barrier that wait for copies; they are taken out.
  [[nodiscard]] std::vector<DeferredArrival> take(std::int64_t address);

  /// Arrivals of this warp's lanes whose copies have all arrived (numbers below `oldest_pending`).
  template <typename OldestPending>
  [[nodiscard]] std::vector<DeferredArrival> take_done(std::uint32_t warp,
                                                       OldestPending&& oldest_pending) {
    std::vector<DeferredArrival> done;
    std::erase_if(deferred_, [&](const DeferredArrival& arrival) {
      if (arrival.warp != warp || arrival.last_copy >= oldest_pending(arrival.lane)) return false;
      done.push_back(arrival);
      return true;
    });
    return done;
  }

  [[nodiscard]] bool has_deferred() const { return !deferred_.empty(); }

 private:
  std::map<std::int64_t, Mbarrier> barriers_;
  std::vector<DeferredArrival> deferred_;
  std::set<std::int64_t> never_made_;
  std::map<std::uint32_t, std::set<std::int64_t>> misused_;  // by place
  std::set<std::int64_t> raced_;
};

}  // namespace tirx::sim
