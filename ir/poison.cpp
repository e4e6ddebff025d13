#include "ir/poison.hpp"

#include <iterator>
#include <utility>

namespace tirx::ir {

void PoisonOrigins::remember(std::size_t byte, std::shared_ptr<const PoisonOrigin> origin) {
  origins_.insert_or_assign(byte, std::move(origin));
  if (origins_.size() > kMost) origins_.erase(std::prev(origins_.end()));
}

void PoisonOrigins::merge(const PoisonOrigins& others) {
  for (const auto& [byte, origin] : others.origins_) remember(byte, origin);
}

const PoisonOrigin* PoisonOrigins::at(std::size_t byte) const {
  const auto found = origins_.find(byte);
  return found == origins_.end() ? nullptr : found->second.get();
}

}  // namespace tirx::ir
