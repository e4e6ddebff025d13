// Atomics and ordered accesses.  Lanes take their turns in lane order; the order between warps is
// the schedule's, so that a run can be repeated.
#include <algorithm>
#include <cstring>

#include "numerics/convert.hpp"
#include "sim/ops/pointer.hpp"

namespace tirx::sim::ops {

namespace {

/// The element that operand 0 points to, in each lane; refused lanes get poison.
Target pointer(Context& c) {
  const MemSite& site = *c.operand(0).pointer;
  Target target = pointer_target(c, 0, site.size, c.lanes);
  c.warp.skip = 0;
  for_lanes(c.lanes & ~target.lanes, [&](int lane) { c.result(lane, 0, true); });
  remember_polled(c, target);
  return target;
}

std::uint64_t read(const Target& target, int lane) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, target.region->data + target.address[lane], target.site->size);
  return bits;
}

/// Why what is there is poisoned; 0: it is not.
std::uint32_t old_poison(const Context& c, const Target& target, int lane) {
  const bool tracked = c.cta().machine.options->checks.has(ir::FaultKind::uninit);
  if (!tracked || target.valid(lane)) return 0;
  return exec::load_origin(*target.site, c.warp, lane, target.address[lane]);
}

/// `poison`: why what is written is poisoned; 0: it is not.
void write(Context& c, const Target& target, int lane, std::uint64_t bits, std::uint32_t poison) {
  std::byte* at = target.region->data + target.address[lane];
  if (std::memcmp(at, &bits, target.site->size) != 0) ++c.cta().changes;
  std::memcpy(at, &bits, target.site->size);
  if (poison != 0 || target.region->invalid != 0) {
    exec::mark(*target.region, target.address[lane], target.site->size, poison == 0);
  }
  if (poison != 0) exec::remember_poison(*target.site, c.warp, target.address[lane], poison);
}

/// old -> update(old, lane), one lane after the other; the result is the old
/// value.  `update` is told why the old value is poisoned (0: it is not), and
/// says why the new one is.
template <typename Update>
Next modify(Context& c, Update&& update) {
  const Target target = pointer(c);
  for_lanes(target.lanes, [&](int lane) {
    const std::uint64_t old = read(target, lane);
    std::uint32_t poison = old_poison(c, target, lane);
    c.result(lane, old, poison != 0, poison);
    bool store = true;
    const std::uint64_t bits = update(old, lane, store, poison);
    watch(c, target, lane, true, store);
    if (store) write(c, target, lane, bits, poison);
  });
  return Next::go_on;
}

Next arithmetic(Context& c, num::ScalarOp op) {
  const num::DType dtype = c.operand(0).pointer->buffer->dtype;
  // Global float32 additions flush subnormals, shared ones do not.
  const bool flush = op == num::ScalarOp::add && dtype == num::DType::f32 &&
                     c.operand(0).pointer->buffer->scope() == ir::MemoryScope::global;
  if (flush) op = num::ScalarOp::add_ftz;
  return modify(c, [&](std::uint64_t old, int lane, bool&, std::uint32_t& poison) {
    if (poison == 0) poison = c.origin_of(1, lane);
    return num::evaluate(op, dtype, old, c.bits(1, lane)).value;
  });
}

Next load(Context& c) {
  const Target target = pointer(c);
  for_lanes(target.lanes, [&](int lane) {
    watch(c, target, lane, true, false);
    const std::uint32_t poison = old_poison(c, target, lane);
    c.result(lane, read(target, lane), poison != 0, poison);
  });
  return Next::go_on;
}

}  // namespace

Next eval(ir::AtomicAdd, Context& c) {
  return arithmetic(c, num::ScalarOp::add);
}

Next eval(ir::AtomicMin, Context& c) {
  return arithmetic(c, num::ScalarOp::min);
}

Next eval(ir::AtomicMax, Context& c) {
  return arithmetic(c, num::ScalarOp::max);
}

Next eval(ir::AtomicAnd, Context& c) {
  return arithmetic(c, num::ScalarOp::bit_and);
}

Next eval(ir::AtomicOr, Context& c) {
  return arithmetic(c, num::ScalarOp::bit_or);
}

Next eval(ir::AtomicXor, Context& c) {
  return arithmetic(c, num::ScalarOp::bit_xor);
}

Next eval(ir::AtomicExchange, Context& c) {
  return modify(c, [&](std::uint64_t, int lane, bool&, std::uint32_t& poison) {
    poison = c.origin_of(1, lane);
    return c.bits(1, lane);
  });
}

Next eval(ir::AtomicCas, Context& c) {
  return modify(c, [&](std::uint64_t old, int lane, bool& store, std::uint32_t& poison) {
    store = old == c.bits(1, lane);
    for (const int arg : {1, 2}) {
      if (poison == 0) poison = c.origin_of(arg, lane);
    }
    return c.bits(2, lane);
  });
}

Next eval(ir::LoadAcquire, Context& c) {
  return load(c);
}

Next eval(ir::LoadReadOnly, Context& c) {
  return load(c);
}

Next eval(ir::StoreRelease, Context& c) {
  const Target target = pointer(c);
  for_lanes(target.lanes, [&](int lane) {
    watch(c, target, lane, false, true);
    write(c, target, lane, c.bits(1, lane), c.origin_of(1, lane));
  });
  return Next::go_on;
}

}  // namespace tirx::sim::ops
