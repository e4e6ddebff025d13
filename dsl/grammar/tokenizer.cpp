// Lines, indentation, names, numbers and operators.
#include "dsl/grammar/tokenizer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dsl/grammar/literal.hpp"
#include "dsl/grammar/tokenizer_state.hpp"
#include "dsl/parse.hpp"

namespace tirx::dsl::grammar {
namespace {

bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Keywords that can only start a statement: within brackets they show that a closer is missing.
bool only_starts_statement(TokenKind kind) {
  switch (kind) {
    case TokenKind::kw_assert:
    case TokenKind::kw_break:
    case TokenKind::kw_class:
    case TokenKind::kw_continue:
    case TokenKind::kw_def:
    case TokenKind::kw_del:
    case TokenKind::kw_elif:
    case TokenKind::kw_except:
    case TokenKind::kw_finally:
    case TokenKind::kw_global:
    case TokenKind::kw_import:
    case TokenKind::kw_nonlocal:
    case TokenKind::kw_pass:
    case TokenKind::kw_raise:
    case TokenKind::kw_return:
    case TokenKind::kw_try:
    case TokenKind::kw_while:
    case TokenKind::kw_with:
      return true;
    default:
      return false;
  }
}

struct LookAlike {
  std::string_view character;
  const char* instead;
};

constexpr LookAlike kLookAlikes[] = {
    {"\u2018", "write '"},    {"\u2019", "write '"},     {"\u201C", "write \""},
    {"\u201D", "write \""},   {"\u2013", "write '-'"},   {"\u2014", "write '-'"},
    {"\u2212", "write '-'"},  {"\u00D7", "write '*'"},   {"\u00F7", "write '/'"},
    {"\u2264", "write '<='"}, {"\u2265", "write '>='"},  {"\u2260", "write '!='"},
    {"\u2192", "write '->'"}, {"\u2026", "write '...'"}, {"\u00A0", "write an ordinary space"},
    {"\uFEFF", "remove it"},  {"\u200B", "remove it"},
};

}  // namespace

TokenList tokenize(const Source& source) {
  Tokenizer tokenizer(source, false);
  TokenList list = tokenizer.run();
  // if (!tokenizer.left_bracket_open()) return list;
  // The script is wrong in any case, so a rule that well-formed scripts may break can find the
  // place; unless it also finds fault with an unusual layout elsewhere.
  TokenList strict = Tokenizer(source, true).run();
  return strict.errors.size() <= list.errors.size() ? strict : list;
}

TokenList Tokenizer::run() {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
  if (text_.size() > kMaxBytes) {
    give_up(span(0, 1), "the script is larger than 1 GiB", "split it");
  } else if (const std::size_t bad = find_bad_utf8(text_); bad != std::string_view::npos) {
    give_up(span(bad, bad + 1), "this byte is not UTF-8 text",
            "save the file in the UTF-8 encoding");
  }
  out_.tokens.reserve(out_.gave_up ? 1 : text_.size() / 4 + 8);
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  while (!done()) {
    if (std::exchange(measure_, false)) line_start();
    if (done()) break;
    if (at_newline()) {
      open_.empty() ? end_line() : joined_line();
      continue;
    }
    one_token();
    skip_blanks();
  }
  finish();
  return std::move(out_);
}

void Tokenizer::finish() {
  if (!out_.gave_up && !open_.empty()) bracket_never_closed({});
  if (!fresh_line_) push(TokenKind::newline, at_, at_);
  ++line_;
  for (; indents_.size() > 1; indents_.pop_back()) push(TokenKind::dedent, at_, at_);
  push(TokenKind::end_of_file, at_, at_);
  std::sort(out_.error_lines.begin(), out_.error_lines.end());
}

Token& Tokenizer::push(TokenKind kind, std::size_t begin, std::size_t end) {
  Token token{.kind = kind, .span = span(begin, end), .line = line_};
  if (!is_layout(kind)) {
    token.starts_line = fresh_line_;
    fresh_line_ = false;
  }
  return out_.tokens.emplace_back(token);
}

std::uint32_t Tokenizer::keep(std::string text) {
  out_.strings.push_back(std::move(text));
  return static_cast<std::uint32_t>(out_.strings.size() - 1);
}

/// Measures the indentation, passes over blank lines, puts INDENT and DEDENT.
void Tokenizer::line_start() {
  while (!done()) {
    const std::size_t begin = at_;
    Indent indent;
    for (; peek() == ' ' || peek() == '\t' || peek() == '\f'; ++at_) {
      if (peek() == '\f') {
        indent = {};
      } else {
        indent.wide = peek() == '\t' ? (indent.wide / 8 + 1) * 8 : indent.wide + 1;
        ++indent.narrow;
      }
    }
    const std::size_t end = at_;
    // A line of nothing but a backslash goes on in the next one, which may be blank.
    while (peek() == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
      ++at_;
      at_ += newline_length();
      while (peek() == ' ' || peek() == '\t' || peek() == '\f') ++at_;
    }
    skip_comment();
    if (at_newline()) {
      at_ += newline_length();
      continue;
    }
    if (!done()) set_indent(indent, begin, end);
    return;
  }
}

void Tokenizer::set_indent(Indent indent, std::size_t begin, std::size_t end) {
  const auto disagree = [&](const Indent& other) {
    return (indent.wide <=> other.wide) != (indent.narrow <=> other.narrow);
  };
  const bool mixed = disagree(indents_.back());
  const Span place = span(begin, std::max(end, begin + 1));
  const auto refuse_mixed = [&] {
    error(place, "tabs and spaces are mixed in the indentation", "indent with spaces only");
  };
  if (mixed) refuse_mixed();
  if (indent.wide > indents_.back().wide) {
    if (indents_.size() > kMaxIndentDepth) {
      give_up(span(begin, end), fmt::format("more than {} levels of indentation", kMaxIndentDepth),
              "move the inner part into a function");
      return;
    }
    indents_.push_back(indent);
    push(TokenKind::indent, begin, end);
    return;
  }
  while (indent.wide < indents_.back().wide) {
    indents_.pop_back();
    push(TokenKind::dedent, at_, at_);
  }
  if (indent.wide != indents_.back().wide) {
    error(place, "this indentation matches no outer level",
          fmt::format("the nearest outer block is indented by {}", indents_.back().wide));
  } else if (!mixed && disagree(indents_.back())) {
    refuse_mixed();
  }
}

void Tokenizer::end_line() {
  const std::size_t length = newline_length();
  if (!fresh_line_) {
    push(TokenKind::newline, at_, at_ + length);
    ++line_;
  }
  fresh_line_ = true;
  measure_ = true;
  at_ += length;
}

/// A line end within brackets is a blank, unless the next line shows that a bracket was forgotten.
void Tokenizer::joined_line() {
  while (at_newline()) {
    at_ += newline_length();
    skip_blanks();
  }
  if (done() || peek() == ')' || peek() == ']' || peek() == '}') return;
  std::size_t end = at_;
  while (end < text_.size() && (starts_word(text_[end]) || is_digit(text_[end]))) ++end;
  const TokenKind kind = keyword_or_name(text_.substr(at_, end - at_));
  bool forgotten = only_starts_statement(kind);
  const bool two_values =
      starts_word(peek()) && kind == TokenKind::name && ends_expression(out_.tokens.back().kind);
  if (strict_ || two_values) {
    // No expression goes on with a name after a value; in the column of the block it is a
    // statement.
    const std::size_t line = text_.find_last_of("\r\n", at_) + 1;
    forgotten |= at_ - line <= indents_.back().narrow;
  }
  if (!forgotten) return;
  bracket_never_closed(span(at_, std::max(end, at_ + 1)));
  push(TokenKind::newline, at_, at_);
  ++line_;
  at_ = text_.find_last_of("\r\n", at_) + 1;
  fresh_line_ = true;
  measure_ = true;
}

void Tokenizer::continuation() {
  const std::size_t begin = at_++;
  if (at_newline()) {
    at_ += newline_length();
    return;
  }
  if (done()) {
    error(span(begin, begin + 1), "the file ends after a '\\'", "remove it");
    return;
  }
  error(span(begin, begin + 1), "a '\\' continues a line only as the last character of that line",
        "remove it, or the blanks and the comment after it");
}

void Tokenizer::one_token() {
  const char c = peek();
  if (starts_word(c)) {
    word();
  } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
    number();
  } else if (c == '"' || c == '\'') {
    string_token(at_, 0);
  } else if (c == '\\') {
    continuation();
  } else {
    operator_token();
  }
}

void Tokenizer::word() {
  const std::size_t begin = at_;
  while (starts_word(peek()) || is_digit(peek())) ++at_;
  if (peek() == '"' || peek() == '\'') {
    constexpr std::string_view kPrefixLetters = "rRbBfFuUtT";
    const std::string_view prefix = text_.substr(begin, at_ - begin);
    if (prefix.size() <= 2 && prefix.find_first_not_of(kPrefixLetters) == prefix.npos) {
      string_token(begin, prefix.size());
      return;
    }
  }
  push(keyword_or_name(text_.substr(begin, at_ - begin)), begin, at_);
}

void Tokenizer::number() {
  const std::size_t begin = at_;
  NumberAt read = read_number(text_.substr(at_));
  at_ += read.length;
  if (!read.error.empty()) error(span(begin, at_), std::move(read.error), std::move(read.help));
  if (auto* integer = std::get_if<ast::IntLit>(&read.value)) {
    push(TokenKind::integer, begin, at_).payload = static_cast<std::uint32_t>(out_.integers.size());
    out_.integers.push_back(std::move(*integer));
  } else {
    push(TokenKind::floating, begin, at_).payload = static_cast<std::uint32_t>(out_.floats.size());
    out_.floats.push_back(std::get<ast::FloatLit>(std::move(read.value)));
  }
}

void Tokenizer::operator_token() {
  const TokenKind kind = operator_at(text_.substr(at_));
  const std::size_t length = kind == TokenKind::end_of_file ? 0 : spelling(kind).size();
  switch (kind) {
    case TokenKind::end_of_file:
      bad_character();
      return;
    case TokenKind::left_paren:
    case TokenKind::left_bracket:
    case TokenKind::left_brace:
      open_bracket(kind, at_, length, false);
      return;
    case TokenKind::right_paren:
    case TokenKind::right_bracket:
    case TokenKind::right_brace:
      close_bracket(kind, length);
      return;
    default:
      push(kind, at_, at_ + length);
      at_ += length;
  }
}

void Tokenizer::bad_character() {
  const std::size_t begin = at_;
  const std::string_view character = text_.substr(at_, utf8_length(text_.substr(at_)));
  at_ += character.size();
  const Span place = span(begin, at_);
  const auto code = static_cast<unsigned char>(character[0]);
  if (code < 0x20 || code == 0x7F) {
    error(place, fmt::format("invalid character with code {}", code), "remove it");
    return;
  }
  for (const LookAlike& known : kLookAlikes) {
    if (character == known.character) {
      error(place, fmt::format("invalid character '{}'", character), known.instead);
      return;
    }
  }
  // A word of another script is one mistake.
  while (code >= 0x80 && static_cast<unsigned char>(peek()) >= 0x80) ++at_;
  std::string help;
  if (character == "?") help = "a choice is written 'a if condition else b'";
  if (code >= 0x80)
    help = "names are made of ASCII letters, digits and '_'; strings may hold any text";
  error(span(begin, at_), fmt::format("invalid character '{}'", character), help);
}

void Tokenizer::skip_blanks() {
  while (peek() == ' ' || peek() == '\t' || peek() == '\f') ++at_;
  skip_comment();
}

void Tokenizer::skip_comment() {
  if (peek() != '#') return;
  while (!done() && !at_newline()) ++at_;
}

}  // namespace tirx::dsl::grammar
