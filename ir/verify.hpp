// Is a kernel of tile IR well formed?  What every consumer may rely on: names are bound before they
// are used, indices fit their buffers' ranks, scope ids have consistent extents, regions of tile
// calls lie inside their buffers as far as that is static, and no tile call writes through a
// broadcast layout.
#pragma once

#include <optional>

#include "ir/base/diagnostic.hpp"
#include "ir/kernel.hpp"

namespace tirx::ir {

/// The first mistake, if there is one.
[[nodiscard]] std::optional<Diagnostic> verify(const Kernel& kernel);

/// The part about one tile call.
[[nodiscard]] std::optional<Diagnostic> verify_tile_call(const TileCall& call, Span span);

}  // namespace tirx::ir
