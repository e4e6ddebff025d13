#include "lower/memory_forms.hpp"

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "ir/buffer.hpp"

namespace tirx::lower {

namespace {

using num::DType;

template <typename Op>
bool is(const ir::MachineCall& call) {
  return call.op == ir::AllOps::id_of<Op>();
}

bool is_atomic(const ir::MachineCall& call) {
  return is<ir::AtomicAdd>(call) || is<ir::AtomicMin>(call) || is<ir::AtomicMax>(call) ||
         is<ir::AtomicAnd>(call) || is<ir::AtomicOr>(call) || is<ir::AtomicXor>(call) ||
         is<ir::AtomicExchange>(call) || is<ir::AtomicCas>(call);
}

bool has_form(const ir::MachineCall& call, DType dtype, int sm) {
  const int width = num::bits(dtype);
  if (is<ir::AtomicAdd>(call) && num::is_float(dtype)) {
    return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 ||
           (dtype == DType::bf16 && sm >= 90);
  }
  if (is<ir::AtomicExchange>(call)) return width == 32 || width == 64;
  if (is<ir::AtomicCas>(call)) return width == 16 || width == 32 || width == 64;
  return num::is_int(dtype) && (width == 32 || width == 64);
}

}  // namespace

std::optional<std::string> refuse_memory_form(const ir::MachineCall& call,
                                              const ir::Target& target) {
  const bool atomic = is_atomic(call);
  if (!atomic && !is<ir::LoadReadOnly>(call)) return std::nullopt;
  const auto* address = call.args.empty() ? nullptr : ir::as<ir::AddressOf>(call.args[0]);
  if (address == nullptr) return std::nullopt;
  const ir::BufferNode& buffer = *address->element.buffer;
  const std::string_view name = ir::spec(call.op).name;
  if (!atomic) {
    if (buffer.scope() == ir::MemoryScope::global) return std::nullopt;
    return fmt::format("{}: the read-only path leads to global memory only, and {} is {}", name,
                       buffer.name, ir::to_string(buffer.scope()));
  }
  if (buffer.scope() == ir::MemoryScope::local) {
    return fmt::format("{} needs shared or global memory, and {} is local to a thread", name,
                       buffer.name);
  }
  if (has_form(call, buffer.dtype, target.sm)) return std::nullopt;
  return fmt::format("{} has no form for {} on {}", name, num::name(buffer.dtype), target.name);
}

}  // namespace tirx::lower
