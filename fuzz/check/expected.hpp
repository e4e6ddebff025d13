// Does come of a script what its lines say (fuzz/expect/expectation.hpp)?  One that says nothing is
// valid.
#pragma once

#include <string>

#include "fuzz/check/oracle.hpp"

namespace tirx::fuzz {

/// Refused, reported, or as check_script has it.
[[nodiscard]] OracleReport check_expected(const std::string& text, const OracleOptions& options);

}  // namespace tirx::fuzz
