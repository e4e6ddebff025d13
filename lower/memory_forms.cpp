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

bool is_ordered(const ir::MachineCall& call) {
  return is<ir::LoadAcquire>(call) || is<ir::StoreRelease>(call);
}

bool is_shuffle(const ir::MachineCall& call) {
  return is<ir::ShuffleIdx>(call) || is<ir::ShuffleUp>(call) || is<ir::ShuffleDown>(call) ||
         is<ir::ShuffleXor>(call);
}

bool is_redux(const ir::MachineCall& call) {
  return is<ir::ReduxAdd>(call) || is<ir::ReduxMin>(call) || is<ir::ReduxMax>(call) ||
         is<ir::ReduxAnd>(call) || is<ir::ReduxOr>(call) || is<ir::ReduxXor>(call);
}

/// "acquire.cluster", or a fence's "cluster".
bool has_scope(const ir::MachineCall& call, int sm) {
  const std::string_view text = call.text;
  const std::size_t dot = text.find('.');
  const std::string_view scope = dot == std::string_view::npos ? text : text.substr(dot + 1);
  if (scope == "cluster") return sm >= 90;
  return scope.empty() || scope == "cta" || scope == "gpu" || scope == "sys";
}

}  // namespace

std::optional<std::string> refuse_form(const ir::MachineCall& call, const ir::Target& target) {
  const std::string_view name = ir::spec(call.op).name;
  const bool atomic = is_atomic(call), ordered = is_ordered(call);
  if ((atomic || ordered || is<ir::ThreadFence>(call)) && !has_scope(call, target.sm))
    return fmt::format("{} has no form \"{}\" on {}", name, call.text, target.name);
  if (is_shuffle(call) || is_redux(call)) {
    const ir::Type type = call.args.at(1)->type;
    if (type.is_vector())
      return fmt::format("{} exchanges one number of each lane, and no vector", name);
    if (is_redux(call) && (!num::is_int(type.dtype) || num::bits(type.dtype) != 32))
      return fmt::format("{} takes a 32-bit integer, and not {}", name, num::name(type.dtype));
    return std::nullopt;
  }
  if (!atomic && !ordered && !is<ir::LoadReadOnly>(call)) return std::nullopt;
  const auto* address = call.args.empty() ? nullptr : ir::as<ir::AddressOf>(call.args[0]);
  if (address == nullptr) return std::nullopt;
  const ir::BufferNode& buffer = *address->element.buffer;
  if (is<ir::LoadReadOnly>(call)) {
    if (buffer.scope() == ir::MemoryScope::global) return std::nullopt;
    return fmt::format("{}: the read-only path leads to global memory only, and {} is {}", name,
                       buffer.name, ir::to_string(buffer.scope()));
  }
  if (buffer.scope() == ir::MemoryScope::local) {
    return fmt::format("{} needs shared or global memory, and {} is local to a thread", name,
                       buffer.name);
  }
  const bool formed =
      ordered ? num::bits(buffer.dtype) >= 8 : has_form(call, buffer.dtype, target.sm);
  if (formed) return std::nullopt;
  return fmt::format("{} has no form for {} on {}", name, num::name(buffer.dtype), target.name);
}

}  // namespace tirx::lower
