// CTAs on several host threads: who has touched which line of memory?  The first to find a line of
// another CTA stops, and the launch is run again with CTAs taking turns.
#include <algorithm>

#include "sim/exec/addresses.hpp"
#include "sim/exec/report.hpp"

namespace tirx::sim::exec {

bool claim_access(const MemSite& site, Warp& w) {
  alignas(64) std::int64_t address[kLanes];
  addresses(site, w, address);
  const Region& region = w.regions[site.region];
  const auto cta = static_cast<std::uint32_t>(w.cta->linear + 1);
  const std::int64_t unit = site.nibble ? 2 : 1;
  std::int64_t low = 0, high = 0;  // one run of lanes that follow each other
  bool ok = true;
  const auto flush = [&] {
    if (high > low) ok = ok && claim(region, low, high - low, cta);
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
