// Does the order of a run decide who meets whom at a barrier?  A barrier counts threads, not who
// they are (PTX ISA 9.7.13, bar): when more come than it is for, the first ones meet.
//
// The rule: who arrives for one generation of a barrier has to come after all arrivals for the
// generation before (happens-before, the detector's clocks); else it could have taken the place of
// one of them.  Pairs of bar.arrive and bar.sync at two barriers have that order: each arrival
// follows a wait for the other side.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/program/bytecode.hpp"
#include "sim/race/detector.hpp"

namespace tirx::sim {

class BarrierOrder {
 public:
  struct Arrival {
    std::uint32_t warp = 0;
    race::Lanes lanes = 0;
    race::Tick tick = 0;
    std::uint32_t expected = 0;  // threads
    bool waits = true;           // else bar.arrive
    const CallSite* site = nullptr;
  };

  /// Arrivals of one barrier that nothing orders: the least and the greatest by place and warp.
  struct Surplus {
    std::uint32_t warps = 0;  // a bit each
    bool counts_differ = false;
    Arrival first, last;
  };

  static constexpr std::size_t kBarriers = 16;

  void reset();

  /// Before the arrival's release.  Those that wait are told of once more when all have arrived.
  void arrive(const race::Detector& threads, std::uint32_t id, const Arrival& arrival) {
    if (!last_[id].empty()) check(threads, id, arrival);
    if (!arrival.waits) filling_[id].push_back(arrival);
  }

  /// This one has waited until now.
  void waited(std::uint32_t id, const Arrival& arrival) { filling_[id].push_back(arrival); }

  /// All have arrived.  `everyone`: all threads of the CTA that have not exited wait for it, so
  /// that whatever comes later comes after it.
  void complete(std::uint32_t id, bool everyone) {
    last_[id].clear();
    if (!everyone) last_[id].swap(filling_[id]);
    filling_[id].clear();
  }

  /// Two operations at one barrier name different counts.
  void counts_differ(std::uint32_t id) { mixed_ |= 1U << id; }

  [[nodiscard]] const std::array<std::optional<Surplus>, kBarriers>& surplus() const {
    return surplus_;
  }

  [[nodiscard]] bool differ(std::uint32_t id) const { return (mixed_ >> id & 1) != 0; }

 private:
  void check(const race::Detector& threads, std::uint32_t id, const Arrival& arrival);
  void add(std::uint32_t id, const Arrival& arrival);

  std::array<std::vector<Arrival>, kBarriers> filling_, last_;
  std::array<std::optional<Surplus>, kBarriers> surplus_;
  std::uint32_t mixed_ = 0;
};

}  // namespace tirx::sim
