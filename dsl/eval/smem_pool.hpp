// T.SMEMPool: buffers bump-allocated in the one dynamic shared allocation.
#pragma once

#include "dsl/eval/registry.hpp"

namespace tirx::dsl {

void register_smem_pool(Registry& registry);

}  // namespace tirx::dsl
