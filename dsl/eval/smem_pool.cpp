#include "dsl/eval/smem_pool.hpp"

namespace tirx::dsl {

void register_smem_pool(Registry&) {}

}  // namespace tirx::dsl
