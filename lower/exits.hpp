// Who may have left before a statement?  A return, break or continue under a condition takes away
// the threads that pass it, for what follows.
#pragma once

#include <optional>

#include "ir/stmt.hpp"
#include "lower/guards.hpp"

namespace tirx::lower {

/// Of each kind of exit the largest scope whose threads certainly take it together (kernel: it is
/// unconditional or uniform); nothing if there is none.
struct Exits {
  std::optional<ir::ExecScope> returns;
  std::optional<ir::ExecScope> breaks, continues;  // of the loop around the statement

  /// The smallest of all.
  [[nodiscard]] std::optional<ir::ExecScope> any() const;
};

[[nodiscard]] Exits exits_of(const ir::Stmt& stmt, const Guards& guards);
[[nodiscard]] Exits exits_of(const ir::Body& body, const Guards& guards);

/// Whether control never reaches what follows the body.
[[nodiscard]] bool always_leaves(const ir::Body& body);

}  // namespace tirx::lower
