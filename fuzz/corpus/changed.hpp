// A kernel that somebody wrote, with one place changed: seldom right any more, but everybody must
// still say the same about it.  The ways to change it are those of `tirx mutate` and of
// `tirx fuzz --negative`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "fuzz/check/oracle.hpp"
#include "ir/kernel.hpp"
#include "ir/tensor.hpp"

namespace tirx::fuzz {

/// Whether a loop of the kernel may wait for a value of memory: with another bound it goes on when
/// it should not, and what it then finds is a matter of time.
[[nodiscard]] bool polls(const ir::Kernel& kernel);

/// The launch of `kernel` on `before`, which takes `steps` warp instructions, changed in the place
/// that `number` draws.
[[nodiscard]] std::optional<Finding> check_changed(const ir::Kernel& kernel,
                                                   std::span<const ir::Argument> before,
                                                   std::uint64_t steps,
                                                   std::uint64_t number,
                                                   const OracleOptions& options);

}  // namespace tirx::fuzz
