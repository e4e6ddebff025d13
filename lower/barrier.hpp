// Which barrier ends a tile op that leaves data for other threads of its scope?
#pragma once

#include "ir/stmt.hpp"
#include "lower/site.hpp"

namespace tirx::lower {

/// Named barriers that tile ops at warpgroup scope use: one id for each warpgroup, so that two
/// warpgroups never wait for each other.  A CTA has at most 8 of them and 16 barriers.
inline constexpr std::int64_t kFirstWarpgroupBarrier = 8;

/// cta_sync, the warpgroup's named barrier, or warp_sync; nothing at thread scope.
void add_barrier(const Site& site, ir::Body& body);

}  // namespace tirx::lower
