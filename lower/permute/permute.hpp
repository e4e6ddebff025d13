// permute_layout: every element moves from one layout to another, all reads before all writes, so
// that the two may share their storage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lower/dispatch.hpp"

namespace tirx::lower {

/// The smallest k for which, in every round r, the 32 lanes touch 32 different banks on both sides,
/// where lane l takes element j * 32 + l, j = r ^ ((l >> (5 - k)) & (2^k - 1)).  Offsets are in
/// elements, one for each of the 32 * P elements.  Nothing if there is none.
[[nodiscard]] std::optional<int> conflict_free_xor(const std::vector<std::int64_t>& src,
                                                   const std::vector<std::int64_t>& dst,
                                                   std::int64_t bytes);

[[nodiscard]] std::optional<std::string> refuse_xor_swizzle(const Site& site);
[[nodiscard]] Result<Expansion> expand_xor_swizzle(const Site& site);
[[nodiscard]] std::optional<std::string> refuse_permute_reg(const Site& site);
[[nodiscard]] Result<Expansion> expand_permute_reg(const Site& site);

}  // namespace tirx::lower
