// Offsets of elements as expressions.
#include "dsl/eval/views.hpp"
#include "ir/layout/algebra.hpp"

namespace tirx::dsl {

namespace {

ir::Expr divide(const ir::Expr& a, std::int64_t b, Span span) {
  return promoted_expr(num::ScalarOp::floordiv,
                       {{a, false, span}, {index_constant(b, span), false, span}}, span);
}

ir::Expr modulo(const ir::Expr& a, std::int64_t b, Span span) {
  return promoted_expr(num::ScalarOp::floormod,
                       {{a, false, span}, {index_constant(b, span), false, span}}, span);
}

/// The place of `index` in the iters of its dimension; the outermost digit is not reduced.
ir::Expr place(const ir::Expr& index, std::span<const ir::Iter> iters, Span span) {
  ir::Expr sum = index_constant(0, span);
  std::int64_t below = 1;
  for (std::size_t k = iters.size(); k-- > 0;) {
    ir::Expr digit = below == 1 ? index : divide(index, below, span);
    if (k > 0) digit = modulo(digit, iters[k].extent, span);
    sum = add_index(sum, mul_index(digit, index_constant(iters[k].stride, span), span), span);
    below *= iters[k].extent;
  }
  return sum;
}

ir::Expr flat_position(const ir::BufferNode& buffer,
                       const std::vector<ir::Expr>& indices,
                       Span span) {
  ir::Expr sum = index_constant(0, span);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    sum = add_index(mul_index(sum, buffer.shape[i], span), indices[i], span);
  }
  return sum;
}

ir::Expr layout_place(const ir::BufferNode& buffer, const ir::Access& access, Span span) {
  const ir::Layout& layout = *buffer.layout;
  if (layout.tile.has_thread_axes()) {
    fail_help(
        span,
        fmt::format("'{}' is spread over threads: its elements have no common offset", buffer.name),
        "use .local() for the part of this thread");
  }
  const auto shape = ir::static_shape(buffer);
  ir::Expr sum = index_constant(layout.tile.offset_on(ir::AxisId::m), span);
  bool grouped = false;
  if (shape) {
    const auto groups = ir::group_dims(layout.tile, *shape);
    if (groups.ok()) {
      grouped = true;
      for (std::size_t i = 0; i < access.indices.size(); ++i) {
        sum = add_index(sum, place(access.indices[i], groups.value().group(i), span), span);
      }
    }
  }
  if (!grouped) {
    const ir::Expr position = flat_position(buffer, access.indices, span);
    sum = add_index(sum, place(position, layout.tile.shard(), span), span);
  }
  if (!layout.swizzle) return sum;
  std::int64_t known = 0;
  if (ir::is_const_int(sum, known)) return index_constant(layout.swizzle->apply(known), span);
  if (known_multiple(sum) % layout.swizzle->period() == 0) return sum;
  fail_help(span,
            fmt::format("the offset of this element of the swizzled '{}' depends on the swizzle",
                        buffer.name),
            "use the element's pointer, A.ptr_to([…])");
}

}  // namespace

ir::Expr element_offset(const ir::Access& access, Span span) {
  const ir::BufferNode& buffer = *access.buffer;
  ir::Expr sum = buffer.offset ? buffer.offset : index_constant(0, span);
  if (!buffer.strides.empty()) {
    for (std::size_t i = 0; i < access.indices.size(); ++i) {
      sum = add_index(sum, mul_index(access.indices[i], buffer.strides[i], span), span);
    }
    return sum;
  }
  if (buffer.layout) return add_index(sum, layout_place(buffer, access, span), span);
  return add_index(sum, flat_position(buffer, access.indices, span), span);
}

ir::Expr scale_offset(const ir::Expr& offset, int from, int to, Span span) {
  if (from == to) return offset;
  if (from > to) return mul_index(offset, index_constant(from / to, span), span);
  const std::int64_t ratio = to / from;
  std::int64_t known = 0;
  if (ir::is_const_int(offset, known)) {
    if (known % ratio != 0) {
      fail(span, "the offset {} is not a whole number of elements of {} bits", known, to);
    }
    return index_constant(known / ratio, span);
  }
  return divide(offset, ratio, span);
}

std::vector<ir::Expr> unflatten(const ir::Buffer& buffer, const ir::Expr& position, Span span) {
  std::vector<ir::Expr> indices(buffer->shape.size());
  ir::Expr rest = position;
  for (std::size_t i = indices.size(); i-- > 0;) {
    if (i == 0) {
      indices[i] = rest;
      break;
    }
    const Operand extent{buffer->shape[i], false, span};
    indices[i] = promoted_expr(num::ScalarOp::floormod, {{rest, false, span}, extent}, span);
    rest = promoted_expr(num::ScalarOp::floordiv, {{rest, false, span}, extent}, span);
  }
  return indices;
}

}  // namespace tirx::dsl
