// May a tile op read this source while it writes its destination?  In place (each element where the
// destination's own is) and apart are fine, through whatever views of one storage; any other
// overlap would read elements that are already written.
#pragma once

#include <optional>
#include <string>

#include "lower/site.hpp"

namespace tirx::lower {

/// Why the op's sources and its destination cannot lie as they do, where their places are known:
/// the distance between them is a constant, and so are their strides.
[[nodiscard]] std::optional<std::string> refuse_meeting(const Site& site);

}  // namespace tirx::lower
