#include "dsl/host/files.hpp"

#include <filesystem>
#include <system_error>

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

std::optional<Diagnostic> unwritable(const std::string& path, std::string_view shown) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status folder = fs::status(fs::path(path).parent_path(), ignored);
  std::errc reason{};
  if (!fs::exists(folder)) {
    reason = std::errc::no_such_file_or_directory;
  } else if (!fs::is_directory(folder)) {
    reason = std::errc::not_a_directory;
  } else if (fs::is_directory(path, ignored)) {
    reason = std::errc::is_a_directory;
  } else {
    return std::nullopt;
  }
  return Diagnostic{
      {}, fmt::format("cannot write '{}': {}", shown, std::make_error_code(reason).message()), {}};
}

}  // namespace tirx::dsl
