// What a generated line says of its lowering: "#! lowered gmem_smem, vec 8", by the rules of
// docs/language/tile_ops.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tirx::fuzz {

/// The comment that promises so much.
[[nodiscard]] std::string promise(std::string_view variant, std::int64_t vector = 0);

/// Words behind the vector: the copy is warned about; each vector is stored in one piece; its
/// accesses to global memory touch no more sectors than they need; its shared memory has no bank
/// conflicts.
inline constexpr std::string_view kWarns = ", warns";
inline constexpr std::string_view kWhole = ", whole";
inline constexpr std::string_view kCoalesced = ", coalesced";
inline constexpr std::string_view kNoConflicts = ", no conflicts";

/// Elements of the widest vector of up to 128 bits that divides both, by the rule of elementwise
/// operations in memory.
[[nodiscard]] std::int64_t widest_vector(int bits, std::int64_t innermost, std::int64_t per_thread);

}  // namespace tirx::fuzz
