// A finding's script made short (fuzz/reduce), in processes of their own: what it does on the way
// may end them.
#pragma once

#include "fuzz/campaign/campaign.hpp"

namespace tirx::fuzz {

/// What the script ends in; `on_device`: asks the GPU, too.
[[nodiscard]] std::optional<Finding> ask(const std::string& script,
                                         const CampaignOptions& options,
                                         bool on_device);

/// Fills in `reduced` and `shown` where something shorter ends the same way.
void shorten(Found& found, const CampaignOptions& options, double seconds);

}  // namespace tirx::fuzz
