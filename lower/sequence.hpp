// In which order do the effects of one expression happen?  In the script's: from left to right, the
// value of a store before its place.  C++ leaves the order of operands open, so where it matters
// the effects become variables of their own, one statement each.
#pragma once

#include <optional>

#include "ir/base/result.hpp"
#include "ir/stmt.hpp"

namespace tirx::lower {

/// The statements that say the same with at most one effect an expression; nothing where the
/// statement already is like that.  An error where the order cannot be written down.
[[nodiscard]] Result<std::optional<ir::Body>> in_sequence(const ir::Stmt& stmt);

}  // namespace tirx::lower
