// What would the other variants have said?  Lowering asks the variants of a tile call in their
// order until one takes it; only `tirx explain` wants to hear those behind it, and each costs time.
#pragma once

#include "lower/dispatch.hpp"

namespace tirx::lower {

/// `lower`, with the refusals of the variants behind the chosen one in every note.
[[nodiscard]] Result<LoweredKernel> lower_explained(const ir::Kernel& kernel,
                                                    const ir::Target& target);

/// Adds them to the note of one call, which dispatch has made.
void add_later_refusals(const Site& site, DispatchNote& note);

}  // namespace tirx::lower
