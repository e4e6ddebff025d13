// Which forms do atomics, ordered accesses, read-only loads and exchanges between lanes have (PTX
// ISA, "atom", "ld", "st", "ld.global.nc", "shfl.sync", "redux.sync")?  Asked once, while lowering,
// so that the simulator runs nothing that cannot be emitted.
#pragma once

#include <optional>
#include <string>

#include "ir/expr.hpp"
#include "ir/target.hpp"

namespace tirx::lower {

/// Why the call has no form for its operand's type, memory or scope on the target; nothing if it
/// has one.
[[nodiscard]] std::optional<std::string> refuse_form(const ir::MachineCall& call,
                                                     const ir::Target& target);

}  // namespace tirx::lower
