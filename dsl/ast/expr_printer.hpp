// The expression half of the printer, used by the statement half (print.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsl/ast/ast.hpp"

namespace tirx::dsl::ast {

class ExprPrinter {
 public:
  explicit ExprPrinter(std::string& out) : out_(out) {}

  /// In parentheses if it binds weaker than `level` (0: never).
  void expr(const Expr& e, int level = 0);
  /// Where commas need no parentheses: `a, b`.
  void list(const Expr& e);
  void parameters(const std::vector<Parameter>& parameters);
  void arguments(const std::vector<Argument>& arguments);

  void operator()(const NoneLit&) { out_ += "None"; }

  void operator()(const EllipsisLit&) { out_ += "..."; }

  void operator()(const BoolLit& n) { out_ += n.value ? "True" : "False"; }

  void operator()(const Name& n) { out_ += n.id; }

  void operator()(const IntLit& n) { out_ += n.text; }

  void operator()(const FloatLit& n) { out_ += n.text; }

  void operator()(const StringLit& n);
  void operator()(const FString& n);
  void operator()(const Unary& n);
  void operator()(const Binary& n);
  void operator()(const BoolOp& n);
  void operator()(const Compare& n);
  void operator()(const Conditional& n);
  void operator()(const Lambda& n);
  void operator()(const Call& n);
  void operator()(const Attribute& n);
  void operator()(const Subscript& n);
  void operator()(const Slice& n);
  void operator()(const Starred& n);
  void operator()(const Tuple& n);
  void operator()(const List& n);
  void operator()(const Dict& n);
  void operator()(const ListComp& n);
  void operator()(const GeneratorExp& n);
  void operator()(const DictComp& n);

 private:
  void commas(const std::vector<Expr>& list, bool single_needs_comma);
  void clauses(const std::vector<Clause>& clauses);
  void parts(const std::vector<FStringPart>& parts, bool spec);
  void field(const FStringField& field);
  /// Saves what brackets reset, and restores it.
  template <typename Body>
  void bracketed(char open, char close, Body body);

  std::string& out_;
  int fields_ = 0;           // f-string fields around us: quotes alternate
  bool bare_field_ = false;  // directly in a field, where a lambda's ':' would start the format
};

}  // namespace tirx::dsl::ast
