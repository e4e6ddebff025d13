// How does a text of the script stand in C++: as a string, as the rest of a line?
#pragma once

#include <string>
#include <string_view>

namespace tirx::cuda {

/// With its quotes.  "??" is split, since before C++17 "??/" is a backslash ([lex.trigraph]).
[[nodiscard]] std::string string_literal(std::string_view text);

/// For behind "//": no line break, and nothing at its end that joins the next line to it: nvcc
/// takes a backslash for that with spaces behind it, too.
[[nodiscard]] std::string comment_line(std::string_view text);

}  // namespace tirx::cuda
