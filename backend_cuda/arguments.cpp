#include "backend_cuda/arguments.hpp"

#include <fmt/format.h>

#include "backend_cuda/uses.hpp"
#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"

namespace tirx::cuda {

namespace {

using Values = std::map<const ir::Variable*, num::Bits>;

std::optional<num::Bits> choose(const ir::Expr& condition,
                                const ir::Expr& when_true,
                                const ir::Expr& when_false,
                                const Values& values) {
  const auto chosen = evaluate_host(condition, values);
  if (!chosen) return std::nullopt;
  return evaluate_host(*chosen != 0 ? when_true : when_false, values);
}

std::optional<num::Bits> evaluate_scalar(const ir::Scalar& scalar, const Values& values) {
  std::array<num::Bits, 3> args{};
  for (std::size_t i = 0; i < scalar.args.size() && i < args.size(); ++i) {
    const auto value = evaluate_host(scalar.args[i], values);
    if (!value) return std::nullopt;
    args[i] = *value;
  }
  const num::Evaluated result =
      num::evaluate(scalar.op, scalar.args[0]->type.dtype, args[0], args[1], args[2]);
  if (result.status != num::EvalStatus::ok) return std::nullopt;
  return result.value;
}

class Binder {
 public:
  Binder(const lower::LoweredKernel& kernel, std::span<const ir::Argument> arguments)
      : kernel_(kernel), arguments_(arguments), uses_(find_uses(kernel)) {}

  Result<BoundArguments> run() {
    if (arguments_.size() != kernel_.params.size()) {
      return Diagnostic{kernel_.span,
                        fmt::format("{} takes {} arguments, not {}", kernel_.name,
                                    kernel_.params.size(), arguments_.size()),
                        {}};
    }
    for (std::size_t i = 0; i < arguments_.size(); ++i) value(kernel_.params[i], arguments_[i]);
    for (std::size_t i = 0; i < arguments_.size(); ++i) tensor(kernel_.params[i], arguments_[i]);
    for (const ir::Var& symbol : kernel_.symbols) {
      if (bound_.values.count(symbol.get()) == 0) {
        fail(symbol->span, fmt::format("no argument gives the value of {}", symbol->name));
      }
    }
    overlap();
    host_body(kernel_.host_body);
    grid();
    if (error_) return *error_;
    return std::move(bound_);
  }

 private:
  void fail(Span span, std::string text) {
    if (!error_) error_ = Diagnostic{span, std::move(text), {}};
  }

  /// Scalars, and symbols from shapes.
  void value(const ir::Param& param, const ir::Argument& argument) {
    if (param.absent) return;
    if (param.scalar) {
      const auto* given = std::get_if<ir::ScalarValue>(&argument);
      if (given == nullptr) return fail(param.span, param.name + " takes a number");
      bound_.values[param.scalar.get()] =
          num::convert(given->bits, given->dtype, param.scalar->type.dtype);
      return;
    }
    const auto* given = std::get_if<ir::Tensor>(&argument);
    if (given == nullptr || !given->memory) return fail(param.span, param.name + " takes a tensor");
    const ir::BufferNode& buffer = *param.buffer;
    if (given->shape.size() != buffer.shape.size()) return;
    const auto solve = [&](const ir::Expr& expr, std::int64_t number) {
      const auto* ref = ir::as<ir::VarRef>(expr);
      if (ref == nullptr) return;
      bound_.values.try_emplace(ref->var.get(), num::from_int64(number, ref->var->type.dtype));
    };
    for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
      solve(buffer.shape[i], given->shape[i]);
      if (i < buffer.strides.size()) solve(buffer.strides[i], given->strides[i]);
    }
  }

  std::optional<std::int64_t> integer(const ir::Expr& expr) const {
    const auto bits = evaluate_host(expr, bound_.values);
    if (!bits) return std::nullopt;
    return num::to_int64(*bits, expr->type.dtype);
  }

  /// Elements from the start of the storage to the last that the buffer has.
  std::optional<std::int64_t> needed(const ir::BufferNode& buffer) const {
    const auto offset = buffer.offset ? integer(buffer.offset) : 0;
    if (!offset) return std::nullopt;
    if (buffer.layout && buffer.strides.empty()) return *offset + buffer.layout->tile.span();
    std::int64_t last = 0, row_major = 1;
    for (std::size_t i = buffer.shape.size(); i-- > 0;) {
      const auto extent = integer(buffer.shape[i]);
      const auto stride =
          buffer.strides.empty() ? std::optional(row_major) : integer(buffer.strides[i]);
      if (!extent || !stride) return std::nullopt;
      if (*extent == 0) return 0;
      last += (*extent - 1) * *stride;
      row_major *= *extent;
    }
    return *offset + last + 1;
  }

  void tensor(const ir::Param& param, const ir::Argument& argument) {
    if (error_ || param.absent || param.scalar) return;
    const auto& given = std::get<ir::Tensor>(argument);
    const ir::BufferNode& buffer = *param.buffer;
    if (given.dtype != buffer.dtype) {
      return fail(param.span, fmt::format("{} takes a {} tensor, not {}", param.name,
                                          num::name(buffer.dtype), num::name(given.dtype)));
    }
    if (!given.contiguous()) {
      return fail(param.span,
                  fmt::format("the tensor for {} has gaps; pass a contiguous copy", param.name));
    }
    const auto elements = needed(buffer);
    if (!elements || *elements > given.size()) {
      return fail(param.span, elements ? fmt::format("{} spans {} elements, the tensor has {}",
                                                     param.name, *elements, given.size())
                                       : fmt::format("the shape of {} is not known", param.name));
    }
    BoundTensor bound;
    bound.param = &param;
    bound.memory = given.memory;
    bound.begin = ir::storage_bytes(given.dtype, given.offset);
    bound.end = bound.begin + ir::storage_bytes(given.dtype, given.size());
    bound.written = uses_.written.count(buffer.storage.get()) != 0;
    if (bound.begin < 0 || bound.end > static_cast<std::int64_t>(given.memory->bytes.size())) {
      return fail(param.span, fmt::format("the tensor for {} leaves its memory", param.name));
    }
    bound_.tensors.push_back(std::move(bound));
  }

  void overlap() {
    for (const BoundTensor& a : bound_.tensors) {
      for (const BoundTensor& b : bound_.tensors) {
        if (&a == &b || a.memory != b.memory || !a.written) continue;
        if (a.begin < b.end && b.begin < a.end) {
          fail(kernel_.span, fmt::format("{} and {} overlap in memory, and {} is written",
                                         a.param->name, b.param->name, a.param->name));
        }
      }
    }
  }

  void host_body(const ir::Body& body) {
    for (const ir::Stmt& stmt : body) {
      if (const auto* let = std::get_if<ir::Let>(&stmt.node)) {
        if (const auto known = evaluate_host(let->value, bound_.values)) {
          bound_.values[let->var.get()] = *known;
        }
      } else if (const auto* check = std::get_if<ir::Assert>(&stmt.node)) {
        const auto holds = evaluate_host(check->condition, bound_.values);
        if (holds && *holds == 0) {
          fail(stmt.span, "assertion failed before the launch: " + check->message);
        }
      }
    }
  }

  void grid() {
    static constexpr std::array<std::int64_t, 3> kLargest{0x7fffffff, 65535, 65535};
    for (std::size_t i = 0; i < 3; ++i) {
      if (!kernel_.launch.grid[i]) continue;
      const auto extent = integer(kernel_.launch.grid[i]);
      if (!extent)
        return fail(kernel_.launch.grid_span, "the grid is not known from the arguments");
      if (*extent < 1 || *extent > kLargest[i] || *extent % kernel_.launch.cluster[i] != 0) {
        return fail(kernel_.launch.grid_span,
                    fmt::format("grid dimension {} is {}; it must be in [1, {}] and a multiple of "
                                "the cluster's {}",
                                i, *extent, kLargest[i], kernel_.launch.cluster[i]));
      }
      bound_.grid[i] = *extent;
    }
  }

  const lower::LoweredKernel& kernel_;
  std::span<const ir::Argument> arguments_;
  Uses uses_;
  BoundArguments bound_;
  std::optional<Diagnostic> error_;
};

}  // namespace

std::optional<num::Bits> evaluate_host(const ir::Expr& expr, const Values& values) {
  if (!expr || expr->type.lanes != 1) return std::nullopt;
  if (const auto* literal = ir::as_const(expr)) return literal->bits;
  if (const auto* ref = ir::as<ir::VarRef>(expr)) {
    const auto found = values.find(ref->var.get());
    if (found == values.end()) return std::nullopt;
    return found->second;
  }
  if (const auto* scalar = ir::as<ir::Scalar>(expr)) return evaluate_scalar(*scalar, values);
  if (const auto* cast = ir::as<ir::Cast>(expr)) {
    const auto value = evaluate_host(cast->value, values);
    if (!value) return std::nullopt;
    return num::convert(*value, cast->value->type.dtype, expr->type.dtype);
  }
  if (const auto* n = ir::as<ir::Select>(expr)) {
    return choose(n->condition, n->when_true, n->when_false, values);
  }
  if (const auto* n = ir::as<ir::IfThenElse>(expr)) {
    return choose(n->condition, n->when_true, n->when_false, values);
  }
  if (const auto* n = ir::as<ir::And>(expr)) {
    return choose(n->left, n->right, ir::make_bool(false), values);
  }
  if (const auto* n = ir::as<ir::Or>(expr)) {
    return choose(n->left, ir::make_bool(true), n->right, values);
  }
  return std::nullopt;
}

Result<BoundArguments> bind_arguments(const lower::LoweredKernel& kernel,
                                      std::span<const ir::Argument> arguments) {
  return Binder(kernel, arguments).run();
}

}  // namespace tirx::cuda
