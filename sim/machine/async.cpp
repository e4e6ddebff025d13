// See async.hpp.
#include "sim/machine/async.hpp"

#include <algorithm>
#include <cstring>

#include "sim/exec/addresses.hpp"
#include "sim/exec/race.hpp"
#include "sim/machine/cta.hpp"

namespace tirx::sim {

namespace {

bool tracks(const Warp& warp) {
  return warp.cta->machine.options->checks.has(ir::FaultKind::uninit);
}

bool is_eager(const Warp& warp) {
  return warp.cta->machine.options->async == AsyncPolicy::eager;
}

/// Without the check a destination in flight is ordinary memory.
bool poisons(const Warp& warp) {
  return tracks(warp) && warp.cta->machine.options->checks.has(ir::FaultKind::async);
}

std::size_t slot(int lane) {
  return static_cast<std::size_t>(lane);
}

/// Of a warp's copies that have arrived and that it has not waited for: more mean that it never
/// does.
constexpr std::size_t kRemembered = 256;

}  // namespace

void AsyncCopies::reset(std::size_t warps) {
  if (warps_.size() == warps && pending_ == 0) {
    if (!used_) return;
    used_ = false;
    for (OfWarp& of : warps_) {
      of.open = {};
      of.last = {};
      of.batches.clear();
    }
    return;
  }
  warps_.assign(warps, {});
  pending_ = 0;
}

/// The bytes and their validity, as the source is now.
void AsyncCopies::move(Warp& warp, CopyBatch& batch, std::uint32_t lanes) {
  const Region& from = warp.regions[batch.from->region];
  const Region& to = warp.regions[batch.to->region];
  const bool checked = tracks(warp) && from.invalid != 0;
  for_lanes(lanes, [&](int lane) {
    const std::size_t i = slot(lane);
    std::array<std::byte, 16> bytes{};
    const std::size_t count = batch.source_bytes[i];
    if (count != 0) std::memcpy(bytes.data(), from.data + batch.source[i], count);
    std::memcpy(to.data + batch.destination[i], bytes.data(), batch.bytes);
    batch.valid[i] = 0xffff;
    if (!checked) return;
    for (std::size_t b = 0; b < count; ++b) {
      const auto at = batch.source[i] + static_cast<std::int64_t>(b);
      if (!exec::is_valid(from.valid, at, 1)) {
        batch.valid[i] = static_cast<std::uint16_t>(batch.valid[i] & ~(1U << b));
      }
    }
  });
}

/// The destination can be read from now on.
void AsyncCopies::finish(Warp& warp, CopyBatch& batch, std::uint32_t lanes) {
  if (!tracks(warp)) return;
  const Region& to = warp.regions[batch.to->region];
  for_lanes(lanes, [&](int lane) {
    const std::size_t i = slot(lane);
    const std::int64_t at = batch.destination[i];
    exec::mark(to, at, batch.bytes, true);
    if (batch.valid[i] == 0xffff) return;
    for (int b = 0; b < batch.bytes; ++b) {
      if ((batch.valid[i] >> b & 1) == 0) exec::mark(to, at + b, 1, false);
    }
  });
}

void AsyncCopies::issue(Warp& warp, CopyBatch batch) {
  used_ = true;
  OfWarp& of = warps_[warp.index];
  batch.number = ++issued_;
  for_lanes(batch.lanes, [&](int lane) { of.last[slot(lane)] = batch.number; });
  batch.group = of.open;
  batch.pending = batch.lanes;
  if (is_eager(warp)) move(warp, batch, batch.lanes);
  if (poisons(warp)) {
    const Region& to = warp.regions[batch.to->region];
    for_lanes(batch.lanes,
              [&](int lane) { exec::mark(to, batch.destination[slot(lane)], batch.bytes, false); });
  } else if (is_eager(warp)) {
    finish(warp, batch, batch.lanes);
  }
  if (warp.races != nullptr) exec::race_copy(warp, batch);
  of.batches.push_back(batch);
  ++pending_;
}

void AsyncCopies::commit(const Warp& warp, std::uint32_t lanes) {
  used_ = true;
  OfWarp& of = warps_[warp.index];
  for_lanes(lanes, [&](int lane) { ++of.open[slot(lane)]; });
}

template <typename Arrived>
void AsyncCopies::deliver(Warp& warp, std::uint32_t lanes, bool waited, Arrived&& arrived) {
  // An mbarrier may have been told meanwhile, and asked: for who waits, the copy ends here.
  const bool remembers = warp.races != nullptr;
  OfWarp& of = warps_[warp.index];
  std::size_t delivered = 0;
  for (CopyBatch& batch : of.batches) {
    std::uint32_t done = 0;
    for_lanes((waited && remembers ? batch.lanes : batch.pending) & lanes, [&](int lane) {
      if (arrived(batch, lane)) done |= 1U << lane;
    });
    if (done == 0) continue;
    if (remembers && waited) {
      warp.races->copy_waited(batch.number, done);
      batch.lanes &= ~done;
    }
    done &= batch.pending;
    if (done == 0) continue;
    if (!is_eager(warp)) move(warp, batch, done);
    if (poisons(warp) || !is_eager(warp)) finish(warp, batch, done);
    batch.pending &= ~done;
    if (batch.pending == 0) ++delivered;
    ++warp.cta->changes;
  }
  const bool few = of.batches.size() < kRemembered;
  std::erase_if(of.batches, [&](const CopyBatch& batch) {
    if (batch.pending != 0) return false;
    return !remembers || !few || batch.lanes == 0;
  });
  pending_ -= delivered;
}

void AsyncCopies::wait(Warp& warp, std::uint32_t lanes, std::uint32_t newest) {
  const OfWarp& of = warps_[warp.index];
  deliver(warp, lanes, true, [&](const CopyBatch& batch, int lane) {
    return std::uint64_t{batch.group[slot(lane)]} + newest < of.open[slot(lane)];
  });
}

void AsyncCopies::finish_until(Warp& warp, int lane, std::uint64_t number) {
  deliver(warp, 1U << lane, false,
          [&](const CopyBatch& batch, int) { return batch.number <= number; });
}

std::uint64_t AsyncCopies::last_copy(const Warp& warp, int lane) const {
  return warps_[warp.index].last[slot(lane)];
}

std::uint64_t AsyncCopies::oldest_pending(const Warp& warp, int lane) const {
  for (const CopyBatch& batch : warps_[warp.index].batches) {
    if ((batch.pending >> lane & 1) != 0) return batch.number;
  }
  return ~std::uint64_t{0};
}

AsyncCopies::Hit AsyncCopies::find(const Cta& cta, std::size_t region, std::int64_t byte) const {
  if (pending_ == 0) return {};
  for (const Warp& warp : cta.warps) {
    for (const CopyBatch& batch : warps_[warp.index].batches) {
      if (batch.to->region != region) continue;
      for (std::uint32_t left = batch.pending; left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        const std::int64_t at = batch.destination[slot(lane)];
        if (byte >= at && byte < at + batch.bytes) return {&batch, &warp, lane};
      }
    }
  }
  return {};
}

}  // namespace tirx::sim
