#include "sim/machine/faults.hpp"

namespace tirx::sim {

void FaultSink::merge(const FaultSink& other) {
  for (const Entry& entry : other.entries_) {
    const auto [at, fresh] = index_.try_emplace(
        {entry.site, static_cast<std::uint8_t>(entry.fault.kind)}, entries_.size());
    if (fresh) {
      entries_.push_back(entry);
    } else {
      entries_[at->second].fault.count += entry.fault.count;
    }
  }
}

void FaultSink::clear() {
  index_.clear();
  entries_.clear();
}

std::vector<ir::Fault> FaultSink::take(int limit) const {
  std::vector<ir::Fault> faults;
  for (const Entry& entry : entries_) {
    if (static_cast<int>(faults.size()) >= limit) break;
    faults.push_back(entry.fault);
  }
  return faults;
}

bool FaultSink::has(ir::FaultKind kind) const {
  for (const Entry& entry : entries_) {
    if (entry.fault.kind == kind) return true;
  }
  return false;
}

}  // namespace tirx::sim
