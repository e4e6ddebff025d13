// Does the order of a run decide for which phase of an mbarrier an arrival counts?  A phase counts
// arrivals, not who makes them (PTX ISA 9.7.13.15): when more come than it is made for, the first
// ones complete it.
//
// The rule: who arrives for one phase has to come after all arrivals for the phase before
// (happens-before, the detector's clocks); else it could have taken the place of one of them.  It
// is enough that some lane of its warp knows them: lanes hand on what one of them has waited for.
//
// Parity tells a phase from its neighbours only.  So who waits for a phase has to come after the
// arrivals for the phase before it (else the wait may pass for an earlier one), and some arrival
// for the phase behind it has to come after the wait (else that one may be over, too, and the wait
// never passes, or for a later one). Arrivals and waits with .relaxed order nothing for the
// detector, though they may for the barrier: a CTA that has any is not looked at.
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

/// Those of one mbarrier, for this phase and for the two before.
struct MbarrierArrivals {
  std::vector<MbarrierArrival> now, before, earlier;
  // Waits for the phase before that have passed, and that no arrival for this one comes after.
  std::vector<MbarrierArrival> waits;

  void next_phase() {
    earlier.swap(before);
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

  /// A wait that may pass for one of several phases, or for none: the least by place and warp; and
  /// how many warps.
  struct Doubtful {
    std::uint32_t warps = 0;
    MbarrierArrival first;
  };

  void reset() {
    surplus_.clear();
    doubtful_.clear();
    relaxed_ = false;
  }

  /// Before the arrival's release.  True: it is the first surplus one of this mbarrier, and wants
  /// the count and the name.
  [[nodiscard]] Surplus* arrive(const race::Detector& threads,
                                std::int64_t address,
                                MbarrierArrivals& known,
                                const MbarrierArrival& arrival);

  /// An arrival that takes nobody's place.
  static void cover(const race::Detector& threads,
                    MbarrierArrivals& known,
                    const MbarrierArrival& arrival);

  /// A wait by parity, before it acquires, that passes or has to wait now.
  void wait(const race::Detector& threads,
            std::int64_t address,
            const MbarrierArrivals& known,
            const MbarrierArrival& wait,
            bool passes);

  /// … after it has acquired.
  static void passed(MbarrierArrivals& known, const MbarrierArrival& wait);

  /// The phase is complete.
  void complete(std::int64_t address, MbarrierArrivals& known);

  /// An arrival or a wait with .relaxed.
  void relaxed() { relaxed_ = true; }

  /// By address.
  [[nodiscard]] const std::map<std::int64_t, Surplus>& surplus() const { return surplus_; }

  [[nodiscard]] const std::map<std::int64_t, Doubtful>& doubtful() const { return doubtful_; }

  [[nodiscard]] bool is_known() const { return !relaxed_; }

 private:
  static void add(Surplus& surplus, const MbarrierArrival& arrival);
  void doubt(std::int64_t address, const MbarrierArrival& wait);

  std::map<std::int64_t, Surplus> surplus_;
  std::map<std::int64_t, Doubtful> doubtful_;
  bool relaxed_ = false;
};

}  // namespace tirx::sim
