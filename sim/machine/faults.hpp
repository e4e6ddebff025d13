// Faults of one CTA as they happen: one entry per (site, kind) with a count.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ir/launch.hpp"
#include "sim/simulate.hpp"

namespace tirx::sim {

class FaultSink {
 public:
  explicit FaultSink(CheckSet checks = {}) : checks_(checks) {}

  /// Counts one occurrence; `describe` makes the fault if it is the first at this site.
  template <typename Describe>
  void add(ir::FaultKind kind, std::uint32_t site, Describe&& describe) {
    if (!checks_.has(kind)) return;
    const auto [at, fresh] =
        index_.try_emplace({site, static_cast<std::uint8_t>(kind)}, entries_.size());
    if (fresh) {
      ir::Fault fault = describe();
      fault.kind = kind;
      fault.count = 1;
      entries_.push_back({site, std::move(fault)});
    } else {
      ++entries_[at->second].fault.count;
    }
  }

  /// Adds what another sink has found, after one's own.
  void merge(const FaultSink& other);
  void clear();

  [[nodiscard]] bool empty() const { return entries_.empty(); }

  [[nodiscard]] std::vector<ir::Fault> take(int limit) const;

  [[nodiscard]] bool has(ir::FaultKind kind) const;

 private:
  struct Entry {
    std::uint32_t site;
    ir::Fault fault;
  };

  CheckSet checks_;
  std::map<std::pair<std::uint32_t, std::uint8_t>, std::size_t> index_;
  std::vector<Entry> entries_;
};

}  // namespace tirx::sim
