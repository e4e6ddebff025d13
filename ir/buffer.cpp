#include "ir/buffer.hpp"

namespace tirx::ir {

std::string_view to_string(MemoryScope scope) {
  switch (scope) {
    case MemoryScope::global:
      return "global";
    case MemoryScope::shared:
      return "shared";
    case MemoryScope::shared_dynamic:
      return "shared.dyn";
    case MemoryScope::local:
      return "local";
  }
  return "";
}

std::optional<std::vector<std::int64_t>> static_shape(const BufferNode& buffer) {
  std::vector<std::int64_t> shape;
  for (const Expr& extent : buffer.shape) {
    std::int64_t value = 0;
    if (!is_const_int(extent, value)) return std::nullopt;
    shape.push_back(value);
  }
  return shape;
}

}  // namespace tirx::ir
