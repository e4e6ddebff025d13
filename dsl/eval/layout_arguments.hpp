// Arguments of built-in functions that are layouts.
#pragma once

#include <memory>
#include <utility>

#include "dsl/eval/interpreter.hpp"
#include "ir/layout/layout.hpp"

namespace tirx::dsl {

inline Value layout_value(ir::Layout layout) {
  return std::make_shared<LayoutValue>(std::move(layout));
}

inline const ir::Layout& self_layout(const Arguments& args) {
  return args.self.as<LayoutValue>()->layout;
}

inline const ir::Layout& layout_arg(const Arguments& args, std::size_t i) {
  if (const auto* value = args[i].as<LayoutValue>()) return value->layout;
  args.wrong(i, "a layout");
}

inline const ir::TileLayout& tile_arg(const Arguments& args, std::size_t i) {
  const ir::Layout& layout = layout_arg(args, i);
  if (layout.is_swizzled()) args.wrong(i, "a layout without a swizzle");
  return layout.tile;
}

inline std::int64_t number(const Value& value, Span span) {
  if (const auto i = value.integer()) return *i;
  if (const auto* expr = value.as<ir::Expr>()) {
    std::int64_t known = 0;
    if (ir::is_const_int(*expr, known)) return known;
  }
  fail(span, "layouts are made of ints, not {}", kind_name(value));
}

inline Values as_items(const Value& value) {
  if (const Values* items = sequence(value)) return *items;
  return {value};
}

/// The methods and properties of layouts.
void register_layout_methods(Registry& registry);

}  // namespace tirx::dsl
