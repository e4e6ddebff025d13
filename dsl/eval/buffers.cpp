// Element and vector accesses, regions, stores.
#include "dsl/eval/buffers.hpp"

#include <algorithm>

#include "ir/layout/algebra.hpp"

namespace tirx::dsl {

namespace {

constexpr std::int64_t kMaxLanes = 64;

/// `...` stands for as many whole dimensions as are missing.
std::vector<ArgumentValue> expand_ellipsis(const Subscripts& items, std::size_t rank) {
  std::vector<ArgumentValue> out;
  const auto is_ellipsis = [](const ArgumentValue& a) { return a.value.is<Ellipsis>(); };
  const auto dots =
      static_cast<std::size_t>(std::count_if(items.items.begin(), items.items.end(), is_ellipsis));
  if (dots > 1) fail(items.span, "'...' can occur once");
  for (const ArgumentValue& item : items.items) {
    if (!is_ellipsis(item)) {
      // A tuple (or a list) of indices counts as that many: A[pos], A[(slice(0, 8), 3)].
      if (const Values* inner = sequence(item.value)) {
        for (const Value& value : *inner) out.push_back({value, item.span});
      } else {
        out.push_back(item);
      }
      continue;
    }
    for (std::size_t i = items.items.size() - 1; i < rank; ++i) {
      out.push_back({std::make_shared<SliceValue>(Value(), Value(), Value()), item.span});
    }
  }
  return out;
}

ir::Expr zero(Span span) {
  return ir::make_int(0, ir::kInt32, span);
}

/// The part of a dimension that a slice without a step picks.
ir::Range slice_range(const SliceValue& slice, const ir::Range& whole, Span span) {
  const ir::Expr begin = slice.begin.is_none() ? zero(span) : index_expr(slice.begin, span);
  const ir::Expr end = slice.end.is_none() ? whole.extent : index_expr(slice.end, span);
  ir::Range range;
  range.begin = add_index(whole.begin, begin, span);
  if (const auto extent = constant_difference(end, begin)) {
    if (*extent <= 0) fail(span, "the slice is empty ({} elements)", *extent);
    range.extent = integer_expr(*extent, ir::kInt32, span);
  } else {
    range.extent = sub_index(end, begin, span);
  }
  return range;
}

bool has_step(const Value& value) {
  const auto* slice = value.as<SliceValue>();
  if (slice == nullptr || slice->step.is_none()) return false;
  const auto step = slice->step.integer();
  return !step || *step != 1;
}

/// A[i, 0:16:2]: a vector load with a stride along the last dimension.
Value stepped_load(const ir::Buffer& buffer,
                   const std::vector<ir::Range>& ranges,
                   const SliceValue& slice,
                   Span span) {
  const auto step = slice.step.integer();
  if (!step || *step <= 0) fail(span, "the step of a slice must be a positive int");
  (void)integer_expr(*step, ir::kInt32, span);
  const ir::Range& last = ranges.back();
  const ir::Range range = slice_range(slice, last, span);
  std::int64_t extent = 0;
  if (!ir::is_const_int(range.extent, extent)) {
    fail(span, "the length of a stepped slice must be known when the kernel is built");
  }
  const std::int64_t lanes = (extent + *step - 1) / *step;
  if (lanes > kMaxLanes) fail(span, "a vector has at most {} lanes, not {}", kMaxLanes, lanes);
  ir::Access access{buffer, {}, {}, *step};
  for (std::size_t i = 0; i + 1 < ranges.size(); ++i) {
    std::int64_t one = 0;
    if (!ir::is_const_int(ranges[i].extent, one) || one != 1) {
      fail(span, "a stepped slice is allowed in the last dimension, beside plain indices");
    }
    access.indices.push_back(ranges[i].begin);
  }
  access.indices.push_back(range.begin);
  return load_expr(std::move(access), {buffer->dtype, static_cast<std::uint16_t>(lanes)}, span);
}

/// Narrows `ranges` (the dimensions in `open`) by the items.
Value pick(const ir::Buffer& buffer,
           std::vector<ir::Range> ranges,
           std::vector<bool> picked,
           const Subscripts& items) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!picked[i]) open.push_back(i);
  }
  const std::vector<ArgumentValue> given = expand_ellipsis(items, open.size());
  if (given.size() > open.size()) {
    fail(given[open.size()].span, "'{}' has {} dimension{}, not {}", buffer->name, open.size(),
         open.size() == 1 ? "" : "s", given.size());
  }
  for (std::size_t k = 0; k < given.size(); ++k) {
    const std::size_t dim = open[k];
    const Span span = given[k].span;
    if (has_step(given[k].value)) {
      if (dim + 1 != ranges.size()) {
        fail(span, "a stepped slice is allowed in the last dimension only");
      }
      return stepped_load(buffer, ranges, *given[k].value.as<SliceValue>(), items.span);
    }
    if (const auto* slice = given[k].value.as<SliceValue>()) {
      ranges[dim] = slice_range(*slice, ranges[dim], span);
      continue;
    }
    ranges[dim] = {add_index(ranges[dim].begin, index_expr(given[k].value, span), span),
                   ir::make_int(1, ir::kInt32, span)};
    picked[dim] = true;
  }
  if (std::all_of(picked.begin(), picked.end(), [](bool p) { return p; })) {
    ir::Access access{buffer, {}, {}, 1};
    for (const ir::Range& range : ranges) access.indices.push_back(range.begin);
    return load_expr(std::move(access), {buffer->dtype, 1}, items.span);
  }
  auto region = std::make_shared<RegionValue>(ir::Region{buffer, std::move(ranges), items.span});
  region->picked = std::move(picked);
  return region;
}

}  // namespace

const ObjectType RegionValue::kType{.name = "region", .repr = [](const Value& self, int) {
                                      return "<region of " +
                                             self.as<RegionValue>()->region.buffer->name + ">";
                                    }};

bool is_mutable_scalar(const ir::Buffer& buffer) {
  if (buffer->scalar) return true;
  if (buffer->scope() != ir::MemoryScope::local || buffer->is_view) return false;
  const auto shape = ir::static_shape(*buffer);
  return shape && shape->size() == 1 && shape->front() == 1;
}

ir::Expr load_expr(ir::Access access, ir::Type type, Span span) {
  return make_checked(type, span, ir::Load{std::move(access)});
}

ir::Region whole_region(const ir::Buffer& buffer, Span span) {
  ir::Region region{buffer, {}, span};
  for (const ir::Expr& extent : buffer->shape) region.ranges.push_back({zero(span), extent});
  return region;
}

std::optional<ir::Region> to_region(const Value& value, Span span) {
  if (const auto* buffer = value.as<ir::Buffer>()) return whole_region(*buffer, span);
  if (const auto* region = value.as<RegionValue>()) {
    ir::Region out = region->region;
    out.span = span;
    return out;
  }
  return std::nullopt;
}

std::optional<std::pair<ir::Access, ir::Type>> to_access(const ir::Region& region) {
  ir::Access access{region.buffer, {}, {}, 1};
  std::int64_t lanes = 1;
  for (std::size_t i = 0; i < region.ranges.size(); ++i) {
    std::int64_t extent = 0;
    if (!ir::is_const_int(region.ranges[i].extent, extent)) return std::nullopt;
    if (i + 1 < region.ranges.size() && extent != 1) return std::nullopt;
    if (extent > kMaxLanes) return std::nullopt;
    lanes = extent;
    access.indices.push_back(region.ranges[i].begin);
  }
  return std::pair{std::move(access),
                   ir::Type{region.buffer->dtype, static_cast<std::uint16_t>(lanes)}};
}

Value index_buffer(Interpreter&, const ir::Buffer& buffer, const Subscripts& items) {
  const ir::Region whole = whole_region(buffer, items.span);
  return pick(buffer, whole.ranges, std::vector<bool>(whole.ranges.size(), false), items);
}

Value index_region(Interpreter&, const RegionValue& region, const Subscripts& items) {
  return pick(region.region.buffer, region.region.ranges, region.picked, items);
}

const ir::Access* writable_place(const Value& value) {
  const auto* expr = value.as<ir::Expr>();
  const auto* load = expr != nullptr ? ir::as<ir::Load>(*expr) : nullptr;
  return load != nullptr ? &load->from : nullptr;
}

ir::Expr Interpreter::convert_for_store(const Value& value, ir::Type type, Span span) {
  if (const auto* meta = value.as<MetaVar>()) return convert_for_store(meta->value, type, span);
  const bool to_integer = num::is_int(type.dtype);
  if (value.number()) {
    if (value.is<double>() && to_integer) {
      warn(span,
           fmt::format("a float is stored as {}: its fraction is lost", num::name(type.dtype)));
    }
    return literal_as(value, type, span);
  }
  const ir::Expr made = expr(value, span);
  if (to_integer && num::is_float(made->type.dtype)) {
    warn(span, fmt::format("{} is stored as {}: the fraction is lost; T.cast says that it is meant",
                           num::name(made->type.dtype), num::name(type.dtype)));
  }
  return cast_expr(made, type, span);
}

void emit_store(Interpreter& interpreter,
                ir::Access to,
                ir::Type type,
                const Value& value,
                Span span,
                Span value_span) {
  KernelBuilder& builder = interpreter.need_kernel("a store into a buffer", span);
  builder.need_device("a store into a buffer", span);
  ir::Expr converted =
      interpreter.convert_for_store(value, type, value_span.empty() ? span : value_span);
  builder.emit(span, ir::Store{std::move(to), std::move(converted)});
}

void store_region(Interpreter& interpreter,
                  const RegionValue& region,
                  const Value& v,
                  Span span,
                  Span value_span) {
  auto access = to_access(region.region);
  if (!access) {
    fail_help(span,
              fmt::format("a region of '{}' cannot be assigned to", region.region.buffer->name),
              "store one element or a vector along the last dimension; whole tiles are moved by "
              "Tx.copy, Tx.fill, …");
  }
  emit_store(interpreter, std::move(access->first), access->second, v, span,
             value_span.empty() ? span : value_span);
}

void store_buffer(Interpreter& interpreter,
                  const ir::Buffer& buffer,
                  const Subscripts& items,
                  const Value& v) {
  const Value place = index_buffer(interpreter, buffer, items);
  if (const auto* region = place.as<RegionValue>()) {
    store_region(interpreter, *region, v, items.span, items.value);
    return;
  }
  const ir::Access* access = writable_place(place);
  emit_store(interpreter, *access, (*place.as<ir::Expr>())->type, v, items.span,
             items.value.empty() ? items.span : items.value);
}

std::vector<ir::Expr> shape_exprs(Interpreter& interpreter,
                                  const Value& shape,
                                  Span span,
                                  bool names_allowed) {
  Values items;
  if (const Values* given = sequence(shape)) {
    items = *given;
  } else {
    items = {shape};
  }
  if (items.empty()) fail(span, "a buffer needs at least one dimension");
  if (items.size() > 16) fail(span, "a buffer has at most 16 dimensions");
  std::vector<ir::Expr> out;
  for (const Value& item : items) {
    if (const std::string* name = item.text()) {
      if (!names_allowed || interpreter.kernel() == nullptr) {
        fail(span, "a string names a dimension only in a parameter's T.Buffer");
      }
      out.push_back(ir::make_var(interpreter.kernel()->named_symbol(*name, span), span));
      continue;
    }
    out.push_back(index_expr(item, span));
  }
  return out;
}

ir::MemoryScope memory_scope(const std::string& word, Span span) {
  for (const auto scope : {ir::MemoryScope::global, ir::MemoryScope::shared,
                           ir::MemoryScope::shared_dynamic, ir::MemoryScope::local}) {
    if (ir::to_string(scope) == word) return scope;
  }
  if (word.empty()) return ir::MemoryScope::global;
  const std::string suggestion = did_you_mean(word, {"global", "shared", "shared.dyn", "local"});
  fail(span, "no memory scope is called '{}'{}", word, suggestion);
}

void set_layout(BufferSpec& spec, const Value& layout, Span span) {
  if (layout.is_none()) {
    spec.default_layout = false;
    return;
  }
  if (const auto* value = layout.as<LayoutValue>()) {
    spec.default_layout = false;
    spec.layout = value->layout;
    (void)unwrap(ir::scope_pair(value->layout.tile), span);
    return;
  }
  if (layout.text() != nullptr && *layout.text() == "default") return;
  fail(span, "layout= must be a layout, None or \"default\", not {}", kind_name(layout));
}

}  // namespace tirx::dsl
