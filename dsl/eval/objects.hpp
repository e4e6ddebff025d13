// Which objects does the evaluator itself make?  Functions and classes, layouts and axes, regions,
// kernels, and the short-lived things that kernel syntax is made of (loop frames, annotations).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dsl/ast/ast.hpp"
#include "dsl/eval/arguments.hpp"
#include "dsl/eval/environment.hpp"
#include "dsl/eval/value.hpp"
#include "ir/kernel.hpp"
#include "ir/layout/layout.hpp"
#include "ir/tensor.hpp"

namespace tirx::dsl {

/// How the body of a function is evaluated.
enum class FunctionKind : std::uint8_t {
  plain,    // as Python: assignment binds, `for` iterates; may still build IR by its operations
  inlined,  // T.inline, T.macro: as part of the kernel that calls it
};

/// `def` or `lambda`.  The syntax tree outlives every function (the interpreter keeps it).
struct Function : Object {
  static const ObjectType kType;

  Function() : Object(kType) {}

  std::string name;
  Span span;
  const ast::FunctionDef* definition = nullptr;  // null for a lambda
  const ast::Expr* body = nullptr;               // of a lambda
  const std::vector<ast::Parameter>* parameters = nullptr;
  std::vector<std::pair<std::string, Value>> defaults;  // evaluated at the definition
  ScopeRef closure;
  FunctionKind kind = FunctionKind::plain;
  bool check_well_formed = true;  // of a kernel: @T.prim_func(check_well_formed=False)
  Signature signature;

  void clear() override {
    defaults.clear();
    closure.reset();
  }
};

struct BoundMethod : Object {
  static const ObjectType kType;

  BoundMethod(Value s, Value f) : Object(kType), self(std::move(s)), function(std::move(f)) {}

  Value self;
  Value function;  // Function or Builtin
};

/// @property and @staticmethod: how a class looks its function up.
struct Descriptor : Object {
  static const ObjectType kType;

  Descriptor(Value f, bool p) : Object(kType), function(std::move(f)), property(p) {}

  Value function;
  bool property;  // called on access; otherwise not bound to the instance
};

/// A @T.inline function, or a method that is one.
[[nodiscard]] bool is_inlined(const Value& callee);

struct Class : Object {
  static const ObjectType kType;

  Class() : Object(kType) {}

  std::string name;
  Span span;
  bool meta = false;  // @T.meta_class
  std::vector<std::shared_ptr<Class>> bases;
  std::unordered_map<std::string, Value> members;

  [[nodiscard]] const Value* find(const std::string& member) const;

  void clear() override {
    members.clear();
    bases.clear();
  }
};

struct Instance : Object {
  static const ObjectType kType;

  explicit Instance(std::shared_ptr<Class> c) : Object(kType), of(std::move(c)) {}

  std::shared_ptr<Class> of;
  std::unordered_map<std::string, Value> attributes;

  void clear() override { attributes.clear(); }
};

struct LayoutValue : Object {
  static const ObjectType kType;

  explicit LayoutValue(ir::Layout l) : Object(kType), layout(std::move(l)) {}

  ir::Layout layout;
};

/// `laneid`, or `4 @ laneid` (a stride on an axis).
struct AxisValue : Object {
  static const ObjectType kType;

  AxisValue(ir::Axis a, std::int64_t s, bool b)
      : Object(kType), axis(std::move(a)), stride(s), bare(b) {}

  ir::Axis axis;
  std::int64_t stride;
  bool bare;  // without a stride
};

/// `A[a:b, …]`.  Dimensions picked by an index are unit ranges that further slicing skips.
struct RegionValue : Object {
  static const ObjectType kType;

  explicit RegionValue(ir::Region r) : Object(kType), region(std::move(r)) {}

  ir::Region region;
  std::vector<bool> picked;
};

/// T.meta_var(v): binds v itself.
struct MetaVar : Object {
  static const ObjectType kType;

  explicit MetaVar(Value v) : Object(kType), value(std::move(v)) {}

  Value value;
};

/// A built kernel: calling it launches.
struct KernelValue : Object {
  static const ObjectType kType;

  explicit KernelValue(std::shared_ptr<const ir::Kernel> k) : Object(kType), kernel(std::move(k)) {}

  std::shared_ptr<const ir::Kernel> kernel;
};

/// @T.jit: a kernel per choice of constexprs.
struct JitValue : Object {
  static const ObjectType kType;

  explicit JitValue(std::shared_ptr<Function> f) : Object(kType), function(std::move(f)) {}

  std::shared_ptr<Function> function;
  std::map<std::string, Value> cache;  // repr of the constexprs -> KernelValue

  void clear() override {
    function.reset();
    cache.clear();
  }
};

/// What a kernel's `for` runs over: T.serial, T.unroll, T.grid, T.thread_binding, …
struct LoopFrame : Object {
  static const ObjectType kType;

  LoopFrame() : Object(kType) {}

  struct Level {
    ir::Expr begin, end, step;
    ir::Type type = ir::kVoid;  // void: as the bounds say
  };

  std::vector<Level> levels;
  ir::LoopKind kind = ir::LoopKind::serial;
  int unroll = 0;
  std::string thread;  // T.thread_binding: "threadIdx.x"
};

/// What a `with` enters: T.launch_thread, T.attr, …; `value` is bound by `as`.
struct WithFrame : Object {
  static const ObjectType kType;

  explicit WithFrame(Value v) : Object(kType), value(std::move(v)) {}

  Value value;
};

/// A parameter annotation or a declaration: T.Buffer(…), T.let[…], T.float32[4], T.constexpr, …
struct Annotation : Object {
  static const ObjectType kType;

  enum class Kind : std::uint8_t { buffer, handle, let, array, constexpr_value, optional };

  explicit Annotation(Kind k) : Object(kType), kind(k) {}

  Kind kind;
  ir::Type type = ir::kVoid;                     // element type; void: not said
  Values shape;                                  // buffer, array
  std::map<std::string, ArgumentValue> options;  // buffer: scope, layout, strides, …
  Value inner;                                   // optional
  Span span;
};

}  // namespace tirx::dsl
