// Do 4-bit elements move as whole bytes?  Two of them share a byte, and two threads that each write
// their half would lose one; so the language stores them as vectors of whole bytes.  A single one
// can be read.
#pragma once

#include <optional>

#include "ir/base/diagnostic.hpp"
#include "ir/stmt.hpp"

namespace tirx::lower {

/// The first access of thread IR that does not.
[[nodiscard]] std::optional<Diagnostic> check_whole_bytes(const ir::Body& body);

}  // namespace tirx::lower
