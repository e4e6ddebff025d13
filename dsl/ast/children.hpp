// Which expressions does an expression consist of?  One complete visitor, for walkers that treat
// most nodes alike (heights, searches for a name).
#pragma once

#include <type_traits>
#include <variant>

#include "dsl/ast/ast.hpp"

namespace tirx::dsl::ast {

/// Calls visit(const Expr&) for each direct child, in the order of the text.
template <typename Visit>
class ChildVisitor {
 public:
  explicit ChildVisitor(Visit& visit) : visit_(visit) {}

  void operator()(const NoneLit&) const {}

  void operator()(const Name&) const {}

  void operator()(const IntLit&) const {}

  void operator()(const FloatLit&) const {}

  void operator()(const StringLit&) const {}

  void operator()(const BoolLit&) const {}

  void operator()(const EllipsisLit&) const {}

  void operator()(const FString& n) const { parts(n.parts); }

  void operator()(const Unary& n) const { one(n.operand); }

  void operator()(const Binary& n) const {
    one(n.left);
    one(n.right);
  }

  void operator()(const BoolOp& n) const { all(n.operands); }

  void operator()(const Compare& n) const { all(n.operands); }

  void operator()(const Conditional& n) const {
    one(n.then_value);
    one(n.condition);
    one(n.else_value);
  }

  void operator()(const Lambda& n) const {
    for (const Parameter& p : n.parameters) {
      one(p.annotation);
      one(p.default_value);
    }
    one(n.body);
  }

  void operator()(const Call& n) const {
    one(n.callee);
    for (const Argument& a : n.arguments) visit_(a.value);
  }

  void operator()(const Attribute& n) const { one(n.base); }

  void operator()(const Subscript& n) const {
    one(n.base);
    all(n.items);
  }

  void operator()(const Slice& n) const {
    one(n.begin);
    one(n.end);
    one(n.step);
  }

  void operator()(const Starred& n) const { one(n.value); }

  void operator()(const Tuple& n) const { all(n.elements); }

  void operator()(const List& n) const { all(n.elements); }

  void operator()(const Dict& n) const {
    for (const DictItem& item : n.items) {
      one(item.key);
      visit_(item.value);
    }
  }

  void operator()(const ListComp& n) const {
    one(n.element);
    clauses(n.clauses);
  }

  void operator()(const GeneratorExp& n) const {
    one(n.element);
    clauses(n.clauses);
  }

  void operator()(const DictComp& n) const {
    one(n.key);
    one(n.value);
    clauses(n.clauses);
  }

 private:
  void one(const Box<Expr>& box) const {
    if (box) visit_(*box);
  }

  void all(const std::vector<Expr>& list) const {
    for (const Expr& e : list) visit_(e);
  }

  void clauses(const std::vector<Clause>& list) const {
    for (const Clause& c : list) {
      visit_(c.target);
      visit_(c.iterable);
      all(c.conditions);
    }
  }

  void parts(const std::vector<FStringPart>& list) const {
    for (const FStringPart& part : list) {
      const auto* field = std::get_if<FStringField>(&part.content);
      if (field == nullptr) continue;
      one(field->value);
      parts(field->spec);
    }
  }

  Visit& visit_;
};

template <typename Visit>
void for_each_child(const Expr& expr, Visit visit) {
  std::visit(ChildVisitor<Visit>(visit), expr.node);
}

}  // namespace tirx::dsl::ast
