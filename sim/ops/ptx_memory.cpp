// Loads, stores and atomics by name (PTX ISA 9.7.9.8, 9.7.9.11, 9.7.13.6).  Cache hints change no
// value; lanes take their turns in lane order.
#include <algorithm>

#include "numerics/scalar.hpp"
#include "sim/ops/pointer.hpp"

namespace tirx::sim::ops {

namespace {

using num::DType;

std::uint64_t read(const Target& target, int lane, std::int64_t offset, std::size_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, target.at(lane) + offset, size);
  return bits;
}

/// `poison`: why what is written is poisoned; 0: it is not.
void write(const Context& c,
           const Target& target,
           int lane,
           std::int64_t offset,
           std::size_t size,
           std::uint64_t bits,
           std::uint32_t poison) {
  std::byte* at = target.at(lane) + offset;
  if (std::memcmp(at, &bits, size) != 0) ++c.cta().changes;
  std::memcpy(at, &bits, size);
  const std::int64_t byte = target.address[lane] + offset;
  if (poison != 0 || target.region->invalid != 0) {
    exec::mark(*target.region, byte, static_cast<std::int64_t>(size), poison == 0);
  }
  if (poison != 0) exec::remember_poison(*target.site, c.warp, byte, poison);
}

/// Register `k` of the result in one lane.
void put(const Context& c, int k, int lane, std::uint64_t bits, bool poison, std::uint32_t origin) {
  const std::uint32_t reg = c.result_register(k);
  if (num::bits(c.site.result.dtype) == 64) {
    c.warp.v64(reg)[lane] = bits;
  } else {
    c.warp.v32(reg)[lane] = static_cast<std::uint32_t>(bits);
  }
  c.result_poison(reg, 1U << lane, poison ? 1U << lane : 0, origin);
}

const ir::ptx::Operand& operand_named(const Context& c, std::string_view name) {
  const auto& operands = c.site.instruction->operands;
  return *std::find_if(operands.begin(), operands.end(),
                       [&](const ir::ptx::Operand& one) { return one.name == name; });
}

/// The new value, and whether it is stored.
struct Change {
  std::uint64_t bits = 0;
  bool store = true;
};

num::ScalarOp scalar_op(std::string_view op) {
  if (op == "and") return num::ScalarOp::bit_and;
  if (op == "or") return num::ScalarOp::bit_or;
  if (op == "xor") return num::ScalarOp::bit_xor;
  if (op == "min") return num::ScalarOp::min;
  if (op == "max") return num::ScalarOp::max;
  return num::ScalarOp::add;
}

Next modify(Context& c) {
  const ir::ptx::Instruction& made = *c.site.instruction;
  const ir::ptx::Operand& value = operand_named(c, "b");
  const std::string_view op = made.word(3), type = made.word(6);
  const DType dtype = value.type.dtype;
  const auto size = static_cast<std::size_t>(num::bits(dtype) / 8);
  const Target target = pointer_target(c, 0, static_cast<std::int64_t>(size), c.lanes);
  remember_polled(c, target);
  c.warp.skip = 0;
  const bool pair = type == "f16x2" || type == "bf16x2";
  const DType half = type == "f16x2" ? DType::f16 : DType::bf16;
  // Global float32 additions flush subnormals, shared ones do not.
  const bool flush =
      op == "add" && dtype == DType::f32 && target.site->buffer->scope() == ir::MemoryScope::global;
  const num::ScalarOp scalar = flush ? num::ScalarOp::add_ftz : scalar_op(op);
  const auto change = [&](std::uint64_t old, int lane) -> Change {
    const std::uint64_t b = c.bits(1, lane);
    if (op == "exch") return {b};
    if (op == "cas") return {c.bits(2, lane), old == b};
    if (op == "inc") return {old >= b ? 0 : old + 1};
    if (op == "dec") return {old == 0 || old > b ? b : old - 1};
    if (!pair) return {num::evaluate(scalar, dtype, old, b).value};
    const auto sum = [&](int shift) {
      return num::evaluate(num::ScalarOp::add, half, old >> shift & 0xffff, b >> shift & 0xffff)
          .value;
    };
    return {sum(16) << 16 | sum(0)};
  };
  const bool tracked = c.cta().machine.options->checks.has(ir::FaultKind::uninit);
  for_lanes(target.lanes, [&](int lane) {
    const std::uint64_t old = read(target, lane, 0, size);
    const bool known = !tracked || target.valid(lane);
    const std::uint32_t old_origin =
        known ? 0 : exec::load_origin(*target.site, c.warp, lane, target.address[lane]);
    if (!c.site.result.is_void()) put(c, 0, lane, old, !known, old_origin);
    const Change next = change(old, lane);
    watch(c, target, lane, true, next.store);
    std::uint32_t poison = op == "exch" ? 0 : old_origin;
    if (poison == 0) poison = c.origin_of(1, lane);
    if (poison == 0 && op == "cas") poison = c.origin_of(2, lane);
    if (next.store) write(c, target, lane, 0, size, next.bits, poison);
  });
  if (!c.site.result.is_void()) {
    for_lanes(c.lanes & ~target.lanes, [&](int lane) { put(c, 0, lane, 0, true, 0); });
  }
  return Next::go_on;
}

}  // namespace

Next eval(ir::PtxLoad, Context& c) {
  const ir::ptx::Operand& to = operand_named(c, "d");
  const ir::ptx::Operand& from = operand_named(c, "a");
  const auto size = static_cast<std::size_t>(num::bits(to.type.dtype) / 8);
  const Target target = pointer_target(c, 0, from.bytes, c.lanes);
  remember_polled(c, target);
  c.warp.skip = 0;
  const bool clean = !c.site.result_poison || target.region->invalid == 0;
  for_lanes(target.lanes, [&](int lane) { watch(c, target, lane, true, false); });
  for (int k = 0; k < to.count; ++k) {
    const std::int64_t offset = k * static_cast<std::int64_t>(size);
    for_lanes(c.lanes & ~target.lanes, [&](int lane) { put(c, k, lane, 0, true, 0); });
    for_lanes(target.lanes, [&](int lane) {
      const std::int64_t byte = target.address[lane] + offset;
      const bool bad =
          !clean && !exec::is_valid(target.region->valid, byte, static_cast<std::int64_t>(size));
      const std::uint32_t origin = bad ? exec::load_origin(*target.site, c.warp, lane, byte) : 0;
      put(c, k, lane, read(target, lane, offset, size), bad, origin);
    });
  }
  return Next::go_on;
}

Next eval(ir::PtxStore, Context& c) {
  const ir::ptx::Operand& from = operand_named(c, "b");
  const ir::ptx::Operand& to = operand_named(c, "a");
  const auto size = static_cast<std::size_t>(num::bits(from.type.dtype) / 8);
  const bool wide = size == 8;
  const Target target = pointer_target(c, 0, to.bytes, c.lanes);
  c.warp.skip = 0;
  for_lanes(target.lanes, [&](int lane) { watch(c, target, lane, false, true); });
  for (int k = 0; k < from.count; ++k) {
    const std::int64_t offset = k * static_cast<std::int64_t>(size);
    const bool group = !c.operand(1).group.empty();
    for_lanes(target.lanes, [&](int lane) {
      const std::uint64_t bits = !group ? c.bits(1, lane)
                                 : wide ? c.group64(1, k)[lane]
                                        : c.group32(1, k)[lane];
      write(c, target, lane, offset, size, bits,
            group ? c.group_origin(1, k, lane) : c.origin_of(1, lane));
    });
  }
  return Next::go_on;
}

Next eval(ir::PtxAtom, Context& c) {
  return modify(c);
}

Next eval(ir::PtxRed, Context& c) {
  return modify(c);
}

Next eval(ir::PtxFence, Context& c) {
  if (c.warp.races != nullptr) {
    c.warp.races->fence(c.warp.index, c.lanes, c.site.instruction->word(1));
  }
  return Next::go_on;
}

Next eval(ir::PtxMembar, Context& c) {
  const std::string_view level = c.site.instruction->word(0);
  if (c.warp.races != nullptr) {
    c.warp.races->fence(c.warp.index, c.lanes, level == "gl" ? "gpu" : level);
  }
  return Next::go_on;
}

Next eval(ir::PtxPrefetch, Context& c) {
  c.warp.skip = 0;
  return Next::go_on;
}

}  // namespace tirx::sim::ops
