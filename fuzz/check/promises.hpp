// Is a tile operation lowered the way that its line says?  Another variant or a narrower vector
// leaves the same values, and a kernel that is slower; so a generated line may end in what the
// rules of docs/language/tile_ops.md make of it: "#: gmem_smem, vec 8".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/kernel.hpp"
#include "ir/launch.hpp"
#include "lower/lowered.hpp"

namespace tirx::fuzz {

/// The comment that promises so much.
[[nodiscard]] std::string promise(std::string_view variant, std::int64_t vector = 0);

/// Words behind the vector: the copy is warned about; its shared memory has no bank conflicts.
inline constexpr std::string_view kWarns = ", warns";
inline constexpr std::string_view kNoConflicts = ", no conflicts";

/// Elements of the widest vector of up to 128 bits that divides both, by the rule of elementwise
/// operations in memory.
[[nodiscard]] std::int64_t widest_vector(int bits, std::int64_t innermost, std::int64_t per_thread);

/// Which promise is broken.  Warnings count without one: a copy that asks for clip or fill has
/// none, and one by a single thread always has.
[[nodiscard]] std::optional<std::string> broken_promise(const ir::Kernel& kernel,
                                                        const lower::LoweredKernel& lowered);

/// Whether a line of the kernel promises something that only counts of the run show, and then which
/// line breaks it.
[[nodiscard]] bool promises_counts(const ir::Kernel& kernel);
[[nodiscard]] std::optional<std::string> broken_count(const ir::Kernel& kernel,
                                                      const ir::LaunchStats& stats);

}  // namespace tirx::fuzz
