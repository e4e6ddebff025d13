// What does each rule of the grammar see before a node is made of it?  One struct per shape, its
// members in the order of the text; build.hpp turns it into its `Node`.  Fusion adapts them in
// parts_fusion.hpp. Every struct has two members or more: X3 collapses sequences of one.
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

// --- simple statements ---

/// What follows the first expression of a statement.
struct Tail {
  enum class Kind { none, augmented, annotated, assigned };
  Kind kind = Kind::none;
  Augmented op;
  Box<Expr> annotation;
  std::vector<Expr> values;
};

struct AugmentedTail {
  using Node = Tail;
  Augmented op;
  Expr value;
};

struct AnnotatedTail {
  using Node = Tail;
  Expr annotation;
  Box<Expr> value;
};

struct AssignedTail {
  using Node = Tail;
  Span equals;
  Expr value;
  std::vector<Expr> more;
};

struct ExpressionStatement {
  using Node = Stmt;
  Expr first;
  Tail tail;
};

struct Return {
  using Node = Stmt;
  Span keyword;
  Box<Expr> value;
};

struct Assert {
  using Node = Stmt;
  Span keyword;
  Expr condition;
  Box<Expr> message;
};

struct Raise {
  using Node = Stmt;
  Span keyword;
  Box<Expr> value;
  Box<Expr> cause;
};

struct Del {
  using Node = Stmt;
  Span keyword;
  Expr targets;
};

struct Global {
  using Node = Stmt;
  Span keyword;
  std::vector<Identifier> names;
};

struct Nonlocal {
  using Node = Stmt;
  Span keyword;
  std::vector<Identifier> names;
};

struct Dotted {
  using Node = Identifier;
  Identifier first;
  std::vector<Identifier> rest;
};

struct ImportName {
  using Node = ast::ImportName;
  Identifier name;
  Identifier alias;
};

struct Import {
  using Node = Stmt;
  Span keyword;
  std::vector<ast::ImportName> names;
};

struct Imported {
  std::vector<ast::ImportName> names;
  bool star = false;
};

struct ImportStar {
  using Node = Imported;
  Span star;
  bool marker = true;
};

struct ImportNames {
  using Node = Imported;
  std::vector<ast::ImportName> names;
  bool comma = false;
};

struct FromImport {
  using Node = Stmt;
  Span keyword;
  int level = 0;
  Identifier module;
  Imported imported;
};

// --- compound statements ---

struct ElseBlock {
  Span span;
  Block body;
};

struct Else {
  using Node = ElseBlock;
  Span keyword;
  Block body;
};

struct Branch {
  using Node = ast::Branch;
  Span keyword;
  Expr condition;
  Block body;
};

struct If {
  using Node = Stmt;
  ast::Branch first;
  std::vector<ast::Branch> more;
  ElseBlock otherwise;
};

struct For {
  using Node = Stmt;
  Span keyword;
  Expr target;
  Expr iterable;
  Block body;
  ElseBlock otherwise;
};

struct While {
  using Node = Stmt;
  Span keyword;
  Expr condition;
  Block body;
  ElseBlock otherwise;
};

struct WithItem {
  using Node = ast::WithItem;
  Expr context;
  Box<Expr> target;
};

struct With {
  using Node = Stmt;
  Span keyword;
  std::vector<ast::WithItem> items;
  Block body;
};

struct Function {
  using Node = Stmt;
  Span keyword;
  Identifier name;
  std::vector<Param> parameters;
  Box<Expr> returns;
  Block body;
};

struct BaseList {
  std::vector<ast::Argument> arguments;
};

struct Bases {
  using Node = BaseList;
  Span open;
  std::vector<ast::Argument> arguments;
  Span close;
};

struct Class {
  using Node = Stmt;
  Span keyword;
  Identifier name;
  BaseList bases;
  Block body;
};

struct Decorated {
  using Node = Stmt;
  std::vector<Expr> decorators;
  Stmt definition;
};

/// An indented block that belongs to no statement.
struct Orphan {
  using Node = Stmt;
  Span indent;
  Block body;
};

}  // namespace tirx::dsl::grammar::parts
