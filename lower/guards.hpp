// Which threads pass an `if`?  Conditions become atoms about scope ids (ir/scope/narrow.hpp); what
// cannot become one is judged by which threads certainly decide it alike.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "ir/facts.hpp"
#include "ir/kernel.hpp"
#include "ir/scope/narrow.hpp"
#include "ir/simplify.hpp"

namespace tirx::lower {

class Guards {
 public:
  /// Reads the whole kernel once: which buffers are written, which mutable scalars are assigned
  /// once, and over which scope each scalar and variable is uniform.
  Guards(const ir::Kernel& kernel, const ir::Facts& facts);

  void set_space(const ir::ThreadSpace& space) { space_ = space; }

  [[nodiscard]] std::vector<ir::Atom> atoms(const ir::Expr& condition) const;
  /// The largest scope whose threads certainly compute the same value.
  [[nodiscard]] ir::ExecScope uniform_over(const ir::Expr& expr) const;
  /// The id that certainly makes it another value in other threads of the scope, all of which come
  /// here; null: it may be the same in all.
  [[nodiscard]] ir::Var told_apart_by(const ir::Expr& expr, ir::ExecScope scope) const;

 private:
  struct ScopeVar {
    ir::ScopeIdKind kind;
    int dim = 0;
  };

  void read(const ir::Body& body, ir::ExecScope context);
  void read_once(const ir::Body& body);
  void lower_to(std::map<const void*, ir::ExecScope>& of, const void* key, ir::ExecScope scope);
  void add_atoms(const ir::Expr& condition, std::vector<ir::Atom>& out) const;
  [[nodiscard]] bool of_ids_alone(const ir::Expr& side) const;
  [[nodiscard]] std::optional<bool> decided(const ir::Expr& condition) const;
  [[nodiscard]] std::optional<ir::Atom> match(const ir::Expr& condition) const;
  [[nodiscard]] std::optional<ir::Atom> match_comparison(const ir::Scalar& compare,
                                                         Span span) const;
  [[nodiscard]] ir::IndexSum resolve(const ir::Expr& expr) const;
  [[nodiscard]] ir::IndexSum resolve(const ir::IndexSum& sum, int depth) const;
  [[nodiscard]] const ScopeVar* scope_var(const ir::Expr& expr) const;
  [[nodiscard]] ir::ExecScope uniform_quotient(const ir::Expr& expr) const;

  const ir::Facts& facts_;
  ir::ThreadSpace space_;
  std::map<const ir::Variable*, ScopeVar> scope_vars_;
  std::map<const void*, ir::ExecScope> uniform_;  // variables and mutable scalars
  std::map<const void*, ir::Expr> aliases_;       // lets, and scalars that are assigned once
  std::set<const ir::Storage*> written_;
  bool orders_in_part_ = false;  // more than barriers of all threads orders them
  bool changed_ = false;
};

}  // namespace tirx::lower
