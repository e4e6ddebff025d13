// What the rules of statements see before a node is made of it (see parts.hpp).
#pragma once

#include <vector>

#include "dsl/grammar/parts_expr.hpp"

namespace tirx::dsl::grammar::parts {

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
