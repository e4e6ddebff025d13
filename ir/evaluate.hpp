// What is an expression whose variables have known values, as the kernel would compute it: sizes of
// arguments, grids, assertions before the launch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "ir/expr.hpp"

namespace tirx::ir {

/// The bits of a variable; nothing where it is not known.
using ValueOf = std::function<std::optional<std::uint64_t>(const Variable& variable)>;

/// The bits of the value; nothing where it depends on more than that, or has none (a division by
/// zero).
[[nodiscard]] std::optional<std::uint64_t> evaluate_constant(const Expr& expr,
                                                             const ValueOf& value_of);

}  // namespace tirx::ir
