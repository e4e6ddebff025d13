// Limits: CUDA C++ Programming Guide, "Compute Capabilities" (48 KiB static, more with the dynamic
// opt-in).
#include "lower/shared_plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ir/tensor.hpp"

namespace tirx::lower {

namespace {

std::int64_t round_up(std::int64_t value, std::int64_t to) {
  return (value + to - 1) / to * to;
}

}  // namespace

std::optional<Diagnostic> SharedPlan::add(const ir::StorageRef& storage, Span span) {
  if (!ir::is_shared(storage->scope)) return std::nullopt;
  std::int64_t elements = 0;
  if (!storage->elements || !ir::is_const_int(storage->elements, elements)) {
    return Diagnostic{
        span, fmt::format("the size of shared memory {} must be a constant", storage->name), {}};
  }
  constexpr std::int64_t kTooMuch = std::int64_t{1} << 40;
  if (elements < 0 || elements > kTooMuch) {
    return Diagnostic{span,
                      fmt::format("shared memory {} has {} elements, more than any CTA has",
                                  storage->name, elements),
                      {}};
  }
  const std::int64_t bytes = ir::storage_bytes(storage->dtype, elements);
  if (storage->scope == ir::MemoryScope::shared) {
    const std::int64_t offset =
        round_up(static_bytes, std::max<std::int64_t>(storage->alignment, 1));
    places.push_back({storage, offset, bytes});
    static_bytes = offset + bytes;
    last_static_ = span;
    return std::nullopt;
  }
  if (arena_ != nullptr) {
    return Diagnostic{
        span,
        fmt::format("a kernel has one shared.dyn allocation, and {} is it already", arena_->name),
        {{arena_span_, "the first allocation"},
         {{},
          "allocate once, and place the parts with T.decl_buffer(…, data=…, "
          "byte_offset=…) or T.SMEMPool()"}}};
  }
  arena_ = storage.get();
  arena_span_ = span;
  places.push_back({storage, 0, bytes});
  dynamic_bytes = bytes;
  return std::nullopt;
}

std::optional<Diagnostic> SharedPlan::finish(const ir::Target& target,
                                             std::optional<std::int64_t> requested,
                                             Span kernel) {
  if (static_bytes > target.max_static_shared) {
    return Diagnostic{
        last_static_,
        fmt::format("{} bytes of static shared memory; {} allows {}", static_bytes, target.name,
                    target.max_static_shared),
        {{{},
          fmt::format("scope=\"shared.dyn\" allows up to {} bytes", target.max_dynamic_shared)}}};
  }
  if (requested) {
    if (*requested < dynamic_bytes) {
      return Diagnostic{kernel,
                        fmt::format("tirx.dyn_smem_bytes is {}, but the kernel's shared.dyn "
                                    "allocation has {} bytes",
                                    *requested, dynamic_bytes),
                        {}};
    }
    dynamic_bytes = *requested;
  }
  if (static_bytes + dynamic_bytes > target.max_dynamic_shared) {
    return Diagnostic{
        arena_ != nullptr ? arena_span_ : kernel,
        fmt::format("{} bytes of shared memory ({} static, {} dynamic); {} allows {} per CTA",
                    static_bytes + dynamic_bytes, static_bytes, dynamic_bytes, target.name,
                    target.max_dynamic_shared),
        {}};
  }
  return std::nullopt;
}

}  // namespace tirx::lower
