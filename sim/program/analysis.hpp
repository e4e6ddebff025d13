// Which mutable variables are the same in all lanes, and which may hold poison?  A fixpoint over
// the statements; everything that is not assigned more than once is decided later, value by value.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ir/stmt.hpp"
#include "sim/bind.hpp"

namespace tirx::sim {

struct Analysis {
  std::unordered_set<const void*> varying;           // Variable*, Storage*
  std::unordered_set<const void*> poisoned;          // Variable*, Storage*
  std::unordered_set<const ir::For*> divergent_for;  // some lanes may leave before the others
  std::unordered_set<const ir::While*> divergent_while;
  std::unordered_set<const void*> divergent_continue;  // For* or While*
  std::unordered_set<const ir::Storage*> read_only;    // global, never written
  /// Mutable scalars whose value becomes an index by arithmetic: their computation must not wrap.
  std::unordered_set<const ir::Storage*> index_scalars;
  /// Mutable scalars that are assigned once, where they are declared.
  std::unordered_set<const ir::Storage*> constants;
  /// Local storages assigned inside each loop.
  std::unordered_map<const void*, std::unordered_set<const ir::Storage*>> assigned;
};

void find_index_scalars(const ir::Body& body, Analysis& analysis);
void find_constant_scalars(const ir::Body& body, Analysis& analysis);

/// `varying_threads`: the thread variables that differ between lanes of a warp.
[[nodiscard]] Analysis analyse(const ir::Body& body,
                               const Binding& binding,
                               const std::unordered_set<const void*>& varying_threads);

}  // namespace tirx::sim
