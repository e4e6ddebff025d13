// Kernels by hand, for tests of what comes after the front end: names instead of scripts.
//
//   KernelBuilder k("scale");
//   const Buffer a = k.param("A", num::DType::f32, {1024});
//   const Var i = k.thread_id(128);
//   k.body({store(a, {i}, load(a, {i}))});
//   const auto lowered = lower::lower(k.kernel(), default_target());
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "ir/kernel.hpp"

namespace tirx::testing {

using namespace tirx::ir;  // NOLINT(google-build-using-namespace): a vocabulary for tests

/// An index: a number, a variable or an expression.
struct E {
  Expr expr;

  E(int value) : expr(make_int(value)) {}  // NOLINT(google-explicit-constructor)

  E(std::int64_t value) : expr(make_int(value)) {}  // NOLINT(google-explicit-constructor)

  E(const Var& var) : expr(make_var(var)) {}  // NOLINT(google-explicit-constructor)

  E(Expr value) : expr(std::move(value)) {}  // NOLINT(google-explicit-constructor)
};

inline Expr scalar(num::ScalarOp op, E a, E b) {
  const Type type = num::row(op).result == num::ResultRule::boolean ? kBool : a.expr->type;
  return make_expr(type, {}, Scalar{op, {a.expr, b.expr}});
}

inline E operator+(E a, E b) {
  return scalar(num::ScalarOp::add, std::move(a), std::move(b));
}

inline E operator-(E a, E b) {
  return scalar(num::ScalarOp::sub, std::move(a), std::move(b));
}

inline E operator*(E a, E b) {
  return scalar(num::ScalarOp::mul, std::move(a), std::move(b));
}

inline E operator/(E a, E b) {
  return scalar(num::ScalarOp::floordiv, std::move(a), std::move(b));
}

inline E operator%(E a, E b) {
  return scalar(num::ScalarOp::floormod, std::move(a), std::move(b));
}

inline E operator<(E a, E b) {
  return scalar(num::ScalarOp::lt, std::move(a), std::move(b));
}

inline E operator==(E a, E b) {
  return scalar(num::ScalarOp::eq, std::move(a), std::move(b));
}

inline Var make_variable(std::string name, Type type = kInt32) {
  return std::make_shared<Variable>(Variable{std::move(name), type, {}});
}

inline std::vector<Expr> exprs(std::initializer_list<E> items) {
  std::vector<Expr> result;
  for (const E& item : items) result.push_back(item.expr);
  return result;
}

inline Access access(const Buffer& buffer, std::initializer_list<E> indices) {
  return {buffer, exprs(indices), {}, 1};
}

inline Expr load(const Buffer& buffer, std::initializer_list<E> indices, int lanes = 1) {
  return make_expr({buffer->dtype, static_cast<std::uint16_t>(lanes)}, {},
                   Load{access(buffer, indices)});
}

inline Stmt store(const Buffer& buffer, std::initializer_list<E> indices, E value) {
  return {{}, Store{access(buffer, indices), value.expr}};
}

inline Stmt for_range(const Var& var, E begin, E end, Body body) {
  return {
      {},
      For{var, begin.expr, end.expr, make_int(1, var->type), LoopKind::serial, 0, std::move(body)}};
}

inline Stmt if_then(E condition, Body then_body, Body else_body = {}) {
  return {{}, If{condition.expr, std::move(then_body), std::move(else_body)}};
}

inline Region region(const Buffer& buffer, std::vector<std::pair<E, std::int64_t>> ranges) {
  Region result{buffer, {}, {}};
  for (auto& [begin, extent] : ranges) result.ranges.push_back({begin.expr, make_int(extent)});
  return result;
}

/// The whole buffer.
inline Region region(const Buffer& buffer) {
  Region result{buffer, {}, {}};
  for (const Expr& extent : buffer->shape) result.ranges.push_back({make_int(0), extent});
  return result;
}

inline Stmt tile_copy(ExecScope scope, Region dst, Region src, std::string dispatch = {}) {
  return {{},
          TileCall{TileOp::copy, scope, {std::move(dst), std::move(src)}, {}, std::move(dispatch)}};
}

inline std::vector<Expr> shape_of(const std::vector<std::int64_t>& shape) {
  std::vector<Expr> result;
  for (const std::int64_t extent : shape) result.push_back(make_int(extent));
  return result;
}

/// A buffer of a static shape, row-major unless a layout is given.
inline Buffer make_buffer(std::string name,
                          num::DType dtype,
                          const std::vector<std::int64_t>& shape,
                          MemoryScope scope,
                          std::optional<Layout> layout = {},
                          int parameter = -1) {
  if (!layout) layout = Layout(TileLayout::row_major(shape).value());
  auto storage = std::make_shared<Storage>();
  storage->name = name;
  storage->scope = scope;
  storage->dtype = dtype;
  storage->parameter = parameter;
  if (parameter < 0) storage->elements = make_int(layout->tile.storage().span());
  auto buffer = std::make_shared<BufferNode>();
  buffer->name = std::move(name);
  buffer->dtype = dtype;
  buffer->shape = shape_of(shape);
  buffer->layout = std::move(layout);
  buffer->storage = std::move(storage);
  return buffer;
}

class KernelBuilder {
 public:
  explicit KernelBuilder(std::string name) { kernel_.name = std::move(name); }

  Buffer param(const std::string& name,
               num::DType dtype,
               const std::vector<std::int64_t>& shape,
               std::optional<Layout> layout = {}) {
    const Buffer buffer = make_buffer(name, dtype, shape, MemoryScope::global, std::move(layout),
                                      static_cast<int>(kernel_.params.size()));
    kernel_.params.push_back({name + "_ptr", buffer, nullptr, false, {}});
    return buffer;
  }

  /// A parameter with symbolic dimensions or explicit strides (row-major if there are none).
  Buffer param_strided(const std::string& name,
                       num::DType dtype,
                       std::vector<Expr> shape,
                       std::vector<Expr> strides = {}) {
    auto storage = std::make_shared<Storage>();
    storage->name = name;
    storage->dtype = dtype;
    storage->parameter = static_cast<int>(kernel_.params.size());
    auto buffer = std::make_shared<BufferNode>();
    buffer->name = name;
    buffer->dtype = dtype;
    if (strides.empty()) {
      strides.assign(shape.size(), make_int(1));
      for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = (E(strides[i]) * shape[i]).expr;
    }
    buffer->shape = std::move(shape);
    buffer->strides = std::move(strides);
    buffer->storage = std::move(storage);
    kernel_.params.push_back({name + "_ptr", buffer, nullptr, false, {}});
    return buffer;
  }

  Var symbol(const std::string& name) {
    kernel_.symbols.push_back(make_variable(name));
    return kernel_.symbols.back();
  }

  Var scalar_param(const std::string& name, Type type) {
    const Var var = make_variable(name, type);
    kernel_.params.push_back({name, nullptr, var, false, {}});
    return var;
  }

  /// One scope id of one dimension; extent 0: deferred.
  Var scope_id(ScopeIdKind kind, const std::string& name, E extent) {
    ScopeIdDef def{kind, {make_variable(name)}, {extent.expr}, {}, {}};
    std::int64_t value = 1;
    if (is_const_int(extent.expr, value) && value == 0) def.extents.clear();
    kernel_.scope_ids.push_back(def);
    return def.vars[0];
  }

  Var cta_id(E extent) { return scope_id(ScopeIdKind::cta_id, "bx", std::move(extent)); }

  Var thread_id(E extent) { return scope_id(ScopeIdKind::thread_id, "tx", std::move(extent)); }

  Var lane_id() { return scope_id(ScopeIdKind::lane_id, "lane", 32); }

  Buffer alloc(const std::string& name,
               num::DType dtype,
               const std::vector<std::int64_t>& shape,
               MemoryScope scope,
               std::optional<Layout> layout = {}) {
    const Buffer buffer = make_buffer(name, dtype, shape, scope, std::move(layout));
    kernel_.body.push_back({{}, Allocate{buffer}});
    return buffer;
  }

  void body(Body statements) {
    for (Stmt& stmt : statements) kernel_.body.push_back(std::move(stmt));
  }

  [[nodiscard]] Kernel& kernel() { return kernel_; }

 private:
  Kernel kernel_;
};

}  // namespace tirx::testing
