// copy / ldstmatrix: shared memory <-> registers by ldmatrix and stmatrix.
#pragma once

#include "lower/dispatch.hpp"

namespace tirx::lower {

[[nodiscard]] std::optional<std::string> refuse_ldstmatrix(const Site& site);
[[nodiscard]] Result<Expansion> expand_ldstmatrix(const Site& site);

}  // namespace tirx::lower
