// Which file does a script mean?  Paths are relative to the script's folder, and stay inside it
// unless the user allows otherwise.
#pragma once

#include <string>

#include "dsl/run_script.hpp"
#include "ir/base/result.hpp"

namespace tirx::dsl {

/// The path to open; an error where it leaves the folder.
[[nodiscard]] Result<std::string> resolve_path(const ScriptOptions& options,
                                               const std::string& path);

}  // namespace tirx::dsl
