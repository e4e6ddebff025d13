// Where is element (i, j, …) of a buffer?  offset + layout(i, j, …), by the layout algebra's apply.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/tile_eval/evaluator.hpp"

namespace tirx::sim::tile {

std::vector<std::int64_t> Evaluator::shape_of(const ir::BufferNode& buffer) {
  std::vector<std::int64_t> shape;
  for (const ir::Expr& extent : buffer.shape) {
    auto value = evaluate_int(extent, binding_);
    if (!value && cta_ != nullptr) value = eval_int(extent);
    shape.push_back(value.value_or(0));
  }
  return shape;
}

/// The memory coordinate of an element of this thread's view; nothing outside of the shape.
std::optional<std::int64_t> Evaluator::offset_of(const ir::BufferNode& buffer,
                                                 std::span<const std::int64_t> at) {
  const std::vector<std::int64_t> shape = shape_of(buffer);
  if (buffer.layout || !buffer.strides.empty() || shape.size() == at.size()) {
    for (std::size_t i = 0; i < at.size() && i < shape.size(); ++i) {
      if (at[i] < 0 || at[i] >= shape[i]) return std::nullopt;
    }
  }
  std::int64_t offset = 0;
  if (buffer.offset) {
    const auto value = eval_int(buffer.offset);
    if (!value) return std::nullopt;
    offset = *value;
  }
  if (!buffer.strides.empty()) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      const auto stride = eval_int(buffer.strides[i]);
      if (!stride) return std::nullopt;
      offset += at[i] * *stride;
    }
    return offset;
  }
  if (buffer.layout) {
    if (const ir::Placement* placement = placement_of(buffer)) {
      return offset + placement->at(at, ir::Axis(ir::AxisId::m));
    }
    const Result<ir::AxisValues> place = ir::apply(*buffer.layout, at, shape);
    if (!place) return std::nullopt;
    const auto memory = place.value().find(ir::Axis(ir::AxisId::m));
    return offset + (memory == place.value().end() ? 0 : memory->second);
  }
  // layout=None: one flat index.
  return offset + (at.empty() ? 0 : at[0]);
}

const ir::Placement* Evaluator::placement_of(const ir::BufferNode& buffer) {
  const auto [at, fresh] = placements_.try_emplace(&buffer);
  if (fresh) {
    const auto shape = ir::static_shape(buffer);
    if (shape && buffer.layout) {
      Result<ir::Placement> made = ir::Placement::make(*buffer.layout, *shape);
      if (made) at->second = std::move(made).value();
    }
  }
  return at->second ? &*at->second : nullptr;
}

Place Evaluator::place_of(const ir::BufferNode& buffer, std::int64_t element, std::size_t thread) {
  const ir::Storage* storage = buffer.storage.get();
  Place place;
  place.element = element;
  if (const auto region = binding_.regions.find(storage); region != binding_.regions.end()) {
    const BoundTensor& tensor = binding_.tensors[region->second];
    place.memory = tensor.memory.get();
    place.base = tensor.lo;
    place.limit = tensor.hi - tensor.lo;
    return place;
  }
  if (storage->scope == ir::MemoryScope::local) {
    const auto slot = local_slots_.find(storage);
    if (slot == local_slots_.end()) return place;
    place.memory = cta_->threads[thread].locals[slot->second].get();
  } else if (ir::is_shared(storage->scope)) {
    std::unique_ptr<ir::Memory>& memory = cta_->shared[storage];
    if (memory == nullptr) {
      const auto elements = eval_int(storage->elements);
      memory = std::make_unique<ir::Memory>(
          static_cast<std::size_t>(ir::storage_bytes(storage->dtype, elements.value_or(0))), false);
    }
    place.memory = memory.get();
  }
  if (place.memory != nullptr) place.limit = static_cast<std::int64_t>(place.memory->bytes.size());
  return place;
}

bool Evaluator::inside(const Place& place, num::DType dtype) const {
  return place.memory != nullptr && place.element >= 0 &&
         ir::storage_bytes(dtype, place.element + 1) <= place.limit;
}

void Evaluator::outside(const ir::BufferNode& buffer,
                        std::span<const std::int64_t> at,
                        Span span,
                        bool write) {
  const std::string element = fmt::format("{}[{}]", buffer.name, fmt::join(at, ", "));
  fault(ir::FaultKind::bounds, span,
        fmt::format("{} is outside of {}: shape ({})", element, buffer.name,
                    fmt::join(shape_of(buffer), ", ")),
        element);
  outcome_.faults.back().first.what = write ? "write" : "read";
}

}  // namespace tirx::sim::tile
