// Scalar operations over the 32 lanes of a warp.  Same bits as evaluate() and convert() lane by
// lane, on every instruction set below; the difference is speed.
//
// Storage of an operand or result: 32 x uint32_t for types of at most 32 bits (bits zero-extended,
// bool 0 or 1), 32 x uint64_t for 64-bit types.  Arrays are aligned to 64 bytes; dst may be one of
// the operands.  Lanes outside `mask` keep what dst held.
#pragma once

#include <cstdint>

#include "numerics/convert.hpp"
#include "numerics/scalar_op.hpp"

namespace tirx::num {

inline constexpr int kLanes = 32;

/// Operands beyond the arity are not read (nullptr is fine).  An integer division by zero gives 0:
/// ask zero_lanes() first.
using LaneFunction =
    void (*)(void* dst, const void* a, const void* b, const void* c, std::uint32_t mask);
using LaneConversion = void (*)(void* dst, const void* src, std::uint32_t mask);

enum class LaneIsa : std::uint8_t { baseline, avx2, avx512 };

/// The widest instruction set that this machine has.
[[nodiscard]] LaneIsa best_lane_isa();

/// nullptr where the operation is illegal for the type or its table has not been recorded.
[[nodiscard]] LaneFunction find_lane_function(ScalarOp op, DType dtype);
[[nodiscard]] LaneFunction find_lane_function(ScalarOp op, DType dtype, LaneIsa isa);

/// The language's cast; never nullptr.
[[nodiscard]] LaneConversion find_lane_conversion(DType from, DType to);
[[nodiscard]] LaneConversion find_lane_conversion(DType from, DType to, LaneIsa isa);
/// Any other conversion form, lane by lane.
void convert_lanes(
    void* dst, const void* src, std::uint32_t mask, DType from, DType to, const Conversion& form);

/// The lanes of `mask` whose integer operand is zero.
[[nodiscard]] std::uint32_t zero_lanes(const void* operand, DType dtype, std::uint32_t mask);

}  // namespace tirx::num
