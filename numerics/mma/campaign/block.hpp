// One block of the campaign, on the CPU: its digest by the tile path, and any single output of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "numerics/mma/campaign/inputs.inl"
#include "numerics/mma/rows.hpp"
#include "numerics/mma/tile.hpp"

namespace tirx::num::campaign {

inline constexpr std::uint64_t kSeed = 20261129;

/// Identifies a row in the keys of the generator: a hash of describe(row), so that adding rows to
/// the table moves no recorded block.
[[nodiscard]] std::uint32_t row_id(const MmaRow& row);

/// Identifies the rule that a row's digests were recorded with: its numbers, and the text (without
/// comments and blanks) of the integer routines below `root`.  A row whose fingerprint changed
/// since its recording may no longer call itself witnessed.  Empty if the sources cannot be read.
[[nodiscard]] std::string fingerprint(const MmaRow& row, const std::string& root);

[[nodiscard]] Type type_of(DType type);

/// The instruction's k in this block.
[[nodiscard]] int k_of(const MmaRow& row, const Plan& plan);

[[nodiscard]] std::uint64_t block_digest(const MmaRow& row,
                                         std::uint64_t seed,
                                         int block,
                                         TilePath path = TilePath::automatic);

/// Inputs of one output, step after step, and the result of the scalar reference; as text.
[[nodiscard]] std::string output_text(
    const MmaRow& row, std::uint64_t seed, int block, int tile, int position);

}  // namespace tirx::num::campaign
