// What is said of a poll in vain; see polled_memory.hpp.  The last write is the race detector's.
#include "sim/machine/polled_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "numerics/scalar.hpp"
#include "sim/exec/addresses.hpp"
#include "sim/exec/element.hpp"
#include "sim/exec/handlers.hpp"
#include "sim/exec/report.hpp"

namespace tirx::sim {

namespace {

/// A write, an atomic or an ordered store.
struct LastWrite {
  const Place* place = nullptr;
  std::int64_t cta = 0;  // linear
  std::uint32_t warp = 0;
  int lane = 0;
};

/// The last one at this byte that the race detector has seen.
std::optional<LastWrite> last_write(const Cta& cta, const MemSite& memory, std::int64_t byte) {
  const RaceSite& site = *memory.race;
  CtaRaces& races = *cta.races;
  race::Space& space = races.space(site);
  race::Shadow& shadow = space.shadows[site.shadow];
  const race::Cell cell = shadow.cell(shadow.granule_of(byte));
  std::uint32_t newest = 0;
  race::Lanes lanes = 0;
  // Stamps are numbered in the order in which they are made.
  int asked = 0;
  const auto look = [&](std::uint32_t stamp, race::Lanes by) {
    constexpr int kMost = 4096;
    if (stamp > newest) {
      newest = stamp;
      lanes = by;
    }
    return ++asked < kMost;
  };
  space.for_each(*cell.write, look);
  if (cell.atomics != nullptr) space.for_each(*cell.atomics, look);
  if (newest == 0) return std::nullopt;
  const race::Stamp& stamp = space.stamp(newest);
  const RaceSite& by = *cta.machine.program->race_sites[stamp.site];
  LastWrite found;
  found.place = by.call != nullptr ? &by.call->place : &by.mem->place;
  found.cta = races.linear_of(stamp.cta);
  const bool copy = stamp.cta == races.threads.cta() && races.threads.is_transfer(stamp.actor);
  found.warp = copy ? races.threads.warp_of(stamp.actor) : stamp.actor;
  found.lane = std::countr_zero(lanes);
  return found;
}

/// Right behind the operation that polls: else its registers and its address may be another's.
bool stands_at_poll(const Cta& cta, const Strand& strand) {
  const bool polls = strand.state == StrandState::yielded || strand.state == StrandState::runnable;
  if (!polls || strand.site == nullptr || strand.mask == 0) return false;
  if (strand.pc == cta.machine.program->code.data()) return false;
  const Instr& before = *(strand.pc - 1);
  return before.run == exec::yield_poll && before.data.call == strand.site;
}

/// In its first lane (ops/pointer.hpp).
std::int64_t address_of(const Strand& strand) {
  return static_cast<std::int64_t>(strand.phase);
}

/// "lock[0]"; registers that its indices were computed from may have changed since.
std::string element_of(const Warp& warp, const Strand& strand, int lane) {
  const MemSite& memory = *strand.site->args[0].pointer;
  alignas(64) std::int64_t address[kLanes];
  exec::addresses(memory, warp, address);
  if (address[lane] != address_of(strand)) {
    return fmt::format("an element of {}", memory.buffer->name);
  }
  return exec::element_at(warp, memory, lane, address_of(strand));
}

/// What is there, where it is an integer.
std::string value_of(const Warp& warp, const Strand& strand) {
  const MemSite& memory = *strand.site->args[0].pointer;
  const num::DType dtype = memory.buffer->dtype;
  if (!num::is_int(dtype) || memory.nibble) return {};
  std::uint64_t bits = 0;
  std::memcpy(&bits, warp.regions[memory.region].data + address_of(strand), memory.size);
  const std::string value =
      num::is_signed(dtype) ? std::to_string(num::to_int64(bits, dtype)) : std::to_string(bits);
  return fmt::format(": it is {}", value);
}

/// The writer's lane has come out of the loop in which others of its warp poll.
bool waits_for_its_warp(const Cta& cta, const LastWrite& last) {
  if (last.cta != cta.linear || last.warp >= cta.warps.size()) return false;
  const std::vector<JoinState>& joins = cta.warps[last.warp].joins;
  return std::any_of(joins.begin(), joins.end(),
                     [&](const JoinState& join) { return (join.arrived >> last.lane & 1) != 0; });
}

std::string way_out(const std::string& element, bool within_warp, bool written) {
  if (within_warp) {
    return fmt::format(
        "lanes of a warp leave a loop together: what {} guards, and giving it back, stand inside "
        "the loop, in the branch of the lane that has it",
        element);
  }
  if (written) {
    return fmt::format(
        "nobody is left who would change {}: who takes a lock gives it back, on every way, by an "
        "atomic or a store with release; a flag has to get the value that is polled for",
        element);
  }
  return fmt::format(
      "nobody has written {} in this launch: whoever is to set it must not come behind the loop in "
      "which others of its warp poll, nor lie in a CTA that cannot start before they end",
      element);
}

}  // namespace

std::optional<PolledMemory> polled_memory(const Cta& cta, const Warp& warp, const Strand& strand) {
  if (!stands_at_poll(cta, strand) || strand.site->args[0].kind != CallOperand::Kind::pointer) {
    return std::nullopt;
  }
  using Ops = ir::AllOps;
  if (strand.site->op == Ops::id_of<ir::PtxMbarrierTryWait>() ||
      strand.site->op == Ops::id_of<ir::PtxMbarrierTestWait>()) {
    return std::nullopt;
  }
  const MemSite& memory = *strand.site->args[0].pointer;
  const int lane = std::countr_zero(strand.mask);
  PolledMemory made;
  made.element = element_of(warp, strand, lane);
  made.space = memory.buffer->scope() == ir::MemoryScope::global ? "global" : "shared";
  made.text = fmt::format("{} to change (it polls){}", made.element, value_of(warp, strand));
  // Tensors that no statement writes are not watched.
  if (cta.races == nullptr || memory.race == nullptr) {
    made.notes.push_back({{}, way_out(made.element, false, cta.races == nullptr)});
    return made;
  }
  const auto last = last_write(cta, memory, address_of(strand));
  if (last) {
    const auto& grid = cta.machine.binding->grid;
    made.notes.push_back(
        {last->place->span,
         fmt::format("{} was last written here, by CTA ({}, {}, {}), warp {}, lane {} (thread {})",
                     made.element, last->cta % grid[0], last->cta / grid[0] % grid[1],
                     last->cta / (grid[0] * grid[1]), last->warp, last->lane,
                     static_cast<std::int64_t>(last->warp) * kLanes + last->lane)});
  }
  const bool within = last && waits_for_its_warp(cta, *last);
  made.notes.push_back({{}, way_out(made.element, within, last.has_value())});
  return made;
}

}  // namespace tirx::sim
