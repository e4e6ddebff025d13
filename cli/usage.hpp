// What does `--help` teach, and what does a wrong command line read?
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace tirx::cli {

/// Examples, exit codes and where to read on: of one verb, or ("") of the whole command.
[[nodiscard]] std::string help_footer(std::string_view verb);

/// One line for a command line that cannot be read: what is wrong, and the nearest right word.
[[nodiscard]] std::string usage_error(const CLI::App& app,
                                      const CLI::Error& error,
                                      const std::vector<std::string>& args);

/// " (did you mean 'sm_90a'?)", or "".
[[nodiscard]] std::string nearest_target(std::string_view wrong);

}  // namespace tirx::cli
