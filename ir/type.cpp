#include "ir/type.hpp"

#include <fmt/format.h>

namespace tirx::ir {

std::string to_string(Type type) {
  if (type.is_void()) return "void";
  if (type.lanes == 1) return std::string(num::name(type.dtype));
  return fmt::format("{}x{}", num::name(type.dtype), type.lanes);
}

}  // namespace tirx::ir
