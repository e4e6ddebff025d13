// Faults of one CTA as they happen: one entry per (site, kind) with a count.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
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
    const auto [at, fresh] = index_.try_emplace(Key{site, kNone, kind}, entries_.size());
    if (fresh) {
      ir::Fault fault = describe();
      fault.kind = kind;
      fault.count = 1;
      entries_.emplace_back(Key{site, kNone, kind}, std::move(fault));
    } else {
      ++entries_[at->second].fault.count;
    }
  }

  /// Which of the occurrences of a race is described: the least, whatever the schedule.
  using Order = std::array<std::uint64_t, 6>;

  /// What the two threads of a race have in common.
  enum class Reach : std::uint8_t { warp, cta, grid };

  /// A race, and what its first note, the help, says instead where threads that have less in common
  /// race at the same sites, too (empty: it holds for them as well).
  struct Race {
    ir::Fault fault;
    std::string help_of_cta;
  };

  /// Counts one race between two sites at an element; `describe` makes the Race if it is the first
  /// in order of those at these sites.
  template <typename Describe>
  void add_race(std::uint32_t site,
                std::uint32_t other,
                const Order& order,
                std::uint64_t element,
                Reach reach,
                Describe&& describe) {
    const auto [at, fresh] =
        index_.try_emplace(Key{site, other, ir::FaultKind::race}, entries_.size());
    if (fresh) entries_.emplace_back(Key{site, other, ir::FaultKind::race}, ir::Fault{});
    Entry& entry = entries_[at->second];
    if (fresh || order < entry.order) {
      Race race = describe();
      entry.fault = std::move(race.fault);
      entry.help_of_cta = std::move(race.help_of_cta);
      entry.fault.kind = ir::FaultKind::race;
      entry.order = order;
    }
    entry.reach = std::max(entry.reach, reach);
    if (entry.elements == nullptr) entry.elements = std::make_shared<Elements>();
    constexpr std::size_t kMost = std::size_t{1} << 20;
    if (entry.elements->size() < kMost) entry.elements->insert(element);
    entry.fault.count = entry.elements->size();
  }

  /// Takes back what was found of the kinds for which f holds.
  template <typename F>
  void drop(F&& f) {
    std::erase_if(entries_, [&](const Entry& entry) { return f(entry.fault.kind); });
    renumber();
  }

  /// … of one kind at these sites.
  void drop_at(ir::FaultKind kind, const std::set<std::uint32_t>& sites) {
    std::erase_if(entries_, [&](const Entry& entry) {
      return std::get<2>(entry.key) == kind && sites.contains(std::get<0>(entry.key));
    });
    renumber();
  }

  /// Adds what another sink has found, after one's own.
  void merge(const FaultSink& other);
  void clear();

  [[nodiscard]] bool empty() const { return entries_.empty(); }

  [[nodiscard]] std::vector<ir::Fault> take(int limit) const;

  [[nodiscard]] bool has(ir::FaultKind kind) const;

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, ir::FaultKind>;
  using Elements = std::unordered_set<std::uint64_t>;

  static constexpr std::uint32_t kNone = 0xffffffffU;

  struct Entry {
    Entry(Key key_, ir::Fault fault_) : key(key_), fault(std::move(fault_)) {}

    Key key;
    ir::Fault fault;
    // Races only.
    Order order{};
    Reach reach = Reach::warp;
    std::string help_of_cta;
    std::shared_ptr<Elements> elements;  // at which it was seen
  };

  void renumber() {
    index_.clear();
    for (std::size_t i = 0; i < entries_.size(); ++i) index_[entries_[i].key] = i;
  }

  CheckSet checks_;
  std::map<Key, std::size_t> index_;
  std::vector<Entry> entries_;
};

}  // namespace tirx::sim
