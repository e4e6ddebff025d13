// What can a name of a script mean?  A Value: small things inline, everything else a shared Object.
//
// Meta values (numbers, strings, containers, dtypes, layouts, functions, tensors, …) are computed
// while the script is evaluated; IR values (Expr, Buffer, regions) stand for what a kernel computes
// at run time.  Operations on meta values give meta values, any operation that touches an IR value
// builds IR.
//
// A new kind of object is a struct derived from Object with a `static const ObjectType kType`; its
// methods and properties are rows of tables registered under the kind's name (registry.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "dsl/ast/expr.hpp"
#include "ir/buffer.hpp"
#include "ir/expr.hpp"

namespace tirx::dsl {

class Interpreter;
class Value;
struct CallArgs;
struct Object;
struct Subscripts;

using ObjectRef = std::shared_ptr<Object>;
using Text = std::shared_ptr<const std::string>;

struct None {
  friend bool operator==(None, None) = default;
};

/// What an object kind can do beyond having methods; a null hook means "not supported", and the
/// interpreter then says so in the user's terms.
struct ObjectType {
  std::string_view name;  // in messages, and the key of its method table: "list", "tensor"
  /// Names that no table can list (modules, instances, instruction chains).
  std::optional<Value> (*attribute)(Interpreter&,
                                    const Value& self,
                                    std::string_view name,
                                    Span) = nullptr;
  void (*set_attribute)(
      Interpreter&, const Value& self, const std::string& name, Value value, Span) = nullptr;
  Value (*call)(Interpreter&, const Value& self, CallArgs args) = nullptr;
  Value (*subscript)(Interpreter&, const Value& self, const Subscripts& items) = nullptr;
  void (*set_subscript)(Interpreter&,
                        const Value& self,
                        const Subscripts& items,
                        Value value) = nullptr;
  /// `nothing`: this operand does not know what to do with the other one.
  std::optional<Value> (*binary)(
      Interpreter&, ast::BinaryOp op, const Value& left, const Value& right, Span) = nullptr;
  std::optional<Value> (*compare)(
      Interpreter&, ast::CompareOp op, const Value& left, const Value& right, Span) = nullptr;
  std::optional<Value> (*unary)(Interpreter&,
                                ast::UnaryOp op,
                                const Value& operand,
                                Span) = nullptr;
  /// Elements in order, for `for` and unpacking.
  std::vector<Value> (*iterate)(Interpreter&, const Value& self, Span) = nullptr;
  std::optional<std::int64_t> (*length)(const Value& self) = nullptr;
  std::string (*repr)(const Value& self, int depth) = nullptr;
  /// The number that it is, for conditions, int() and float(); an error where it is several.
  Value (*number)(Interpreter&, const Value& self, Span) = nullptr;
  bool (*equal)(const Value& left, const Value& right) = nullptr;  // default: same object
  /// How a member name is completed in "did you mean", beyond the tables.
  std::vector<std::string> (*names)(Interpreter&, const Value& self) = nullptr;
};

struct Object {
  explicit Object(const ObjectType& t) : type(&t) {}

  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  /// Drops references to other values: how the interpreter breaks cycles at the end.
  virtual void clear() {}

  const ObjectType* type;
  bool tracked = false;  // by Interpreter::track
};

class Value {
 public:
  using Storage = std::
      variant<None, bool, std::int64_t, double, Text, ir::Type, ir::Expr, ir::Buffer, ObjectRef>;

  Value() = default;
  Value(const Value&) = default;
  Value(Value&&) noexcept = default;
  Value& operator=(const Value&) = default;
  Value& operator=(Value&&) noexcept = default;

  ~Value() {
    if (ObjectRef* object = std::get_if<ObjectRef>(&storage_)) dispose(std::move(*object));
  }

  Value(None) {}  // NOLINT(google-explicit-constructor): all of these mean the value itself

  template <std::same_as<bool> B>
  Value(B value) : storage_(value) {}  // NOLINT(google-explicit-constructor)

  template <std::integral I>

  requires(!std::same_as<I, bool>) Value(I value)
      : storage_(static_cast<std::int64_t>(value)) {}  // NOLINT(google-explicit-*)

  Value(double value) : storage_(value) {}  // NOLINT(google-explicit-constructor)

  Value(std::string value)  // NOLINT(google-explicit-constructor)
      : storage_(std::make_shared<const std::string>(std::move(value))) {}

  Value(std::string_view value) : Value(std::string(value)) {}  // NOLINT(google-explicit-*)

  Value(const char* value) : Value(std::string(value)) {}  // NOLINT(google-explicit-constructor)

  Value(ir::Type value) : storage_(value) {}  // NOLINT(google-explicit-constructor)

  Value(ir::Expr value) : storage_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  Value(ir::Buffer value) : storage_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  template <std::derived_from<Object> T>
  Value(std::shared_ptr<T> value)  // NOLINT(google-explicit-constructor)
      : storage_(ObjectRef(std::move(value))) {}

  [[nodiscard]] bool is_none() const { return std::holds_alternative<None>(storage_); }

  /// The inline alternative, or null.
  template <typename T>

  requires(!std::derived_from<T, Object>) [[nodiscard]] const T* as() const {
    return std::get_if<T>(&storage_);
  }

  /// The object of exactly this kind, or null.
  template <std::derived_from<Object> T>
  [[nodiscard]] T* as() const {
    const ObjectRef* object = std::get_if<ObjectRef>(&storage_);
    if (object == nullptr || (*object)->type != &T::kType) return nullptr;
    return static_cast<T*>(object->get());
  }

  template <std::derived_from<Object> T>
  [[nodiscard]] std::shared_ptr<T> share() const {
    if (as<T>() == nullptr) return nullptr;
    return std::static_pointer_cast<T>(std::get<ObjectRef>(storage_));
  }

  template <typename T>
  [[nodiscard]] bool is() const {
    return as<T>() != nullptr;
  }

  /// A string's characters, or null.
  [[nodiscard]] const std::string* text() const {
    const Text* held = as<Text>();
    return held != nullptr ? held->get() : nullptr;
  }

  [[nodiscard]] const Object* object() const {
    const ObjectRef* held = std::get_if<ObjectRef>(&storage_);
    return held != nullptr ? held->get() : nullptr;
  }

  /// int or bool as an integer, as Python sees them.
  [[nodiscard]] std::optional<std::int64_t> integer() const {
    if (const auto* i = as<std::int64_t>()) return *i;
    if (const auto* b = as<bool>()) return *b ? 1 : 0;
    return std::nullopt;
  }

  /// int, bool or float as a double.
  [[nodiscard]] std::optional<double> number() const {
    if (const auto* d = as<double>()) return *d;
    if (const auto i = integer()) return static_cast<double>(*i);
    return std::nullopt;
  }

  [[nodiscard]] const Storage& storage() const { return storage_; }

 private:
  /// Lets go of an object without recursion: a script can nest containers a million deep.
  static void dispose(ObjectRef object);

  Storage storage_;
};

using Values = std::vector<Value>;

// ---- containers ---------------------------------------------------------------------------------

struct Tuple : Object {
  static const ObjectType kType;

  explicit Tuple(Values v) : Object(kType), items(std::move(v)) {}

  Values items;  // never changed after construction, except by clear()

  void clear() override { items.clear(); }
};

struct List : Object {
  static const ObjectType kType;

  explicit List(Values v) : Object(kType), items(std::move(v)) {}

  Values items;

  void clear() override { items.clear(); }
};

/// Keeps insertion order.  Keys: None, bool, int, float, str, dtype, axis, and tuples of them.
struct Dict : Object {
  static const ObjectType kType;

  Dict() : Object(kType) {}

  std::vector<std::pair<Value, Value>> items;
  std::unordered_multimap<std::size_t, std::size_t> index;  // hash -> position in items

  [[nodiscard]] const Value* find(const Value& key) const;
  void set(const Value& key, Value value);
  bool erase(const Value& key);

  void clear() override {
    items.clear();
    index.clear();
  }
};

/// `a:b:s` in a subscript, or slice(a, b, s); absent parts are None.
struct SliceValue : Object {
  static const ObjectType kType;

  SliceValue(Value b, Value e, Value s)
      : Object(kType), begin(std::move(b)), end(std::move(e)), step(std::move(s)) {}

  Value begin, end, step;
};

/// The meta-level range; in a kernel `for`, `range(...)` is a loop instead.
struct RangeValue : Object {
  static const ObjectType kType;

  RangeValue(std::int64_t b, std::int64_t e, std::int64_t s)
      : Object(kType), begin(b), end(e), step(s) {}

  std::int64_t begin, end, step;

  [[nodiscard]] std::int64_t size() const;
};

/// `...`
struct Ellipsis : Object {
  static const ObjectType kType;

  Ellipsis() : Object(kType) {}
};

[[nodiscard]] Value make_tuple(Values items);
[[nodiscard]] Value make_list(Values items);

/// The items of a tuple or a list, or null.
[[nodiscard]] const Values* sequence(const Value& value);

// ---- what holds for every value ----------------------------------------------------------------

/// "int", "str", "list", "expr", "buffer", …: in messages, and the key of method tables.
[[nodiscard]] std::string_view kind_name(const Value& value);
/// Python's repr and str.  `depth` guards against containers that contain themselves.
[[nodiscard]] std::string repr(const Value& value, int depth = 0);
[[nodiscard]] std::string str(const Value& value);
/// `==` on meta values (IR values are the interpreter's business).  Adds to `work` how many values
/// were looked at; very large or very deep ones throw EvalError.
[[nodiscard]] bool equal(const Value& a, const Value& b, std::int64_t* work = nullptr);
[[nodiscard]] std::optional<std::size_t> hash(const Value& key);
/// Whether the value stands for something known only when the kernel runs.
[[nodiscard]] bool is_ir(const Value& value);
/// Shortest text that reads back, as Python prints floats: "1.0", "1e-07", "inf".
[[nodiscard]] std::string float_text(double value);
/// A quoted Python string literal.
[[nodiscard]] std::string quote(std::string_view text);

}  // namespace tirx::dsl
