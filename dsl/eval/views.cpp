// Views: other shapes, dtypes and orders of the same storage.
#include "dsl/eval/views.hpp"

namespace tirx::dsl {

void register_views(Registry&) {}

}  // namespace tirx::dsl
