// Which code does a value come from?  The fingerprints that are recorded with a GPU's outputs.
#pragma once

#include <string>

#include "numerics/scalar_op.hpp"

namespace tirx::num {

/// Of an operation on floats: its own sequence for a math function, the unit's rules and table for
/// an approximation, the lane kernels' source for IEEE operations.
[[nodiscard]] std::string fingerprint(ScalarOp op);

/// Of every conversion.
[[nodiscard]] std::string conversion_fingerprint();

}  // namespace tirx::num
