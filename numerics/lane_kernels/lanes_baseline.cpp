// The lane kernels compiled for the instruction set every x86-64 (or other) machine has.
#include "numerics/lane_kernels/body.inc"

namespace tirx::num {

const LaneTable& baseline_lane_table() {
  return kTable;
}

}  // namespace tirx::num
