// Recovery: one error a logical line, then on with the next line.
#include "dsl/grammar/state.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dsl/grammar/explain.hpp"
#include "dsl/parse.hpp"

namespace tirx::dsl::grammar {
namespace {

/// A bracket costs one level of recursion, lambdas and f-string fields others.
constexpr std::uint32_t kMaxDepth = kMaxBracketDepth + 44;

bool continues_statement(TokenKind kind) {
  return kind == TokenKind::kw_else || kind == TokenKind::kw_elif || kind == TokenKind::kw_except ||
         kind == TokenKind::kw_finally;
}

}  // namespace

ParseState::ParseState(const Source& source, const TokenList& list)
    : source_(source), list_(list), furthest_(list.tokens.data()) {}

void ParseState::error(Span span, std::string text, std::string help) {
  Diagnostic diagnostic{.span = span, .text = std::move(text), .notes = {}};
  if (!help.empty()) diagnostic.notes.push_back({{}, std::move(help)});
  errors_.push_back(std::move(diagnostic));
}

void ParseState::report(const Token* at, Diagnostic diagnostic) {
  errors_.push_back(std::move(diagnostic));
  reported_lines_.insert(at->line);
}

bool ParseState::enter(const Token* at) {
  ++depth_;
  if (depth_ <= kMaxDepth) return true;
  if (!has_error(at->line)) {
    report(at, {.span = at->span,
                .text = fmt::format("more than {} nested expressions", kMaxDepth),
                .notes = {{{}, "give a name to an inner part"}}});
  }
  return false;
}

bool ParseState::has_error(std::uint32_t line) const {
  return reported_lines_.contains(line) ||
         std::binary_search(list_.error_lines.begin(), list_.error_lines.end(), line);
}

const Token* ParseState::recover(const Token* start) {
  const Token* const end = &list_.tokens.back();
  const Token* at = std::max(start, furthest_);
  // A missing block is the mistake of its header.
  const bool no_block = at > start && (at - 1)->kind == TokenKind::newline;
  const bool continues_broken = broken_ && continues_statement(start->kind);
  if (!continues_broken && !has_error(no_block ? (at - 1)->line : at->line)) {
    report(no_block ? at - 1 : at, explain({source_, list_, start, at, expected_}));
  }
  if (errors_.size() + list_.errors.size() >= kMaxSyntaxErrors) at = end;
  if (!no_block) {
    while (at < end && at->kind != TokenKind::newline) ++at;
    if (at < end) ++at;
  }
  broken_ = true;
  return at;
}

Span ParseState::span(const Token* begin, const Token* end) const {
  const Token* last = end;
  while (last > begin && (last == end || is_layout(last->kind) || last->span.empty())) --last;
  return {begin->span.begin, std::max(last->span.end, begin->span.end)};
}

}  // namespace tirx::dsl::grammar
