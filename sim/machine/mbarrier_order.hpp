// Does the order of a run decide for which phase of an mbarrier an arrival counts?  A phase counts
// arrivals, not who makes them (PTX ISA 9.7.13.15): when more come than it is made for, the first
// ones complete it.
//
// The rule: who arrives for one phase has to come after all arrivals for the phase before
// (happens-before, the detector's clocks); else it could have taken the place of one of them.  It
// is enough that some lane of its warp knows them: lanes hand on what one of them has waited for.
// Arrivals and waits with .relaxed order nothing for the detector, though they may for the barrier:
// a CTA that has any is not looked at.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/program/bytecode.hpp"
#include "sim/race/detector.hpp"

namespace tirx::sim {

/// One thread's or several lanes' arrival at an mbarrier.
struct MbarrierArrival {
  std::uint32_t warp = 0;
  race::Lanes lanes = 0;
  race::Tick tick = 0;
  const CallSite* site = nullptr;
};

/// Those of one mbarrier, for this phase and for the one before.
struct MbarrierArrivals {
  std::vector<MbarrierArrival> now, before;

  void next_phase() {
    before.swap(now);
    now.clear();
  }
};

class MbarrierOrder {
 public:
  /// Arrivals at one mbarrier that nothing orders: the least and the greatest by place and warp.
  struct Surplus {
    std::uint32_t warps = 0;     // a bit each
    std::uint32_t expected = 0;  // arrivals of a phase
    std::string name;
    MbarrierArrival first, last;
  };

  void reset() {
    surplus_.clear();
    relaxed_ = false;
  }

  /// Before the arrival's release.  True: it is the first surplus one of this mbarrier, and wants
  /// the count and the name.
  [[nodiscard]] Surplus* arrive(const race::Detector& threads,
                                std::int64_t address,
                                MbarrierArrivals& known,
                                const MbarrierArrival& arrival);

  /// An arrival or a wait with .relaxed.
  void relaxed() { relaxed_ = true; }

  /// By address.
  [[nodiscard]] const std::map<std::int64_t, Surplus>& surplus() const { return surplus_; }

  [[nodiscard]] bool is_known() const { return !relaxed_; }

 private:
  static void add(Surplus& surplus, const MbarrierArrival& arrival);

  std::map<std::int64_t, Surplus> surplus_;
  bool relaxed_ = false;
};

}  // namespace tirx::sim
