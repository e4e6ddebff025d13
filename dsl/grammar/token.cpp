// The spelling of every token, in one table.
#include "dsl/grammar/token.hpp"

#include <array>
#include <unordered_map>

#include <fmt/format.h>

namespace tirx::dsl::grammar {
namespace {

using enum TokenKind;

constexpr std::array<std::string_view, kTokenKinds> kSpelling = {"the end of the file",
                                                                 "the end of the line",
                                                                 "an indented block",
                                                                 "the end of the block",
                                                                 "a name",
                                                                 "a number",
                                                                 "a number",
                                                                 "a string",
                                                                 "an f-string",
                                                                 "text",
                                                                 "the end of the f-string",
                                                                 "{",
                                                                 "=",
                                                                 "a conversion such as !r",
                                                                 ":",
                                                                 "}",
                                                                 "False",
                                                                 "None",
                                                                 "True",
                                                                 "and",
                                                                 "as",
                                                                 "assert",
                                                                 "async",
                                                                 "await",
                                                                 "break",
                                                                 "class",
                                                                 "continue",
                                                                 "def",
                                                                 "del",
                                                                 "elif",
                                                                 "else",
                                                                 "except",
                                                                 "finally",
                                                                 "for",
                                                                 "from",
                                                                 "global",
                                                                 "if",
                                                                 "import",
                                                                 "in",
                                                                 "is",
                                                                 "lambda",
                                                                 "nonlocal",
                                                                 "not",
                                                                 "or",
                                                                 "pass",
                                                                 "raise",
                                                                 "return",
                                                                 "try",
                                                                 "while",
                                                                 "with",
                                                                 "yield",
                                                                 "(",
                                                                 ")",
                                                                 "[",
                                                                 "]",
                                                                 "{",
                                                                 "}",
                                                                 "**=",
                                                                 "//=",
                                                                 "<<=",
                                                                 ">>=",
                                                                 "...",
                                                                 "**",
                                                                 "//",
                                                                 "<<",
                                                                 ">>",
                                                                 "==",
                                                                 "!=",
                                                                 "<=",
                                                                 ">=",
                                                                 "->",
                                                                 ":=",
                                                                 "+=",
                                                                 "-=",
                                                                 "*=",
                                                                 "/=",
                                                                 "%=",
                                                                 "@=",
                                                                 "&=",
                                                                 "|=",
                                                                 "^=",
                                                                 "+",
                                                                 "-",
                                                                 "*",
                                                                 "/",
                                                                 "%",
                                                                 "@",
                                                                 "&",
                                                                 "|",
                                                                 "^",
                                                                 "~",
                                                                 "<",
                                                                 ">",
                                                                 "=",
                                                                 ":",
                                                                 ",",
                                                                 ".",
                                                                 ";",
                                                                 "!"};
static_assert(!kSpelling.back().empty());

constexpr std::size_t index(TokenKind kind) {
  return static_cast<std::size_t>(kind);
}

}  // namespace

std::string_view spelling(TokenKind kind) {
  return kSpelling[index(kind)];
}

std::string quoted(TokenKind kind) {
  const bool fixed = kind >= kw_false || kind == field_begin || kind == field_equals ||
                     kind == field_colon || kind == field_end;
  return fixed ? fmt::format("'{}'", spelling(kind)) : std::string(spelling(kind));
}

bool is_keyword(TokenKind kind) {
  return kind >= kw_false && kind <= kw_yield;
}

TokenKind keyword_or_name(std::string_view word) {
  static const auto kKeywords = [] {
    std::unordered_map<std::string_view, TokenKind> map;
    for (std::size_t i = index(kw_false); i <= index(kw_yield); ++i) {
      map.emplace(kSpelling[i], static_cast<TokenKind>(i));
    }
    return map;
  }();
  const auto found = kKeywords.find(word);
  return found == kKeywords.end() ? name : found->second;
}

TokenKind operator_at(std::string_view text) {
  for (std::size_t i = index(left_paren); i < kTokenKinds; ++i) {
    if (text.starts_with(kSpelling[i])) return static_cast<TokenKind>(i);
  }
  return end_of_file;
}

bool is_layout(TokenKind kind) {
  return kind <= dedent;
}

bool starts_expression(TokenKind kind) {
  switch (kind) {
    case name:
    case integer:
    case floating:
    case string:
    case fstring_begin:
    case kw_false:
    case kw_none:
    case kw_true:
    case kw_lambda:
    case kw_not:
    case left_paren:
    case left_bracket:
    case left_brace:
    case ellipsis:
    case plus:
    case minus:
    case tilde:
      return true;
    default:
      return false;
  }
}

bool ends_expression(TokenKind kind) {
  switch (kind) {
    case name:
    case integer:
    case floating:
    case string:
    case fstring_end:
    case kw_false:
    case kw_none:
    case kw_true:
    case right_paren:
    case right_bracket:
    case right_brace:
    case ellipsis:
      return true;
    default:
      return false;
  }
}

}  // namespace tirx::dsl::grammar
