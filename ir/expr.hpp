// What can be computed inside a kernel?  Expressions are immutable values: an Expr is a handle to a
// shared node, so copying one is cheap and a subtree may occur in many places.
//
// Both IR levels use these nodes.  In tile IR an access names buffer and logical indices; lowering
// adds the flat element offset and keeps the indices, so that bounds are checked and faults are
// reported in the coordinates of the buffer the user wrote (design: IR and lowering).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/base/source.hpp"
#include "ir/op.hpp"
#include "ir/type.hpp"
#include "numerics/scalar_op.hpp"

namespace tirx::ir {

struct ExprNode;
struct BufferNode;
using Buffer = std::shared_ptr<const BufferNode>;

/// A name bound once: scope ids, loop variables, lets, symbolic dimensions, scalar parameters.
/// Identity is the address, never the name.
struct Variable {
  std::string name;
  Type type;
  Span span;
};

using Var = std::shared_ptr<const Variable>;

/// Handle to an expression; empty only where a field says so.
class Expr {
 public:
  Expr() = default;

  explicit Expr(std::shared_ptr<const ExprNode> node) : node_(std::move(node)) {}

  [[nodiscard]] const ExprNode& operator*() const { return *node_; }

  [[nodiscard]] const ExprNode* operator->() const { return node_.get(); }

  [[nodiscard]] explicit operator bool() const { return node_ != nullptr; }

  [[nodiscard]] const ExprNode* get() const { return node_.get(); }

 private:
  std::shared_ptr<const ExprNode> node_;
};

/// A literal: the raw bits of one element of the node's dtype (bool: 0 or 1).
struct Const {
  std::uint64_t bits;
};

struct VarRef {
  Var var;
};

/// A pure scalar operation of numerics (add, fma, exp, compare, shift …), element by element.
struct Scalar {
  num::ScalarOp op;
  std::vector<Expr> args;
};

/// Value conversion to the node's dtype by the language's cast rules.
struct Cast {
  Expr value;
};

/// Same bits, another dtype of the same width.
struct Reinterpret {
  Expr value;
};

/// Both sides are evaluated (T.Select).
struct Select {
  Expr condition, when_true, when_false;
};

/// Only the chosen side is evaluated (T.if_then_else, `a if c else b`).
struct IfThenElse {
  Expr condition, when_true, when_false;
};

/// Short-circuit: the right side is evaluated only where the left one does not decide.
struct And {
  Expr left, right;
};

struct Or {
  Expr left, right;
};

/// Elements of a buffer: one, or `lanes` of them (the node's type says how many), `stride` apart
/// along the last dimension, starting at `indices`.
struct Access {
  Buffer buffer;
  std::vector<Expr> indices;  // logical, one per dimension of the buffer
  Expr flat;                  // thread IR only: element offset from the start of the storage
  std::int64_t stride = 1;    // between vector lanes
  // Thread IR only, and empty for most vectors: where the lanes do not lie along the last dimension
  // (a column-major tile, rows shorter than the vector), the logical indices of lanes 1, 2, ….
  // Their flat offsets are flat + 1, flat + 2, … all the same.
  std::vector<std::vector<Expr>> lane_indices{};
};

struct Load {
  Access from;
};

/// Pointer to an element (ptr_to, address_of, .data): an operand of machine operations.
/// Pointers are always resolved statically to a buffer and an offset.
struct AddressOf {
  Access element;
};

/// A machine operation: synchronisation, warp-level exchange, atomics, fences, PTX by name.
struct MachineCall {
  OpId op;
  std::vector<Expr> args;
  std::string text;  // the op's string operand, where it has one (format string, CUDA source, name)
  // Of an instruction called by name: what the text says (ptx::decode reads it, or parses anew).
  std::shared_ptr<const ptx::Instruction> instruction{};
};

/// A vector from scalars, the same scalar in every lane, and one lane of a vector.
struct MakeVector {
  std::vector<Expr> lanes;
};

struct Broadcast {
  Expr value;
};

struct Extract {
  Expr vector;
  int lane;
};

struct ExprNode {
  Type type;
  Span span;
  std::variant<Const,
               VarRef,
               Scalar,
               Cast,
               Reinterpret,
               Select,
               IfThenElse,
               And,
               Or,
               Load,
               AddressOf,
               MachineCall,
               MakeVector,
               Broadcast,
               Extract>
      node;
  // Set by make_expr.  An expression is a graph, but every walk sees it as a tree: the front end
  // bounds both, so that no walk needs to fear for its stack or its time.
  std::uint32_t height = 1;  // of that tree
  std::uint32_t size = 1;    // nodes of that tree, saturating
};

/// Fills in height and size.
[[nodiscard]] Expr make_expr_node(ExprNode node);

template <typename Node>
[[nodiscard]] Expr make_expr(Type type, Span span, Node node) {
  return make_expr_node(ExprNode{type, span, std::move(node)});
}

/// Integer (or bool) literal of the given type, wrapped to its width.
[[nodiscard]] Expr make_int(std::int64_t value, Type type = kInt32, Span span = {});
[[nodiscard]] Expr make_bool(bool value, Span span = {});
[[nodiscard]] Expr make_var(const Var& var, Span span = {});

/// The value of an integer or bool literal (sign-extended), if the expression is one.
[[nodiscard]] const Const* as_const(const Expr& expr);
[[nodiscard]] bool is_const_int(const Expr& expr, std::int64_t& value);

/// A node of the given kind, or null.
template <typename Node>
[[nodiscard]] const Node* as(const Expr& expr) {
  return expr ? std::get_if<Node>(&expr->node) : nullptr;
}

/// Overload set for std::visit; a missing alternative is a compile error.
template <typename... Fs>
struct Match : Fs... {
  using Fs::operator()...;
};

template <typename... Fs>
Match(Fs...) -> Match<Fs...>;

}  // namespace tirx::ir
