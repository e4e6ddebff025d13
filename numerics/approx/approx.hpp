// The special-function unit's approximations (PTX ISA "ex2.approx, rcp.approx, rsqrt.approx"), from
// tables recorded on the hardware.  Each entry is the distance, in units of the last place, between
// the unit's result and the correctly rounded one; other inputs reduce to the table by rules found
// by measurement (docs/numerics.md, "Hardware approximations").
#pragma once

#include <cstdint>
#include <optional>

#include "numerics/scalar_op.hpp"

namespace tirx::num {

/// A single-value function of float32 bits; nullptr if the table has not been recorded.
using ApproxFunction = std::uint32_t (*)(std::uint32_t);
[[nodiscard]] ApproxFunction find_approx(ScalarOp op);

/// Whether the bits on this architecture (90 for sm_90) are known: each one has its own tables.
[[nodiscard]] bool approx_recorded(ScalarOp op, int sm);

/// The correctly rounded values that the tables are relative to; public for their tests.
[[nodiscard]] std::uint32_t rounded_exp2(std::uint32_t fraction);      // 2^(fraction / 2^23)
[[nodiscard]] std::uint32_t rounded_rsqrt(std::uint32_t significand);  // of bits in [1, 4)

}  // namespace tirx::num
