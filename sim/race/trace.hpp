// What a run did, as a graph: for tests, which compare the detector's verdict with the closure of
// happens-before (tests/races/deletion.cpp).  A node is what a thread does between two
// synchronisations, or a transfer; edges say what comes before what.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/race/clock.hpp"
#include "sim/race/scope.hpp"

namespace tirx::sim::race {

class Trace {
 public:
  using Node = std::uint32_t;

  struct Access {
    Node node = 0;
    std::uint32_t cta = 0;
    std::uint64_t memory = 0;  // two accesses can only meet in one memory
    std::int64_t byte = 0;
    std::int64_t size = 0;
    bool write = false;
    bool strong = false;
    Scope scope = Scope::sys;
  };

  /// Where a thread is.
  [[nodiscard]] Node at(std::uint32_t cta, std::uint32_t warp, std::uint32_t lane) {
    const auto [found, fresh] = threads_.try_emplace({cta, warp, lane}, 0U);
    if (fresh) found->second = add({});
    return found->second;
  }

  /// The threads go on, each after itself and after `before`.
  void advance(std::uint32_t cta,
               std::uint32_t warp,
               Lanes lanes,
               const std::vector<Node>& before = {}) {
    // One node for what all of them come after: edges do not multiply.
    std::vector<Node> common = before;
    if (before.size() > 1) common = {add(before)};
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      std::vector<Node> all = common;
      all.push_back(at(cta, warp, lane));
      threads_[{cta, warp, lane}] = add(std::move(all));
    }
  }

  [[nodiscard]] Node add(std::vector<Node> before) {
    before_.push_back(std::move(before));
    return static_cast<Node>(before_.size() - 1);
  }

  void record(const Access& access) {
    constexpr std::size_t kMost = std::size_t{1} << 21;
    if (accesses_.size() < kMost) {
      accesses_.push_back(access);
    } else {
      complete = false;
    }
  }

  bool complete = true;  // else it became too long
  std::uint32_t cluster_size = 1;

  [[nodiscard]] const std::vector<Access>& accesses() const { return accesses_; }

  /// The nodes in front of each; edges lead upwards.
  [[nodiscard]] const std::vector<std::vector<Node>>& before() const { return before_; }

 private:
  std::map<std::array<std::uint32_t, 3>, Node> threads_;
  std::vector<std::vector<Node>> before_;
  std::vector<Access> accesses_;
};

}  // namespace tirx::sim::race
