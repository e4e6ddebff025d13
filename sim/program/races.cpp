// Which accesses are watched for races, in granules of which size, and where do their lanes lie?
// Tensors that nobody writes are not watched.
#include <algorithm>
#include <bit>
#include <map>
#include <string_view>

#include "ir/all_ops.hpp"
#include "sim/program/compiler.hpp"

namespace tirx::sim {

namespace {

race::Scope scope_of(std::string_view word) {
  return word == "cta"       ? race::Scope::cta
         : word == "cluster" ? race::Scope::cluster
         : word == "sys"     ? race::Scope::sys
                             : race::Scope::gpu;
}

/// "acq_rel.gpu"
void read_semantics(std::string_view text, RaceSite& site) {
  const std::size_t dot = text.find('.');
  const std::string_view order = text.substr(0, dot);
  site.acquires = order == "acquire" || order == "acq_rel";
  site.releases = order == "release" || order == "acq_rel";
  site.scope = scope_of(dot == std::string_view::npos ? "gpu" : text.substr(dot + 1));
}

/// An instruction by name: weak loads and stores are plain accesses, the others are strong.
void watch_instruction(const CallSite& call, const MemSite& mem, RaceSite& site) {
  using Ops = ir::AllOps;
  site.kind = mem.is_write ? RaceSite::Kind::write : RaceSite::Kind::read;
  const ir::ptx::Instruction& made = *call.instruction;
  const bool loads = call.op == Ops::id_of<ir::PtxLoad>();
  const bool changes = call.op == Ops::id_of<ir::PtxAtom>() || call.op == Ops::id_of<ir::PtxRed>();
  if (made.family->opcode.find("mbarrier.") != std::string_view::npos &&
      call.op != Ops::id_of<ir::PtxMbarrierInit>() &&
      call.op != Ops::id_of<ir::PtxMbarrierInval>()) {
    // Barriers do not race with each other; who waits acquires from the barrier itself.
    site.kind = RaceSite::Kind::atomic;
    site.strong = true;
    site.scope = race::Scope::cta;
    return;
  }
  if (!loads && !changes && call.op != Ops::id_of<ir::PtxStore>()) return;
  const std::string_view order = made.word(0), scope = made.word(1);
  if (!changes && (order.empty() || order == "weak")) return;
  site.strong = true;
  if (!loads) site.kind = RaceSite::Kind::atomic;
  site.acquires = order == "acquire" || order == "acq_rel";
  site.releases = order == "release" || order == "acq_rel";
  site.scope = order == "volatile" ? race::Scope::sys
               : scope.empty()     ? race::Scope::gpu
                                   : scope_of(scope);
}

}  // namespace

/// The scope of a fence, "gpu" by default.
race::Scope fence_scope(std::string_view text) {
  return scope_of(text);
}

/// Watches an access; `call` is the operation it belongs to.
void Compiler::watch(MemSite& mem, const CallSite* call) {
  if (!checks(ir::FaultKind::race)) return;
  const bool shared = mem.region >= program_->global_regions;
  if (!shared && !mem.owned) return;
  auto site = std::make_unique<RaceSite>();
  site->number = static_cast<std::uint32_t>(program_->race_sites.size());
  site->shared = shared;
  site->shadow = mem.region;
  site->mem = &mem;
  site->call = call;
  site->kind = mem.is_write ? RaceSite::Kind::write : RaceSite::Kind::read;
  if (call != nullptr) {
    using Ops = ir::AllOps;
    site->kind = RaceSite::Kind::read;
    if (call->op == Ops::id_of<ir::LoadAcquire>()) {
      site->strong = true;
      read_semantics(call->text.empty() ? "acquire.gpu" : call->text, *site);
    } else if (call->op == Ops::id_of<ir::StoreRelease>()) {
      site->strong = true;
      site->kind = RaceSite::Kind::atomic;
      read_semantics(call->text.empty() ? "release.gpu" : call->text, *site);
    } else if (call->instruction != nullptr) {
      watch_instruction(*call, mem, *site);
    } else if (call->op != Ops::id_of<ir::LoadReadOnly>() &&
               call->op != Ops::id_of<ir::PrintBuffer>()) {
      site->strong = true;
      site->kind = RaceSite::Kind::atomic;
      read_semantics(call->text.empty() ? "relaxed.gpu" : call->text, *site);
    }
    if (site->strong && site->scope < race::Scope::gpu) program_->narrow = true;
  }
  mem.race = site.get();
  program_->race_sites.push_back(std::move(site));
}

/// The detector's instruction in front of a plain access.
void Compiler::emit_race(MemSite& mem, Reg value) {
  watch(mem, nullptr);
  if (mem.race == nullptr) return;
  Draft& draft = emit(mem.is_write ? lanes_.race_write : lanes_.race_read);
  if (mem.is_write) {
    draft.instr.a = value;
    draft.registers = Draft::kA;
  }
  draft.instr.data.race = mem.race;
  draft.mem = &mem;
}

/// Whether some fence or ordered access reaches less than the whole GPU.
void Compiler::note_scope(const CallSite& call) {
  using Ops = ir::AllOps;
  const bool named =
      call.op == Ops::id_of<ir::PtxFence>() || call.op == Ops::id_of<ir::PtxMembar>();
  if (named && (call.instruction->has("cta") || call.instruction->has("cluster"))) {
    program_->narrow = true;
  }
  if (call.op != Ops::id_of<ir::ThreadFence>()) return;
  if (fence_scope(call.text) < race::Scope::gpu) program_->narrow = true;
}

/// Granules and rows, once all accesses are known.
void Compiler::finish_races() {
  program_->races = checks(ir::FaultKind::race);
  const std::size_t regions = program_->global_regions + program_->shared_regions.size();
  std::vector<RaceRegion>& all = program_->race_regions;
  all.resize(regions);
  for (std::size_t i = 0; i < regions; ++i) {
    const bool shared = i >= program_->global_regions;
    all[i].shared = shared;
    all[i].lo =
        shared ? program_->shared_regions[i - program_->global_regions].lo : binding_.tensors[i].lo;
    all[i].hi =
        shared ? program_->shared_regions[i - program_->global_regions].hi : binding_.tensors[i].hi;
  }
  // The greatest common divisor of all widths and places: powers of two, so the lowest bit of all.
  std::vector<std::uint64_t> bits(regions, 0);
  for (const auto& site : program_->race_sites) {
    const MemSite& mem = *site->mem;
    std::uint64_t& known = bits[mem.region];
    // A vector of neighbours at a place that is a multiple of its size is one access.
    const bool whole = mem.count > 1 && mem.stride == mem.size && mem.aligned && !mem.nibble;
    known |= whole ? static_cast<std::uint64_t>(mem.size) * mem.count : mem.size;
    // The lanes of an stmatrix write pairs of elements, or single ones.
    if (site->call != nullptr && site->call->op == ir::AllOps::id_of<ir::PtxStmatrix>()) {
      known |= site->call->instruction->has("trans") ? 2 : 4;
    }
    known |= static_cast<std::uint64_t>(mem.lo | all[mem.region].lo);
    if (!whole && mem.count > 1 && mem.stride != 0) {
      known |= static_cast<std::uint64_t>(std::abs(mem.nibble ? mem.stride / 2 | 1 : mem.stride));
    }
    if (mem.nibble) known |= 1;
    // A compare-and-swap that fails only reads.
    all[mem.region].reads = all[mem.region].reads || site->kind != RaceSite::Kind::write;
    all[mem.region].atomics = all[mem.region].atomics || site->kind == RaceSite::Kind::atomic;
  }
  for (std::size_t i = 0; i < regions; ++i) {
    if (bits[i] != 0) all[i].shift = std::min(std::countr_zero(bits[i]), 4);
  }
  for (const auto& site : program_->race_sites) lay_out(*site, all[site->mem->region]);
}

/// The granules of a fixed pattern, sorted, and the lanes that touch each of them.
void Compiler::lay_out(RaceSite& site, const RaceRegion& region) {
  const MemSite& mem = *site.mem;
  if (mem.pattern == nullptr || mem.nibble || !mem.fits || site.call != nullptr) return;
  const std::int64_t granule = std::int64_t{1} << region.shift;
  constexpr std::size_t kMost = 1024;
  std::map<std::int64_t, std::uint32_t> touched;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < mem.count; ++e) {
      const std::int64_t at = mem.pattern->offset[static_cast<std::size_t>(lane)] + e * mem.stride;
      if (e == 0 && at % granule != 0) return;
      for (std::int64_t g = at >> region.shift; g << region.shift < at + mem.size; ++g) {
        touched[g] |= 1U << lane;
      }
    }
    if (touched.size() > kMost) return;
  }
  site.distinct = true;
  for (const auto& [g, lanes] : touched) {
    if (site.segments.empty() || site.segments.back().granule + site.segments.back().count != g) {
      site.segments.push_back({g, static_cast<std::uint32_t>(site.lanes.size()), 0});
    }
    ++site.segments.back().count;
    site.lanes.push_back(lanes);
    site.lane.push_back(static_cast<std::uint32_t>(std::countr_zero(lanes)));
    site.distinct = site.distinct && std::has_single_bit(lanes);
  }
}

}  // namespace tirx::sim
