// Which file does a script mean?  Paths are relative to the script's folder, and stay inside it
// unless the user allows otherwise.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dsl/run_script.hpp"
#include "ir/base/result.hpp"

namespace tirx::dsl {

/// The path to open; an error where it leaves the folder.
[[nodiscard]] Result<std::string> resolve_path(const ScriptOptions& options,
                                               const std::string& path);

/// Why writing the file at `path` would fail, found without writing: its folder is missing, or it
/// is a folder itself.  The text is write_file's.
[[nodiscard]] std::optional<Diagnostic> unwritable(const std::string& path, std::string_view shown);

}  // namespace tirx::dsl
