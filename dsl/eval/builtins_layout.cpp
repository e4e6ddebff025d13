// Layouts as values: S[…], R[…], TileLayout, ComposeLayout, axes.  Their methods:
// layout_methods.cpp.
#include <array>

#include "dsl/eval/builtins.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/layout_arguments.hpp"
#include "ir/layout/algebra.hpp"
#include "ir/layout/library.hpp"
#include "numerics/dtype.hpp"

namespace tirx::dsl {

namespace {

/// `S` or `R`: indexing makes a layout.
struct LayoutMaker : Object {
  static const ObjectType kType;

  explicit LayoutMaker(bool r) : Object(kType), replica(r) {}

  bool replica;
};

/// A stride: 4, `4 @ laneid`, laneid, "laneid", (4, "laneid").
ir::Iter stride_iter(std::int64_t extent, const Value& stride, Span span) {
  if (const auto* axis = stride.as<AxisValue>()) return {extent, axis->stride, axis->axis};
  if (const std::string* name = stride.text()) return {extent, 1, ir::Axis::named(*name)};
  if (const Values* pair = sequence(stride)) {
    if (pair->size() == 2) {
      if (const std::string* name = (*pair)[1].text()) {
        return {extent, number((*pair)[0], span), ir::Axis::named(*name)};
      }
      if (const auto* axis = (*pair)[1].as<AxisValue>()) {
        std::int64_t scaled = 0;
        if (__builtin_mul_overflow(number((*pair)[0], span), axis->stride, &scaled)) {
          fail(span, "the layout is too large");
        }
        return {extent, scaled, axis->axis};
      }
    }
    fail(span, "a stride is an int, `n @ axis`, \"axis\" or (n, \"axis\")");
  }
  return {extent, number(stride, span), ir::AxisId::m};
}

ir::Iters iters_of(const Subscripts& subscripts) {
  if (subscripts.items.size() == 1) {
    if (const auto* slice = subscripts.items[0].value.as<SliceValue>()) {
      const Span span = subscripts.items[0].span;
      if (!slice->step.is_none()) fail(span, "a layout is written S[extents : strides]");
      const Values extents = as_items(slice->begin);
      Values strides = as_items(slice->end);
      // One stride that is a pair such as (4, "laneid") belongs to one extent.
      if (extents.size() == 1 && strides.size() == 2 && strides[1].text() != nullptr) {
        strides = {slice->end};
      }
      if (extents.size() != strides.size()) {
        fail(span, "{} extents but {} strides", extents.size(), strides.size());
      }
      ir::Iters iters;
      for (std::size_t i = 0; i < extents.size(); ++i) {
        iters.push_back(stride_iter(number(extents[i], span), strides[i], span));
      }
      return iters;
    }
  }
  Values extents;
  for (const ArgumentValue& item : subscripts.items) {
    for (const Value& value : as_items(item.value)) extents.push_back(value);
  }
  ir::Iters iters(extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    const std::int64_t extent = number(extents[i], subscripts.span);
    iters[i] = {extent, stride, ir::AxisId::m};
    if (extent <= 0 || __builtin_mul_overflow(stride, extent, &stride)) {
      if (extent <= 0) fail(subscripts.span, "extents must be positive, not {}", extent);
      fail(subscripts.span, "the layout is too large");
    }
  }
  return iters;
}

Value make_layout(Interpreter&, const Value& self, const Subscripts& subscripts) {
  ir::Iters iters = iters_of(subscripts);
  const bool replica = self.as<LayoutMaker>()->replica;
  return layout_value(
      unwrap(ir::TileLayout::make(replica ? ir::Iters{} : iters, replica ? iters : ir::Iters{}),
             subscripts.span));
}

// ---- operators ----------------------------------------------------------------------------------

ir::Layout add(const ir::Layout& layout, const Value& other, Span span) {
  ir::Iters shard = layout.tile.shard();
  ir::Iters replica = layout.tile.replica();
  ir::AxisValues offset = layout.tile.offset();
  const auto shift = [&](const ir::Axis& axis, std::int64_t by) {
    std::int64_t& place = offset[axis];
    if (__builtin_add_overflow(place, by, &place)) fail(span, "the layout is too large");
    if (place == 0) offset.erase(axis);
  };
  if (const auto* right = other.as<LayoutValue>()) {
    if (right->layout.is_swizzled() || !right->layout.tile.shard().empty()) {
      fail(span, "only replicas (R[…]) and offsets are added to a layout");
    }
    const ir::Iters& more = right->layout.tile.replica();
    replica.insert(replica.end(), more.begin(), more.end());
    for (const auto& [axis, by] : right->layout.tile.offset()) shift(axis, by);
  } else if (const auto* axis = other.as<AxisValue>()) {
    shift(axis->axis, axis->stride);
  } else {
    shift(ir::AxisId::m, *other.integer());
  }
  ir::Layout out = layout;
  out.tile =
      unwrap(ir::TileLayout::make(std::move(shard), std::move(replica), std::move(offset)), span);
  return out;
}

std::optional<Value> layout_binary(
    Interpreter&, ast::BinaryOp op, const Value& left, const Value& right, Span span) {
  if (op != ast::BinaryOp::add) return std::nullopt;
  const auto addable = [](const Value& v) {
    return v.is<LayoutValue>() || v.is<AxisValue>() || v.integer().has_value();
  };
  if (const auto* layout = left.as<LayoutValue>(); layout != nullptr && addable(right)) {
    return layout_value(add(layout->layout, right, span));
  }
  if (const auto* layout = right.as<LayoutValue>(); layout != nullptr && addable(left)) {
    return layout_value(add(layout->layout, left, span));
  }
  return std::nullopt;
}

std::optional<Value> axis_binary(
    Interpreter&, ast::BinaryOp op, const Value& left, const Value& right, Span span) {
  if (op != ast::BinaryOp::matmul) return std::nullopt;
  const auto* axis = right.as<AxisValue>();
  if (axis == nullptr || !axis->bare) return std::nullopt;
  return Value(std::make_shared<AxisValue>(axis->axis, number(left, span), false));
}

bool layout_equal(const Value& left, const Value& right) {
  return left.as<LayoutValue>()->layout == right.as<LayoutValue>()->layout;
}

bool axis_equal(const Value& left, const Value& right) {
  const auto* a = left.as<AxisValue>();
  const auto* b = right.as<AxisValue>();
  return a->axis == b->axis && a->stride == b->stride;
}

std::string axis_repr(const Value& self, int) {
  const auto* axis = self.as<AxisValue>();
  if (axis->bare) return std::string(axis->axis.name());
  return fmt::format("{}@{}", axis->stride, axis->axis.name());
}

// ---- functions ----------------------------------------------------------------------------------

Value tile_layout(Interpreter&, const Arguments& args) {
  if (args[0].is<LayoutValue>() && !args.given(1)) return args[0];
  ir::Iters shard;
  const Values extents = args.items(0);
  if (args.has(1)) {
    const Values strides = args.items(1);
    if (extents.size() != strides.size()) {
      fail(args.span(1), "{} extents but {} strides", extents.size(), strides.size());
    }
    for (std::size_t i = 0; i < extents.size(); ++i) {
      shard.push_back(stride_iter(number(extents[i], args.span(0)), strides[i], args.span(1)));
    }
    return layout_value(unwrap(ir::TileLayout::make(std::move(shard)), args.span()));
  }
  return layout_value(unwrap(ir::TileLayout::row_major(args.integers(0)), args.span()));
}

Value compose_layout(Interpreter&, const Arguments& args) {
  const ir::Swizzle swizzle = unwrap(
      ir::make_swizzle(args.integer(0), args.integer(1), args.integer(2), args.boolean_or(4, true)),
      args.span());
  if (!args.has(3)) {
    return layout_value(unwrap(ir::bare_swizzle(swizzle), args.span()));
  }
  return layout_value(ir::Layout(swizzle, tile_arg(args, 3)));
}

Value swizzle_layout(Interpreter&, const Arguments& args) {
  const ir::Swizzle swizzle = unwrap(
      ir::make_swizzle(args.integer(0), args.integer(1), args.integer(2), args.boolean_or(3, true)),
      args.span());
  return layout_value(unwrap(ir::bare_swizzle(swizzle), args.span()));
}

Value iter_value(Interpreter&, const Arguments& args) {
  return layout_value(unwrap(ir::TileLayout::make({stride_iter(
                                 args.integer(0), args.has(2) ? args[2] : args[1], args.span())}),
                             args.span()));
}

ir::SwizzleMode swizzle_mode(const Arguments& args, std::size_t i) {
  std::int64_t code = -1;
  if (args[i].integer()) code = *args[i].integer();
  if (const std::string* text = args[i].text()) {
    if (*text == "none") code = 0;
    if (*text == "32B") code = 1;
    if (*text == "64B") code = 2;
    if (*text == "128B") code = 3;
  }
  if (code < 0 || code > 3) args.wrong(i, "a SwizzleMode");
  return static_cast<ir::SwizzleMode>(code);
}

Value mma_shared_layout(Interpreter&, const Arguments& args) {
  const int bits = num::bits(args.dtype(0));
  return layout_value(
      unwrap(ir::mma_shared_layout(bits, swizzle_mode(args, 1), args.integers(2)), args.span()));
}

Value mma_atom_layout(Interpreter&, const Arguments& args) {
  return layout_value(
      unwrap(ir::mma_atom_layout(num::bits(args.dtype(0)), swizzle_mode(args, 1)), args.span()));
}

Value mma_atom_shape(Interpreter&, const Arguments& args) {
  Values out;
  for (const std::int64_t extent :
       unwrap(ir::mma_atom_shape(num::bits(args.dtype(0)), swizzle_mode(args, 1)), args.span())) {
    out.emplace_back(extent);
  }
  return make_tuple(std::move(out));
}

Value wg_local_layout(Interpreter&, const Arguments& args) {
  // Row r of 128 belongs to thread r of the warpgroup; a row lies in its registers.
  const std::int64_t columns = args.integer(0);
  const std::int64_t rows = args.integer_or(1, 128);
  return layout_value(
      unwrap(ir::TileLayout::make({{rows, 1, ir::AxisId::tid_in_wg}, {columns, 1, ir::AxisId::m}}),
             args.span()));
}

constexpr auto kLayoutFunctions = std::to_array<BuiltinFunction>({
    {"TileLayout", "layout, strides=None", tile_layout, "A layout: TileLayout(S[…] + R[…])."},
    {"ComposeLayout", "per_element, swizzle_len, atom_len, tile_layout=None, swizzle_inner=True",
     compose_layout, "A tile layout under a swizzle."},
    {"SwizzleLayout", "per_element, swizzle_len, atom_len, swizzle_inner=True", swizzle_layout,
     "A swizzle alone."},
    {"Iter", "extent, stride, axis=None", iter_value, "A layout of one iter."},
    {"mma_shared_layout", "dtype, swizzle_mode, shape", mma_shared_layout,
     "Shared memory as matrix instructions read it."},
    {"mma_atom_layout", "dtype, swizzle_mode", mma_atom_layout, "One atom of it."},
    {"mma_atom_shape", "dtype, swizzle_mode", mma_atom_shape, "The shape of one atom."},
    {"wg_local_layout", "cols, rows=128", wg_local_layout, "A row per thread of a warpgroup."},
});

}  // namespace

const ObjectType LayoutMaker::kType{.name = "layout maker", .subscript = make_layout};
const ObjectType LayoutValue::kType{
    .name = "layout",
    .binary = layout_binary,
    .repr = [](const Value& self, int) { return ir::to_string(self.as<LayoutValue>()->layout); },
    .equal = layout_equal};
const ObjectType AxisValue::kType{
    .name = "axis", .binary = axis_binary, .repr = axis_repr, .equal = axis_equal};

void register_layouts(Registry& registry) {
  constexpr auto kAxes = std::to_array<std::string_view>(
      {"m", "P", "F", "Bank", "TCol", "TLane", "laneid", "warpid", "tx", "tid_in_wg", "wid_in_wg",
       "wgid", "cta_id", "cbx", "cby", "cbz", "bx", "by", "bz"});
  for (const std::string_view module : {"tvm.tirx.layout", "T"}) {
    registry.add(module, kLayoutFunctions);
    registry.add(module, "S", std::make_shared<LayoutMaker>(false));
    registry.add(module, "R", std::make_shared<LayoutMaker>(true));
  }
  for (const std::string_view axis : kAxes) {
    registry.add("tvm.tirx.layout", axis,
                 std::make_shared<AxisValue>(ir::Axis::named(axis), 1, true));
  }
  auto modes = registry.module("tvm.tirx.layout.SwizzleMode");
  constexpr std::array<std::pair<std::string_view, int>, 8> kModes{{
      {"SWIZZLE_NONE", 0},
      {"SWIZZLE_32B_ATOM", 1},
      {"SWIZZLE_64B_ATOM", 2},
      {"SWIZZLE_128B_ATOM", 3},
      {"NONE", 0},
      {"B32", 1},
      {"B64", 2},
      {"B128", 3},
  }};
  for (const auto& [name, code] : kModes) modes->members[std::string(name)] = code;
  registry.add("T", "SwizzleMode", modes);
  register_layout_methods(registry);
}

}  // namespace tirx::dsl
