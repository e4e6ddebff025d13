// Which forms do atomics and read-only loads have (PTX ISA, "atom", "ld.global.nc")?  Asked once,
// while lowering, so that the simulator runs nothing that cannot be emitted.
#pragma once

#include <optional>
#include <string>

#include "ir/expr.hpp"
#include "ir/target.hpp"

namespace tirx::lower {

/// Why the call has no form for its operand's type or memory on the target; nothing if it has one.
[[nodiscard]] std::optional<std::string> refuse_memory_form(const ir::MachineCall& call,
                                                            const ir::Target& target);

}  // namespace tirx::lower
