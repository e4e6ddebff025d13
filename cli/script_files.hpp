// Which scripts does a list of files and folders name?
#pragma once

#include <string>
#include <vector>

namespace tirx::cli {

/// Files as they are, folders as every .tx below them, sorted by name within a folder.
[[nodiscard]] std::vector<std::string> script_files(const std::vector<std::string>& arguments);

}  // namespace tirx::cli
