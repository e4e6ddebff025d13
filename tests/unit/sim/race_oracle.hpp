// What happened before what, edge by edge: the closure of a small graph, made while it grows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/race/space.hpp"

namespace tirx::sim::race {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}

  std::uint32_t below(std::uint32_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>((state_ >> 11) % n);
  }

 private:
  std::uint64_t state_;
};

inline constexpr int kNever = 1 << 30;
inline constexpr std::uint32_t kMaxNodes = 256;
using Nodes = std::array<std::uint64_t, kMaxNodes / 64>;

/// The graph of what happened.  Nodes are numbered in the order of the run, so that all edges lead
/// upwards and the closure is made on the way.
class Oracle {
 public:
  void reset() {
    count_ = 0;
    accesses_.clear();
  }

  int node(const std::vector<int>& before, bool bridge = false) {
    const auto n = static_cast<std::size_t>(count_++);
    before_[n] = {};
    bridged_[n] = {};
    for (const int p : before) {
      if (p < 0) continue;
      const auto from = static_cast<std::size_t>(p);
      for (std::size_t w = 0; w < before_[n].size(); ++w) {
        before_[n][w] |= before_[from][w];
        bridged_[n][w] |= bridged_[from][w];
      }
      before_[n][from / 64] |= std::uint64_t{1} << from % 64;
    }
    if (bridge) bridged_[n] = before_[n];
    return count_ - 1;
  }

  struct Access {
    int node = 0, thread = 0, cta = 0, cell = 0;
    bool write = false, strong = false, proxy = false;
    Scope scope = Scope::sys;
  };

  /// Whether an access races with an earlier one.
  bool access(const Access& a, std::uint32_t cluster_size) {
    bool race = false;
    for (const Access& b : accesses_) {
      if (b.cell != a.cell || !(a.write || b.write)) continue;
      if (a.strong && b.strong) {
        const auto cs = static_cast<int>(cluster_size);
        const Scope least = std::min(a.scope, b.scope);
        if (a.cta == b.cta || least >= Scope::gpu ||
            (a.cta / cs == b.cta / cs && least >= Scope::cluster)) {
          continue;
        }
      }
      const auto from = static_cast<std::size_t>(b.node), to = static_cast<std::size_t>(a.node);
      const Nodes& known = a.proxy && !b.proxy ? bridged_[to] : before_[to];
      if ((known[from / 64] >> from % 64 & 1) == 0) race = true;
    }
    return race;
  }

  void record(const Access& a) { accesses_.push_back(a); }

  [[nodiscard]] bool room() const { return count_ + 48 < static_cast<int>(kMaxNodes); }

 private:
  int count_ = 0;
  std::array<Nodes, kMaxNodes> before_{}, bridged_{};
  std::vector<Access> accesses_;
};

}  // namespace tirx::sim::race
