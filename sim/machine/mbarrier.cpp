// See mbarrier.hpp.
#include "sim/machine/mbarrier.hpp"

namespace tirx::sim {

std::vector<DeferredArrival> Mbarriers::take(std::int64_t address) {
  std::vector<DeferredArrival> taken;
  std::erase_if(deferred_, [&](const DeferredArrival& arrival) {
    if (arrival.address != address) return false;
    taken.push_back(arrival);
    return true;
  });
  return taken;
}

}  // namespace tirx::sim
