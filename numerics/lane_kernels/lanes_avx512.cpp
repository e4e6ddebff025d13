// The lane kernels compiled for x86-64-v4 (AVX-512).
#if defined(__x86_64__)
#include "numerics/lane_kernels/body.inc"

namespace tirx::num {

const LaneTable& avx512_lane_table() {
  return kTable;
}

}  // namespace tirx::num
#endif
