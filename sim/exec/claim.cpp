// CTAs on several host threads: who has touched which line of memory?  The first to find a line of
// others stops, and the launch is run again with CTAs taking turns.
#include <algorithm>

#include "sim/exec/addresses.hpp"
#include "sim/exec/report.hpp"

namespace tirx::sim::exec {

namespace {

/// The neighbouring bytes that all lanes of a fixed pattern touch together; 0: not known to be
/// that.
std::int64_t one_run(const MemSite& site, const Warp& w, std::int64_t& begin) {
  if (site.pattern == nullptr || site.nibble || w.skip != 0 || w.mask != kFullMask) return 0;
  if (site.count > 1 && site.stride != site.size) return 0;
  const LanePattern& pattern = *site.pattern;
  const std::int64_t width = std::int64_t{site.size} * site.count;
  const std::int64_t base = base_address(site, w);
  if (base + site.low < site.lo || base + site.high > site.hi) return 0;
  begin = base + pattern.offset[0];
  if (pattern.kind == LanePattern::Kind::broadcast) return width;
  const bool run = pattern.kind == LanePattern::Kind::run && pattern.step == width;
  return run ? width * kLanes : 0;
}

}  // namespace

bool claim_access(const MemSite& site, Warp& w) {
  std::int64_t begin = 0;
  if (const std::int64_t size = one_run(site, w, begin); size != 0) {
    return claim(w.regions[site.region], begin, size, w.cta->owner);
  }
  alignas(64) std::int64_t address[kLanes];
  addresses(site, w, address);
  const Region& region = w.regions[site.region];
  const std::uint32_t owner = w.cta->owner;
  const std::int64_t unit = site.nibble ? 2 : 1;
  std::int64_t low = 0, high = 0;  // one run of lanes that follow each other
  bool ok = true;
  const auto flush = [&] {
    if (high > low) ok = ok && claim(region, low, high - low, owner);
  };
  for_lanes(w.mask & ~w.skip, [&](int lane) {
    for (int e = 0; e < site.count; ++e) {
      const std::int64_t at = (address[lane] + e * site.stride) / unit;
      if (at < site.lo || at + site.size > site.hi) continue;
      if (at <= high && at >= low) {
        high = std::max(high, at + site.size);
      } else {
        flush();
        low = at;
        high = at + site.size;
      }
    }
  });
  flush();
  return ok;
}

void note_conflict(Warp& w) {
  w.cta->conflict = true;
  w.stop = Stop::abort;
}

}  // namespace tirx::sim::exec
