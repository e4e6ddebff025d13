// What one instruction set offers: the lane loops and the single-value functions they wrap.
// Private to numerics/.
#pragma once

#include "numerics/lanes.hpp"

namespace tirx::num {

inline constexpr int kDTypeCount = static_cast<int>(DType::handle) + 1;

struct LaneEntry {
  LaneFunction lanes = nullptr;
  Bits (*single)(Bits, Bits, Bits) = nullptr;
};

struct LaneTable {
  LaneEntry entries[kScalarOpCount][kDTypeCount];
  LaneConversion conversions[kDTypeCount][kDTypeCount];
};

[[nodiscard]] const LaneTable& baseline_lane_table();
#if defined(__x86_64__)
[[nodiscard]] const LaneTable& avx2_lane_table();
[[nodiscard]] const LaneTable& avx512_lane_table();
#endif

}  // namespace tirx::num
