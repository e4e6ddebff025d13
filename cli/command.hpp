// The `tirx` command as a function: main() calls it, and so do the text tests, in their own
// process.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace tirx::cli {

/// Runs `tirx ARGS…`; what a user would see goes to `out` and `err`; returns the exit code.
int run_command(const std::vector<std::string>& args, std::ostream& out, std::ostream& err);

}  // namespace tirx::cli
