// Views of a part of a buffer: A.sub[…], A.tile(dim, factors)[…], A.chunk(spec)[…].
#pragma once

#include "dsl/eval/registry.hpp"

namespace tirx::dsl {

void register_slice_views(Registry& registry);

}  // namespace tirx::dsl
