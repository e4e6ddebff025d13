// What does a kernel do with its storages and variables?  Decides `const` parameters, alignment of
// register arrays, and which declarations are printed at all.
#pragma once

#include <map>
#include <set>

#include "lower/lowered.hpp"

namespace tirx::cuda {

struct Uses {
  std::set<const ir::Storage*> written;     // stored to, or handed to an operation that may write
  std::set<const ir::Storage*> vector;      // accessed several elements at once
  std::set<const ir::BufferNode*> buffers;  // accessed under this view
  std::set<const ir::Storage*> allocated;   // by an Allocate in the body
  std::set<const ir::Variable*> variables;
  std::map<const ir::Storage*, int> stores;  // how many statements store to it
  std::set<const ir::Storage*> addressed;    // some pointer to it is taken
  bool integer_extremes = false;             // a minimum or maximum of integers, at most 32 bits

  /// A mutable scalar that only its initialisation writes.
  [[nodiscard]] bool stored_once(const ir::Storage* storage) const {
    const auto count = stores.find(storage);
    return count != stores.end() && count->second == 1 && addressed.count(storage) == 0;
  }
};

[[nodiscard]] Uses find_uses(const lower::LoweredKernel& kernel);

/// Whether evaluating it has an effect or exchanges data with other threads.
[[nodiscard]] bool calls_machine(const ir::Expr& expr);
/// Whether it gives the same value wherever it is evaluated in the scope of its variables.
[[nodiscard]] bool is_stable(const ir::Expr& expr);

}  // namespace tirx::cuda
