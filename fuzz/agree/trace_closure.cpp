#include "fuzz/agree/trace_closure.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace tirx::fuzz {

using sim::race::Scope;
using sim::race::Trace;

namespace {

/// Which nodes lie before which: a row of bits for each.
class Closure {
 public:
  explicit Closure(const Trace& trace) : words_((trace.before().size() + 63) / 64) {
    const auto& before = trace.before();
    bits_.resize(before.size() * words_);
    for (std::size_t n = 0; n < before.size(); ++n) {
      std::uint64_t* row = bits_.data() + n * words_;
      for (const Trace::Node p : before[n]) {
        const std::uint64_t* other = bits_.data() + p * words_;
        // Edges lead upwards: what is before a node has smaller numbers.
        for (std::size_t w = 0; w <= p / 64; ++w) row[w] |= other[w];
        row[p / 64] |= std::uint64_t{1} << p % 64;
      }
    }
  }

  [[nodiscard]] bool ordered(Trace::Node first, Trace::Node second) const {
    return first == second || (bits_[second * words_ + first / 64] >> first % 64 & 1) != 0;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

bool compatible(const Trace& trace, const Trace::Access& a, const Trace::Access& b) {
  if (!a.strong || !b.strong) return false;
  const Scope least = std::min(a.scope, b.scope);
  if (a.cta == b.cta || least >= Scope::gpu) return true;
  return a.cta / trace.cluster_size == b.cta / trace.cluster_size && least >= Scope::cluster;
}

/// Launches that polled until they were given up are not judged: a write of a word meets all its
/// accesses.
constexpr std::size_t kMostPairs = 1'000'000'000;

}  // namespace

std::optional<bool> has_race(const Trace& trace) {
  if (!trace.complete || trace.before().size() > kMostNodes) return std::nullopt;
  const Closure closure(trace);
  // Bytes that the same accesses cover are one piece: pieces end where some access does.
  std::map<std::uint64_t, std::vector<const Trace::Access*>> memories;
  for (const Trace::Access& access : trace.accesses()) memories[access.memory].push_back(&access);
  for (const auto& [memory, accesses] : memories) {
    std::vector<std::int64_t> ends;
    for (const Trace::Access* access : accesses) {
      ends.push_back(access->byte);
      ends.push_back(access->byte + access->size);
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    std::vector<std::vector<const Trace::Access*>> pieces(ends.size());
    for (const Trace::Access* access : accesses) {
      const auto first = std::lower_bound(ends.begin(), ends.end(), access->byte);
      for (auto at = first; *at < access->byte + access->size; ++at) {
        pieces[static_cast<std::size_t>(at - ends.begin())].push_back(access);
      }
    }
    for (const auto& piece : pieces) {
      const auto writes = static_cast<std::size_t>(std::count_if(
          piece.begin(), piece.end(), [](const Trace::Access* access) { return access->write; }));
      if (writes * piece.size() > kMostPairs) return std::nullopt;
      for (std::size_t i = 0; i < piece.size(); ++i) {
        if (!piece[i]->write) continue;
        for (std::size_t j = 0; j < piece.size(); ++j) {
          // Two writes meet once.
          if (j == i || (piece[j]->write && j < i)) continue;
          const Trace::Access &a = *piece[std::min(i, j)], &b = *piece[std::max(i, j)];
          if (!closure.ordered(a.node, b.node) && !compatible(trace, a, b)) return true;
        }
      }
    }
  }
  return false;
}

}  // namespace tirx::fuzz
