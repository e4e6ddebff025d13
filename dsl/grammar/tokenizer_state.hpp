// The tokenizer's working state, shared by its three parts: lines and operators (tokenizer.cpp),
// brackets and errors (tokenizer_brackets.cpp), strings (tokenizer_strings.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsl/grammar/token.hpp"
#include "ir/base/source.hpp"

namespace tirx::dsl::grammar {

class Tokenizer {
 public:
  /// `strict`: within brackets, a line that is not indented more than its statement starts a new
  /// one.
  Tokenizer(const Source& source, bool strict)
      : source_(source), text_(source.text()), strict_(strict) {}

  [[nodiscard]] TokenList run();

  /// /// After run(): a bracket lacks its closer.
  [[nodiscard]] bool left_bracket_open() const { return left_open_; }

 private:
  /// Both readings of an indentation, with tabs of 8 and of 1: they must agree on every comparison.
  struct Indent {
    std::size_t wide = 0;
    std::size_t narrow = 0;
  };

  struct OpenBracket {
    TokenKind closer = TokenKind::end_of_file;
    std::size_t token = 0;
    bool field = false;  // of an f-string
  };

  /// How a string literal is written.
  struct Quotes {
    std::size_t begin = 0;  // of the prefix
    char quote = '"';
    bool triple = false;
    bool raw = false;
  };

  // lines and operators
  void line_start();
  void set_indent(Indent indent, std::size_t begin, std::size_t end);
  void end_line();
  void joined_line();
  void continuation();
  void word();
  void number();
  void operator_token();
  void bad_character();
  void one_token();
  void skip_blanks();
  void skip_comment();
  void finish();

  // brackets and errors
  void open_bracket(TokenKind kind, std::size_t begin, std::size_t length, bool field);
  void close_bracket(TokenKind kind, std::size_t length);
  void close_innermost(std::size_t begin, std::size_t length);
  void close_all_from(std::size_t depth);
  void bracket_never_closed(Span found);
  void error(Span span, std::string text, std::string help = {});
  void give_up(Span span, std::string text, std::string help);

  // strings
  void string_token(std::size_t begin, std::size_t prefix);
  void plain_string(const Quotes& quotes);
  void formatted_string(const Quotes& quotes);
  /// The text up to a field or the end of the string (in a spec: of the field).
  void formatted_text(const Quotes& quotes, bool spec);
  void field(const Quotes& quotes);
  bool field_tail(const Quotes& quotes);
  void field_never_closed();
  [[nodiscard]] bool closes_before_line_end(char quote) const;
  void decode(std::size_t begin, std::size_t end, bool raw, std::string& out);
  [[nodiscard]] bool at_quotes(const Quotes& quotes) const;

  // basics
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  [[nodiscard]] bool done() const { return at_ >= text_.size() || out_.gave_up; }

  [[nodiscard]] bool at_newline() const { return !done() && (peek() == '\n' || peek() == '\r'); }

  [[nodiscard]] std::size_t newline_length() const {
    return peek() == '\r' && peek(1) == '\n' ? 2 : 1;
  }

  Token& push(TokenKind kind, std::size_t begin, std::size_t end);
  std::uint32_t keep(std::string text);

  [[nodiscard]] static Span span(std::size_t begin, std::size_t end) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  const Source& source_;
  std::string_view text_;
  bool strict_;
  bool left_open_ = false;
  std::size_t at_ = 0;
  TokenList out_;
  std::vector<Indent> indents_{Indent{}};
  std::vector<OpenBracket> open_;
  std::size_t single_line_fields_ = 0;  // open fields that a line end would cut
  std::uint32_t line_ = 0;
  bool fresh_line_ = true;  // the next token starts a logical line
  bool measure_ = true;     // the indentation has yet to be read
  bool cut_ = false;        // the f-string around us ended by an error
};

}  // namespace tirx::dsl::grammar
