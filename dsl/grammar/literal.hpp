// What value does a literal's text have?  Pure functions of the text, used by the tokenizer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "dsl/ast/expr.hpp"

namespace tirx::dsl::grammar {

/// The number at the start of a text, or what is wrong with it.
struct NumberAt {
  std::size_t length = 0;  // characters that belong to it, also when it is wrong
  std::variant<ast::IntLit, ast::FloatLit> value;
  std::string error;  // empty: fine
  std::string help;
};

/// `text` starts with a digit, or with a dot and a digit.
[[nodiscard]] NumberAt read_number(std::string_view text);

/// A wrong escape sequence: its place in the text that was decoded.
struct EscapeError {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
  std::string help;
};

/// Appends the text with its escapes resolved (`raw`: left alone) and its line ends made '\n'.
[[nodiscard]] std::optional<EscapeError> decode_string(std::string_view text,
                                                       bool raw,
                                                       std::string& out);

/// The first byte that is not part of well-formed UTF-8, or npos.
[[nodiscard]] std::size_t find_bad_utf8(std::string_view text);
/// Bytes of the (well-formed) UTF-8 character at the start of the text.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

}  // namespace tirx::dsl::grammar
