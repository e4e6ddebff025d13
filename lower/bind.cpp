#include "lower/bind.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/all_ops.hpp"
#include "ir/evaluate.hpp"
#include "ir/visit.hpp"
#include "lower/symbol.hpp"
#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"

namespace tirx::lower {

namespace {

using ir::Expr;

Diagnostic error(Span span, std::string text) {
  return Diagnostic{span, std::move(text), {}, Severity::error};
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0])
                           : fmt::format("({})", fmt::join(shape, ", "));
}

/// Elements that the parameter's buffer may touch, from the start of its storage.
std::optional<std::int64_t> span_of(const ir::BufferNode& buffer, const Binding& binding) {
  std::int64_t offset = 0;
  if (buffer.offset) {
    const auto value = evaluate_int(buffer.offset, binding);
    if (!value) return std::nullopt;
    offset = *value;
  }
  if (buffer.layout && buffer.strides.empty()) return offset + buffer.layout->tile.span();
  std::int64_t last = 0, size = 1;
  std::int64_t row_major = 1;
  for (std::size_t i = buffer.shape.size(); i-- > 0;) {
    const auto extent = evaluate_int(buffer.shape[i], binding);
    if (!extent) return std::nullopt;
    std::int64_t stride = row_major;
    if (!buffer.strides.empty()) {
      const auto value = evaluate_int(buffer.strides[i], binding);
      if (!value) return std::nullopt;
      stride = *value;
    }
    last += (*extent - 1) * stride;
    size *= *extent;
    row_major *= *extent;
  }
  return size == 0 ? 0 : offset + last + 1;
}

class Binder {
 public:
  Binder(const Signature& kernel, std::span<const ir::Argument> arguments)
      : kernel_(kernel), arguments_(arguments) {}

  Result<Binding> run() {
    if (arguments_.size() != kernel_.params.size()) {
      return error(kernel_.span, fmt::format("{} takes {} arguments, not {}", kernel_.name,
                                             kernel_.params.size(), arguments_.size()));
    }
    binding_.block = kernel_.launch.block;
    binding_.cluster = kernel_.launch.cluster;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (auto failed = scalar_or_shape(kernel_.params[i], arguments_[i])) return *failed;
    }
    for (const ir::Var& symbol : kernel_.symbols) {
      if (!binding_.constants.contains(symbol.get())) {
        return error(symbol->span,
                     fmt::format("no argument's shape gives the value of {}", symbol->name));
      }
    }
    const std::vector<const ir::Storage*> written = written_storages(kernel_.body);
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (auto failed = tensor(kernel_.params[i], arguments_[i], written)) return *failed;
    }
    if (auto failed = overlaps()) return *failed;
    if (auto failed = host_asserts(kernel_.host_body)) return *failed;
    if (auto failed = limits()) return *failed;
    return std::move(binding_);
  }

 private:
  std::optional<Diagnostic> scalar_or_shape(const ir::Param& param, const ir::Argument& argument) {
    if (param.absent) return std::nullopt;
    if (param.scalar) {
      const auto* value = std::get_if<ir::ScalarValue>(&argument);
      if (value == nullptr) {
        return error(param.span, fmt::format("parameter {} takes a number", param.name));
      }
      std::uint64_t bits = value->bits;
      if (value->dtype != param.scalar->type.dtype) {
        bits = num::convert(bits, value->dtype, param.scalar->type.dtype);
      }
      binding_.constants[param.scalar.get()] = bits;
      return std::nullopt;
    }
    const auto* tensor = std::get_if<ir::Tensor>(&argument);
    if (tensor == nullptr || tensor->memory == nullptr) {
      return error(param.span, fmt::format("parameter {} takes a tensor", param.name));
    }
    const ir::BufferNode& buffer = *param.buffer;
    std::optional<Diagnostic> failed;
    const auto solve = [&](const Expr& expr, std::int64_t value) {
      const auto* ref = ir::as<ir::VarRef>(expr);
      if (ref == nullptr || binding_.constants.contains(ref->var.get())) return;
      const num::DType dtype = ref->var->type.dtype;
      // Before it is cut to its type: there it may look like a small one.
      if (value > largest_symbol(dtype) && !failed) {
        failed = error(ref->var->span,
                       fmt::format("{} is {}; a symbol of type {} is at most {}", ref->var->name,
                                   value, num::name(dtype), largest_symbol(dtype)));
      }
      binding_.constants[ref->var.get()] = num::from_int64(value, dtype);
    };
    if (buffer.shape.size() == tensor->shape.size()) {
      for (std::size_t k = 0; k < buffer.shape.size(); ++k)
        solve(buffer.shape[k], tensor->shape[k]);
      for (std::size_t k = 0; k < buffer.strides.size(); ++k)
        solve(buffer.strides[k], tensor->strides[k]);
    }
    return failed;
  }

  std::optional<Diagnostic> tensor(const ir::Param& param,
                                   const ir::Argument& argument,
                                   const std::vector<const ir::Storage*>& written) {
    if (param.absent || param.scalar) return std::nullopt;
    const auto& tensor = std::get<ir::Tensor>(argument);
    const ir::BufferNode& buffer = *param.buffer;
    if (tensor.dtype != buffer.dtype) {
      return error(param.span, fmt::format("parameter {} takes a {} tensor, not {}", param.name,
                                           num::name(buffer.dtype), num::name(tensor.dtype)));
    }
    if (!tensor.contiguous()) {
      return error(param.span,
                   fmt::format("the tensor for {} has gaps; pass a contiguous copy", param.name));
    }
    std::vector<std::int64_t> shape;
    for (const Expr& extent : buffer.shape) {
      const auto value = evaluate_int(extent, binding_);
      if (!value) return error(param.span, fmt::format("{}'s shape is not known", param.name));
      shape.push_back(*value);
    }
    const auto needed = span_of(buffer, binding_);
    const bool plain = !buffer.layout && buffer.strides.empty() && !buffer.offset;
    if (shape != tensor.shape && (plain || !needed || *needed > tensor.size())) {
      return error(param.span, fmt::format("parameter {} has shape {}, the tensor {}", param.name,
                                           shape_text(shape), shape_text(tensor.shape)));
    }
    if (needed && *needed > tensor.size()) {
      return error(param.span, fmt::format("parameter {} spans {} elements, the tensor has {}",
                                           param.name, *needed, tensor.size()));
    }
    if (num::bits(tensor.dtype) == 4 && tensor.offset % 2 != 0) {
      return error(param.span, fmt::format("the tensor for {} begins in the middle of a byte; pass "
                                           "a copy of it, t.copy()",
                                           param.name));
    }
    BoundTensor bound;
    bound.param = &param;
    bound.memory = tensor.memory;
    bound.storage = buffer.storage.get();
    const auto size = static_cast<std::int64_t>(tensor.memory->bytes.size());
    bound.lo = ir::storage_bytes(tensor.dtype, tensor.offset);
    bound.hi = bound.lo + ir::storage_bytes(tensor.dtype, tensor.size());
    if (bound.lo < 0 || bound.hi > size) {
      return error(param.span, fmt::format("the tensor for {} leaves its memory", param.name));
    }
    bound.written = std::find(written.begin(), written.end(), bound.storage) != written.end();
    bound.all_valid = tensor.memory->is_valid(static_cast<std::size_t>(bound.lo),
                                              static_cast<std::size_t>(bound.hi));
    binding_.regions[bound.storage] = binding_.tensors.size();
    binding_.tensors.push_back(std::move(bound));
    return std::nullopt;
  }

  std::optional<Diagnostic> overlaps() {
    const std::vector<BoundTensor>& all = binding_.tensors;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        const bool meet =
            all[i].memory == all[k].memory && all[i].lo < all[k].hi && all[k].lo < all[i].hi;
        if (!meet || !(all[i].written || all[k].written)) continue;
        Diagnostic diagnostic =
            error(kernel_.span,
                  fmt::format("arguments {} and {} overlap in memory, and the kernel writes "
                              "one of them",
                              all[k].param->name, all[i].param->name));
        diagnostic.notes.push_back({{}, "pass a copy of one of them"});
        return diagnostic;
      }
    }
    return std::nullopt;
  }

  std::optional<Diagnostic> host_asserts(const ir::Body& body) {
    for (const ir::Stmt& stmt : body) {
      if (const auto* let = std::get_if<ir::Let>(&stmt.node)) {
        if (const auto value = evaluate_constant(let->value, binding_)) {
          binding_.constants[let->var.get()] = *value;
        }
      } else if (const auto* assertion = std::get_if<ir::Assert>(&stmt.node)) {
        const auto value = evaluate_constant(assertion->condition, binding_);
        if (value && *value == 0) {
          return error(stmt.span,
                       assertion->message.empty()
                           ? "assertion failed before the launch"
                           : "assertion failed before the launch: " + assertion->message);
        }
      } else if (const auto* group = std::get_if<ir::Group>(&stmt.node)) {
        if (auto failed = host_asserts(group->body)) return failed;
      } else if (const auto* branch = std::get_if<ir::If>(&stmt.node)) {
        const auto value = evaluate_constant(branch->condition, binding_);
        if (!value) continue;
        if (auto failed = host_asserts(*value != 0 ? branch->then_body : branch->else_body)) {
          return failed;
        }
      }
    }
    return std::nullopt;
  }

  std::optional<Diagnostic> limits() {
    const ir::Target& target = kernel_.target;
    constexpr std::array<std::int64_t, 3> kGridMax{0x7fffffff, 65535, 65535};
    for (std::size_t i = 0; i < 3; ++i) {
      if (!kernel_.launch.grid[i]) continue;
      const auto value = evaluate_int(kernel_.launch.grid[i], binding_);
      if (!value)
        return error(kernel_.launch.grid_span, "the grid is not known from the arguments");
      binding_.grid[i] = *value;
      if (*value < 1 || *value > kGridMax[i]) {
        return error(
            kernel_.launch.grid_span,
            fmt::format("grid dimension {} is {}; it must be in [1, {}]", i, *value, kGridMax[i]));
      }
      if (binding_.cluster[i] < 1 || *value % binding_.cluster[i] != 0) {
        return error(kernel_.launch.grid_span,
                     fmt::format("grid dimension {} is {}, no multiple of the "
                                 "cluster's {}",
                                 i, *value, binding_.cluster[i]));
      }
    }
    const std::int64_t threads = binding_.threads();
    if (threads < 1 || threads > target.max_threads_per_cta) {
      return error(kernel_.launch.block_span,
                   fmt::format("{} threads in a CTA; {} allows at most {}", threads, target.name,
                               target.max_threads_per_cta));
    }
    if (kernel_.static_shared_bytes > target.max_static_shared) {
      Diagnostic diagnostic =
          error(kernel_.span,
                fmt::format("{} bytes of static shared memory; {} allows {}",
                            kernel_.static_shared_bytes, target.name, target.max_static_shared));
      diagnostic.notes.push_back({{}, "allocate it as scope=\"shared.dyn\""});
      return diagnostic;
    }
    if (kernel_.static_shared_bytes + kernel_.dynamic_shared_bytes > target.max_dynamic_shared) {
      return error(kernel_.span,
                   fmt::format("{} bytes of shared memory; {} allows {}",
                               kernel_.static_shared_bytes + kernel_.dynamic_shared_bytes,
                               target.name, target.max_dynamic_shared));
    }
    return std::nullopt;
  }

  const Signature& kernel_;
  std::span<const ir::Argument> arguments_;
  Binding binding_;
};

}  // namespace

std::optional<std::uint64_t> evaluate_constant(const Expr& expr, const Binding& binding) {
  return ir::evaluate_constant(expr, [&](const ir::Variable& variable) {
    const auto at = binding.constants.find(&variable);
    return at == binding.constants.end() ? std::nullopt : std::optional(at->second);
  });
}

std::optional<std::int64_t> evaluate_int(const Expr& expr, const Binding& binding) {
  const auto bits = evaluate_constant(expr, binding);
  if (!bits) return std::nullopt;
  return num::to_int64(*bits, expr->type.dtype);
}

std::vector<const ir::Storage*> written_storages(const ir::Body& body) {
  std::vector<const ir::Storage*> found;
  const auto note = [&](const ir::Storage* storage) {
    if (std::find(found.begin(), found.end(), storage) == found.end()) found.push_back(storage);
  };
  ir::for_each_in_body(
      body,
      [&](const ir::Stmt& stmt) {
        if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
          note(store->to.buffer->storage.get());
        }
        if (const auto* let = std::get_if<ir::Let>(&stmt.node)) {
          // A pointer with a name: written, for all that is known here.
          if (const auto* pointer = ir::as<ir::AddressOf>(let->value)) {
            note(pointer->element.buffer->storage.get());
          }
        }
        if (const auto* tile = std::get_if<ir::TileCall>(&stmt.node)) {
          // The first operand of every tile op is its destination.
          if (tile->operands.empty()) return;
          if (const auto* region = std::get_if<ir::Region>(&tile->operands[0])) {
            note(region->buffer->storage.get());
          }
        }
      },
      [&](const Expr& expr) {
        if (const auto* number = ir::as<ir::Reinterpret>(expr)) {
          const auto* pointer = ir::as<ir::AddressOf>(number->value);
          if (pointer != nullptr) note(pointer->element.buffer->storage.get());
        }
        const auto* call = ir::as<ir::MachineCall>(expr);
        if (call == nullptr) return;
        for (std::size_t i = 0; i < call->args.size(); ++i) {
          const auto* pointer = ir::as<ir::AddressOf>(call->args[i]);
          if (pointer != nullptr && ir::ptx::writes_through(*call, i)) {
            note(pointer->element.buffer->storage.get());
          }
        }
      });
  return found;
}

Result<Binding> bind(const Signature& kernel, std::span<const ir::Argument> arguments) {
  return Binder(kernel, arguments).run();
}

Result<Binding> bind(const LoweredKernel& kernel, std::span<const ir::Argument> arguments) {
  const Signature signature{kernel.name,
                            kernel.span,
                            kernel.params,
                            kernel.symbols,
                            kernel.host_body,
                            kernel.body,
                            kernel.launch,
                            kernel.target != nullptr ? *kernel.target : ir::default_target(),
                            kernel.static_shared_bytes,
                            kernel.dynamic_shared_bytes};
  return bind(signature, arguments);
}

}  // namespace tirx::lower
