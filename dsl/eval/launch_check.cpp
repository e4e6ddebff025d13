// Shapes, symbols and overlap of a launch's arguments.
#include "dsl/eval/launch_check.hpp"

#include <algorithm>
#include <set>

#include "dsl/eval/error.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/scale_check.hpp"
#include "ir/all_ops.hpp"
#include "ir/evaluate.hpp"
#include "ir/visit.hpp"
#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"

namespace tirx::dsl {

namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return ir::to_string(std::span<const std::int64_t>(shape));
}

/// A dimension that is a symbol gets its value from the argument; one that is a value must agree.
void solve(const ir::Param& param,
           std::size_t dim,
           std::int64_t actual,
           SymbolValues& symbols,
           Span place) {
  const ir::Expr& extent = param.buffer->shape[dim];
  if (const auto* ref = ir::as<ir::VarRef>(extent)) {
    const auto [entry, fresh] = symbols.emplace(ref->var.get(), actual);
    if (fresh || entry->second == actual) return;
    fail(place, "'{}': dimension {} has {} elements, but {} is {} already", param.name, dim, actual,
         ref->var->name, entry->second);
  }
  const auto expected = evaluate_index(extent, symbols);
  if (!expected) {
    fail(place, "'{}': dimension {} depends on symbols that no earlier argument gives", param.name,
         dim);
  }
  if (*expected != actual) {
    fail(place, "'{}': dimension {} must have {} elements, the argument has {}", param.name, dim,
         *expected, actual);
  }
}

bool needs_exact_shape(const ir::BufferNode& buffer) {
  if (buffer.offset) return false;
  if (buffer.layout) {
    const auto shape = ir::static_shape(buffer);
    if (!shape) return false;
    const auto plain = ir::TileLayout::row_major(*shape);
    return plain.ok() && !buffer.layout->is_swizzled() && buffer.layout->tile == plain.value();
  }
  // Row-major strides that the evaluator made itself are products of the shape.
  if (buffer.strides.empty()) return true;
  ir::Expr stride = ir::make_int(1);
  for (std::size_t i = buffer.shape.size(); i-- > 0;) {
    if (constant_difference(buffer.strides[i], stride) != 0) return false;
    if (i > 0) stride = mul_index(stride, buffer.shape[i], {});
  }
  return true;
}

/// How many elements the parameter's view reaches.
std::optional<std::int64_t> needed_elements(const ir::BufferNode& buffer,
                                            const SymbolValues& symbols) {
  std::int64_t offset = 0;
  if (buffer.offset) {
    const auto value = evaluate_index(buffer.offset, symbols);
    if (!value) return std::nullopt;
    offset = *value;
  }
  if (buffer.layout) {
    std::int64_t span = buffer.layout->tile.span();
    if (buffer.layout->swizzle) {
      const std::int64_t period = buffer.layout->swizzle->period();
      span = (span + period - 1) / period * period;
    }
    return offset + span;
  }
  std::int64_t last = 0;
  for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
    const auto extent = evaluate_index(buffer.shape[i], symbols);
    const auto stride = buffer.strides.empty() ? std::optional<std::int64_t>(1)
                                               : evaluate_index(buffer.strides[i], symbols);
    if (!extent || !stride) return std::nullopt;
    last += (*extent - 1) * *stride;
  }
  return offset + last + 1;
}

void check_tensor(const ir::Param& param,
                  const ir::Tensor& tensor,
                  SymbolValues& symbols,
                  Span place) {
  const ir::BufferNode& buffer = *param.buffer;
  if (tensor.dtype != buffer.dtype) {
    fail_help(place,
              fmt::format("'{}' must be a tensor of {}, not {}", param.name,
                          num::name(buffer.dtype), num::name(tensor.dtype)),
              fmt::format("convert it with .astype(\"{}\"), or reinterpret it with .view",
                          num::name(buffer.dtype)));
  }
  if (!tensor.contiguous()) {
    fail_help(place, fmt::format("'{}' must be contiguous in memory", param.name),
              "pass a copy: t.copy()");
  }
  check_scales(param, tensor, place);
  const bool exact = needs_exact_shape(buffer);
  if (tensor.shape.size() == buffer.shape.size()) {
    bool same = true;
    if (!exact) {
      // With a layout of its own the argument may have any shape; equal ones still give symbols.
      for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        const auto* ref = ir::as<ir::VarRef>(buffer.shape[i]);
        if (ref != nullptr) {
          symbols.emplace(ref->var.get(), tensor.shape[i]);
          continue;
        }
        const auto expected = evaluate_index(buffer.shape[i], symbols);
        same = same && expected && *expected == tensor.shape[i];
      }
    } else {
      for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        solve(param, i, tensor.shape[i], symbols, place);
      }
    }
    (void)same;
  } else if (exact) {
    fail(place, "'{}' has {} dimensions, the argument has shape {}", param.name,
         buffer.shape.size(), shape_text(tensor.shape));
  }
  if (exact) return;
  const auto needed = needed_elements(buffer, symbols);
  if (needed && tensor.size() < *needed) {
    fail(place, "'{}' reaches {} elements, the argument has {}", param.name, *needed,
         tensor.size());
  }
}

/// The parameters that the kernel writes to (through stores, atomics, tile operations).
std::set<const ir::Storage*> written_storages(const ir::Kernel& kernel) {
  std::set<const ir::Storage*> written;
  const auto on_stmt = [&](const ir::Stmt& stmt) {
    if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
      written.insert(store->to.buffer->storage.get());
    } else if (const auto* tile = std::get_if<ir::TileCall>(&stmt.node)) {
      if (const auto* region = std::get_if<ir::Region>(&tile->operands.front())) {
        written.insert(region->buffer->storage.get());
      }
    }
  };
  const auto on_expr = [&](const ir::Expr& expr) {
    const auto* call = ir::as<ir::MachineCall>(expr);
    if (call == nullptr) return;
    for (std::size_t i = 0; i < call->args.size(); ++i) {
      const auto* address = ir::as<ir::AddressOf>(call->args[i]);
      if (address != nullptr && ir::ptx::writes_through(*call, i)) {
        written.insert(address->element.buffer->storage.get());
      }
    }
  };
  ir::for_each_in_body(kernel.body, on_stmt, on_expr);
  return written;
}

struct Bytes {
  std::int64_t begin, end;
};

Bytes byte_range(const ir::Tensor& tensor) {
  const std::int64_t begin = ir::storage_bytes(tensor.dtype, tensor.offset);
  return {begin, begin + ir::storage_bytes(tensor.dtype, tensor.size())};
}

void check_overlap(const ir::Kernel& kernel,
                   const std::vector<ir::Argument>& args,
                   const std::vector<Span>& places) {
  std::set<const ir::Storage*> written;
  bool known = false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    for (std::size_t k = i + 1; k < args.size(); ++k) {
      const auto* a = std::get_if<ir::Tensor>(&args[i]);
      const auto* b = std::get_if<ir::Tensor>(&args[k]);
      if (a == nullptr || b == nullptr || a->memory != b->memory) continue;
      const Bytes x = byte_range(*a);
      const Bytes y = byte_range(*b);
      if (x.end <= y.begin || y.end <= x.begin) continue;
      if (!known) written = written_storages(kernel);
      known = true;
      const bool writes = written.count(kernel.params[i].buffer->storage.get()) != 0 ||
                          written.count(kernel.params[k].buffer->storage.get()) != 0;
      if (!writes) continue;
      fail_text(places[k],
                fmt::format("'{}' and '{}' share memory, and the kernel writes to one of them",
                            kernel.params[i].name, kernel.params[k].name),
                {{{}, "pass a copy, or use one parameter for both"}});
    }
  }
}

}  // namespace

std::optional<std::int64_t> evaluate_index(const ir::Expr& expr, const SymbolValues& symbols) {
  const auto bits = ir::evaluate_constant(
      expr, [&](const ir::Variable& variable) -> std::optional<std::uint64_t> {
        const auto found = symbols.find(&variable);
        if (found == symbols.end()) return std::nullopt;
        return num::from_int64(found->second, variable.type.dtype);
      });
  if (!bits) return std::nullopt;
  return num::to_int64(*bits, expr->type.dtype);
}

void check_launch(const ir::Kernel& kernel,
                  const std::vector<ir::Argument>& args,
                  const std::vector<Span>& places,
                  Span call) {
  SymbolValues symbols;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto* scalar = std::get_if<ir::ScalarValue>(&args[i]);
    if (scalar != nullptr && num::is_int(scalar->dtype)) {
      symbols[kernel.params[i].scalar.get()] = num::to_int64(scalar->bits, scalar->dtype);
    }
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (const auto* tensor = std::get_if<ir::Tensor>(&args[i])) {
      check_tensor(kernel.params[i], *tensor, symbols, places[i]);
    }
  }
  for (const ir::Var& symbol : kernel.symbols) {
    if (symbols.count(symbol.get()) != 0) continue;
    fail_help(call,
              fmt::format("nothing gives a value to the symbolic dimension '{}' of '{}'",
                          symbol->name, kernel.name),
              "a symbol is solved where it is a whole dimension of a tensor argument");
  }
  check_overlap(kernel, args, places);
}

}  // namespace tirx::dsl
