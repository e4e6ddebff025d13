// Scans from the token that does not fit, forward and back, within its statement.
#include "dsl/grammar/explain_site.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tirx::dsl::grammar {

Span Site::place() const {
  const Span span = at()->span;
  return {span.begin, std::max(span.end, span.begin + 1)};
}

std::string Site::found() const {
  if (is_layout(kind()) || (at()->span.empty() && !is_layout(kind()))) return quoted(kind());
  switch (kind()) {
    case TokenKind::string:
    case TokenKind::fstring_begin:
      return "a string";
    case TokenKind::fstring_end:
      return quoted(kind());
    default:
      return fmt::format("'{}'", text());
  }
}

const Token* Site::header() const {
  const Token* token = at();
  while (token > start() && !token->starts_line) --token;
  return token;
}

const Token* Site::header_of_block() const {
  const Token* token = at() - 1;
  while (token > start() && !token->starts_line) --token;
  return token;
}

const Token* Site::open_bracket() const {
  const Token* const first = failure_.list.tokens.data();
  const auto here = static_cast<std::uint32_t>(at() - first);
  for (const Token* token = at() - 1; token >= start() && token >= first; --token) {
    const bool opens =
        token->kind == TokenKind::left_paren || token->kind == TokenKind::left_bracket ||
        token->kind == TokenKind::left_brace || token->kind == TokenKind::field_begin;
    if (opens && token->partner >= here) return token;
  }
  return nullptr;
}

std::string Site::closer_of(const Token* bracket) const {
  return std::string(spelling(failure_.list.tokens[bracket->partner].kind));
}

bool Site::line_has_colon_after() const {
  for (const Token* token = at(); !is_layout(token->kind); ++token) {
    if (token->kind == TokenKind::colon) return true;
    if (token->partner != 0 &&
        failure_.list.tokens[token->partner].span.begin > token->span.begin) {
      token = &failure_.list.tokens[token->partner];
    }
  }
  return false;
}

}  // namespace tirx::dsl::grammar
