// Memberwise comparison, one overload a type.
#include "dsl/ast/equal.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace tirx::dsl::ast {
namespace {

template <typename T>
concept Plain = std::is_enum_v<T> || std::is_arithmetic_v<T> || std::is_same_v<T, std::string>;

template <Plain T>
bool eq(const T& a, const T& b) {
  return a == b;
}

bool eq(const Identifier& a, const Identifier& b) {
  return a.text == b.text;
}

bool eq(const CompareOpAt& a, const CompareOpAt& b) {
  return a.op == b.op;
}

bool eq(const Expr& a, const Expr& b) {
  return same(a, b);
}

bool eq(const Stmt& a, const Stmt& b) {
  return same(a, b);
}

template <typename T>
bool eq(const Box<T>& a, const Box<T>& b);
template <typename T>
bool eq(const std::vector<T>& a, const std::vector<T>& b);
bool eq(const FStringPart& a, const FStringPart& b);

/// All members of two structs, given as alternating arguments.
template <typename T, typename... Rest>
bool all(const T& a, const T& b, const Rest&... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return eq(a, b);
  } else {
    return eq(a, b) && all(rest...);
  }
}

bool eq(const Argument& a, const Argument& b) {
  return all(a.kind, b.kind, a.name, b.name, a.value, b.value);
}

bool eq(const Parameter& a, const Parameter& b) {
  return all(a.kind, b.kind, a.name, b.name, a.annotation, b.annotation, a.default_value,
             b.default_value);
}

bool eq(const DictItem& a, const DictItem& b) {
  return all(a.key, b.key, a.value, b.value);
}

bool eq(const Clause& a, const Clause& b) {
  return all(a.target, b.target, a.iterable, b.iterable, a.conditions, b.conditions);
}

bool eq(const FStringField& a, const FStringField& b) {
  return all(a.value, b.value, a.conversion, b.conversion, a.spec, b.spec);
}

bool eq(const Branch& a, const Branch& b) {
  return all(a.condition, b.condition, a.body, b.body);
}

bool eq(const WithItem& a, const WithItem& b) {
  return all(a.context, b.context, a.target, b.target);
}

bool eq(const ImportName& a, const ImportName& b) {
  return all(a.name, b.name, a.alias, b.alias);
}

bool eq(const FStringPart& a, const FStringPart& b) {
  if (a.content.index() != b.content.index()) return false;
  const auto* text = std::get_if<std::string>(&a.content);
  if (text != nullptr) return *text == std::get<std::string>(b.content);
  return eq(std::get<FStringField>(a.content), std::get<FStringField>(b.content));
}

template <typename T>
bool eq(const Box<T>& a, const Box<T>& b) {
  if (!a || !b) return !a && !b;
  return eq(*a, *b);
}

template <typename T>
bool eq(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return eq(x, y); });
}

template <typename T>
requires std::is_empty_v<T>

bool node(const T&, const T&) {
  return true;
}

bool node(const Name& a, const Name& b) {
  return a.id == b.id;
}

bool node(const IntLit& a, const IntLit& b) {
  return all(a.text, b.text, a.value, b.value, a.overflow, b.overflow);
}

bool node(const FloatLit& a, const FloatLit& b) {
  return a.text == b.text &&
         std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
}

bool node(const StringLit& a, const StringLit& b) {
  return a.value == b.value;
}

bool node(const FString& a, const FString& b) {
  return eq(a.parts, b.parts);
}

bool node(const BoolLit& a, const BoolLit& b) {
  return a.value == b.value;
}

bool node(const Unary& a, const Unary& b) {
  return all(a.op, b.op, a.operand, b.operand);
}

bool node(const Binary& a, const Binary& b) {
  return all(a.op, b.op, a.left, b.left, a.right, b.right);
}

bool node(const BoolOp& a, const BoolOp& b) {
  return all(a.op, b.op, a.operands, b.operands);
}

bool node(const Compare& a, const Compare& b) {
  return all(a.ops, b.ops, a.operands, b.operands);
}

bool node(const Conditional& a, const Conditional& b) {
  return all(a.condition, b.condition, a.then_value, b.then_value, a.else_value, b.else_value);
}

bool node(const Lambda& a, const Lambda& b) {
  return all(a.parameters, b.parameters, a.body, b.body);
}

bool node(const Call& a, const Call& b) {
  return all(a.callee, b.callee, a.arguments, b.arguments);
}

bool node(const Attribute& a, const Attribute& b) {
  return all(a.base, b.base, a.name, b.name);
}

bool node(const Subscript& a, const Subscript& b) {
  return all(a.base, b.base, a.items, b.items, a.is_tuple, b.is_tuple);
}

bool node(const Slice& a, const Slice& b) {
  return all(a.begin, b.begin, a.end, b.end, a.step, b.step);
}

bool node(const Starred& a, const Starred& b) {
  return eq(a.value, b.value);
}

bool node(const Tuple& a, const Tuple& b) {
  return eq(a.elements, b.elements);
}

bool node(const List& a, const List& b) {
  return eq(a.elements, b.elements);
}

bool node(const Dict& a, const Dict& b) {
  return eq(a.items, b.items);
}

bool node(const ListComp& a, const ListComp& b) {
  return all(a.element, b.element, a.clauses, b.clauses);
}

bool node(const GeneratorExp& a, const GeneratorExp& b) {
  return all(a.element, b.element, a.clauses, b.clauses);
}

bool node(const DictComp& a, const DictComp& b) {
  return all(a.key, b.key, a.value, b.value, a.clauses, b.clauses);
}

bool node(const ExprStmt& a, const ExprStmt& b) {
  return eq(a.value, b.value);
}

bool node(const Assign& a, const Assign& b) {
  return all(a.targets, b.targets, a.value, b.value);
}

bool node(const AnnAssign& a, const AnnAssign& b) {
  return all(a.target, b.target, a.annotation, b.annotation, a.value, b.value);
}

bool node(const AugAssign& a, const AugAssign& b) {
  return all(a.target, b.target, a.op, b.op, a.value, b.value);
}

bool node(const For& a, const For& b) {
  return all(a.target, b.target, a.iterable, b.iterable, a.body, b.body);
}

bool node(const While& a, const While& b) {
  return all(a.condition, b.condition, a.body, b.body);
}

bool node(const If& a, const If& b) {
  return all(a.branches, b.branches, a.otherwise, b.otherwise);
}

bool node(const With& a, const With& b) {
  return all(a.items, b.items, a.body, b.body);
}

bool node(const FunctionDef& a, const FunctionDef& b) {
  return all(a.name, b.name, a.decorators, b.decorators, a.parameters, b.parameters, a.returns,
             b.returns, a.body, b.body);
}

bool node(const ClassDef& a, const ClassDef& b) {
  return all(a.name, b.name, a.decorators, b.decorators, a.bases, b.bases, a.body, b.body);
}

bool node(const Return& a, const Return& b) {
  return eq(a.value, b.value);
}

bool node(const Assert& a, const Assert& b) {
  return all(a.condition, b.condition, a.message, b.message);
}

bool node(const Raise& a, const Raise& b) {
  return all(a.value, b.value, a.cause, b.cause);
}

bool node(const Import& a, const Import& b) {
  return eq(a.names, b.names);
}

bool node(const FromImport& a, const FromImport& b) {
  return all(a.level, b.level, a.module, b.module, a.names, b.names, a.star, b.star);
}

bool node(const Global& a, const Global& b) {
  return eq(a.names, b.names);
}

bool node(const Nonlocal& a, const Nonlocal& b) {
  return eq(a.names, b.names);
}

bool node(const Del& a, const Del& b) {
  return eq(a.targets, b.targets);
}

template <typename T>
bool same_node(const T& a, const T& b) {
  if (a.node.index() != b.node.index()) return false;
  return std::visit(
      [&b](const auto& x) { return node(x, std::get<std::decay_t<decltype(x)>>(b.node)); }, a.node);
}

}  // namespace

bool same(const Expr& a, const Expr& b) {
  return same_node(a, b);
}

bool same(const Stmt& a, const Stmt& b) {
  return same_node(a, b);
}

bool same(const Module& a, const Module& b) {
  return eq(a.body, b.body);
}

}  // namespace tirx::dsl::ast
