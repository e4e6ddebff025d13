// The lane kernels compiled for x86-64-v3 (AVX2, FMA).
#if defined(__x86_64__)
#include "numerics/lane_kernels/body.inc"

namespace tirx::num {

const LaneTable& avx2_lane_table() {
  return kTable;
}

}  // namespace tirx::num
#endif
