// Which groups of threads does the language know, from one thread to the whole launch?  The order
// of the enumerators is containment: every scope is made of instances of the ones before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tirx::ir {

enum class ExecScope : std::uint8_t { thread, warp, warpgroup, cta, cta_pair, cluster, kernel };

inline constexpr int kLanesPerWarp = 32;
inline constexpr int kWarpsPerWarpgroup = 4;
inline constexpr int kThreadsPerWarpgroup = kLanesPerWarp * kWarpsPerWarpgroup;

[[nodiscard]] std::string_view name_of(ExecScope scope);
/// Also accepts "wg" for warpgroup.
[[nodiscard]] std::optional<ExecScope> find_exec_scope(std::string_view name);

}  // namespace tirx::ir
