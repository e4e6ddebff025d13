#include "fuzz/negative/closure.hpp"

#include <algorithm>

namespace tirx::fuzz {

Closure::Clock& Closure::clock(std::size_t thread) {
  Clock& known = clocks_[thread];
  if (known.size() <= thread) known.resize(thread + 1, 0);
  if (known[thread] == 0) known[thread] = 1;
  return known;
}

void Closure::join(Clock& into, const Clock& from) {
  if (into.size() < from.size()) into.resize(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

void Closure::access(std::size_t thread,
                     std::uint64_t space,
                     std::size_t begin,
                     std::size_t end,
                     bool write,
                     bool atomic) {
  const Clock& now = clock(thread);
  const Access mine{thread, now[thread], write, atomic};
  for (std::size_t byte = begin; byte < end; ++byte) {
    std::vector<Access>& earlier = bytes_[{space, byte}];
    bool known = false;
    for (const Access& other : earlier) {
      known = known || other == mine;
      if (other.thread == thread || (!other.write && !write) || (other.atomic && atomic)) continue;
      const bool ordered = other.thread < now.size() && now[other.thread] >= other.time;
      conflicts_ += ordered ? 0 : 1;
    }
    if (!known) earlier.push_back(mine);
  }
}

void Closure::arrive(std::size_t thread, std::uint64_t barrier) {
  Clock& mine = clock(thread);
  join(barriers_[barrier], mine);
  ++mine[thread];
}

void Closure::pass(std::span<const std::size_t> threads, std::uint64_t barrier) {
  const auto gathered = barriers_.find(barrier);
  if (gathered == barriers_.end()) return;
  for (const std::size_t thread : threads) join(clock(thread), gathered->second);
  barriers_.erase(gathered);
}

}  // namespace tirx::fuzz
