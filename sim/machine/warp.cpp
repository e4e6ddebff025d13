// Origins of poison, lane by lane; see warp.hpp.
#include "sim/machine/warp.hpp"

#include "sim/exec/lanes.hpp"

namespace tirx::sim {

void Warp::set_origin(std::uint32_t reg, std::uint32_t lanes, std::uint32_t number) {
  std::uint32_t* to = origins_of(reg);
  for_lanes(lanes, [&](int lane) { to[lane] = number; });
}

void Warp::copy_origin(std::uint32_t reg, std::uint32_t lanes, std::uint32_t from) {
  std::uint32_t* to = origins_of(reg);
  const std::uint32_t* why = origins_of(from);
  for_lanes(lanes, [&](int lane) { to[lane] = why[lane]; });
}

}  // namespace tirx::sim
