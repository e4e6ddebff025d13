// What does a name mean here?  Scopes after Python's LEGB rule: a chain from the innermost block to
// the module; built-in names come last (the interpreter adds them).
//
// Inside kernels an `if` or a loop that exists at run time opens a *block* scope in its function's
// scope: names bound there end with it.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "dsl/eval/value.hpp"

namespace tirx::dsl {

/// How a name was bound in a kernel: decides what a second assignment does.
enum class Binding : std::uint8_t {
  plain,           // rebinding is fine
  let,             // pointers and T.let: "cannot be reassigned"
  mutable_scalar,  // assignment is a store
};

struct Name {
  Value value;
  Binding binding = Binding::plain;
};

class Scope;
using ScopeRef = std::shared_ptr<Scope>;

enum class ScopeKind : std::uint8_t { module, function, class_body, block };

class Scope {
 public:
  Scope(ScopeKind kind, ScopeRef parent);

  [[nodiscard]] ScopeKind kind() const { return kind_; }

  [[nodiscard]] const ScopeRef& parent() const { return parent_; }

  /// This scope only.
  [[nodiscard]] Name* find_here(const std::string& name);
  /// This scope and, for blocks, the scopes up to and including the function's.
  [[nodiscard]] Name* find_in_function(const std::string& name);
  /// Along the chain (class bodies are skipped from inside their methods, as in Python).
  [[nodiscard]] Name* find(const std::string& name);

  void bind(const std::string& name, Value value, Binding binding = Binding::plain);

  void erase(const std::string& name) { names_.erase(name); }

  /// `global x`, `nonlocal x`: where assignments to x go instead.
  void redirect(const std::string& name, ScopeRef target);
  [[nodiscard]] Scope* redirected(const std::string& name);

  /// The function (or module, or class) scope that this block belongs to.
  [[nodiscard]] Scope& function();
  [[nodiscard]] bool has_ancestor(const Scope* other) const;

  [[nodiscard]] const std::unordered_map<std::string, Name>& names() const { return names_; }

  void clear();

  /// Of a function scope: the block now being evaluated (inline functions look free names up
  /// there).
  std::weak_ptr<Scope> innermost;

 private:
  ScopeKind kind_;
  ScopeRef parent_;
  std::unordered_map<std::string, Name> names_;
  std::unordered_map<std::string, ScopeRef> redirects_;
};

}  // namespace tirx::dsl
