#include "sim/machine/stats.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "ir/all_ops.hpp"
#include "sim/exec/addresses.hpp"
#include "sim/exec/lanes.hpp"

namespace tirx::sim {

namespace {

constexpr std::int64_t kBanks = 32, kBankBytes = 4, kSector = 32;

/// A raw operand of a machine operation in one lane.
std::int64_t operand_of(const CallOperand& from, const Warp& warp, int lane) {
  if (from.kind == CallOperand::Kind::uniform) {
    return static_cast<std::int64_t>(warp.uniform[from.reg]);
  }
  return reinterpret_cast<const std::int32_t*>(warp.vectors + from.reg)[lane];
}

/// Barriers and waits: operations at which a warp may have to wait for others.
bool waits(const CallSite& call) {
  using Step = ir::OpOrder::Step;
  const Step step = ir::order(call.op).step;
  return step == Step::meet || step == Step::wait;
}

}  // namespace

BankPasses bank_passes(const std::int64_t* address, std::uint32_t lanes, std::int64_t bytes) {
  const int together = bytes <= kBankBytes ? kLanes : bytes <= 2 * kBankBytes ? 16 : 8;
  BankPasses result;
  std::vector<std::int64_t> words;
  for (int first = 0; first < kLanes; first += together) {
    words.clear();
    for (int lane = first; lane < first + together; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      const std::int64_t end = (address[lane] + bytes - 1) / kBankBytes;
      for (std::int64_t word = address[lane] / kBankBytes; word <= end; ++word) {
        words.push_back(word);
      }
    }
    if (words.empty()) continue;
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::array<std::uint32_t, kBanks> at_bank{};
    for (const std::int64_t word : words) ++at_bank[static_cast<std::size_t>(word % kBanks)];
    const std::uint32_t passes = *std::max_element(at_bank.begin(), at_bank.end());
    result.passes += passes;
    result.least += 1;
    result.worst = std::max(result.worst, passes);
  }
  return result;
}

Sectors sectors(const std::int64_t* address, std::uint32_t lanes, std::int64_t bytes) {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  for_lanes(lanes, [&](int lane) { ranges.emplace_back(address[lane], address[lane] + bytes); });
  std::sort(ranges.begin(), ranges.end());
  Sectors result;
  std::int64_t different = 0, reached = 0, next_sector = 0;
  for (const auto& [begin, end] : ranges) {
    different += std::max<std::int64_t>(end - std::max(begin, reached), 0);
    const std::int64_t first = std::max(begin / kSector, next_sector);
    const std::int64_t last = (end - 1) / kSector;
    if (last >= first) result.touched += static_cast<std::uint32_t>(last - first + 1);
    next_sector = std::max(next_sector, last + 1);
    reached = std::max(reached, end);
  }
  result.least = static_cast<std::uint32_t>((different + kSector - 1) / kSector);
  return result;
}

void Stats::request(const MemSite& site,
                    const std::int64_t* address,
                    std::uint32_t lanes,
                    std::int64_t bytes,
                    Access& counts) const {
  // Lanes outside of the storage are reported, and do not access it.
  std::uint32_t inside = 0;
  for_lanes(lanes, [&](int lane) {
    if (address[lane] >= site.lo && address[lane] + bytes <= site.hi) inside |= 1U << lane;
  });
  if (inside == 0) return;
  ++counts.requests;
  counts.bytes +=
      static_cast<std::uint64_t>(std::popcount(inside)) * static_cast<std::uint64_t>(bytes);
  if (is_shared(site)) {
    const BankPasses found = bank_passes(address, inside, bytes);
    counts.transfers += found.passes;
    counts.least += found.least;
    counts.worst = std::max(counts.worst, found.worst);
  } else {
    const Sectors found = sectors(address, inside, bytes);
    counts.transfers += found.touched;
    counts.least += found.least;
    counts.worst = std::max(counts.worst, found.touched);
  }
}

/// Notes what the access asks for, with the addresses as they are before it.
void Stats::look(const MemSite& site,
                 const CallSite* call,
                 std::size_t argument,
                 const Warp& warp) {
  Request made;
  made.site = &site;
  made.call = call;
  std::uint32_t lanes = warp.mask & ~warp.skip;
  const std::size_t size_argument = [&] {
    if (call == nullptr || call->instruction == nullptr) return std::size_t{SIZE_MAX};
    const ir::ptx::Operand& operand = call->instruction->argument(argument);
    if (operand.lanes < kLanes) lanes &= (1U << operand.lanes) - 1;
    return operand.size_argument;
  }();
  alignas(64) std::array<std::int64_t, kLanes> address{};
  exec::addresses(site, warp, address.data());
  const std::int64_t unit = site.nibble ? 2 : 1;
  if (call != nullptr && size_argument < call->args.size() &&
      call->args[size_argument].kind != CallOperand::Kind::absent) {
    // A copy that reads fewer bytes than it writes, each lane for itself.
    std::map<std::int64_t, std::uint32_t> by_size;
    for_lanes(lanes, [&](int lane) {
      by_size[operand_of(call->args[size_argument], warp, lane)] |= 1U << lane;
    });
    for (const auto& [bytes, some] : by_size) {
      if (bytes > 0) request(site, address.data(), some, bytes, made.counts);
    }
    pending_.push_back(made);
    return;
  }
  constexpr std::int64_t kMost = 16;  // bytes of one lane in one request
  const bool together = site.count == 1 || site.stride == site.size;
  const std::int64_t piece =
      together ? std::min<std::int64_t>(site.count * site.size, kMost) : site.size;
  const std::int64_t step = together ? piece : site.stride;
  const std::int64_t pieces = together ? (site.count * site.size + piece - 1) / piece : site.count;
  for (std::int64_t i = 0; i < pieces; ++i) {
    std::array<std::int64_t, kLanes> at{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      at[lane] = (address[lane] + i * step) / unit;
    }
    request(site, at.data(), lanes, piece, made.counts);
  }
  pending_.push_back(made);
}

const Instr* Stats::step(const Instr* pc, Warp& warp) {
  const auto at = static_cast<std::size_t>(pc - program_.code.data());
  const CountedInstr& counted = program_.counted[at];
  pending_.clear();
  if (counted.access != nullptr) look(*counted.access, nullptr, 0, warp);
  if (counted.call != nullptr) {
    for (std::size_t i = 0; i < counted.call->args.size(); ++i) {
      const CallOperand& operand = counted.call->args[i];
      if (operand.kind == CallOperand::Kind::pointer) {
        look(*operand.pointer, counted.call, i, warp);
      }
    }
  }
  const Instr* next = pc->run(pc, warp);
  // What has to wait and to be tried again is counted when it has succeeded.
  const bool again =
      next == nullptr && warp.stop == Stop::blocked && warp.strands[warp.running].pc == pc;
  if (again) return next;
  if (!counted.check) ++executed_[at];
  for (const Request& request : pending_) {
    Request& known = accesses_[request.site];
    known.site = request.site;
    known.call = request.call;
    known.counts.requests += request.counts.requests;
    known.counts.bytes += request.counts.bytes;
    known.counts.transfers += request.counts.transfers;
    known.counts.least += request.counts.least;
    known.counts.worst = std::max(known.counts.worst, request.counts.worst);
  }
  return next;
}

ir::LaunchStats Stats::take(const Source* source) const {
  ir::LaunchStats stats;
  std::map<std::uint32_t, std::uint64_t> lines;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, ir::WaitStats> waits_at;
  Span span;
  for (std::size_t i = 0; i < executed_.size(); ++i) {
    if (!program_.spans[i].empty()) span = program_.spans[i];
    stats.instructions += executed_[i];
    if (executed_[i] != 0 && source != nullptr && !span.empty()) {
      lines[source->locate(span.begin).line] += executed_[i];
    }
    const CallSite* call = program_.counted[i].call;
    if (call == nullptr || executed_[i] == 0 || !waits(*call)) continue;
    const std::string name(ir::spec(call->op).name);
    ir::WaitStats& wait = waits_at[{call->place.span.begin, call->place.span.end, name}];
    wait.span = call->place.span;
    wait.what = name;
    wait.passed += executed_[i];
  }
  for (const auto& [line, count] : lines) stats.lines.push_back({line, count});
  for (auto& [key, wait] : waits_at) stats.waits.push_back(std::move(wait));
  // Copies of one statement (unrolled, both sides of a branch) are one place.
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::string, std::string>;
  std::map<Key, ir::AccessStats> accesses;
  for (const auto& [site, known] : accesses_) {
    if (known.counts.requests == 0) continue;
    const Place& place = known.call != nullptr ? known.call->place : site->place;
    const std::string what = known.call != nullptr ? std::string(ir::spec(known.call->op).name)
                             : site->is_write      ? "write"
                                                   : "read";
    const std::string& buffer = site->buffer->name;
    ir::AccessStats& access = accesses[{place.span.begin, place.span.end, what, buffer}];
    access.span = place.span;
    access.buffer = buffer;
    access.what = what;
    access.shared = is_shared(*site);
    access.requests += known.counts.requests;
    access.bytes += known.counts.bytes;
    access.transfers += known.counts.transfers;
    access.least += known.counts.least;
    access.worst = std::max(access.worst, known.counts.worst);
  }
  for (auto& [key, access] : accesses) stats.accesses.push_back(std::move(access));
  return stats;
}

}  // namespace tirx::sim
