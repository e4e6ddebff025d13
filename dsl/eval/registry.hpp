// Which built-in names exist?  Tables by module and by kind of value, filled once per interpreter
// by the register_… functions listed in registry.cpp; a name has exactly one row.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dsl/eval/arguments.hpp"
#include "dsl/eval/value.hpp"

namespace tirx::dsl {

using BuiltinPointer = Value (*)(Interpreter&, const Arguments&);

/// One built-in function or method.  Methods find their receiver in Arguments::self.
struct BuiltinFunction {
  std::string_view name;
  std::string_view signature;  // see parse_signature
  BuiltinPointer function;
  std::string_view doc;
};

/// A computed attribute: `buffer.shape`.
struct Property {
  std::string_view name;
  Value (*get)(Interpreter&, const Value& self, Span span);
  std::string_view doc;
};

/// A function value; one per row, made by the registry.
struct Builtin : Object {
  static const ObjectType kType;

  Builtin(const BuiltinFunction& r, std::string qualified);

  const BuiltinFunction* row;
  std::string name;  // "T.match_buffer", "list.append"
  Signature signature;
};

/// A namespace: `T`, `T.cuda`, `tirx`, `math`, and modules that exist only to be imported.
struct Module : Object {
  static const ObjectType kType;

  explicit Module(std::string n) : Object(kType), name(std::move(n)) {}

  std::string name;
  std::unordered_map<std::string, Value> members;
  /// An unknown module: any attribute is again one, and using it is an error that names it.
  bool opaque = false;

  void clear() override { members.clear(); }
};

/// The members of one kind of value.
struct MemberTable {
  std::unordered_map<std::string_view, std::shared_ptr<Builtin>> methods;
  std::unordered_map<std::string_view, const Property*> properties;
};

class Registry {
 public:
  /// Rows must live for ever (static tables).  Module "" is Python's built-in names.
  void add(std::string_view module, std::span<const BuiltinFunction> table);
  void add(std::string_view module, std::string_view name, Value value);
  /// `alias` becomes another path to the module: "tvm.script.tirx" -> "T".
  void alias(std::string_view path, std::string_view module);
  void add_methods(std::string_view kind, std::span<const BuiltinFunction> table);
  void add_properties(std::string_view kind, std::span<const Property> table);

  /// The module of that name, made if need be.
  [[nodiscard]] std::shared_ptr<Module> module(std::string_view name);
  /// By its path in an import; null when unknown.
  [[nodiscard]] std::shared_ptr<Module> find_import(std::string_view path) const;
  /// All such paths, sorted.
  [[nodiscard]] std::vector<std::string> import_paths() const;
  [[nodiscard]] const Value* find_builtin(const std::string& name) const;
  [[nodiscard]] const MemberTable* members(std::string_view kind) const;
  [[nodiscard]] std::vector<std::string> member_names(std::string_view kind) const;

  void clear();

 private:
  std::unordered_map<std::string, std::shared_ptr<Module>> modules_;
  std::unordered_map<std::string, std::string> aliases_;
  std::unordered_map<std::string, MemberTable> kinds_;
};

/// All built-ins of the language (registry.cpp has the list).
void register_all(Registry& registry);

}  // namespace tirx::dsl
