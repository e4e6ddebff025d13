// The recorded tables, unpacked on first use.  Private to numerics/approx.
#pragma once

#include <cstdint>
#include <span>

namespace tirx::num {

/// Distances in units of the last place, by the low bits of the argument:
/// ex2 and rcp over [1, 2), rsqrt and sqrt over [1, 4).  Empty if not recorded.
[[nodiscard]] std::span<const std::int8_t> ex2_deltas();
[[nodiscard]] std::span<const std::int8_t> rcp_deltas();
[[nodiscard]] std::span<const std::int8_t> rsqrt_deltas();
[[nodiscard]] std::span<const std::int8_t> sqrt_deltas();

}  // namespace tirx::num
