// Whole files in and out, with the system's reason where that fails.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ir/base/result.hpp"

namespace tirx {

/// A script is smaller; a device may go on for ever.
inline constexpr std::size_t kLargestFile = std::size_t{1} << 30;

/// The bytes of the file at `path`, or "cannot read 'SHOWN': No such file or directory".
[[nodiscard]] Result<std::string> read_file(const std::string& path,
                                            std::string_view shown,
                                            std::size_t largest = kLargestFile);

/// Nothing, or "cannot write 'SHOWN': No space left on device".
[[nodiscard]] std::optional<Diagnostic> write_file(const std::string& path,
                                                   std::string_view shown,
                                                   std::string_view bytes);

}  // namespace tirx
