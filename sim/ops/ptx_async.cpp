// cp.async and its groups (PTX ISA 9.7.9.25); the copies in flight are in sim/machine/async.hpp.
#include <fmt/format.h>

#include "sim/ops/pointer.hpp"

namespace tirx::sim::ops {

namespace {

// Arguments in MachineCall order.
constexpr int kTo = 0, kFrom = 1, kSize = 2;

/// Bytes that a lane reads; the rest of its copy becomes zeros.
std::uint8_t source_bytes(const Context& c, int arg, std::int64_t bytes, int lane) {
  if (!c.has(arg)) return static_cast<std::uint8_t>(bytes);
  if (c.poisoned(arg, lane)) {
    c.fault(ir::FaultKind::uninit, lane, "the source size of a copy was never written");
    return 0;
  }
  const std::int64_t wanted = c.integer(arg, lane);
  if (wanted >= 0 && wanted <= bytes) return static_cast<std::uint8_t>(wanted);
  c.fault(ir::FaultKind::bounds, lane,
          fmt::format("cp.async: a source size of {} bytes for a copy of {}", wanted, bytes),
          "the source size is 0 to cp_size");
  return static_cast<std::uint8_t>(bytes);
}

}  // namespace

Next eval(ir::PtxCpAsync, Context& c) {
  const std::int64_t bytes = c.integer(kSize, 0);
  const auto size_at = static_cast<int>(c.site.instruction->argument(kFrom).size_argument);
  const Target to = pointer_target(c, kTo, bytes, c.lanes);
  const MemSite& source = *c.operand(kFrom).pointer;
  CopyBatch batch;
  batch.site = &c.site;
  batch.to = to.site;
  batch.from = &source;
  batch.bytes = static_cast<std::uint8_t>(bytes);
  alignas(64) std::int64_t from[kLanes];
  exec::addresses(source, c.warp, from);
  c.warp.skip = 0;
  std::uint32_t outside = 0;
  for_lanes(to.lanes, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    const std::int64_t at = source.nibble ? from[lane] / 2 : from[lane];
    batch.source_bytes[i] = source_bytes(c, size_at, bytes, lane);
    // What is not read may lie anywhere.
    const std::int64_t count = batch.source_bytes[i];
    if (count != 0 && (at < source.lo || at + count > source.hi)) {
      outside |= 1U << lane;
      return;
    }
    batch.lanes |= 1U << lane;
    batch.source[i] = at;
    batch.destination[i] = to.address[lane];
  });
  if (outside != 0) exec::report_outside(source, c.warp, outside);
  if (batch.lanes != 0) c.cta().copies.issue(c.warp, batch);
  return Next::go_on;
}

Next eval(ir::PtxCpAsyncCommitGroup, Context& c) {
  c.cta().copies.commit(c.warp, c.lanes);
  return Next::go_on;
}

Next eval(ir::PtxCpAsyncWaitGroup, Context& c) {
  c.cta().copies.wait(c.warp, c.lanes, static_cast<std::uint32_t>(c.integer(0, 0)));
  arrive_after_copies(c);
  return Next::go_on;
}

Next eval(ir::PtxCpAsyncWaitAll, Context& c) {
  c.cta().copies.commit(c.warp, c.lanes);
  c.cta().copies.wait(c.warp, c.lanes, 0);
  arrive_after_copies(c);
  return Next::go_on;
}

}  // namespace tirx::sim::ops
