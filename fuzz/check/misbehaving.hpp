// Does a script that goes wrong when it runs get the verdict that it names?  Its lines say it
// themselves: `#! race ps[3]` is a fault of that kind, of that element, at that line.
#pragma once

#include <optional>
#include <string>

#include "fuzz/check/oracle.hpp"

namespace tirx::fuzz {

/// Each simulator of agree/opinions.hpp, and the tile-level evaluator where it can see the kinds,
/// must report what the marks say and nothing else; what a thread does wrong alone, as often and
/// with the same bytes left.
[[nodiscard]] std::optional<Finding> check_misbehaving(const std::string& text,
                                                       const OracleOptions& options);

}  // namespace tirx::fuzz
