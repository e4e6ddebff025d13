// See word_view.hpp.
#include "lower/word_view.hpp"

#include "ir/base/check.hpp"
#include "ir/tensor.hpp"

namespace tirx::lower {

ir::Buffer word_view(const ir::BufferNode& buffer, num::DType word) {
  std::int64_t elements = 0;
  TIRX_CHECK(ir::is_const_int(buffer.storage->elements, elements));
  const std::int64_t bytes = num::bytes(word);
  const std::int64_t words =
      (ir::storage_bytes(buffer.storage->dtype, elements) + bytes - 1) / bytes;
  auto view = std::make_shared<ir::BufferNode>();
  view->name = buffer.name + "_words";
  view->dtype = word;
  view->shape = {ir::make_int(words)};
  view->layout = ir::Layout(ir::TileLayout::row_major(std::vector<std::int64_t>{words}).value());
  view->storage = buffer.storage;
  view->is_view = true;
  view->span = buffer.span;
  return view;
}

}  // namespace tirx::lower
