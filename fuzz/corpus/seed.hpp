// Is anything wrong with what tirx makes of a script that somebody wrote?  Where it records what
// comes of its commands (record.hpp), exactly that must come; and whatever it launches, every
// opinion must agree with the first run.
#pragma once

#include <string>

#include "fuzz/check/oracle.hpp"
#include "fuzz/corpus/record.hpp"

namespace tirx::fuzz {

struct SeedReport {
  OracleReport oracle;
  bool replayed = false;  // it has a record, which was compared
};

/// The script at `path`, with these bytes.  `command` empty: records are not compared.
[[nodiscard]] SeedReport check_seed(const std::string& path,
                                    const std::string& text,
                                    const OracleOptions& options,
                                    const Command& command);

}  // namespace tirx::fuzz
