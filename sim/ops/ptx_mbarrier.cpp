// mbarrier operations (PTX ISA 9.7.13.15).  Misuse is reported where it happens: a barrier that was
// never made or was overwritten, more arrivals than a phase expects, a barrier that is made twice.
#include <bit>

#include <fmt/format.h>

#include "sim/exec/element.hpp"
#include "sim/ops/pointer.hpp"

namespace tirx::sim::ops {

namespace {

constexpr int kAddress = 0;

/// Addresses of the barriers, in the lanes that may go on.
Target barriers(Context& c) {
  const Target target = pointer_target(c, kAddress, 8, c.lanes);
  c.warp.skip = 0;
  return target;
}

std::uint64_t word_at(const Target& target, int lane) {
  std::uint64_t word = 0;
  std::memcpy(&word, target.at(lane), 8);
  return word;
}

void write_word(const Target& target, int lane, std::uint64_t word) {
  std::memcpy(target.at(lane), &word, 8);
  if (target.region->invalid != 0) exec::mark(*target.region, target.address[lane], 8, true);
}

std::string name_of(const Target& target, const Context& c, int lane) {
  return exec::element_text(c.warp, *target.site->buffer, target.site->index, lane);
}

/// A lane uses what is no mbarrier.  Whoever wrote there may have come before by chance.
void note_misuse(const Context& c, const Target& target, int lane) {
  if (!c.cta().machine.options->checks.has(ir::FaultKind::trap)) return;
  c.cta().mbarriers.misused(c.site.place.id, target.address[lane]);
  watch(c, target, lane, true, true);
}

/// Where some lane's barrier has not been made: others go on that may make it.
bool waits_for_init(const Context& c, const Target& target) {
  std::uint32_t missing = 0;
  for_lanes(target.lanes, [&](int lane) {
    if (c.cta().mbarriers.is_expected(target.address[lane])) missing |= 1U << lane;
  });
  if (missing == 0) return false;
  Strand& strand = c.block(StrandState::mbarrier);
  strand.phase = static_cast<std::uint64_t>(target.address[std::countr_zero(missing)]);
  strand.wanted = Mbarriers::kNotMade;
  return true;
}

/// The barrier of a lane, or null after a report.
Mbarrier* barrier_of(const Context& c, const Target& target, int lane) {
  Mbarrier* found = c.cta().mbarriers.find(target.address[lane]);
  if (found == nullptr) {
    note_misuse(c, target, lane);
    c.fault(ir::FaultKind::trap, lane,
            fmt::format("there is no mbarrier at {}", name_of(target, c, lane)),
            "mbarrier.init makes one; a barrier of threads must lie between it and the first use "
            "by others");
    return nullptr;
  }
  if (word_at(target, lane) != found->word() || !target.valid(lane)) {
    note_misuse(c, target, lane);
    c.fault(ir::FaultKind::trap, lane,
            fmt::format("the mbarrier at {} was overwritten", name_of(target, c, lane)),
            "only mbarrier instructions may touch a barrier's memory until mbarrier.inval");
    return nullptr;
  }
  return found;
}

/// Lets the threads go on that wait for this barrier.
void wake(Cta& cta, std::int64_t address) {
  ++cta.changes;
  for (Warp& warp : cta.warps) {
    for (Strand& strand : warp.strands) {
      if (strand.state == StrandState::mbarrier &&
          strand.phase == static_cast<std::uint64_t>(address)) {
        strand.state = StrandState::runnable;
      }
    }
  }
}

/// A phase with nothing missing ends, and wakes who waits for it.
void advance(Cta& cta, std::int64_t address, Mbarrier& barrier) {
  if (!Mbarriers::advance(barrier)) return;
  if (cta.races != nullptr) cta.mbarriers.order.complete(address, barrier.arrivals);
  wake(cta, address);
}

/// Arrivals of threads; a completed phase wakes those who wait.
void arrive(const Context& c,
            const Target& target,
            Mbarrier& barrier,
            int lane,
            std::uint32_t count,
            bool may_complete) {
  if (count > barrier.pending) {
    c.fault(ir::FaultKind::trap, lane,
            fmt::format("{} arrivals at the mbarrier {}, whose phase misses {} of {}", count,
                        name_of(target, c, lane), barrier.pending, barrier.expected),
            "mbarrier.init's count is the number of arrivals in each phase");
    count = barrier.pending;
  }
  barrier.pending -= count;
  if (barrier.pending == 0 && barrier.bytes == 0 && !may_complete) {
    c.fault(ir::FaultKind::trap, lane,
            fmt::format("an arrival with .noComplete completes the phase of {}",
                        name_of(target, c, lane)),
            "the last arrival must be one without .noComplete");
  }
  advance(c.cta(), target.address[lane], barrier);
  write_word(target, lane, barrier.word());
}

/// An arrival that no phase may take in another's place, before it is released.
template <typename Name>
void look_at_order(Cta& cta,
                   std::int64_t address,
                   Mbarrier& barrier,
                   const MbarrierArrival& arrival,
                   Name&& name) {
  MbarrierOrder::Surplus* const surplus =
      cta.mbarriers.order.arrive(cta.races->threads, address, barrier.arrivals, arrival);
  if (surplus == nullptr) return;
  surplus->expected = barrier.expected;
  surplus->name = name();
}

/// An arrival whose copies have arrived; its barrier may have gone meanwhile.
void arrive_late(const Context& c, const DeferredArrival& arrival) {
  Cta& cta = c.cta();
  Mbarrier* barrier = cta.mbarriers.find(arrival.address);
  if (barrier == nullptr || barrier->pending == 0) {
    cta.faults.add(ir::FaultKind::trap, arrival.site->place.id, [&] {
      ir::Fault made;
      made.text = barrier == nullptr ? "the mbarrier of cp.async.mbarrier.arrive is gone"
                                     : "cp.async.mbarrier.arrive arrives once too often";
      made.first.thread = cta.where(cta.warps[arrival.warp], arrival.lane);
      made.first.span = arrival.site->place.span;
      made.first.role = cta.role_at(arrival.site->place);
      made.first.what = "arrives";
      made.notes.push_back(
          {{}, "with .noinc the arrival is one of mbarrier.init's count; without, it adds itself"});
      return made;
    });
    return;
  }
  --barrier->pending;
  if (cta.races != nullptr) {
    // One that adds itself takes nobody's place.
    const MbarrierArrival made{arrival.warp, 1U << arrival.lane,
                               cta.races->threads.tick(arrival.warp), arrival.site};
    if (arrival.site->instruction->has("noinc")) {
      const MemSite& site = *arrival.site->args[kAddress].pointer;
      look_at_order(cta, arrival.address, *barrier, made,
                    [&] { return mbarrier_name(site, arrival.address); });
    } else {
      MbarrierOrder::cover(cta.races->threads, barrier->arrivals, made);
    }
    // Copies that the thread has waited for itself are part of what it did.
    cta.races->copies_complete(arrival.warp, arrival.lane, arrival.last_copy, barrier->arriving);
    cta.races->threads.release(barrier->arriving, arrival.warp, 1U << arrival.lane);
  }
  advance(cta, arrival.address, *barrier);
  const std::uint64_t word = barrier->word();
  const Region& region = c.warp.regions[arrival.site->args[kAddress].pointer->region];
  std::memcpy(region.data + arrival.address, &word, 8);
}

/// Somebody asks: copies that a thread has tied to the barrier arrive by now.
void finish_copies(const Context& c, std::int64_t address) {
  Cta& cta = c.cta();
  if (!cta.mbarriers.has_deferred()) return;
  for (const DeferredArrival& arrival : cta.mbarriers.take(address)) {
    cta.copies.finish_until(cta.warps[arrival.warp], arrival.lane, arrival.last_copy);
    arrive_late(c, arrival);
  }
}

std::uint32_t count_of(const Context& c, int arg, int lane) {
  return c.has(arg) ? static_cast<std::uint32_t>(c.bits(arg, lane)) : 1;
}

bool usable_count(const Context& c, int arg, int lane, std::uint32_t least) {
  if (!c.has(arg)) return true;
  if (c.poisoned(arg, lane)) {
    c.fault(ir::FaultKind::uninit, lane, "an mbarrier's count was never written");
    return false;
  }
  const std::uint32_t count = count_of(c, arg, lane);
  if (count >= least && count <= Mbarriers::kMostArrivals) return true;
  c.fault(ir::FaultKind::trap, lane,
          fmt::format("{} is no count of an mbarrier: {} to {}", count, least,
                      Mbarriers::kMostArrivals));
  return false;
}

bool completed(const Context& c, const Target& target, int lane, bool parity) {
  finish_copies(c, target.address[lane]);
  const Mbarrier* barrier = barrier_of(c, target, lane);
  if (barrier == nullptr) return true;
  if (c.poisoned(1, lane)) {
    c.fault(ir::FaultKind::uninit, lane,
            "the phase that an mbarrier is asked for was never written");
    return true;
  }
  const std::uint64_t asked = c.bits(1, lane);
  if (parity && asked > 1) {
    c.fault(
        ir::FaultKind::trap, lane,
        fmt::format("{} is no parity of an mbarrier's phase: 0 or 1 (the phase modulo 2)", asked));
    return true;
  }
  const bool done =
      parity ? (barrier->phase & 1) != (asked & 1) : barrier->phase > Mbarrier::phase_of(asked);
  watch(c, target, lane, true, true);
  return done;
}

/// Calls f(lanes, lane) for the lanes of each barrier; `lane` is one of them.
template <typename F>
void for_barriers(const Target& target, std::uint32_t lanes, F&& f) {
  while (lanes != 0) {
    const int first = std::countr_zero(lanes);
    std::uint32_t same = 0;
    for_lanes(lanes, [&](int lane) {
      if (target.address[lane] == target.address[first]) same |= 1U << lane;
    });
    f(same, first);
    lanes &= ~same;
  }
}

/// Arrivals release and waits acquire, unless they say that they do not.
bool is_relaxed(const Context& c) {
  return c.site.instruction != nullptr && c.site.instruction->has("relaxed");
}

/// Whether the order of the run decides for which phase a wait by parity passes.
void look_at_wait(const Context& c, const Target& target, std::uint32_t lanes, bool passes) {
  if (c.warp.races == nullptr) return;
  for_barriers(target, lanes, [&](std::uint32_t same, int lane) {
    const Mbarrier* barrier = c.cta().mbarriers.find(target.address[lane]);
    if (barrier == nullptr) return;
    const race::Detector& threads = c.warp.races->threads;
    c.cta().mbarriers.order.wait(threads, target.address[lane], barrier->arrivals,
                                 {c.warp.index, same, threads.tick(c.warp.index), &c.site}, passes);
  });
}

/// … when it has acquired what the phase released.
void remember_wait(const Context& c, const Target& target, std::uint32_t lanes) {
  if (c.warp.races == nullptr) return;
  for_barriers(target, lanes, [&](std::uint32_t same, int lane) {
    Mbarrier* barrier = c.cta().mbarriers.find(target.address[lane]);
    if (barrier == nullptr) return;
    MbarrierOrder::passed(barrier->arrivals,
                          {c.warp.index, same, c.warp.races->threads.tick(c.warp.index), &c.site});
  });
}

/// The race detector: what the last phase's arrivals released is known to the lanes from now on.
void acquire(const Context& c, const Target& target, std::uint32_t lanes) {
  if (c.warp.races == nullptr) return;
  for_barriers(target, lanes, [&](std::uint32_t same, int lane) {
    const Mbarrier* barrier = c.cta().mbarriers.find(target.address[lane]);
    // Before the first phase there is nothing to acquire.
    if (barrier == nullptr || barrier->phase == 0) return;
    if (is_relaxed(c)) {
      c.cta().mbarriers.order.relaxed();
      return c.warp.races->threads.note(barrier->complete, c.warp.index, same);
    }
    c.warp.races->threads.acquire(barrier->complete, c.warp.index, same);
  });
}

/// What the lanes did before their arrival belongs to the phase that they arrive in.
void release_to(const Context& c, const Target& target, Mbarrier& barrier, std::uint32_t lanes) {
  if (c.warp.races == nullptr) return;
  if (is_relaxed(c)) {
    c.cta().mbarriers.order.relaxed();
    c.warp.races->threads.release_fenced(barrier.arriving, c.warp.index, lanes);
  } else {
    const int lane = std::countr_zero(lanes);
    look_at_order(c.cta(), target.address[lane], barrier,
                  {c.warp.index, lanes, c.warp.races->threads.tick(c.warp.index), &c.site},
                  [&] { return name_of(target, c, lane); });
    c.warp.races->threads.release(barrier.arriving, c.warp.index, lanes);
  }
}

Next test(Context& c) {
  const Target target = barriers(c);
  if (waits_for_init(c, target)) return Next::retry;
  const bool parity = c.site.instruction->has("parity");
  std::uint32_t done = 0;
  for_lanes(c.lanes, [&](int lane) {
    const bool there = (target.lanes >> lane & 1) != 0;
    if (there && completed(c, target, lane, parity)) done |= 1U << lane;
    c.result(lane, done >> lane & 1, !there);
  });
  const std::uint32_t passing = parity ? done : 0;
  look_at_wait(c, target, passing, true);
  acquire(c, target, done);
  remember_wait(c, target, passing);
  // If it polls in vain, the report says for what.
  if (const std::uint32_t missing = target.lanes & ~done; missing != 0) {
    const int lane = std::countr_zero(missing);
    const std::uint64_t asked = c.bits(1, lane);
    Strand& strand = c.warp.strands[c.warp.running];
    strand.phase = static_cast<std::uint64_t>(target.address[lane]);
    strand.wanted = static_cast<std::uint32_t>((parity ? asked : Mbarrier::phase_of(asked)) & 1);
  }
  return Next::go_on;
}

Next arrive_all(Context& c, bool drop) {
  const Target target = barriers(c);
  if (waits_for_init(c, target)) return Next::retry;
  const bool may_complete = !c.site.instruction->has("noComplete");
  for_lanes(c.lanes & ~target.lanes, [&](int lane) { c.result(lane, 0, true); });
  // Lanes that arrive in one phase release together.
  std::uint32_t released = 0;
  for_barriers(target, target.lanes, [&](std::uint32_t same, int first) {
    Mbarrier* barrier = c.cta().mbarriers.find(target.address[first]);
    std::uint64_t count = 0;
    for_lanes(same, [&](int lane) { count += count_of(c, 1, lane); });
    if (barrier == nullptr || count > barrier->pending) return;
    release_to(c, target, *barrier, same);
    released |= same;
  });
  for_lanes(target.lanes, [&](int lane) {
    Mbarrier* barrier = barrier_of(c, target, lane);
    if (barrier != nullptr && (released >> lane & 1) == 0)
      release_to(c, target, *barrier, 1U << lane);
    if (barrier == nullptr || !usable_count(c, 1, lane, 1)) {
      c.result(lane, 0, true);
      return;
    }
    c.result(lane, barrier->state());
    watch(c, target, lane, true, true);
    const std::uint32_t count = count_of(c, 1, lane);
    if (drop) barrier->expected -= std::min(count, barrier->expected);
    arrive(c, target, *barrier, lane, count, may_complete);
  });
  return Next::go_on;
}

void expect(const Context& c, Mbarrier& barrier, int lane) {
  if (c.poisoned(1, lane)) {
    c.fault(ir::FaultKind::uninit, lane, "the bytes that an mbarrier expects were never written");
    return;
  }
  barrier.bytes += static_cast<std::int64_t>(c.bits(1, lane));
}

}  // namespace

Next eval(ir::PtxMbarrierInit, Context& c) {
  const Target target = barriers(c);
  for_lanes(target.lanes, [&](int lane) {
    if (!usable_count(c, 1, lane, 1)) return;
    if (c.cta().mbarriers.find(target.address[lane]) != nullptr) {
      c.fault(ir::FaultKind::trap, lane,
              fmt::format("{} is an mbarrier already", name_of(target, c, lane)),
              "one thread makes it; mbarrier.inval ends its life");
    }
    Mbarrier& barrier = c.cta().mbarriers.make(target.address[lane]);
    barrier.expected = count_of(c, 1, lane);
    barrier.pending = barrier.expected;
    barrier.made = &c.site;
    if (c.warp.races != nullptr) {
      barrier.arriving.clear(c.warp.races->threads.cta());
      barrier.complete.clear(c.warp.races->threads.cta());
    }
    watch(c, target, lane, false, true);
    write_word(target, lane, barrier.word());
    wake(c.cta(), target.address[lane]);
  });
  return Next::go_on;
}

Next eval(ir::PtxMbarrierInval, Context& c) {
  const Target target = barriers(c);
  if (waits_for_init(c, target)) return Next::retry;
  for_lanes(target.lanes, [&](int lane) {
    if (barrier_of(c, target, lane) == nullptr) return;
    watch(c, target, lane, false, true);
    c.cta().mbarriers.erase(target.address[lane]);
    exec::mark(*target.region, target.address[lane], 8, false);
  });
  return Next::go_on;
}

Next eval(ir::PtxMbarrierArrive, Context& c) {
  return arrive_all(c, false);
}

Next eval(ir::PtxMbarrierArriveDrop, Context& c) {
  return arrive_all(c, true);
}

Next eval(ir::PtxMbarrierArriveExpectTx, Context& c) {
  const Target target = barriers(c);
  if (waits_for_init(c, target)) return Next::retry;
  for_lanes(c.lanes, [&](int lane) {
    Mbarrier* barrier = (target.lanes >> lane & 1) != 0 ? barrier_of(c, target, lane) : nullptr;
    if (barrier == nullptr) {
      c.result(lane, 0, true);
      return;
    }
    c.result(lane, barrier->state());
    release_to(c, target, *barrier, 1U << lane);
    expect(c, *barrier, lane);
    arrive(c, target, *barrier, lane, 1, true);
  });
  return Next::go_on;
}

Next eval(ir::PtxMbarrierExpectTx, Context& c) {
  const Target target = barriers(c);
  if (waits_for_init(c, target)) return Next::retry;
  for_lanes(target.lanes, [&](int lane) {
    Mbarrier* barrier = barrier_of(c, target, lane);
    if (barrier == nullptr) return;
    expect(c, *barrier, lane);
    write_word(target, lane, barrier->word());
  });
  return Next::go_on;
}

Next eval(ir::PtxMbarrierTestWait, Context& c) {
  return test(c);
}

Next eval(ir::PtxMbarrierTryWait, Context& c) {
  return test(c);
}

Next eval(ir::PtxCpAsyncMbarrierArrive, Context& c) {
  const Target target = barriers(c);
  if (waits_for_init(c, target)) return Next::retry;
  const bool counted = c.site.instruction->has("noinc");
  for_lanes(target.lanes, [&](int lane) {
    Mbarrier* barrier = barrier_of(c, target, lane);
    if (barrier == nullptr) return;
    if (!counted) {
      ++barrier->pending;
      write_word(target, lane, barrier->word());
    }
    const DeferredArrival arrival{c.warp.index, lane, target.address[lane],
                                  c.cta().copies.last_copy(c.warp, lane), &c.site};
    if (c.cta().copies.oldest_pending(c.warp, lane) > arrival.last_copy) {
      arrive_late(c, arrival);
    } else {
      c.cta().mbarriers.defer(arrival);
      wake(c.cta(), arrival.address);
    }
  });
  return Next::go_on;
}

Next eval(ir::MbarrierWait, Context& c) {
  const Target target = barriers(c);
  if (waits_for_init(c, target)) return Next::retry;
  std::uint32_t waiting = 0;
  for_lanes(target.lanes, [&](int lane) {
    if (!completed(c, target, lane, true)) waiting |= 1U << lane;
  });
  const std::uint32_t passing = target.lanes & ~waiting;
  look_at_wait(c, target, passing, true);
  look_at_wait(c, target, waiting, false);
  acquire(c, target, passing);
  remember_wait(c, target, passing);
  if (waiting == 0) return Next::go_on;
  Strand& strand = c.block(StrandState::mbarrier);
  strand.phase = static_cast<std::uint64_t>(target.address[std::countr_zero(waiting)]);
  strand.wanted = static_cast<std::uint32_t>(c.bits(1, std::countr_zero(waiting)) & 1);
  return Next::retry;
}

/// The arrivals of copies that have just been waited for.
void arrive_after_copies(const Context& c) {
  Cta& cta = c.cta();
  if (!cta.mbarriers.has_deferred()) return;
  const auto done = cta.mbarriers.take_done(
      c.warp.index, [&](int lane) { return cta.copies.oldest_pending(c.warp, lane); });
  for (const DeferredArrival& arrival : done) arrive_late(c, arrival);
}

}  // namespace tirx::sim::ops
