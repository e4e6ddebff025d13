// What can a kernel do, statement by statement?
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/buffer.hpp"
#include "ir/expr.hpp"
#include "ir/tile_op.hpp"

namespace tirx::ir {

struct Stmt;
using Body = std::vector<Stmt>;

/// An immutable name for a value (`x: T.let = e`).
struct Let {
  Var var;
  Expr value;
};

/// Storage comes to life: shared memory of the CTA, or registers of each thread.  The storage's
/// bytes are uninitialised.  Views are declared by Declare.
struct Allocate {
  Buffer buffer;
};

/// Another view of existing storage.
struct Declare {
  Buffer buffer;
};

/// Value conversion to the buffer's dtype is explicit: the value has the buffer's dtype already.
struct Store {
  Access to;
  Expr value;
};

enum class LoopKind : std::uint8_t { serial, unroll, vectorized, parallel };

/// for var in range(begin, end, step), evaluated once at entry; the variable is immutable in the
/// body.
struct For {
  Var var;
  Expr begin, end, step;
  LoopKind kind = LoopKind::serial;
  int unroll = 0;  // serial loops: 0 = as the compiler likes, 1 = not at all, n = by n, -1 = fully
  Body body;
};

struct While {
  Expr condition;
  Body body;
};

struct If {
  Expr condition;
  Body then_body, else_body;
};

struct Break {};

struct Continue {};

struct Return {};

/// A kernel assertion; where it fails the thread faults with `trap`.
struct Assert {
  Expr condition;
  std::string message;
};

/// A machine operation called for its effect.
struct Evaluate {
  Expr call;
};

/// An operand of a tile op: a region, a scalar, or nothing (an omitted optional operand).
using TileOperand = std::variant<std::monostate, Region, Expr>;

/// A configuration keyword of a tile op: `cache="nc"`, `fill_mode="zero"`, `axes=(-1,)`.
using ConfigValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, Expr>;

/// Tile IR only: executed once by each instance of `scope` that reaches it.
struct TileCall {
  TileOp op;
  ExecScope scope;
  std::vector<TileOperand> operands;  // in the order of the op's spec
  std::map<std::string, ConfigValue> config;
  std::string dispatch;  // a forced variant, or empty
  // select: the element's coordinates in the region of dst, from 0 on; the predicate reads them.
  std::vector<Var> index_vars{};
};

/// A run of statements that belong together, with a comment for the reader of the emitted code
/// (lowering wraps each expanded tile call in one, so that its origin stays visible).
struct Group {
  std::string comment;
  Body body;
};

struct Stmt {
  Span span;
  std::variant<Let,
               Allocate,
               Declare,
               Store,
               For,
               While,
               If,
               Break,
               Continue,
               Return,
               Assert,
               Evaluate,
               TileCall,
               Group>
      node;
};

}  // namespace tirx::ir
