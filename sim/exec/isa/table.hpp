// One table of lane handlers per instruction set.
#pragma once

#include "sim/exec/handlers.hpp"

namespace tirx::sim::exec {

[[nodiscard]] const LaneHandlers& lane_handlers_baseline();
[[nodiscard]] const LaneHandlers& lane_handlers_avx2();
[[nodiscard]] const LaneHandlers& lane_handlers_avx512();

}  // namespace tirx::sim::exec
