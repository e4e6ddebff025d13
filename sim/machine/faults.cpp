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
      mine.help_of_cta = entry.help_of_cta;
    }
    mine.reach = std::max(mine.reach, entry.reach);
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
    ir::Fault& fault = faults.emplace_back(entry.fault);
    if (entry.reach != Reach::warp && !entry.help_of_cta.empty()) {
      fault.notes.front().text = entry.help_of_cta;
    }
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
