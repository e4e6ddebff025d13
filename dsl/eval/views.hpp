// How do views of a buffer find its elements?  Offsets as expressions, and the registration of
// view, local, permute, rearrange, sub, tile, chunk.
#pragma once

#include <vector>

#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"
#include "dsl/eval/registry.hpp"
#include "ir/buffer.hpp"

namespace tirx::dsl {

/// The element's offset from the start of its storage, in elements of the buffer's dtype.
[[nodiscard]] ir::Expr element_offset(const ir::Access& access, Span span);
/// An offset in units of `from` bits, in units of `to` bits; an error where it is no whole number.
[[nodiscard]] ir::Expr scale_offset(const ir::Expr& offset, int from, int to, Span span);
/// One run of elements in the order of the indices, as far as constants say.
[[nodiscard]] bool is_row_major(const ir::BufferNode& buffer);
/// The indices of the element with this row-major position in the buffer's shape.
[[nodiscard]] std::vector<ir::Expr> unflatten(const ir::Buffer& buffer,
                                              const ir::Expr& position,
                                              Span span);

/// Makes the view and declares it in the kernel.
[[nodiscard]] ir::Buffer declare_view(Interpreter& interpreter,
                                      BufferSpec spec,
                                      const ir::Buffer& parent,
                                      Span span);

void register_views(Registry& registry);

}  // namespace tirx::dsl
