// Containers, equality, hashing.  Text forms are in text.cpp.
#include "dsl/eval/value.hpp"

#include <functional>

#include "dsl/eval/error.hpp"
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

/// Bounds a comparison: shared substructure makes small values large to walk.
struct Comparison {
  std::int64_t seen = 0;
  int depth = 0;
};

bool same(const Value& a, const Value& b, Comparison& state);

bool same_items(const Values& a, const Values& b, Comparison& state) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i], state)) return false;
  }
  return true;
}

bool same_dicts(const Dict& a, const Dict& b, Comparison& state) {
  if (a.items.size() != b.items.size()) return false;
  for (const auto& [key, value] : a.items) {
    const Value* other = b.find(key);
    if (other == nullptr || !same(value, *other, state)) return false;
  }
  return true;
}

bool same_objects(const Value& a, const Value& b, Comparison& state) {
  const Object* x = a.object();
  const Object* y = b.object();
  if (x == y) return true;
  if (x == nullptr || y == nullptr || x->type != y->type) return false;
  if (x->type->equal != nullptr) return x->type->equal(a, b);
  if (const Values* items = sequence(a)) return same_items(*items, *sequence(b), state);
  if (const Dict* dict = a.as<Dict>()) return same_dicts(*dict, *b.as<Dict>(), state);
  if (const auto* range = a.as<RangeValue>()) {
    const auto* other = b.as<RangeValue>();
    return range->begin == other->begin && range->end == other->end && range->step == other->step;
  }
  if (const auto* slice = a.as<SliceValue>()) {
    const auto* other = b.as<SliceValue>();
    return same(slice->begin, other->begin, state) && same(slice->end, other->end, state) &&
           same(slice->step, other->step, state);
  }
  return false;
}

/// A dtype equals its name: `A.dtype == "float16"`.
bool dtype_named(const Value& a, const Value& b) {
  const Value& type = a.is<ir::Type>() ? a : b;
  const Value& name = a.is<ir::Type>() ? b : a;
  if (!type.is<ir::Type>() || name.text() == nullptr) return false;
  const auto found = num::find_dtype(*name.text());
  return (found && ir::Type{*found, 1} == *type.as<ir::Type>()) ||
         ir::to_string(*type.as<ir::Type>()) == *name.text();
}

bool same(const Value& a, const Value& b, Comparison& state) {
  if (++state.seen > 1'000'000 || state.depth > 200) {
    fail({}, "these values are too large, or nested too deeply, to be compared");
  }
  if (const auto x = a.integer()) {
    if (const auto y = b.integer()) return *x == *y;
    if (const auto* y = b.as<double>()) return static_cast<double>(*x) == *y;
    return false;
  }
  if (const auto* x = a.as<double>()) {
    const auto y = b.number();
    return y && *x == *y;
  }
  if (a.storage().index() != b.storage().index()) return dtype_named(a, b);
  if (a.is_none()) return true;
  if (const std::string* x = a.text()) return *x == *b.text();
  if (const auto* x = a.as<ir::Type>()) return *x == *b.as<ir::Type>();
  if (const auto* x = a.as<ir::Expr>()) return x->get() == b.as<ir::Expr>()->get();
  if (const auto* x = a.as<ir::Buffer>()) return x->get() == b.as<ir::Buffer>()->get();
  ++state.depth;
  const bool result = same_objects(a, b, state);
  --state.depth;
  return result;
}

/// Nothing for what cannot be a key: mutable containers, and tuples too large to walk.
std::optional<std::size_t> hash_of(const Value& key, int depth, int& seen) {
  if (++seen > 10'000 || depth > 100) return std::nullopt;
  if (const auto number = key.number()) return std::hash<double>{}(*number);
  if (key.is_none()) return 7;
  if (const std::string* text = key.text()) return std::hash<std::string>{}(*text);
  if (const auto* type = key.as<ir::Type>()) {
    return std::hash<std::string>{}(ir::to_string(*type));
  }
  if (const auto* axis = key.as<AxisValue>()) {
    return std::hash<std::string_view>{}(axis->axis.name());
  }
  const auto* tuple = key.as<Tuple>();
  if (tuple == nullptr) return std::nullopt;
  std::size_t result = 31;
  for (const Value& item : tuple->items) {
    const auto part = hash_of(item, depth + 1, seen);
    if (!part) return std::nullopt;
    result = result * 1000003U + *part;
  }
  return result;
}

}  // namespace

bool equal(const Value& a, const Value& b, std::int64_t* work) {
  Comparison state;
  const bool result = same(a, b, state);
  if (work != nullptr) *work += state.seen;
  return result;
}

std::optional<std::size_t> hash(const Value& key) {
  int seen = 0;
  return hash_of(key, 0, seen);
}

void Value::dispose(ObjectRef object) {
  if (object.use_count() != 1) return;
  // A destructor has no caller to hand its work to: the outermost one works off what the others
  // leave here.
  thread_local std::vector<ObjectRef> pending;
  thread_local bool working = false;
  pending.push_back(std::move(object));
  if (working) return;
  working = true;
  while (!pending.empty()) {
    const ObjectRef next = std::move(pending.back());
    pending.pop_back();
  }
  working = false;
}

}  // namespace tirx::dsl
