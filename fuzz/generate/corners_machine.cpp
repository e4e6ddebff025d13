// What the simulated machine has for few programs: operations of barriers and of warps, and the
// right lines beside each fault of planted_run.hpp.
#include <array>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"
#include "fuzz/generate/planted_run.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

/// One of them a program: their names are fixed.
void beside_a_fault(Draft& draft) {
  const auto number = static_cast<std::size_t>(draft.dice.below(static_cast<int>(run_faults())));
  const RunFault& fault = run_fault(number);
  if (!draft.features.contains("lines beside a fault") && has_room(draft, fault)) {
    cta_barrier(draft);
    plant(draft, fault, false);
  }
  draft.mark("lines beside a fault");
}

constexpr auto kCorners = std::to_array<Corner>({
    {"lines beside a fault", beside_a_fault, 2},
});

}  // namespace

std::span<const Corner> machine_corners() {
  return kCorners;
}

}  // namespace tirx::fuzz
