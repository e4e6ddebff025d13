// Scopes: lookup along the chain, binding, redirection by `global` and `nonlocal`.
#include "dsl/eval/environment.hpp"

#include <utility>

namespace tirx::dsl {

Scope::Scope(ScopeKind kind, ScopeRef parent) : kind_(kind), parent_(std::move(parent)) {}

Name* Scope::find_here(const std::string& name) {
  const auto found = names_.find(name);
  return found != names_.end() ? &found->second : nullptr;
}

Name* Scope::find_in_function(const std::string& name) {
  for (Scope* scope = this; scope != nullptr; scope = scope->parent_.get()) {
    if (Name* found = scope->find_here(name)) return found;
    if (scope->kind_ != ScopeKind::block) break;
  }
  return nullptr;
}

Name* Scope::find(const std::string& name) {
  bool inside = false;  // of a function: class bodies around it are not visible
  for (Scope* scope = this; scope != nullptr; scope = scope->parent_.get()) {
    if (scope->kind_ == ScopeKind::class_body && inside) continue;
    if (Name* found = scope->find_here(name)) return found;
    if (scope->kind_ == ScopeKind::function) inside = true;
  }
  return nullptr;
}

void Scope::bind(const std::string& name, Value value, Binding binding) {
  names_[name] = Name{std::move(value), binding};
}

void Scope::redirect(const std::string& name, ScopeRef target) {
  redirects_[name] = std::move(target);
}

Scope* Scope::redirected(const std::string& name) {
  const auto found = redirects_.find(name);
  return found != redirects_.end() ? found->second.get() : nullptr;
}

Scope& Scope::function() {
  Scope* scope = this;
  while (scope->kind_ == ScopeKind::block && scope->parent_ != nullptr)
    scope = scope->parent_.get();
  return *scope;
}

bool Scope::has_ancestor(const Scope* other) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->parent_.get()) {
    if (scope == other) return true;
  }
  return false;
}

void Scope::clear() {
  names_.clear();
  redirects_.clear();
}

}  // namespace tirx::dsl
