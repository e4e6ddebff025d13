// Which two accesses of a run did nothing order?  The definition, computed from a trace without
// any cleverness: the set of events that happened before each thread's next one, compared with
// every earlier access to the same byte.  The judge of the race detector, with which it shares
// nothing.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "sim/tile_eval/tile_evaluate.hpp"

namespace tirx::fuzz {

class Closure : public sim::TraceSink {
 public:
  void access(std::size_t thread,
              std::uint64_t space,
              std::size_t begin,
              std::size_t end,
              bool write,
              bool atomic) override;
  void arrive(std::size_t thread, std::uint64_t barrier) override;
  void pass(std::span<const std::size_t> threads, std::uint64_t barrier) override;

  /// Pairs of accesses to one byte, by different threads, at least one a write and not both atomic,
  /// that nothing orders.
  [[nodiscard]] std::int64_t conflicts() const { return conflicts_; }

 private:
  using Clock = std::vector<std::uint32_t>;  // how much of each thread's past is known

  struct Access {
    std::size_t thread = 0;
    std::uint32_t time = 0;
    bool write = false, atomic = false;

    friend bool operator==(const Access&, const Access&) = default;
  };

  Clock& clock(std::size_t thread);
  static void join(Clock& into, const Clock& from);

  std::unordered_map<std::size_t, Clock> clocks_;
  std::map<std::uint64_t, Clock> barriers_;
  std::map<std::pair<std::uint64_t, std::size_t>, std::vector<Access>> bytes_;
  std::int64_t conflicts_ = 0;
};

}  // namespace tirx::fuzz
