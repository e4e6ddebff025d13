// See local_array.hpp.
#include "lower/local_array.hpp"

#include <utility>

namespace tirx::lower {

namespace {

std::shared_ptr<ir::BufferNode> made(std::string name,
                                     num::DType dtype,
                                     std::int64_t count,
                                     Span span) {
  auto storage = std::make_shared<ir::Storage>();
  storage->name = name;
  storage->scope = ir::MemoryScope::local;
  storage->dtype = dtype;
  storage->elements = ir::make_int(count);
  storage->span = span;
  auto buffer = std::make_shared<ir::BufferNode>();
  buffer->name = std::move(name);
  buffer->dtype = dtype;
  buffer->shape = {ir::make_int(count)};
  buffer->layout = ir::Layout(ir::TileLayout::make({{count, 1, ir::AxisId::m}}).value());
  buffer->storage = std::move(storage);
  buffer->span = span;
  return buffer;
}

}  // namespace

ir::Buffer local_array(std::string name, num::DType dtype, std::int64_t count, Span span) {
  return made(std::move(name), dtype, count, span);
}

ir::Buffer local_scalar(std::string name, num::DType dtype, Span span) {
  const std::shared_ptr<ir::BufferNode> buffer = made(std::move(name), dtype, 1, span);
  buffer->scalar = true;
  return buffer;
}

}  // namespace tirx::lower
