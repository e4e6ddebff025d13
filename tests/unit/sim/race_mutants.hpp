// The race detector with one of its rules broken.
#pragma once

#include "sim/race/detector.hpp"

namespace tirx::sim::race {

struct SingleReader : ExactRules {
  static constexpr bool kSingleReader = true;
};

struct NoProxyClock : ExactRules {
  static constexpr bool kNoProxyClock = true;
};

struct AtomicsOrder : ExactRules {
  static constexpr bool kAtomicsOrder = true;
};

struct NoTick : ExactRules {
  static constexpr bool kNoTick = true;
};

struct LanesMerged : ExactRules {
  static constexpr bool kLanesMerged = true;
};

struct ReadsLost : ExactRules {
  static constexpr bool kReadsLost = true;
};

struct AnyScope : ExactRules {
  static constexpr bool kAnyScope = true;
};

struct WholeWarp : ExactRules {
  static constexpr bool kWholeWarp = true;
};

struct RelaxedSynchronises : ExactRules {
  static constexpr bool kRelaxedSynchronises = true;
};

struct StoreContinues : ExactRules {
  static constexpr bool kStoreContinues = true;
};

}  // namespace tirx::sim::race
