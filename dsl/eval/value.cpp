// Containers, equality, hashing.  Text forms are in text.cpp.
#include "dsl/eval/value.hpp"

#include <functional>

#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/objects.hpp"

namespace tirx::dsl {

Value make_tuple(Values items) {
  return std::make_shared<Tuple>(std::move(items));
}

Value make_list(Values items) {
  return std::make_shared<List>(std::move(items));
}

const Values* sequence(const Value& value) {
  if (const Tuple* tuple = value.as<Tuple>()) return &tuple->items;
  if (const List* list = value.as<List>()) return &list->items;
  return nullptr;
}

std::int64_t RangeValue::size() const {
  const auto distance = [](std::int64_t from, std::int64_t to, std::uint64_t by) {
    if (to <= from) return std::int64_t{0};
    const std::uint64_t span = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    const std::uint64_t count = (span - 1) / by + 1;
    return count > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(count);
  };
  if (step > 0) return distance(begin, end, static_cast<std::uint64_t>(step));
  return distance(end, begin, 0 - static_cast<std::uint64_t>(step));
}

const Value* Dict::find(const Value& key) const {
  const std::optional<std::size_t> hashed = hash(key);
  if (!hashed) return nullptr;
  const auto [first, last] = index.equal_range(*hashed);
  for (auto it = first; it != last; ++it) {
    if (equal(items[it->second].first, key)) return &items[it->second].second;
  }
  return nullptr;
}

void Dict::set(const Value& key, Value value) {
  const std::size_t hashed = hash(key).value_or(0);
  const auto [first, last] = index.equal_range(hashed);
  for (auto it = first; it != last; ++it) {
    if (equal(items[it->second].first, key)) {
      items[it->second].second = std::move(value);
      return;
    }
  }
  index.emplace(hashed, items.size());
  items.emplace_back(key, std::move(value));
}

bool Dict::erase(const Value& key) {
  std::size_t at = items.size();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (equal(items[i].first, key)) at = i;
  }
  if (at == items.size()) return false;
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
  index.clear();
  for (std::size_t i = 0; i < items.size(); ++i) index.emplace(hash(items[i].first).value_or(0), i);
  return true;
}

std::string_view kind_name(const Value& value) {
  struct KindName {
    std::string_view operator()(None) const { return "None"; }

    std::string_view operator()(bool) const { return "bool"; }

    std::string_view operator()(std::int64_t) const { return "int"; }

    std::string_view operator()(double) const { return "float"; }

    std::string_view operator()(const Text&) const { return "str"; }

    std::string_view operator()(const ir::Type&) const { return "dtype"; }

    std::string_view operator()(const ir::Expr& expr) const {
      return ir::as<ir::AddressOf>(expr) != nullptr ? "pointer" : "expr";
    }

    std::string_view operator()(const ir::Buffer&) const { return "buffer"; }

    std::string_view operator()(const ObjectRef& object) const { return object->type->name; }
  };

  return std::visit(KindName{}, value.storage());
}

bool is_ir(const Value& value) {
  return value.is<ir::Expr>() || value.is<ir::Buffer>() || value.is<RegionValue>();
}

namespace {

bool equal_items(const Values& a, const Values& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(a[i], b[i])) return false;
  }
  return true;
}

bool equal_dicts(const Dict& a, const Dict& b) {
  if (a.items.size() != b.items.size()) return false;
  for (const auto& [key, value] : a.items) {
    const Value* other = b.find(key);
    if (other == nullptr || !equal(value, *other)) return false;
  }
  return true;
}

thread_local int comparison_depth = 0;

struct DepthGuard {
  DepthGuard() { ++comparison_depth; }

  ~DepthGuard() { --comparison_depth; }
};

}  // namespace

bool equal(const Value& a, const Value& b) {
  const DepthGuard guard;
  if (comparison_depth > 200) return false;  // containers that contain themselves
  if (const auto x = a.integer()) {
    if (const auto y = b.integer()) return *x == *y;
    if (const auto* y = b.as<double>()) return static_cast<double>(*x) == *y;
    return false;
  }
  if (const auto* x = a.as<double>()) {
    const auto y = b.number();
    return y && *x == *y;
  }
  if (a.storage().index() != b.storage().index()) {
    // A dtype equals its name: `A.dtype == "float16"`.
    const Value& type = a.is<ir::Type>() ? a : b;
    const Value& name = a.is<ir::Type>() ? b : a;
    if (type.is<ir::Type>() && name.text() != nullptr) {
      const auto found = num::find_dtype(*name.text());
      return (found && ir::Type{*found, 1} == *type.as<ir::Type>()) ||
             ir::to_string(*type.as<ir::Type>()) == *name.text();
    }
    return false;
  }
  if (a.is_none()) return true;
  if (const std::string* x = a.text()) return *x == *b.text();
  if (const auto* x = a.as<ir::Type>()) return *x == *b.as<ir::Type>();
  if (const auto* x = a.as<ir::Expr>()) return x->get() == b.as<ir::Expr>()->get();
  if (const auto* x = a.as<ir::Buffer>()) return x->get() == b.as<ir::Buffer>()->get();
  const Object* x = a.object();
  const Object* y = b.object();
  if (x == y) return true;
  if (x == nullptr || y == nullptr || x->type != y->type) return false;
  if (x->type->equal != nullptr) return x->type->equal(a, b);
  if (const Tuple* tuple = a.as<Tuple>()) return equal_items(tuple->items, b.as<Tuple>()->items);
  if (const List* list = a.as<List>()) return equal_items(list->items, b.as<List>()->items);
  if (const Dict* dict = a.as<Dict>()) return equal_dicts(*dict, *b.as<Dict>());
  if (const auto* range = a.as<RangeValue>()) {
    const auto* other = b.as<RangeValue>();
    return range->begin == other->begin && range->end == other->end && range->step == other->step;
  }
  if (const auto* slice = a.as<SliceValue>()) {
    const auto* other = b.as<SliceValue>();
    return equal(slice->begin, other->begin) && equal(slice->end, other->end) &&
           equal(slice->step, other->step);
  }
  return false;
}

std::optional<std::size_t> hash(const Value& key) {
  if (const auto number = key.number()) return std::hash<double>{}(*number);
  if (key.is_none()) return 7;
  if (const std::string* text = key.text()) return std::hash<std::string>{}(*text);
  if (const auto* type = key.as<ir::Type>()) {
    return std::hash<std::string>{}(ir::to_string(*type));
  }
  if (const auto* axis = key.as<AxisValue>()) {
    return std::hash<std::string_view>{}(axis->axis.name());
  }
  if (const auto* tuple = key.as<Tuple>()) {
    std::size_t result = 31;
    for (const Value& item : tuple->items) {
      const auto part = hash(item);
      if (!part) return std::nullopt;
      result = result * 1000003U + *part;
    }
    return result;
  }
  return std::nullopt;
}

}  // namespace tirx::dsl
