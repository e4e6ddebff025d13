// One CTA: its threads, barriers, and the order in which its warps run.
#include "sim/machine/cta.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <numeric>

#include <fmt/format.h>

#include "sim/exec/lanes.hpp"

namespace tirx::sim {

namespace {

/// splitmix64: seeds are small numbers, choices must not be.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// An arrival at a counter and one look at it: whoever waits for nobody else is through by then.
constexpr std::uint32_t kPollsOn = 2;

std::int64_t count_invalid(const ir::Memory& memory, std::int64_t lo, std::int64_t hi) {
  std::int64_t count = 0;
  for (std::int64_t i = lo; i < hi;) {
    const auto word = static_cast<std::size_t>(i / 64);
    if (i % 64 == 0 && i + 64 <= hi) {
      if (memory.valid[word] != ~std::uint64_t{0}) count += 64 - std::popcount(memory.valid[word]);
      i += 64;
    } else {
      count += static_cast<std::int64_t>((memory.valid[word] >> (i % 64) & 1) == 0);
      ++i;
    }
  }
  return count;
}

constexpr std::size_t kAlign = 64;

template <typename T>
T* aligned(std::vector<T>& bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(bytes.data());
  return reinterpret_cast<T*>((at + kAlign - 1) / kAlign * kAlign);
}

}  // namespace

std::int64_t state_bytes(const Program& program, std::int64_t threads) {
  const std::int64_t warps = (threads + kLanes - 1) / kLanes;
  const auto file = static_cast<std::int64_t>(program.vector_bytes) * 9 / 4 + 512;
  const auto uniforms = static_cast<std::int64_t>(program.uniform_count + 1) * 16;
  const auto joins = static_cast<std::int64_t>(program.join_count * sizeof(JoinState));
  // The detector's words of shared memory, and its slots.
  const auto sites = static_cast<std::int64_t>(program.race_sites.size());
  const std::int64_t watched = program.races ? program.shared_bytes * 8 + warps * sites * 512 : 0;
  return warps * (file + uniforms + joins + 4096) + program.shared_bytes * 9 / 8 + watched;
}

Cta::Cta(const Machine& machine_, GlobalRaces* global)
    : machine(machine_), faults(machine_.options->checks) {
  const Program& program = *machine.program;
  if (global != nullptr) races = std::make_unique<CtaRaces>(machine_, *global);
  threads = static_cast<std::uint32_t>(machine.binding->threads());
  const std::size_t warp_count = (threads + kLanes - 1) / kLanes;
  const std::size_t file = (program.vector_bytes + 255) / 256 * 256 + 256;
  const std::size_t uniforms = program.uniform_count + 1;
  storage_.resize(file * warp_count + kAlign);
  uniform_.resize(uniforms * warp_count);
  poison_.resize(file / 32 * warp_count);
  uniform_poison_.resize(uniforms * warp_count);
  origin_.reset(static_cast<std::uint32_t*>(std::calloc(file / 4 * warp_count, 4)));
  if (origin_ == nullptr) throw std::bad_alloc();
  uniform_origin_.resize(uniforms * warp_count);
  shared_.resize(static_cast<std::size_t>(program.shared_bytes) + 256 + kAlign);
  shared_valid_.resize(static_cast<std::size_t>(program.shared_bytes) / 64 + 4);
  for (std::size_t i = 0; i < machine.binding->tensors.size(); ++i) {
    const BoundTensor& tensor = machine.binding->tensors[i];
    Region region;
    region.data = tensor.memory->bytes.data();
    region.valid = tensor.memory->valid.data();
    // Other CTAs may poison what this one reads, so only what nobody writes goes unchecked.
    region.invalid = tensor.all_valid && !tensor.written ? 0 : 1;
    if (machine.counted) {
      region.counted = true;
      region.invalid = tensor.all_valid ? 0 : count_invalid(*tensor.memory, tensor.lo, tensor.hi);
    }
    if (!machine.owners.empty()) region.owner = machine.owners[i];
    regions.push_back(region);
  }
  for (std::size_t i = 0; i < program.shared_regions.size(); ++i) {
    Region region;
    region.data = aligned(shared_);
    region.valid = shared_valid_.data();
    region.counted = true;
    regions.push_back(region);
  }
  warps.resize(warp_count);
  for (std::size_t i = 0; i < warp_count; ++i) {
    Warp& warp = warps[i];
    warp.index = static_cast<std::uint32_t>(i);
    warp.vectors = aligned(storage_) + i * file;
    warp.uniform = uniform_.data() + i * uniforms;
    warp.poison = poison_.data() + i * (file / 32);
    warp.uniform_poison = uniform_poison_.data() + i * uniforms;
    warp.origin = origin_.get() + i * (file / 4);
    warp.uniform_origin = uniform_origin_.data() + i * uniforms;
    warp.joins.resize(program.join_count);
    warp.strands.reserve(kLanes);
    warp.mask = kFullMask;
    for (const Instr& instr : program.preload) instr.run(&instr, warp);
  }
  order_.resize(warp_count);
  came_.resize(warp_count * program.barrier_sites.size());
}

void Cta::reset(std::int64_t linear_, Cluster* cluster_) {
  const Program& program = *machine.program;
  const auto& grid = machine.binding->grid;
  linear = linear_;
  cluster = cluster_;
  coordinates = {linear % grid[0], linear / grid[0] % grid[1], linear / (grid[0] * grid[1])};
  std::fill(poison_.begin(), poison_.end(), 0U);
  std::fill(uniform_poison_.begin(), uniform_poison_.end(), std::uint8_t{0});
  std::fill(shared_valid_.begin(), shared_valid_.end(), std::uint64_t{0});
  // Who reads what nobody wrote gets the same in every run, whatever ran here before.
  std::fill(shared_.begin(), shared_.end(), std::byte{0});
  for (std::size_t i = 0; i < program.shared_regions.size(); ++i) {
    regions[program.global_regions + i].invalid =
        program.shared_regions[i].hi - program.shared_regions[i].lo;
  }
  for (std::uint32_t id = 0; id < barriers.size(); ++id) {
    if (barriers[id].arrived != 0) clear_barrier(id);
  }
  copies.reset(warps.size());
  mbarriers.reset();
  std::fill(came_.begin(), came_.end(), 0U);
  live = threads;
  steps = 0;
  changes = 0;
  restless = false;
  turns_ = machine.options->seed ^ static_cast<std::uint64_t>(linear) << 32;
  trapped = false;
  conflict = false;
  if (origins.size() > 1) {
    origins.resize(1);
    origin_sites_.clear();
    origin_elements_.clear();
  }
  stored_poison.clear();
  images_.clear();
  random_state = machine.options->seed * 0x2545f4914f6cdd1dU + static_cast<std::uint64_t>(linear);
  if (races != nullptr) races->reset(linear);
  for (Warp& warp : warps) {
    const std::uint32_t first = warp.index * kLanes;
    const std::uint32_t count = std::min<std::uint32_t>(kLanes, threads - first);
    warp.live = count == kLanes ? kFullMask : (1U << count) - 1;
    warp.regions = regions.data();
    warp.cta = this;
    warp.races = races.get();
    warp.skip = 0;
    warp.serial = 0;
    warp.chances = 0;
    warp.misnamed = 0;
    warp.interrupted = false;
    warp.cluster_phase = 0;
    warp.cluster_arrived = 0;
    warp.cluster_arrival = nullptr;
    for (std::size_t i = 0; i < 3; ++i) {
      warp.uniform[program.cta_register[i]] = static_cast<std::uint64_t>(coordinates[i]);
    }
    warp.strands.clear();
    warp.spawn(program.code.data(), warp.live, kNoJoin);
  }
}

ir::ThreadCoordinate Cta::where(const Warp& warp, int lane) const {
  ir::ThreadCoordinate at;
  at.cta = coordinates;
  at.warp = warp.index;
  at.lane = lane;
  at.thread = lane < 0 ? -1 : static_cast<std::int64_t>(warp.index) * kLanes + lane;
  return at;
}

std::string Cta::role_at(const Place& place) const {
  if (place.role.empty() || machine.source == nullptr) return {};
  const std::string_view text = machine.source->text(place.role);
  return place.otherwise ? fmt::format("not ({})", text) : std::string(text);
}

bool Cta::gives_way(Strand& strand) {
  switch (machine.options->schedule) {
    case Schedule::roundrobin:
      return true;
    case Schedule::reverse:
      strand.polls = strand.polls == kPollsOn ? 0 : strand.polls + 1;
      return strand.polls == 0;
    case Schedule::random:
      return next_random(random_state) % 2 == 0;
  }
  return true;
}

/// Runs the warp's strands until each waits or has ended.  False when the CTA must stop.
bool Cta::run_warp(Warp& warp, std::uint64_t budget) {
  constexpr std::uint64_t kLongestTurn = 64;
  std::uint64_t turn = restless ? 1 + next_random(turns_) % kLongestTurn : budget;
  while (true) {
    // Strands share registers: one that was interrupted goes on before the others.
    std::size_t at = warp.interrupted ? warp.running : 0;
    warp.interrupted = false;
    while (at < warp.strands.size() && warp.strands[at].state != StrandState::runnable) ++at;
    if (at == warp.strands.size()) return true;
    warp.running = at;
    warp.mask = warp.strands[at].mask;
    warp.join = warp.strands[at].join;
    const Instr* pc = warp.strands[at].pc;
    const std::uint64_t left = budget > steps ? budget - steps : 0;
    const std::uint64_t most = std::min(left, turn);
    std::uint64_t n = most;
    const auto go = [&](auto&& step) {
      while (n != 0) {
        const Instr* next = step(pc);
        --n;
        pc = next;
        if (next == nullptr) break;
      }
    };
    if (machine.stats == nullptr) {
      go([&](const Instr* at_pc) { return at_pc->run(at_pc, warp); });
    } else {
      go([&](const Instr* at_pc) { return machine.stats->step(at_pc, warp); });
    }
    steps += most - n;
    turn -= most - n;
    Strand& strand = warp.strands[at];
    if (pc != nullptr) {
      strand.pc = pc;
      strand.mask = warp.mask;
      strand.join = warp.join;
      warp.interrupted = true;
      if (most < left) return true;
      out_of_steps_at = machine.program->span_of(pc);
      return false;
    }
    if (warp.stop == Stop::abort) return false;
    if (warp.stop == Stop::dead) {
      warp.strands.erase(warp.strands.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      strand.mask = warp.mask;
      strand.join = warp.join;
    }
  }
}

CtaState Cta::run(std::uint64_t budget) {
  bool more = true;
  while (more) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (machine.options->schedule == Schedule::reverse) {
      std::reverse(order_.begin(), order_.end());
    } else if (machine.options->schedule == Schedule::random) {
      for (std::size_t i = order_.size(); i > 1; --i) {
        std::swap(order_[i - 1], order_[next_random(random_state) % i]);
      }
    }
    for (const std::size_t i : order_) {
      if (!run_warp(warps[i], budget)) {
        if (!trapped && !conflict) return CtaState::step_limit;
        report_order();
        return CtaState::done;
      }
    }
    // Strands that were released meanwhile run next; those that poll wait for the other CTAs.
    more = false;
    for (const Warp& warp : warps) {
      for (const Strand& strand : warp.strands) {
        more = more || (!restless && strand.state == StrandState::runnable);
      }
    }
    if (!more && !takes_turns()) more = give_up_mbarriers();
  }
  if (live == 0) {
    report_order();
    return CtaState::done;
  }
  for (Warp& warp : warps) {
    for (Strand& strand : warp.strands) {
      if (strand.state == StrandState::yielded) strand.state = StrandState::runnable;
    }
  }
  return CtaState::waiting;
}

namespace {

/// What bar.red gives to the threads of a strand (PTX ISA 9.7.13.1).
void deliver(const Barrier& barrier, Warp& warp, const Strand& strand) {
  std::uint32_t value = barrier.held;  // .popc
  if (strand.site->form.mode == ptx_mode::all_hold) {
    value = static_cast<std::uint32_t>(barrier.held == barrier.given);
  } else if (strand.site->form.mode == ptx_mode::some_hold) {
    value = static_cast<std::uint32_t>(barrier.held != 0);
  }
  for_lanes(strand.mask, [&](int lane) { warp.v32(strand.result)[lane] = value; });
  if (!strand.site->result_poison) return;
  std::uint32_t& poison = warp.poison_of(strand.result);
  poison = barrier.poison ? poison | strand.mask : poison & ~strand.mask;
  if (barrier.poison) warp.set_origin(strand.result, strand.mask, barrier.origin);
}

}  // namespace

void Cta::clear_barrier(std::uint32_t id) {
  if (barriers[id].has_early) early[id] = {};
  barriers[id] = {};
}

void Cta::arrive_early(std::uint32_t id, const Warp& warp, std::uint32_t lanes) {
  barriers[id].has_early = true;
  early[id][warp.index] |= lanes;
}

void Cta::complete(std::uint32_t id) {
  const Barrier& met = barriers[id];
  if (met.with_count.site != nullptr && met.without_count.site != nullptr && !met.counts_differ) {
    report_forms(id);
  }
  if (races != nullptr) races->complete(id, warps, barriers[id].whole_cta);
  const Barrier done = barriers[id];
  clear_barrier(id);
  for (Warp& warp : warps) {
    for (Strand& strand : warp.strands) {
      if (strand.state == StrandState::barrier && strand.object == id) {
        if (done.reduces) deliver(done, warp, strand);
        strand.state = StrandState::runnable;
      }
    }
  }
}

void Cta::arrive(std::uint32_t id,
                 std::uint32_t count,
                 std::uint32_t expected,
                 bool whole_cta,
                 const Warp& warp,
                 const CallSite& site) {
  ++came(warp, site);
  Barrier& barrier = barriers[id];
  Barrier::Form& form = whole_cta ? barrier.without_count : barrier.with_count;
  if (form.site == nullptr || warp.index < form.warp) form = {warp.index, &site};
  barrier.expected = expected;
  // Whoever comes last: bar.arrive does not make it a barrier of fewer threads.
  barrier.whole_cta = barrier.whole_cta || whole_cta;
  barrier.arrived += count;
  const std::uint32_t gone = barrier.whole_cta ? threads - live - barrier.early_left : 0;
  if (barrier.arrived + gone >= barrier.expected) complete(id);
}

void Cta::lanes_left(Warp& warp, std::uint32_t lanes) {
  const std::uint32_t count = count_lanes(lanes & warp.live);
  if (races != nullptr) races->leave(warp.index, lanes & warp.live, cluster);
  const std::uint32_t leaving = lanes & warp.live;
  warp.live &= ~lanes;
  live -= count;
  for (std::uint32_t id = 0; id < barriers.size(); ++id) {
    Barrier& barrier = barriers[id];
    if (barrier.arrived == 0) continue;
    if (barrier.has_early) barrier.early_left += count_lanes(leaving & early[id][warp.index]);
    if (barrier.whole_cta &&
        barrier.arrived + (threads - live - barrier.early_left) >= barrier.expected) {
      complete(id);
    }
  }
  if (cluster != nullptr) {
    cluster->live -= count;
    // Who has arrived and exits is no longer waited for, and counts in nobody's place.
    if (warp.cluster_phase == cluster->phase + 1) {
      cluster->arrived -= count_lanes(leaving & warp.cluster_arrived);
    }
    warp.cluster_arrived &= ~leaving;
    release_cluster();
  }
  // Lanes of this warp that others wait for.
  for (Strand& strand : warp.strands) {
    if (strand.state == StrandState::warp) strand.state = StrandState::runnable;
  }
}

void Cta::release_cluster() {
  if (cluster == nullptr || cluster->arrived < cluster->live || cluster->arrived == 0) return;
  cluster->arrived = 0;
  ++cluster->phase;
  if (races != nullptr) {
    cluster->completed.clear(race::kNoCta);
    cluster->completed.join(cluster->arriving);
    cluster->completed.join(cluster->left);
    cluster->arriving.clear(race::kNoCta);
  }
}

}  // namespace tirx::sim
