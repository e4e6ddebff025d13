// String literals.  An f-string becomes  fstring_begin (fstring_text | field)* fstring_end  with
// field = field_begin tokens [field_equals] [field_conversion] [field_colon (text | field)*]
// field_end; quotes may nest (Python 3.12, PEP 701).
#include <algorithm>

#include <fmt/format.h>

#include "dsl/grammar/literal.hpp"
#include "dsl/grammar/tokenizer_state.hpp"

namespace tirx::dsl::grammar {

void Tokenizer::string_token(std::size_t begin, std::size_t prefix) {
  Quotes quotes{.begin = begin, .quote = text_[begin + prefix]};
  bool formatted = false;
  std::string letters;
  for (const char c : text_.substr(begin, prefix)) letters += static_cast<char>(c | 0x20);
  if (letters.find('b') != letters.npos) {
    error(span(begin, begin + prefix), "bytes literals are not part of the language",
          "write a plain string");
  } else if (letters.find('t') != letters.npos) {
    error(span(begin, begin + prefix), "template strings are not part of the language",
          "write an f-string");
  } else if (letters == "rr" || letters == "ff" ||
             (letters.size() > 1 && letters.find('u') != letters.npos)) {
    error(span(begin, begin + prefix), fmt::format("'{}' is not a string prefix", letters),
          "the prefixes are r, f and rf");
  } else {
    quotes.raw = letters.find('r') != letters.npos;
    formatted = letters.find('f') != letters.npos;
  }
  at_ = begin + prefix;
  quotes.triple = peek(1) == quotes.quote && peek(2) == quotes.quote;
  at_ += quotes.triple ? 3 : 1;
  formatted ? formatted_string(quotes) : plain_string(quotes);
}

bool Tokenizer::at_quotes(const Quotes& quotes) const {
  if (peek() != quotes.quote) return false;
  return !quotes.triple || (peek(1) == quotes.quote && peek(2) == quotes.quote);
}

void Tokenizer::decode(std::size_t begin, std::size_t end, bool raw, std::string& out) {
  auto wrong = decode_string(text_.substr(begin, end - begin), raw, out);
  if (wrong)
    error(span(begin + wrong->begin, begin + wrong->end), std::move(wrong->text),
          std::move(wrong->help));
}

void Tokenizer::plain_string(const Quotes& quotes) {
  const std::size_t body = at_;
  while (!done() && !at_quotes(quotes)) {
    if (!quotes.triple && at_newline()) break;
    if (peek() == '\\') {
      ++at_;
      if (at_newline()) {
        at_ += newline_length();
        continue;
      }
      if (done()) break;
    }
    ++at_;
  }
  const std::size_t end = std::min(at_, text_.size());
  if (done() || !at_quotes(quotes)) {
    at_ = end;
    const std::string close(quotes.triple ? 3 : 1, quotes.quote);
    error(span(quotes.begin, body),
          fmt::format("this string is not terminated: expected {}", close),
          quotes.triple ? "" : "a string over several lines is written in triple quotes");
  } else {
    at_ += quotes.triple ? 3 : 1;
  }
  std::string value;
  decode(body, end, quotes.raw, value);
  push(TokenKind::string, quotes.begin, at_).payload = keep(std::move(value));
}

void Tokenizer::formatted_string(const Quotes& quotes) {
  push(TokenKind::fstring_begin, quotes.begin, at_);
  const std::size_t opening = at_;
  const bool was_cut = std::exchange(cut_, false);
  while (true) {
    formatted_text(quotes, false);
    if (done() || cut_ || peek() != '{') break;
    field(quotes);
    if (cut_) break;
  }
  const std::size_t begin = at_;
  if (!cut_ && !done() && at_quotes(quotes)) {
    at_ += quotes.triple ? 3 : 1;
  } else if (!cut_ && !out_.gave_up) {
    const std::string close(quotes.triple ? 3 : 1, quotes.quote);
    error(span(quotes.begin, opening),
          fmt::format("this f-string is not terminated: expected {}", close));
  }
  cut_ = was_cut;
  push(TokenKind::fstring_end, begin, at_);
}

void Tokenizer::formatted_text(const Quotes& quotes, bool spec) {
  const std::size_t begin = at_;
  std::size_t pending = at_;
  std::string value;
  while (!done() && !at_quotes(quotes)) {
    if (!quotes.triple && at_newline()) break;
    const char c = peek();
    if (c == '\\') {
      at_ += peek(1) == '{' || peek(1) == '}' ? 1 : at_ + 1 < text_.size() ? 2 : 1;
      continue;
    }
    if (c != '{' && c != '}') {
      ++at_;
      continue;
    }
    if (spec) break;
    const bool twice = peek(1) == c;
    if (c == '{' && !twice) break;
    if (!twice)
      error(span(at_, at_ + 1), "a single '}' in an f-string", "write '}}' for the character");
    decode(pending, at_ + 1, quotes.raw, value);
    at_ += twice ? 2 : 1;
    pending = at_;
  }
  decode(pending, at_, quotes.raw, value);
  if (at_ > begin) push(TokenKind::fstring_text, begin, at_).payload = keep(std::move(value));
}

bool Tokenizer::closes_before_line_end(char quote) const {
  for (std::size_t i = at_ + 1; i < text_.size() && text_[i] != '\n' && text_[i] != '\r'; ++i) {
    if (text_[i] == quote) return true;
  }
  return false;
}

void Tokenizer::field_never_closed() {
  cut_ = true;
  const auto field =
      std::find_if(open_.rbegin(), open_.rend(), [](const OpenBracket& b) { return b.field; });
  error(out_.tokens[field->token].span, "this '{' of the f-string is never closed: expected '}'",
        "write '{{' for the character");
}

/// From '{' to '}'.  If the text ends before, the closers are put in and cut_ is set.
void Tokenizer::field(const Quotes& quotes) {
  const std::size_t depth = open_.size();
  open_bracket(TokenKind::field_begin, at_, 1, true);
  if (out_.gave_up) return;
  if (!quotes.triple) ++single_line_fields_;
  bool closed = false;
  while (!closed && !cut_) {
    while (peek() == ' ' || peek() == '\t' || peek() == '\f') ++at_;
    if (single_line_fields_ == 0) {
      skip_comment();
      if (at_newline()) {
        at_ += newline_length();
        continue;
      }
    }
    const bool line_ends = done() || at_newline() || peek() == '#';
    const bool string_ends =
        at_quotes(quotes) && (quotes.triple || !closes_before_line_end(quotes.quote));
    if (line_ends || string_ends) {
      if (!out_.gave_up) field_never_closed();
      if (string_ends) at_ += quotes.triple ? 3 : 1;
      cut_ = true;
    } else if (peek() == '\\') {
      error(span(at_, at_ + 1), "a '\\' cannot stand inside the braces of an f-string",
            "assign the value to a name before");
      ++at_;
    } else if (open_.size() == depth + 1) {
      closed = field_tail(quotes);
    } else if (peek() == '}' && open_.back().closer != TokenKind::right_brace) {
      const Token& opener = out_.tokens[open_.back().token];
      error(span(at_, at_ + 1), fmt::format("expected '{}' to close '{}' before '}}'",
                                            spelling(open_.back().closer), spelling(opener.kind)));
      close_all_from(depth + 1);
    } else {
      one_token();
    }
  }
  if (!quotes.triple) --single_line_fields_;
  if (!out_.gave_up) close_all_from(depth);
}

/// At the field's own bracket level: '}', '!r', ':spec', '=' end the expression.  True: the field
/// is closed.
bool Tokenizer::field_tail(const Quotes& quotes) {
  const char c = peek();
  if (c == '}') {
    close_innermost(at_, 1);
    ++at_;
    return true;
  }
  if (c == '!' && peek(1) != '=') {
    const std::size_t begin = at_++;
    const char letter = peek();
    if (letter == 'r' || letter == 's' || letter == 'a') {
      ++at_;
    } else {
      error(span(begin, begin + 1), "expected a conversion !r, !s or !a",
            "'not' is the logical negation");
    }
    push(TokenKind::field_conversion, begin, at_).payload = keep(std::string(1, letter));
    return false;
  }
  if (c == '=' && peek(1) != '=') {
    push(TokenKind::field_equals, at_, at_ + 1);
    ++at_;
    return false;
  }
  if (c != ':') {
    one_token();
    return false;
  }
  push(TokenKind::field_colon, at_, at_ + 1);
  ++at_;
  while (!cut_) {
    formatted_text(quotes, true);
    if (done() || peek() != '{') break;
    field(quotes);
  }
  if (!cut_ && peek() != '}' && !out_.gave_up) {
    field_never_closed();
    if (at_quotes(quotes)) at_ += quotes.triple ? 3 : 1;
  }
  return false;
}

}  // namespace tirx::dsl::grammar
