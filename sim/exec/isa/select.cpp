#include "sim/exec/isa/table.hpp"

namespace tirx::sim::exec {

const LaneHandlers& lane_handlers(num::LaneIsa isa) {
#if defined(__x86_64__)
  if (isa == num::LaneIsa::avx512) return lane_handlers_avx512();
  if (isa == num::LaneIsa::avx2) return lane_handlers_avx2();
#endif
  static_cast<void>(isa);
  return lane_handlers_baseline();
}

}  // namespace tirx::sim::exec
