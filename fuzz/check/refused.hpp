// Is a script with a fault refused, before a kernel of it runs, and for that fault?
#pragma once

#include <optional>
#include <string>

#include "fuzz/check/oracle.hpp"

namespace tirx::fuzz {

/// The first error must be at the line, and have the words, of an expectation "refused"; where the
/// script has none, any error will do.
[[nodiscard]] std::optional<Finding> check_refused(const std::string& text,
                                                   const OracleOptions& options);

}  // namespace tirx::fuzz
