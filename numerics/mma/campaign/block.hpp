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

[[nodiscard]] Type type_of(DType type);

/// Whether the instruction has imm-scale-a and imm-scale-b.
[[nodiscard]] bool has_scales(const MmaRow& row);

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
