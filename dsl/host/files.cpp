#include "dsl/host/files.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace tirx::dsl {

Result<std::string> resolve_path(const ScriptOptions& options, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code status;
  const fs::path folder =
      fs::weakly_canonical(options.folder.empty() ? "." : options.folder, status);
  const fs::path wanted = fs::weakly_canonical(folder / path, status);
  if (status)
    return Diagnostic{{}, fmt::format("'{}' is no usable path: {}", path, status.message()), {}};
  const fs::path inside = wanted.lexically_relative(folder);
  if (!options.allow_outside_folder && (inside.empty() || *inside.begin() == "..")) {
    return Diagnostic{
        {},
        fmt::format("'{}' lies outside of the script's folder", path),
        {Note{{}, "put the file beside the script, or allow it with --allow-outside"}}};
  }
  return wanted.string();
}

}  // namespace tirx::dsl
