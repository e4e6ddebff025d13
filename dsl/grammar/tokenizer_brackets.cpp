// Brackets and what goes wrong with them.
#include <algorithm>

#include <fmt/format.h>

#include "dsl/grammar/tokenizer_state.hpp"
#include "dsl/parse.hpp"

namespace tirx::dsl::grammar {
namespace {

TokenKind closer_of(TokenKind opener) {
  switch (opener) {
    case TokenKind::left_paren:
      return TokenKind::right_paren;
    case TokenKind::left_bracket:
      return TokenKind::right_bracket;
    case TokenKind::left_brace:
      return TokenKind::right_brace;
    default:
      return TokenKind::field_end;
  }
}

}  // namespace

void Tokenizer::error(Span span, std::string text, std::string help) {
  Diagnostic diagnostic{.span = span, .text = std::move(text), .notes = {}};
  if (!help.empty()) diagnostic.notes.push_back({{}, std::move(help)});
  out_.errors.push_back(std::move(diagnostic));
  out_.error_lines.push_back(line_);
  if (out_.errors.size() >= kMaxSyntaxErrors) out_.gave_up = true;
}

void Tokenizer::give_up(Span span, std::string text, std::string help) {
  error(span, std::move(text), std::move(help));
  out_.gave_up = true;
}

void Tokenizer::open_bracket(TokenKind kind, std::size_t begin, std::size_t length, bool field) {
  if (open_.size() >= kMaxBracketDepth) {
    give_up(span(begin, begin + length),
            fmt::format("more than {} nested brackets", kMaxBracketDepth),
            "give a name to an inner part");
    return;
  }
  open_.push_back({closer_of(kind), out_.tokens.size(), field});
  push(kind, begin, begin + length);
  at_ = begin + length;
}

/// Puts the closer of the innermost bracket; of length 0 if the script lacks it.
void Tokenizer::close_innermost(std::size_t begin, std::size_t length) {
  const OpenBracket bracket = open_.back();
  open_.pop_back();
  const auto here = static_cast<std::uint32_t>(out_.tokens.size());
  push(bracket.closer, begin, begin + length).partner = static_cast<std::uint32_t>(bracket.token);
  out_.tokens[bracket.token].partner = here;
}

void Tokenizer::close_all_from(std::size_t depth) {
  while (open_.size() > depth) close_innermost(out_.tokens.back().span.end, 0);
}

void Tokenizer::close_bracket(TokenKind kind, std::size_t length) {
  const std::size_t begin = at_;
  at_ += length;
  // A bracket beyond the nearest f-string field belongs to another text.
  std::size_t floor = open_.size();
  while (floor > 0 && !open_[floor - 1].field) --floor;
  std::size_t match = open_.size();
  while (match > floor && open_[match - 1].closer != kind) --match;
  if (open_.size() == floor) {
    // After another mistake on the line this may be its echo.
    const bool echo = !out_.error_lines.empty() && out_.error_lines.back() == line_;
    if (!echo) {
      error(span(begin, at_), fmt::format("'{}' closes nothing", spelling(kind)),
            "remove it, or open the bracket before it");
    }
    return;
  }
  if (match < open_.size()) {
    const Token& opener = out_.tokens[open_.back().token];
    const LineAt place = source_.locate(opener.span.begin);
    error(span(begin, at_), fmt::format("expected '{}' to close '{}' opened at line {}, found '{}'",
                                        spelling(open_.back().closer), spelling(opener.kind),
                                        place.line, spelling(kind)));
    out_.errors.back().notes.push_back({opener.span, "the bracket that is open here"});
    // `(a]`: the wrong closer was typed.  `([a)`: the inner one was forgotten.
    if (match > floor) close_all_from(match);
  }
  close_innermost(begin, length);
}

/// `found` is the token before which the closer is missing; empty: the end of the file.
void Tokenizer::bracket_never_closed(Span found) {
  left_open_ = true;
  const Token opener = out_.tokens[open_.back().token];
  const LineAt place = source_.locate(opener.span.begin);
  const std::string_view closer = spelling(open_.back().closer);
  if (found.empty()) {
    error(opener.span, fmt::format("'{}' is never closed: expected '{}' before the end of the file",
                                   spelling(opener.kind), closer));
  } else {
    error(found, fmt::format("expected '{}' to close '{}' opened at line {}", closer,
                             spelling(opener.kind), place.line));
    out_.errors.back().notes.push_back({opener.span, "opened here"});
  }
  close_all_from(0);
}

}  // namespace tirx::dsl::grammar
