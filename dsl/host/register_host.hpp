// The host functions' door to the registry: everything of `tirx.*`, tensors, `np`.
#pragma once

namespace tirx::dsl {

class Registry;

void register_host(Registry& registry);

}  // namespace tirx::dsl
