// Buffers, pointers and elements: `A[f * 128 + tid * 4]`.
#include "backend_cuda/kernel_emitter.hpp"
#include "backend_cuda/types.hpp"

namespace tirx::cuda {

std::string KernelEmitter::base_pointer(const ir::Buffer& buffer) {
  for (auto scope = views_.rbegin(); scope != views_.rend(); ++scope) {
    const auto view = scope->find(buffer.get());
    if (view != scope->end()) return view->second;
  }
  const ir::Storage& storage = *buffer->storage;
  const auto found = storages_.find(&storage);
  TIRX_CHECK(found != storages_.end());
  const std::string_view wanted = element_type(buffer->dtype);
  if (wanted == element_type(storage.dtype)) return found->second;
  const bool constant = storage.parameter >= 0 && uses_.written.count(&storage) == 0;
  return fmt::format("reinterpret_cast<{}{}*>({})", constant ? "const " : "", wanted,
                     found->second);
}

Text KernelEmitter::flat_offset(const ir::Access& access) {
  TIRX_CHECK(static_cast<bool>(access.flat));
  return index(access.flat);
}

Text KernelEmitter::element(const ir::Access& access) {
  if (access.buffer->in_register() && !access.buffer->is_view) {
    return {storages_.at(access.buffer->storage.get())};
  }
  return {fmt::format("{}[{}]", base_pointer(access.buffer), flat_offset(access).text)};
}

Text KernelEmitter::pointer(const ir::Access& access) {
  if (num::bits(access.buffer->dtype) == 4) {
    // Two elements a byte; only even offsets are reached.
    return {fmt::format("&{}[{} / 2]", base_pointer(access.buffer),
                        operand(flat_offset(access), Precedence::multiplicative)),
            Precedence::unary};
  }
  return {"&" + element(access).text, Precedence::unary};
}

}  // namespace tirx::cuda
