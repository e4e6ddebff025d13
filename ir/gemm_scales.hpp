// The operands of gemm that are given by keyword: SFA= and SFB= come after D, A, B and C in
// TileCall::operands, both of them or none.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tirx::ir {

inline constexpr std::size_t kFirstGemmScale = 4;
inline constexpr std::array<std::string_view, 2> kGemmScales{"SFA", "SFB"};

}  // namespace tirx::ir
