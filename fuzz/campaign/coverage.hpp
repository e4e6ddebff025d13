// What would a run exercise?  Programs are generated and lowered, not run: some thousand take
// seconds, and the answer is the same on every machine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fuzz/campaign/campaign.hpp"

namespace tirx::fuzz {

struct Coverage {
  std::int64_t programs = 0, refused = 0, with_barriers = 0;
  std::map<std::string, std::int64_t> features;                // programs that use each
  std::vector<std::pair<std::int64_t, std::string>> expected;  // rarest first
};

[[nodiscard]] Coverage measure_coverage(const CampaignOptions& options);

/// Of what random programs should use, with the counts of a run, rarest first.
[[nodiscard]] std::vector<std::pair<std::int64_t, std::string>> rarest_first(
    const std::map<std::string, std::int64_t>& features);

}  // namespace tirx::fuzz
