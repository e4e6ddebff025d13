// When are two pieces of IR the same?  Places in the text do not count.  Expressions on their own
// compare variables and buffers by identity; whole kernels compare them by position (what is bound
// first on one side corresponds to what is bound first on the other), so that a kernel equals its
// printed and re-read form.
#pragma once

#include <string>

#include "ir/kernel.hpp"

namespace tirx::ir {

/// Same value in the same state.  Machine calls are only equal to themselves.
[[nodiscard]] bool same_expr(const Expr& a, const Expr& b);

[[nodiscard]] bool structurally_equal(const Kernel& a, const Kernel& b);
/// Where two kernels first differ, in a few words; empty if they are equal.
[[nodiscard]] std::string first_difference(const Kernel& a, const Kernel& b);

}  // namespace tirx::ir
