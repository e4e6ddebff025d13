// Who may have left before a statement?  A return, break or continue under a condition takes away
// the threads that pass it, for what follows.
#pragma once

#include <optional>

#include "ir/stmt.hpp"
#include "lower/guards.hpp"

namespace tirx::lower {

struct ExitKinds {
  bool returns = true;
  bool breaks = true;     // of the loop around the body
  bool continues = true;  // likewise
};

/// The largest scope whose threads certainly take the body's exits together (kernel: all exits are
/// unconditional or uniform); nothing if the body has none.
[[nodiscard]] std::optional<ir::ExecScope> exit_scope(const ir::Body& body,
                                                      ExitKinds kinds,
                                                      const Guards& guards);

/// Whether control never reaches what follows the body.
[[nodiscard]] bool always_leaves(const ir::Body& body);

}  // namespace tirx::lower
