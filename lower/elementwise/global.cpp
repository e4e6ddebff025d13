// elementwise / gmem: regions in global memory, alone or with others in shared memory (TIRx has no
// such form).  Who computes what is the partition of `smem`, and the op ends with the barrier of
// its scope as well: it orders the scope's accesses to global memory too.
#include <algorithm>

#include <fmt/format.h>

#include "lower/copy/copy.hpp"
#include "lower/elementwise/elementwise.hpp"

namespace tirx::lower {

std::optional<std::string> refuse_elementwise_gmem(const Site& site) {
  if (auto reason = refuse_scope(site)) return reason;
  bool global = false;
  for (const std::size_t i : region_operands(site)) {
    const ir::BufferNode& buffer = site.sides[i]->buffer();
    global = global || buffer.scope() == ir::MemoryScope::global;
    if (buffer.scope() != ir::MemoryScope::local) continue;
    return fmt::format("scope_allowed — all operands must be in memory, and {} is {}", buffer.name,
                       ir::to_string(buffer.scope()));
  }
  if (!global) return "scope_allowed — some operand must be in global memory";
  return refuse_in_memory(site);
}

Result<Expansion> expand_elementwise_gmem(const Site& site) {
  return expand_elementwise_smem(site);
}

}  // namespace tirx::lower
