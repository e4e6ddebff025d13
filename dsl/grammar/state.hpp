// What does the grammar remember while it runs?  The furthest token it failed at (in a grammar
// without left recursion that is where the mistake is), what it expected there, and the errors so
// far.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "dsl/grammar/token.hpp"
#include "ir/base/diagnostic.hpp"
#include "ir/base/source.hpp"

namespace tirx::dsl::grammar {

class ParseState {
 public:
  ParseState(const Source& source, const TokenList& list);

  [[nodiscard]] const Source& source() const { return source_; }

  [[nodiscard]] const TokenList& list() const { return list_; }

  /// A token parser did not find `kind` at `at`.
  void expected(const Token* at, TokenKind kind) {
    if (at < furthest_) return;
    reached(at);
    expected_.set(static_cast<std::size_t>(kind));
  }

  /// The same, for a token whose absence is no news (any operator could follow).
  void reached(const Token* at) {
    if (at <= furthest_) return;
    furthest_ = at;
    expected_.reset();
  }

  void error(Span span, std::string text, std::string help = {});
  void report(const Token* at, Diagnostic diagnostic);

  /// Counts nested expressions; false (and an error) beyond the limit.
  [[nodiscard]] bool enter(const Token* at);

  void leave() { --depth_; }

  /// A statement that starts at `start` does not parse: says why, and returns where to go on.
  [[nodiscard]] const Token* recover(const Token* start);

  /// /// The statement before did not parse: a block, `else:` or `except:` that follows is its.
  [[nodiscard]] bool follows_broken() const { return broken_; }

  /// A statement was parsed whose first token was `first`.
  void parsed(const Token* first) { broken_ = first->kind == TokenKind::indent; }

  /// From the first byte of the token `begin` to the last of the last token before `end` that has
  /// text.
  [[nodiscard]] Span span(const Token* begin, const Token* end) const;

  [[nodiscard]] const DiagnosticList& errors() const { return errors_; }

 private:
  [[nodiscard]] bool has_error(std::uint32_t line) const;

  const Source& source_;
  const TokenList& list_;
  const Token* furthest_;

  TokenSet expected_;
  std::uint32_t depth_ = 0;
  bool broken_ = false;
  std::set<std::uint32_t> reported_lines_;
  DiagnosticList errors_;
};

}  // namespace tirx::dsl::grammar
