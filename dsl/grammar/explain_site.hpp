// What is around a token that does not fit?  The questions that explain.cpp asks.
#pragma once

#include <string>

#include "dsl/grammar/explain.hpp"

namespace tirx::dsl::grammar {

class Site {
 public:
  explicit Site(const Failure& failure) : failure_(failure) {}

  [[nodiscard]] const Source& source() const { return failure_.source; }

  [[nodiscard]] const Token* start() const { return failure_.start; }

  [[nodiscard]] const Token* at() const { return failure_.at; }

  [[nodiscard]] TokenKind kind() const { return at()->kind; }

  [[nodiscard]] bool expects(TokenKind kind) const {
    return failure_.expected.test(static_cast<std::size_t>(kind));
  }

  /// The kind before `at`, or end_of_file at the very start.
  [[nodiscard]] TokenKind before() const {
    return at() == failure_.list.tokens.data() ? TokenKind::end_of_file : (at() - 1)->kind;
  }

  /// Is the token before `at` of this kind, without a blank between?
  [[nodiscard]] bool touches(TokenKind kind) const {
    return before() == kind && (at() - 1)->span.end == at()->span.begin;
  }

  [[nodiscard]] std::string text_of(const Token* token) const {
    return std::string(source().text(token->span));
  }

  [[nodiscard]] std::string text() const { return text_of(at()); }

  /// Never empty, so that a caret has a place.
  [[nodiscard]] Span place() const;
  /// The token in words.
  [[nodiscard]] std::string found() const;
  /// The first token of the logical line (in it: of the part behind the last ';' or block colon).
  [[nodiscard]] const Token* header() const;
  /// The same of the line before `at`, when a block is missing.
  [[nodiscard]] const Token* header_of_block() const;
  /// The innermost bracket of the statement that is open at `at`, or null.
  [[nodiscard]] const Token* open_bracket() const;
  [[nodiscard]] std::string closer_of(const Token* bracket) const;
  /// Does a ':' outside of brackets follow on the line?
  [[nodiscard]] bool line_has_colon_after() const;

 private:
  const Failure& failure_;
};

}  // namespace tirx::dsl::grammar
