// The map of a layout as expressions over run-time coordinates.
#include "dsl/eval/layout_values.hpp"

#include "dsl/eval/ir_expr.hpp"
#include "ir/layout/algebra.hpp"

namespace tirx::dsl {

namespace {

ir::Expr apply_op(num::ScalarOp op, const ir::Expr& a, std::int64_t b, Span span) {
  return promoted_expr(op, {{a, false, span}, {index_constant(b, span), false, span}}, span);
}

/// Adds the places of one coordinate's digits; the outermost digit is not reduced.
void add_places(std::map<ir::Axis, ir::Expr>& sums,
                const ir::Expr& coordinate,
                std::span<const ir::Iter> iters,
                Span span) {
  std::int64_t below = 1;
  for (std::size_t k = iters.size(); k-- > 0;) {
    ir::Expr digit = apply_op(num::ScalarOp::floordiv, coordinate, below, span);
    if (k > 0) digit = apply_op(num::ScalarOp::floormod, digit, iters[k].extent, span);
    const ir::Expr place = mul_index(digit, index_constant(iters[k].stride, span), span);
    const auto [entry, fresh] = sums.emplace(iters[k].axis, place);
    if (!fresh) entry->second = add_index(entry->second, place, span);
    below *= iters[k].extent;
  }
}

/// q ^= (q & mask) shifted, on the address in units of chunks.
ir::Expr swizzled(const ir::Swizzle& swizzle, const ir::Expr& address, Span span) {
  const ir::Type type = address->type;
  const auto number = [&](std::int64_t v) { return ir::make_int(v, type, span); };
  const auto op = [&](num::ScalarOp o, const ir::Expr& a, const ir::Expr& b) {
    return scalar_expr(o, {a, b}, span);
  };
  const std::int64_t low = (std::int64_t{1} << swizzle.per_element) - 1;
  const std::int64_t field = (std::int64_t{1} << swizzle.swizzle_len) - 1;
  const bool chunked = swizzle.per_element > 0;
  const ir::Expr q =
      chunked ? op(num::ScalarOp::shr, address, number(swizzle.per_element)) : address;
  const ir::Expr r = op(num::ScalarOp::bit_and, address, number(low));
  const ir::Expr moved =
      swizzle.inner
          ? op(num::ScalarOp::shr, op(num::ScalarOp::bit_and, q, number(field << swizzle.atom_len)),
               number(swizzle.atom_len))
          : op(num::ScalarOp::shl, op(num::ScalarOp::bit_and, q, number(field)),
               number(swizzle.atom_len));
  const ir::Expr mixed = op(num::ScalarOp::bit_xor, q, moved);
  if (!chunked) return mixed;
  return op(num::ScalarOp::bit_or, op(num::ScalarOp::shl, mixed, number(swizzle.per_element)), r);
}

}  // namespace

Value apply_symbolic(Interpreter&,
                     const ir::Layout& layout,
                     const Values& coordinates,
                     const std::vector<std::int64_t>& shape,
                     Span span) {
  std::map<ir::Axis, ir::Expr> sums;
  std::vector<ir::Expr> indices;
  for (const Value& coordinate : coordinates) indices.push_back(index_expr(coordinate, span));
  const std::vector<std::int64_t> dims = shape.empty() ? layout.tile.extents() : shape;
  if (indices.size() == 1 && shape.empty()) {
    add_places(sums, indices[0], layout.tile.shard(), span);
  } else {
    if (indices.size() != dims.size()) {
      fail(span, "apply() got {} coordinates for {} dimensions", indices.size(), dims.size());
    }
    const auto groups = ir::group_dims(layout.tile, dims);
    if (groups.ok()) {
      for (std::size_t i = 0; i < indices.size(); ++i) {
        add_places(sums, indices[i], groups.value().group(i), span);
      }
    } else {
      ir::Expr flat = index_constant(0, span);
      for (std::size_t i = 0; i < indices.size(); ++i) {
        flat = add_index(mul_index(flat, index_constant(dims[i], span), span), indices[i], span);
      }
      add_places(sums, flat, layout.tile.shard(), span);
    }
  }
  for (const auto& [axis, by] : layout.tile.offset()) {
    const auto [entry, fresh] = sums.emplace(axis, index_constant(by, span));
    if (!fresh) entry->second = add_index(entry->second, index_constant(by, span), span);
  }
  if (layout.swizzle) {
    const auto memory = sums.find(ir::Axis(ir::AxisId::m));
    if (memory != sums.end()) memory->second = swizzled(*layout.swizzle, memory->second, span);
  }
  auto dict = std::make_shared<Dict>();
  for (const auto& [axis, place] : sums) dict->set(Value(axis.name()), place);
  return dict;
}

}  // namespace tirx::dsl
