// copy_async / ldgsts: global -> shared by cp.async.
#pragma once

#include "lower/dispatch.hpp"

namespace tirx::lower {

[[nodiscard]] std::optional<std::string> refuse_ldgsts(const Site& site);
[[nodiscard]] Result<Expansion> expand_ldgsts(const Site& site);

}  // namespace tirx::lower
