// What the rules of expressions see before a node is made of it (see parts.hpp).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "dsl/ast/ast.hpp"

namespace tirx::dsl::grammar::parts {

using ast::Block;
using ast::Box;
using ast::Expr;
using ast::Identifier;
using ast::Stmt;

// --- operators ---

struct Prefix {
  ast::UnaryOp op = ast::UnaryOp::plus;
  Span span;
};

/// Any infix operator: `precedence` is set where it is recognised.
struct Infix {
  std::variant<ast::BinaryOp, ast::CompareOp, ast::LogicalOp> op;
  Span span;
};

struct Augmented {
  ast::BinaryOp op = ast::BinaryOp::add;
  Span span;
};

/// `- - x`, or a plain operand without prefixes.
struct Operand {
  std::vector<Prefix> prefixes;
  Expr value;
};

struct Link {
  Infix op;
  Operand operand;
};

/// Flat `a + b * c and not d`: build.hpp sorts it by precedence.
struct Chain {
  using Node = Expr;
  Operand first;
  std::vector<Link> rest;
};

/// `if condition else otherwise`.
struct Choice {
  Expr condition;
  Expr otherwise;
};

struct Ternary {
  using Node = Expr;
  Expr first;
  std::vector<Choice> rest;
};

// --- parameters ---

/// A parameter, or one of the markers `*` and `/`.
struct Param {
  ast::Parameter parameter;
  bool marker = false;
};

struct NamedParam {
  using Node = Param;
  Identifier name;
  Box<Expr> annotation;
  Box<Expr> default_value;
};

struct LambdaParam {
  using Node = Param;
  Identifier name;
  Box<Expr> default_value;
};

struct StarParam {
  using Node = Param;
  Span star;
  Identifier name;  // empty: the marker
  Box<Expr> annotation;
};

struct DoubleStarParam {
  using Node = Param;
  Span stars;
  Identifier name;
  Box<Expr> annotation;
};

struct SlashParam {
  using Node = Param;
  Span slash;
  bool marker = true;
};

struct Lambda {
  using Node = Expr;
  Span keyword;
  std::vector<Param> parameters;
  Expr body;
};

// --- postfix ---

/// An atom and its suffixes: Call, Attribute or Subscript nodes whose base is still empty.
struct Primary {
  using Node = Expr;
  Expr atom;
  std::vector<Expr> suffixes;
};

struct AttributeSuffix {
  using Node = Expr;
  Span dot;
  Identifier name;
};

struct CallSuffix {
  using Node = Expr;
  Span open;
  std::vector<ast::Argument> arguments;
  Span close;
};

/// Expressions between commas, or one with comprehension clauses.
struct Items {
  std::vector<Expr> elements;
  std::vector<ast::Clause> clauses;
  bool comma = false;  // at the end, or between two
};

struct SubscriptSuffix {
  using Node = Expr;
  Span open;
  Items items;
  Span close;
};

struct SliceTail {
  using Node = Expr;  // a Slice without its begin
  Span colon;
  Box<Expr> end;
  Box<Expr> step;
};

struct SliceItem {
  using Node = Expr;
  Expr begin;
  Box<Expr> tail;
};

struct KeywordArgument {
  using Node = ast::Argument;
  Identifier name;
  Expr value;
};

struct PositionalArgument {
  using Node = ast::Argument;
  Expr value;
  std::vector<ast::Clause> clauses;
};

struct StarArgument {
  using Node = ast::Argument;
  Span star;
  Expr value;
};

struct DoubleStarArgument {
  using Node = ast::Argument;
  Span stars;
  Expr value;
};

// --- atoms ---

struct Starred {
  using Node = Expr;
  Span star;
  Expr value;
};

/// `a, b,` without brackets around it: a tuple if there is a comma.
struct Sequence {
  using Node = Expr;
  Expr first;
  std::vector<Expr> rest;
  bool comma = false;
};

/// The same where the caller decides what it becomes.
struct ItemList {
  using Node = Items;
  Expr first;
  std::vector<Expr> rest;
  bool comma = false;
};

struct Content {
  using Node = Items;
  Expr first;
  std::vector<ast::Clause> clauses;
  std::vector<Expr> rest;
  bool comma = false;
};

struct ForClause {
  using Node = ast::Clause;
  Span keyword;
  Expr target;
  Expr iterable;
  std::vector<Expr> conditions;
};

struct Paren {
  using Node = Expr;
  Span open;
  Items items;
  Span close;
};

struct ListDisplay {
  using Node = Expr;
  Span open;
  Items items;
  Span close;
};

struct Entry {
  ast::DictItem item;
  std::vector<ast::Clause> clauses;
  Span span;
};

struct KeyValue {
  using Node = Entry;
  Expr key;
  Expr value;
  std::vector<ast::Clause> clauses;
};

struct DictUnpack {
  using Node = Entry;
  Span stars;
  Expr value;
};

struct DictDisplay {
  using Node = Expr;
  Span open;
  std::vector<Entry> entries;
  Span close;
};

/// A part of an f-string; `label` is the text of a self-documenting field `{x=}`.
struct Piece {
  ast::FStringPart part;
  std::string label;
};

struct Field {
  using Node = Piece;
  Span open;
  Expr value;
  Span equals;
  char conversion = '\0';
  std::vector<Piece> spec;
  Span close;
};

struct FStringDisplay {
  using Node = Expr;
  Span begin;
  std::vector<Piece> pieces;
  Span end;
};

/// Adjacent literals.
struct Strings {
  using Node = Expr;
  Expr first;
  std::vector<Expr> rest;
};

}  // namespace tirx::dsl::grammar::parts
