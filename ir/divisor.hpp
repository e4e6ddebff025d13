// What divides an index expression whatever its variables are?  A layout that is cut at an unknown
// place has to know that the place is a multiple of its block: `T.max(kb * 32 - 32, 0)` is one of
// 32.
#pragma once

#include <cstdint>

#include "ir/facts.hpp"

namespace tirx::ir {

/// A divisor of the value of an integer expression by its form; 0 where the value is 0.  As in
/// Facts::known signed arithmetic is taken not to leave its type, but in a hash; unsigned
/// arithmetic may.
[[nodiscard]] std::int64_t divisor_of(const Expr& expr, const Facts& facts);

}  // namespace tirx::ir
