// The special-function unit's approximations (PTX ISA "ex2.approx, lg2.approx, rcp.approx, …"): a
// quadratic interpolator whose coefficients and rules were found from recordings of the hardware
// (docs/numerics.md, "Hardware approximations").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "numerics/scalar_op.hpp"

namespace tirx::num {

/// A single-value function of float32 bits; nullptr if the table has not been recorded.
using ApproxFunction = std::uint32_t (*)(std::uint32_t);
[[nodiscard]] ApproxFunction find_approx(ScalarOp op);

/// The file below numerics/ that an approximation's table is in; empty for other operations.
[[nodiscard]] std::string_view approx_table_file(ScalarOp op);

/// Whether the bits on this architecture (90 for sm_90) are known: each one has its own tables.
[[nodiscard]] bool approx_recorded(ScalarOp op, int sm);

}  // namespace tirx::num
