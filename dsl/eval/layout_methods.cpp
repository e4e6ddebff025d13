// Methods and properties of layouts: apply, canonicalize, group, slice, tile, pack, ….
#include <array>

#include "dsl/eval/builtins.hpp"
#include "dsl/eval/layout_arguments.hpp"
#include "dsl/eval/layout_values.hpp"
#include "ir/layout/algebra.hpp"

namespace tirx::dsl {

namespace {

Value places(const ir::AxisValues& values) {
  auto dict = std::make_shared<Dict>();
  for (const auto& [axis, place] : values) dict->set(Value(axis.name()), place);
  return dict;
}

Value layout_apply(Interpreter& interpreter, const Arguments& args) {
  Values coordinates;
  for (const ArgumentValue& item : args.rest()) {
    for (const Value& value : as_items(item.value)) coordinates.push_back(value);
  }
  std::vector<std::int64_t> numbers;
  for (const Value& coordinate : coordinates) {
    if (is_ir(coordinate)) {
      return apply_symbolic(interpreter, self_layout(args), coordinates,
                            args.has(1) ? args.integers(1) : std::vector<std::int64_t>{},
                            args.span());
    }
    numbers.push_back(number(coordinate, args.span()));
  }
  if (numbers.size() == 1 && !args.has(1)) {
    return places(unwrap(ir::apply(self_layout(args), numbers[0]), args.span()));
  }
  const std::vector<std::int64_t> shape =
      args.has(1) ? args.integers(1) : self_layout(args).tile.extents();
  if (shape.size() != numbers.size()) {
    fail(args.span(), "apply() got {} coordinates for {} dimensions", numbers.size(), shape.size());
  }
  return places(unwrap(ir::apply(self_layout(args), numbers, shape), args.span()));
}

ir::Axis axis_arg(const Arguments& args, std::size_t i) {
  if (const auto* axis = args[i].as<AxisValue>()) return axis->axis;
  return ir::Axis::named(args.text(i));
}

Value layout_size(Interpreter&, const Arguments& args) {
  const ir::TileLayout& tile = self_layout(args).tile;
  return args.has(0) ? tile.size(axis_arg(args, 0)) : tile.size();
}

Value layout_span(Interpreter&, const Arguments& args) {
  const ir::TileLayout& tile = self_layout(args).tile;
  return args.has(0) ? tile.span(axis_arg(args, 0)) : tile.span();
}

Value layout_storage(Interpreter&, const Arguments& args) {
  ir::Layout out = self_layout(args);
  out.tile = out.tile.storage();
  return layout_value(std::move(out));
}

Value layout_canonicalize(Interpreter&, const Arguments& args) {
  const auto fusion = args.boolean_or(0, false) ? ir::AxisFusion::cuda : ir::AxisFusion::none;
  return layout_value(unwrap(ir::canonicalize(self_layout(args), fusion), args.span()));
}

Value layout_group(Interpreter&, const Arguments& args) {
  const ir::Grouped grouped =
      unwrap(ir::group(self_layout(args).tile, args.integers(0)), args.span());
  Values separators;
  for (const std::size_t s : grouped.separators) separators.emplace_back(s);
  ir::Layout out = self_layout(args);
  out.tile = grouped.layout;
  return make_tuple({layout_value(std::move(out)), make_list(std::move(separators))});
}

std::vector<std::int64_t> rest_integers(const Arguments& args) {
  std::vector<std::int64_t> out;
  for (const ArgumentValue& item : args.rest()) {
    for (const Value& value : as_items(item.value)) out.push_back(number(value, item.span));
  }
  return out;
}

Value layout_permute_dims(Interpreter&, const Arguments& args) {
  ir::Layout out = self_layout(args);
  out.tile = unwrap(ir::permute_dims(out.tile, rest_integers(args)), args.span());
  return layout_value(std::move(out));
}

Value layout_slice(Interpreter& interpreter, const Arguments& args) {
  const std::vector<std::int64_t> shape = args.integers(0);
  std::vector<ir::DimRange> region;
  std::size_t dim = 0;
  for (const Value& item : args.items(1)) {
    if (const auto* slice = item.as<SliceValue>()) {
      const std::int64_t whole = dim < shape.size() ? shape[dim] : 1;
      region.emplace_back(slice->begin.is_none() ? 0 : number(slice->begin, args.span(1)),
                          slice->end.is_none() ? whole : number(slice->end, args.span(1)));
    } else {
      const Values pair = interpreter.iterate(item, args.span(1));
      if (pair.size() != 2) args.wrong(1, "a list of (begin, end)");
      region.emplace_back(number(pair[0], args.span(1)), number(pair[1], args.span(1)));
    }
    ++dim;
  }
  return layout_value(unwrap(ir::slice(self_layout(args), shape, region), args.span()));
}

Value layout_tile(Interpreter&, const Arguments& args) {
  return layout_value(
      unwrap(ir::tile(self_layout(args), tile_arg(args, 0), args.integers(1), args.integers(2)),
             args.span()));
}

Value layout_tile_to(Interpreter&, const Arguments& args) {
  return layout_value(
      unwrap(ir::tile_to(self_layout(args), args.integers(0), args.integers(1)), args.span()));
}

Value layout_direct_sum(Interpreter&, const Arguments& args) {
  return layout_value(unwrap(
      ir::direct_sum(self_layout(args), tile_arg(args, 0), args.integers(1), args.integers(2)),
      args.span()));
}

Value layout_pack(Interpreter&, const Arguments& args) {
  return layout_value(unwrap(ir::pack(self_layout(args), args.integer(0)), args.span()));
}

Value layout_unpack(Interpreter&, const Arguments& args) {
  return layout_value(unwrap(ir::unpack(self_layout(args), args.integer(0)), args.span()));
}

Value layout_broadcast(Interpreter&, const Arguments& args) {
  return layout_value(unwrap(
      ir::broadcast(self_layout(args), args.integer(0), args.integer_or(1, 0)), args.span()));
}

Value is_tile_inner(Interpreter&, const Arguments& args) {
  const auto found =
      ir::is_tile_inner(self_layout(args), layout_arg(args, 0), args.integers(1), args.integers(2));
  return found ? layout_value(*found) : Value();
}

Value is_tile_outer(Interpreter&, const Arguments& args) {
  const auto found = ir::is_tile_outer(self_layout(args).tile, layout_arg(args, 0),
                                       args.integers(1), args.integers(2));
  return found ? layout_value(*found) : Value();
}

Value is_swizzle(Interpreter&, const Arguments& args) {
  return self_layout(args).is_swizzled();
}

constexpr auto kLayoutMethodsMethods = std::to_array<BuiltinFunction>({
    {"apply", "*coordinates, shape=None", layout_apply, "Where an element lies, by axis."},
    {"size", "axis=None", layout_size, "How many elements."},
    {"span", "axis=None", layout_span, "How many places it reaches over."},
    {"cosize", "axis=None", layout_span, "How many places it reaches over."},
    {"storage", "", layout_storage, "What one thread holds."},
    {"canonicalize", "fuse_axes=False", layout_canonicalize, "The same map with fewer iters."},
    {"group", "shape", layout_group, "Split where dimensions end, with the separators."},
    {"permute_dims", "*perm", layout_permute_dims, "The iters in another order."},
    {"slice", "shape, region", layout_slice, "The layout of a part."},
    {"tile", "outer, outer_shape, inner_shape", layout_tile, "Every element of outer a copy."},
    {"tile_to", "to_shape, current_shape", layout_tile_to, "Repeated row-major."},
    {"direct_sum", "left, left_shape, right_shape", layout_direct_sum, "Places added as they are."},
    {"pack", "n", layout_pack, "n neighbours become one element."},
    {"unpack", "n", layout_unpack, "One element becomes n neighbours."},
    {"broadcast", "n, position=0", layout_broadcast, "With a dimension of stride 0."},
    {"is_tile_inner", "tiled, tiled_shape, inner_shape", is_tile_inner,
     "The outer factor, or None."},
    {"is_tile_outer", "tiled, tiled_shape, outer_shape", is_tile_outer,
     "The inner factor, or None."},
    {"is_swizzle", "", is_swizzle, "Whether addresses go through a swizzle."},
});

Value iters_property(const ir::Iters& iters) {
  Values out;
  for (const ir::Iter& iter : iters) {
    out.push_back(make_tuple({Value(iter.extent), Value(iter.stride),
                              Value(std::make_shared<AxisValue>(iter.axis, 1, true))}));
  }
  return make_tuple(std::move(out));
}

Value shard_property(Interpreter&, const Value& self, Span) {
  return iters_property(self.as<LayoutValue>()->layout.tile.shard());
}

Value replica_property(Interpreter&, const Value& self, Span) {
  return iters_property(self.as<LayoutValue>()->layout.tile.replica());
}

Value offset_property(Interpreter&, const Value& self, Span) {
  return places(self.as<LayoutValue>()->layout.tile.offset());
}

constexpr auto kLayoutProperties = std::to_array<Property>({
    {"shard", shard_property, "The iters: (extent, stride, axis)."},
    {"replica", replica_property, "The replica iters."},
    {"offset", offset_property, "Axis to offset."},
});

}  // namespace

void register_layout_methods(Registry& registry) {
  registry.add_methods("layout", kLayoutMethodsMethods);
  registry.add_properties("layout", kLayoutProperties);
}

}  // namespace tirx::dsl
