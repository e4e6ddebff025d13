// Does a run of the script report what its lines say (fuzz/expect/expectation.hpp), and nothing
// else?
#pragma once

#include <optional>
#include <string>

#include "fuzz/check/oracle.hpp"

namespace tirx::fuzz {

/// Each simulator of agree/opinions.hpp, and the tile-level evaluator where it can see the kinds,
/// must report it; what a thread does wrong alone, as often and with the same bytes left.
[[nodiscard]] std::optional<Finding> check_reported(const std::string& text,
                                                    const OracleOptions& options);

}  // namespace tirx::fuzz
