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

void beside(Draft& draft) {
  beside_a_fault(draft);
  draft.mark("lines beside a fault");
}

constexpr auto kCorners = std::to_array<Corner>({
    {"lines beside a fault", beside, 2},
});

}  // namespace

void beside_a_fault(Draft& draft) {
  if (draft.features.contains("lines beside one")) return;
  for (int tries = 4; tries > 0; --tries) {
    const auto number = static_cast<std::size_t>(draft.dice.below(static_cast<int>(run_faults())));
    if (!has_room(draft, run_fault(number))) continue;
    cta_barrier(draft);
    plant(draft, run_fault(number), false);
    draft.mark("lines beside one");
    return;
  }
}

std::span<const Corner> machine_corners() {
  return kCorners;
}

}  // namespace tirx::fuzz
