// What are the words of a script?  After the lexical chapter of the Python reference
// (docs.python.org/3/reference/lexical_analysis.html).  Indentation arrives as tokens, so the
// grammar needs no skipper; an f-string arrives as a bracketed run of tokens, so that one
// expression rule serves inside and outside of it.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/ast/expr.hpp"
#include "ir/base/diagnostic.hpp"

namespace tirx::dsl::grammar {

enum class TokenKind : std::uint8_t {
  end_of_file,
  newline,
  indent,
  dedent,
  // words with a payload
  name,
  integer,
  floating,
  string,
  // f"text{expr = !r:spec}"
  fstring_begin,
  fstring_text,
  fstring_end,
  field_begin,
  field_equals,
  field_conversion,
  field_colon,
  field_end,
  // keywords, in alphabetical order
  kw_false,
  kw_none,
  kw_true,
  kw_and,
  kw_as,
  kw_assert,
  kw_async,
  kw_await,
  kw_break,
  kw_class,
  kw_continue,
  kw_def,
  kw_del,
  kw_elif,
  kw_else,
  kw_except,
  kw_finally,
  kw_for,
  kw_from,
  kw_global,
  kw_if,
  kw_import,
  kw_in,
  kw_is,
  kw_lambda,
  kw_nonlocal,
  kw_not,
  kw_or,
  kw_pass,
  kw_raise,
  kw_return,
  kw_try,
  kw_while,
  kw_with,
  kw_yield,
  // brackets
  left_paren,
  right_paren,
  left_bracket,
  right_bracket,
  left_brace,
  right_brace,
  // operators, longest first among those with a common start
  power_assign,
  floor_divide_assign,
  shift_left_assign,
  shift_right_assign,
  ellipsis,
  power,
  floor_divide,
  shift_left,
  shift_right,
  equal,
  not_equal,
  less_equal,
  greater_equal,
  arrow,
  walrus,
  plus_assign,
  minus_assign,
  star_assign,
  slash_assign,
  percent_assign,
  at_assign,
  and_assign,
  or_assign,
  xor_assign,
  plus,
  minus,
  star,
  slash,
  percent,
  at,
  ampersand,
  pipe,
  caret,
  tilde,
  less,
  greater,
  assign,
  colon,
  comma,
  dot,
  semicolon,
  bang,  // no operator of the language; kept so that the parser can say what to write instead
  count_,
};

inline constexpr std::size_t kTokenKinds = static_cast<std::size_t>(TokenKind::count_);
using TokenSet = std::bitset<kTokenKinds>;

/// The fixed text of a keyword or operator; a description such as "a name" of the others.
[[nodiscard]] std::string_view spelling(TokenKind kind);
/// For messages: "'+='", "a name", "the end of the line".
[[nodiscard]] std::string quoted(TokenKind kind);
[[nodiscard]] bool is_keyword(TokenKind kind);
/// The keyword's kind, or TokenKind::name.
[[nodiscard]] TokenKind keyword_or_name(std::string_view word);
/// The longest operator or bracket at the start of `text`, or TokenKind::end_of_file for none.
[[nodiscard]] TokenKind operator_at(std::string_view text);
/// newline, indent, dedent, end_of_file: no text of its own.
[[nodiscard]] bool is_layout(TokenKind kind);
/// Can an expression begin (end) with this token?
[[nodiscard]] bool starts_expression(TokenKind kind);
[[nodiscard]] bool ends_expression(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::end_of_file;
  bool starts_line = false;   // the first of its logical line
  Span span;                  // may be empty for layout and for closers put in during recovery
  std::uint32_t line = 0;     // number of the logical line, for "one error a line"
  std::uint32_t payload = 0;  // index into the lists of TokenList
  std::uint32_t partner = 0;  // of a bracket: the index of the other one; 0: none
};

struct TokenList {
  std::vector<Token> tokens;  // ends with end_of_file
  std::vector<ast::IntLit> integers;
  std::vector<ast::FloatLit> floats;
  std::vector<std::string> strings;  // decoded; also texts and conversions of f-strings
  DiagnosticList errors;
  std::vector<std::uint32_t> error_lines;  // logical lines with an error
  bool gave_up = false;                    // a limit was hit: the tokens are not worth parsing
};

}  // namespace tirx::dsl::grammar
