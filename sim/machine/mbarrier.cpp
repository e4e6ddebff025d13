// See mbarrier.hpp.
#include "sim/machine/mbarrier.hpp"

#include <algorithm>

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

std::set<std::uint32_t> Mbarriers::follow_from_races() const {
  std::set<std::uint32_t> places;
  for (const auto& [place, addresses] : misused_) {
    if (std::includes(raced_.begin(), raced_.end(), addresses.begin(), addresses.end())) {
      places.insert(place);
    }
  }
  return places;
}

}  // namespace tirx::sim
