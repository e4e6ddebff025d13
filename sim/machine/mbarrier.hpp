// Barriers in shared memory (PTX ISA 9.7.13.15, "mbarrier"): arrivals and bytes that the current
// phase still misses, and the rules of their use.  A barrier is named by its byte address.  Its
// eight bytes hold an encoding of its state, so that an ordinary store to it is noticed at the next
// use.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

  MbarrierOrder order;

  void reset() {
    barriers_.clear();
    deferred_.clear();
    order.reset();
  }

  [[nodiscard]] Mbarrier* find(std::int64_t address) {
    const auto at = barriers_.find(address);
    return at == barriers_.end() ? nullptr : &at->second;
  }

  Mbarrier& make(std::int64_t address) { return barriers_[address] = {}; }

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
};

}  // namespace tirx::sim
