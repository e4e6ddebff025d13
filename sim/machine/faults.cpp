#include "sim/machine/faults.hpp"

namespace tirx::sim {

void FaultSink::merge(const FaultSink& other) {
  for (const Entry& entry : other.entries_) {
    const auto [at, fresh] = index_.try_emplace(entry.key, entries_.size());
    if (fresh) {
      entries_.push_back(entry);
      if (entry.elements != nullptr) {
        entries_.back().elements = std::make_shared<Elements>(*entry.elements);
      }
      continue;
    }
    Entry& mine = entries_[at->second];
    if (entry.elements == nullptr) {
      mine.fault.count += entry.fault.count;
      continue;
    }
    if (entry.order < mine.order) {
      mine.fault = entry.fault;
      mine.order = entry.order;
    }
    mine.elements->insert(entry.elements->begin(), entry.elements->end());
    mine.fault.count = mine.elements->size();
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
