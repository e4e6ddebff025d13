// What can a statement of a script be?  After the simple and compound statement chapters of the
// Python reference, minus what docs/language/syntax.md leaves out.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "dsl/ast/expr.hpp"

namespace tirx::dsl::ast {

struct Stmt;
using Block = std::vector<Stmt>;

/// A docstring is one, too: an ExprStmt of a StringLit.
struct ExprStmt {
  Expr value;
};

/// `a = b = value`: two targets, left to right.
struct Assign {
  std::vector<Expr> targets;
  Expr value;
};

/// `target: annotation = value`.
struct AnnAssign {
  Expr target;
  Expr annotation;
  Box<Expr> value;  // may be empty
};

/// `target op= value`.
struct AugAssign {
  Expr target;
  BinaryOp op = BinaryOp::add;
  Span op_span;
  Expr value;
};

struct For {
  Expr target;
  Expr iterable;
  Block body;
};

struct While {
  Expr condition;
  Block body;
};

/// One `if` or `elif` with its block.
struct Branch {
  Span span;  // from the keyword to the end of the block
  Expr condition;
  Block body;
};

struct If {
  std::vector<Branch> branches;  // the `if`, then each `elif`
  Block otherwise;               // empty: no `else`
};

struct WithItem {
  Span span;
  Expr context;
  Box<Expr> target;  // of `as`; may be empty
};

struct With {
  std::vector<WithItem> items;
  Block body;
};

struct FunctionDef {
  Identifier name;
  std::vector<Expr> decorators;  // without the '@', outermost first
  std::vector<Parameter> parameters;
  Box<Expr> returns;  // may be empty
  Block body;
};

struct ClassDef {
  Identifier name;
  std::vector<Expr> decorators;
  std::vector<Argument> bases;
  Block body;
};

struct Return {
  Box<Expr> value;  // may be empty
};

struct Break {};

struct Continue {};

struct Pass {};

struct Assert {
  Expr condition;
  Box<Expr> message;  // may be empty
};

struct Raise {
  Box<Expr> value;  // may be empty
  Box<Expr> cause;  // of `from`; may be empty
};

/// `module as alias` of an import, `name as alias` of a from-import; `module` is dotted.
struct ImportName {
  Identifier name;
  Identifier alias;  // empty text: none
};

struct Import {
  std::vector<ImportName> names;
};

/// `from ..module import names`: `level` counts the leading dots.
struct FromImport {
  int level = 0;
  Identifier module;  // dotted; empty for `from . import x`
  std::vector<ImportName> names;
  bool star = false;  // `import *`: names is empty
};

struct Global {
  std::vector<Identifier> names;
};

struct Nonlocal {
  std::vector<Identifier> names;
};

struct Del {
  std::vector<Expr> targets;
};

struct Stmt {
  using Node = std::variant<Pass,
                            ExprStmt,
                            Assign,
                            AnnAssign,
                            AugAssign,
                            For,
                            While,
                            If,
                            With,
                            FunctionDef,
                            ClassDef,
                            Return,
                            Break,
                            Continue,
                            Assert,
                            Raise,
                            Import,
                            FromImport,
                            Global,
                            Nonlocal,
                            Del>;

  Span span;  // of a compound statement: from its first keyword or decorator to the end of its last
              // block
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

}  // namespace tirx::dsl::ast
