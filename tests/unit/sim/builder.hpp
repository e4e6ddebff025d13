// Lowered kernels by hand, for tests of the simulator alone.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/all_ops.hpp"
#include "lower/lowered.hpp"
#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"
#include "sim/simulate.hpp"

namespace tirx::lower {

/// LoweredKernel can be made by this class only; tests borrow its name.
class Lowering {
 public:
  static LoweredKernel blank_for_tests() { return LoweredKernel(); }
};

}  // namespace tirx::lower

namespace tirx::test {

using ir::Buffer;
using ir::Expr;
using num::DType;
using num::ScalarOp;

inline Expr i32(std::int64_t v) {
  return ir::make_int(v);
}

inline Expr f32(double v) {
  return ir::make_expr(ir::Type{DType::f32, 1}, {}, ir::Const{num::from_double(v, DType::f32)});
}

inline Expr scalar(ScalarOp op, std::vector<Expr> args) {
  const ir::Type operand = args[0]->type;
  const ir::Type type{num::result_dtype(op, operand.dtype), operand.lanes};
  return ir::make_expr(type, {}, ir::Scalar{op, std::move(args)});
}

inline Expr operator+(Expr a, Expr b) {
  return scalar(ScalarOp::add, {std::move(a), std::move(b)});
}

inline Expr operator-(Expr a, Expr b) {
  return scalar(ScalarOp::sub, {std::move(a), std::move(b)});
}

inline Expr operator*(Expr a, Expr b) {
  return scalar(ScalarOp::mul, {std::move(a), std::move(b)});
}

inline Expr floordiv(Expr a, Expr b) {
  return scalar(ScalarOp::floordiv, {std::move(a), std::move(b)});
}

inline Expr floormod(Expr a, Expr b) {
  return scalar(ScalarOp::floormod, {std::move(a), std::move(b)});
}

inline Expr lt(Expr a, Expr b) {
  return scalar(ScalarOp::lt, {std::move(a), std::move(b)});
}

inline Expr eq(Expr a, Expr b) {
  return scalar(ScalarOp::eq, {std::move(a), std::move(b)});
}

inline Expr cast(Expr value, DType to) {
  const ir::Type type{to, value->type.lanes};
  return ir::make_expr(type, {}, ir::Cast{std::move(value)});
}

inline ir::Stmt stmt(auto node, Span span = {}) {
  return ir::Stmt{span, std::move(node)};
}

/// Builds one kernel; statements go to `body`.
class Builder {
 public:
  explicit Builder(std::int64_t threads, std::int64_t ctas = 1)
      : kernel(lower::Lowering::blank_for_tests()) {
    kernel.name = "kernel";
    kernel.target = &ir::default_target();
    kernel.launch.block = {threads, 1, 1};
    kernel.launch.grid = {i32(ctas), i32(1), i32(1)};
  }

  Expr thread_var(ir::ScopeIdKind kind, int dim = 0, std::string name = "tid") {
    auto var = std::make_shared<const ir::Variable>(ir::Variable{std::move(name), ir::kInt32, {}});
    kernel.thread_vars.push_back({var, kind, dim});
    return ir::make_var(var);
  }

  Expr tid(int dim = 0) { return thread_var(ir::ScopeIdKind::thread_id, dim); }

  Expr cta(int dim = 0) { return thread_var(ir::ScopeIdKind::cta_id, dim, "cta"); }

  Buffer param(std::string name, DType dtype, std::vector<std::int64_t> shape) {
    auto storage = std::make_shared<ir::Storage>();
    storage->name = name;
    storage->dtype = dtype;
    storage->parameter = static_cast<int>(kernel.params.size());
    Buffer buffer = view(name, dtype, std::move(shape), storage);
    ir::Param param;
    param.name = name;
    param.buffer = buffer;
    kernel.params.push_back(param);
    return buffer;
  }

  Buffer shared(std::string name, DType dtype, std::vector<std::int64_t> shape) {
    auto storage = std::make_shared<ir::Storage>();
    storage->name = name;
    storage->scope = ir::MemoryScope::shared;
    storage->dtype = dtype;
    std::int64_t elements = 1;
    for (const std::int64_t e : shape) elements *= e;
    storage->elements = i32(elements);
    const std::int64_t bytes = ir::storage_bytes(dtype, elements);
    const std::int64_t at = (kernel.static_shared_bytes + 127) / 128 * 128;
    kernel.shared.push_back({storage, at, bytes});
    kernel.static_shared_bytes = at + bytes;
    return view(std::move(name), dtype, std::move(shape), storage);
  }

  Buffer local(std::string name, DType dtype, std::vector<std::int64_t> shape) {
    auto storage = std::make_shared<ir::Storage>();
    storage->name = name;
    storage->scope = ir::MemoryScope::local;
    storage->dtype = dtype;
    std::int64_t elements = 1;
    for (const std::int64_t e : shape) elements *= e;
    storage->elements = i32(elements);
    return view(std::move(name), dtype, std::move(shape), storage);
  }

  Buffer mutable_scalar(std::string name, DType dtype) {
    auto storage = std::make_shared<ir::Storage>();
    storage->name = name;
    storage->scope = ir::MemoryScope::local;
    storage->dtype = dtype;
    storage->elements = i32(1);
    auto node = std::make_shared<ir::BufferNode>();
    node->name = std::move(name);
    node->dtype = dtype;
    node->shape = {i32(1)};
    node->storage = storage;
    node->scalar = true;
    return node;
  }

  static Buffer view(std::string name,
                     DType dtype,
                     std::vector<std::int64_t> shape,
                     const ir::StorageRef& storage) {
    auto node = std::make_shared<ir::BufferNode>();
    node->name = std::move(name);
    node->dtype = dtype;
    for (const std::int64_t e : shape) node->shape.push_back(i32(e));
    node->storage = storage;
    return node;
  }

  static ir::Access at(const Buffer& buffer, std::vector<Expr> indices) {
    ir::Access access;
    access.buffer = buffer;
    Expr flat;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      flat = i == 0 ? indices[0] : flat * buffer->shape[i] + indices[i];
    }
    access.indices = std::move(indices);
    access.flat = flat;
    return access;
  }

  static Expr load(const Buffer& buffer, std::vector<Expr> indices, int lanes = 1) {
    return ir::make_expr(ir::Type{buffer->dtype, static_cast<std::uint16_t>(lanes)}, {},
                         ir::Load{at(buffer, std::move(indices))});
  }

  static Expr get(const Buffer& variable) { return load(variable, {i32(0)}); }

  static Expr pointer(const Buffer& buffer, std::vector<Expr> indices) {
    return ir::make_expr(ir::kHandle, {}, ir::AddressOf{at(buffer, std::move(indices))});
  }

  static ir::Stmt store(const Buffer& buffer, std::vector<Expr> indices, Expr value) {
    return stmt(ir::Store{at(buffer, std::move(indices)), std::move(value)});
  }

  static ir::Stmt set(const Buffer& variable, Expr value) {
    return store(variable, {i32(0)}, std::move(value));
  }

  template <typename Op>
  static Expr call(std::vector<Expr> args = {},
                   ir::Type type = ir::kVoid,
                   std::string text = {},
                   Span span = {}) {
    return ir::make_expr(
        type, span, ir::MachineCall{ir::AllOps::id_of<Op>(), std::move(args), std::move(text)});
  }

  template <typename Op>
  static ir::Stmt run(std::vector<Expr> args = {}, std::string text = {}, Span span = {}) {
    return stmt(ir::Evaluate{call<Op>(std::move(args), ir::kVoid, std::move(text), span)});
  }

  /// for var in range(begin, end): body(var)
  template <typename F>
  static ir::Stmt loop(Expr begin, Expr end, F&& body, Expr step = {}) {
    auto var = std::make_shared<const ir::Variable>(ir::Variable{"k", ir::kInt32, {}});
    ir::For node;
    node.var = var;
    node.begin = std::move(begin);
    node.end = std::move(end);
    node.step = step ? std::move(step) : i32(1);
    node.body = body(ir::make_var(var));
    return stmt(std::move(node));
  }

  static ir::Stmt when(Expr condition, ir::Body then_body, ir::Body else_body = {}) {
    return stmt(ir::If{std::move(condition), std::move(then_body), std::move(else_body)});
  }

  static ir::Stmt loop_while(Expr condition, ir::Body body) {
    return stmt(ir::While{std::move(condition), std::move(body)});
  }

  static ir::Stmt allocate(const Buffer& buffer) { return stmt(ir::Allocate{buffer}); }

  void add(ir::Stmt statement) { kernel.body.push_back(std::move(statement)); }

  ir::LaunchOutcome simulate(const std::vector<ir::Argument>& arguments,
                             const sim::SimOptions& options = {}) const {
    return sim::simulate(kernel, arguments, options);
  }

  lower::LoweredKernel kernel;
};

/// A tensor with element i = f(i); with no function it is uninitialised.
template <typename F>
ir::Tensor tensor(DType dtype, std::vector<std::int64_t> shape, F&& f) {
  ir::Tensor made = ir::make_tensor(dtype, std::move(shape), true);
  for (std::int64_t i = 0; i < made.size(); ++i) {
    num::store_element(reinterpret_cast<std::uint8_t*>(made.memory->bytes.data()),
                       static_cast<std::size_t>(i), dtype,
                       num::from_double(static_cast<double>(f(i)), dtype));
  }
  return made;
}

inline ir::Tensor empty(DType dtype, std::vector<std::int64_t> shape) {
  return ir::make_tensor(dtype, std::move(shape), false);
}

inline std::uint64_t bits_at(const ir::Tensor& t, std::int64_t i) {
  return num::load_element(reinterpret_cast<const std::uint8_t*>(t.memory->bytes.data()),
                           static_cast<std::size_t>(i), t.dtype);
}

inline double value_at(const ir::Tensor& t, std::int64_t i) {
  return num::to_double(bits_at(t, i), t.dtype);
}

inline bool written(const ir::Tensor& t, std::int64_t i) {
  const auto size = static_cast<std::size_t>(num::bytes(t.dtype));
  const auto at = static_cast<std::size_t>(i) * size;
  return t.memory->is_valid(at, at + size);
}

}  // namespace tirx::test
