// `base[items]`, read and written, for every kind of value.
#include "dsl/eval/buffers.hpp"
#include "dsl/eval/dtype_call.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"

namespace tirx::dsl {

namespace {

/// Python's slice of a sequence of `size`: positions first, first+step, … (count of them).
struct Positions {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

std::optional<std::int64_t> bound(const Value& value, Span span) {
  if (value.is_none()) return std::nullopt;
  if (const auto number = value.integer()) return number;
  fail(span, "slice bounds must be ints, not {}", kind_name(value));
}

Positions positions(const SliceValue& slice, std::int64_t size, Span span) {
  const std::int64_t step = bound(slice.step, span).value_or(1);
  if (step == 0 || step == INT64_MIN) fail(span, "a slice step cannot be {}", step);
  const auto clamp = [&](std::optional<std::int64_t> value, std::int64_t fallback) {
    if (!value) return fallback;
    std::int64_t v = *value < 0 ? *value + size : *value;
    const std::int64_t low = step > 0 ? 0 : -1;
    const std::int64_t high = step > 0 ? size : size - 1;
    return v < low ? low : v > high ? high : v;
  };
  const std::int64_t begin = clamp(bound(slice.begin, span), step > 0 ? 0 : size - 1);
  const std::int64_t end = clamp(bound(slice.end, span), step > 0 ? size : -1);
  const RangeValue range(begin, end, step);
  return {begin, step, range.size()};
}

std::int64_t position(const Value& index, std::int64_t size, std::string_view kind, Span span) {
  const auto number = index.integer();
  if (!number) {
    if (is_ir(index)) {
      fail_help(span, fmt::format("the index of a {} must be known when the kernel is built", kind),
                "keep values that are indexed at run time in a buffer (T.alloc_local)");
    }
    fail(span, "indices of a {} must be ints or slices, not {}", kind, kind_name(index));
  }
  const std::int64_t at = *number < 0 ? *number + size : *number;
  if (at < 0 || at >= size) {
    fail(span, "index {} is out of range for a {} of {} elements", *number, kind, size);
  }
  return at;
}

const ArgumentValue& single(const Subscripts& items, std::string_view kind) {
  if (items.items.size() != 1 || items.is_tuple) {
    fail(items.span, "a {} takes one index, not {}", kind, items.items.size());
  }
  return items.items[0];
}

Value index_sequence(const Value& base, const Values& values, const Subscripts& items) {
  const std::string_view kind = kind_name(base);
  const ArgumentValue& item = single(items, kind);
  const auto size = static_cast<std::int64_t>(values.size());
  if (const auto* slice = item.value.as<SliceValue>()) {
    const Positions at = positions(*slice, size, item.span);
    Values out;
    for (std::int64_t i = 0; i < at.count; ++i) {
      out.push_back(values[static_cast<std::size_t>(at.first + i * at.step)]);
    }
    return base.is<Tuple>() ? make_tuple(std::move(out)) : make_list(std::move(out));
  }
  return values[static_cast<std::size_t>(position(item.value, size, kind, item.span))];
}

Value key_of(const Subscripts& items) {
  if (items.items.size() == 1 && !items.is_tuple) return items.items[0].value;
  Values parts;
  for (const ArgumentValue& item : items.items) parts.push_back(item.value);
  return make_tuple(std::move(parts));
}

}  // namespace

Value Interpreter::subscript(const Value& base, const Subscripts& items) {
  spend(1, items.span);
  if (const auto* buffer = base.as<ir::Buffer>()) return index_buffer(*this, *buffer, items);
  if (const auto* region = base.as<RegionValue>()) return index_region(*this, *region, items);
  if (const Values* values = sequence(base)) {
    spend(static_cast<std::int64_t>(items.items.size()), items.span);
    return index_sequence(base, *values, items);
  }
  if (const auto* dict = base.as<Dict>()) {
    const Value key = key_of(items);
    if (const Value* found = dict->find(key)) return *found;
    fail(items.span, "key not found: {}", repr(key));
  }
  if (base.text() != nullptr) {
    const Values characters = iterate(base, items.span);
    const Value picked = index_sequence(make_tuple(characters), characters, items);
    if (picked.text() != nullptr) return picked;
    std::string out;
    for (const Value& c : *sequence(picked)) out += *c.text();
    return out;
  }
  if (const auto* range = base.as<RangeValue>()) {
    const ArgumentValue& item = single(items, "range");
    if (const auto* slice = item.value.as<SliceValue>()) {
      const Positions at = positions(*slice, range->size(), item.span);
      const std::int64_t first =
          at.count == 0 ? range->begin : range->begin + at.first * range->step;
      std::int64_t step = 0;
      std::int64_t end = 0;
      if (__builtin_mul_overflow(at.step, range->step, &step) ||
          __builtin_mul_overflow(at.count, step, &end) ||
          __builtin_add_overflow(first, end, &end)) {
        fail(items.span, "this range leaves 64 bits");
      }
      return std::make_shared<RangeValue>(first, end, step);
    }
    return range->begin + position(item.value, range->size(), "range", item.span) * range->step;
  }
  if (const auto* type = base.as<ir::Type>()) return subscript_dtype(*this, *type, items);
  if (const auto* expr = base.as<ir::Expr>()) {
    if (const auto* load = ir::as<ir::Load>(*expr); load != nullptr && load->from.buffer->scalar) {
      return index_buffer(*this, load->from.buffer, items);
    }
    if ((*expr)->type.is_vector()) {
      const ArgumentValue& item = single(items, "vector");
      const std::int64_t lane = position(item.value, (*expr)->type.lanes, "vector", item.span);
      return ir::make_expr((*expr)->type.element(), items.span,
                           ir::Extract{*expr, static_cast<int>(lane)});
    }
  }
  const Object* object = base.object();
  if (object != nullptr && object->type->subscript != nullptr) {
    return object->type->subscript(*this, base, items);
  }
  fail(items.span, "{} cannot be indexed", kind_name(base));
}

void Interpreter::set_subscript(const Value& base, const Subscripts& items, Value value) {
  spend(1, items.span);
  if (const auto* meta = value.as<MetaVar>()) value = meta->value;
  if (const auto* buffer = base.as<ir::Buffer>()) {
    store_buffer(*this, *buffer, items, value);
    return;
  }
  if (const auto* region = base.as<RegionValue>()) {
    const Value inner = index_region(*this, *region, items);
    if (const auto* narrowed = inner.as<RegionValue>()) {
      store_region(*this, *narrowed, value, items.span, items.value);
    } else if (const ir::Access* place = writable_place(inner)) {
      emit_store(*this, *place, (*inner.as<ir::Expr>())->type, value, items.span);
    }
    return;
  }
  if (const auto* expr = base.as<ir::Expr>()) {
    if (const auto* load = ir::as<ir::Load>(*expr); load != nullptr && load->from.buffer->scalar) {
      store_buffer(*this, load->from.buffer, items, value);
      return;
    }
  }
  if (auto* list = base.as<List>()) {
    const ArgumentValue& item = single(items, "list");
    if (item.value.is<SliceValue>()) fail(item.span, "slices of a list cannot be assigned to");
    track(std::get<ObjectRef>(base.storage()));
    Value& place = list->items[static_cast<std::size_t>(
        position(item.value, static_cast<std::int64_t>(list->items.size()), "list", item.span))];
    if (const auto* buffer = place.as<ir::Buffer>(); buffer != nullptr && kernel_ != nullptr &&
                                                     is_mutable_scalar(*buffer) &&
                                                     !value.is<ir::Buffer>()) {
      emit_store(*this, {*buffer, {ir::make_int(0, ir::kInt32, items.span)}, {}, 1},
                 {(*buffer)->dtype, 1}, value, items.span);
      return;
    }
    place = std::move(value);
    return;
  }
  if (auto* dict = base.as<Dict>()) {
    const Value key = key_of(items);
    if (!hash(key)) fail(items.span, "{} cannot be a dict key", kind_name(key));
    track(std::get<ObjectRef>(base.storage()));
    spend(24, items.span);
    dict->set(key, std::move(value));
    return;
  }
  const Object* object = base.object();
  if (object != nullptr && object->type->set_subscript != nullptr) {
    object->type->set_subscript(*this, base, items, std::move(value));
    return;
  }
  fail(items.span, "items of {} cannot be assigned to", kind_name(base));
}

}  // namespace tirx::dsl
