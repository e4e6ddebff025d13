// What can an expression of a script be?  Plain values with a Span each, after the expression
// chapter of the Python reference (docs.python.org/3/reference/expressions.html), minus what
// docs/language/syntax.md leaves out.  Names mean nothing here: the evaluator resolves them.
//
// Parentheses leave no node; they widen the span of the expression they enclose.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dsl/ast/box.hpp"
#include "ir/base/source.hpp"

namespace tirx::dsl::ast {

struct Expr;
struct Argument;
struct Clause;
struct DictItem;
struct FStringPart;
struct Parameter;

/// A word of the script with its place.
struct Identifier {
  std::string text;
  Span span;
};

enum class UnaryOp { plus, minus, invert, logical_not };

enum class BinaryOp {
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  matmul,
  power,
  shift_left,
  shift_right,
  bit_and,
  bit_xor,
  bit_or,
};

enum class LogicalOp { logical_and, logical_or };

enum class CompareOp {
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  is,
  is_not,
  in,
  not_in,
};

[[nodiscard]] const char* spelling(UnaryOp op);  // "-", "not", …
[[nodiscard]] const char* spelling(BinaryOp op);
[[nodiscard]] const char* spelling(LogicalOp op);
[[nodiscard]] const char* spelling(CompareOp op);

struct Name {
  std::string id;
};

/// A magnitude: the sign is a Unary around it.  `text` is the literal as written.
struct IntLit {
  std::string text;
  std::uint64_t value = 0;
  bool overflow = false;  // does not fit 64 bits; value is then meaningless
};

struct FloatLit {
  std::string text;
  double value = 0;
};

/// Decoded (escapes resolved, adjacent literals joined), UTF-8.
struct StringLit {
  std::string value;
};

/// Text and fields in order; at least one field, no two text parts in a row, no empty text.
struct FString {
  std::vector<FStringPart> parts;
};

struct BoolLit {
  bool value = false;
};

struct NoneLit {};

struct EllipsisLit {};

struct Unary {
  UnaryOp op = UnaryOp::plus;
  Span op_span;
  Box<Expr> operand;
};

struct Binary {
  BinaryOp op = BinaryOp::add;
  Span op_span;
  Box<Expr> left;
  Box<Expr> right;
};

/// `a and b and c`: one node with three operands.
struct BoolOp {
  LogicalOp op = LogicalOp::logical_and;
  std::vector<Expr> operands;
};

struct CompareOpAt {
  CompareOp op = CompareOp::equal;
  Span span;
};

/// `a < b <= c`: operands.size() == ops.size() + 1.
struct Compare {
  std::vector<Expr> operands;
  std::vector<CompareOpAt> ops;
};

/// `then_value if condition else else_value`.
struct Conditional {
  Box<Expr> condition;
  Box<Expr> then_value;
  Box<Expr> else_value;
};

struct Lambda {
  std::vector<Parameter> parameters;  // without annotations
  Box<Expr> body;
};

struct Call {
  Box<Expr> callee;
  std::vector<Argument> arguments;  // a generator argument `f(x for x in y)` is one positional
};

struct Attribute {
  Box<Expr> base;
  Identifier name;
};

/// `base[items]`.  An item may be a Slice or a Starred; `is_tuple` tells `A[i,]` from `A[i]`
/// and is true for two items or more.
struct Subscript {
  Box<Expr> base;
  std::vector<Expr> items;
  bool is_tuple = false;
};

/// Only as an item of a Subscript.
struct Slice {
  Box<Expr> begin;  // each may be empty
  Box<Expr> end;
  Box<Expr> step;
};

/// `*value` in a tuple, a list, a subscript or a target (in a call it is an Argument).
struct Starred {
  Box<Expr> value;
};

struct Tuple {
  std::vector<Expr> elements;
};

struct List {
  std::vector<Expr> elements;
};

struct Dict {
  std::vector<DictItem> items;
};

struct ListComp {
  Box<Expr> element;
  std::vector<Clause> clauses;  // outermost first
};

struct GeneratorExp {
  Box<Expr> element;
  std::vector<Clause> clauses;
};

struct DictComp {
  Box<Expr> key;
  Box<Expr> value;
  std::vector<Clause> clauses;
};

struct Expr {
  using Node = std::variant<NoneLit,
                            Name,
                            IntLit,
                            FloatLit,
                            StringLit,
                            FString,
                            BoolLit,
                            EllipsisLit,
                            Unary,
                            Binary,
                            BoolOp,
                            Compare,
                            Conditional,
                            Lambda,
                            Call,
                            Attribute,
                            Subscript,
                            Slice,
                            Starred,
                            Tuple,
                            List,
                            Dict,
                            ListComp,
                            GeneratorExp,
                            DictComp>;

  Span span;
  /// Longest path down to a leaf, 1 for a leaf; the parser bounds it (parse.hpp,
  /// kMaxExpressionHeight), so a walker may recurse.
  std::uint32_t height = 1;
  Node node;

  template <typename T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&node);
  }

  template <typename T>
  [[nodiscard]] T* as() {
    return std::get_if<T>(&node);
  }

  template <typename T>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<T>(node);
  }
};

/// `{value!conversion:spec}` of an f-string.  `{x=}` arrives as the text "x=" and a field with
/// `!r`.
struct FStringField {
  Box<Expr> value;
  char conversion = '\0';  // 'r', 's', 'a' or none
  std::vector<FStringPart> spec;
};

struct FStringPart {
  Span span;
  std::variant<std::string, FStringField> content;
};

enum class ArgumentKind { positional, keyword, star, double_star };

struct Argument {
  Span span;
  ArgumentKind kind = ArgumentKind::positional;
  Identifier name;  // of a keyword argument
  Expr value;
};

enum class ParameterKind { positional_only, normal, var_positional, keyword_only, var_keyword };

struct Parameter {
  Span span;
  ParameterKind kind = ParameterKind::normal;
  Identifier name;
  Box<Expr> annotation;     // may be empty
  Box<Expr> default_value;  // may be empty
};

/// `key: value`, or `**value` with an empty key.
struct DictItem {
  Box<Expr> key;
  Expr value;
};

/// `for target in iterable if condition …` of a comprehension.
struct Clause {
  Span span;
  Expr target;
  Expr iterable;
  std::vector<Expr> conditions;
};

}  // namespace tirx::dsl::ast
