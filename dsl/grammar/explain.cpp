// A ranked list of guesses: each looks for one common mistake around the token that does not fit,
// and the first that recognises its mistake speaks.  The last one lists what would have fitted.
#include "dsl/grammar/explain.hpp"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "dsl/grammar/explain_site.hpp"

namespace tirx::dsl::grammar {
namespace {

using enum TokenKind;
using Guess = std::optional<Diagnostic>;

Diagnostic say(Span span, std::string text, std::string help = {}) {
  Diagnostic out{.span = span, .text = std::move(text), .notes = {}};
  if (!help.empty()) out.notes.push_back({{}, std::move(help)});
  return out;
}

/// `T.ptx.cp.async`: keywords cannot be names, not even behind a dot.
Guess keyword_as_name(const Site& site) {
  if (!is_keyword(site.kind()) || !site.expects(name)) return std::nullopt;
  const bool after_dot = site.before() == dot;
  if (!after_dot && (site.expects(integer) || starts_expression(site.kind()))) return std::nullopt;
  const std::string word = site.text();
  return say(site.place(), fmt::format("'{}' is a keyword and cannot be a name", word),
             fmt::format("write '{}_'", word));
}

struct LeftOut {
  TokenKind kind;
  const char* instead;
};

constexpr LeftOut kLeftOut[] = {
    {kw_yield, "gather the values in a list and return it"},
    {kw_async, "leave it out; copies are asynchronous by the name of the operation"},
    {kw_await, "leave it out; waiting is an operation such as T.ptx.cp.async_.wait_group(0)"},
    {kw_try, "check the condition before with 'if' or 'assert'"},
    {kw_except, "check the condition before with 'if' or 'assert'"},
    {kw_finally, "write the statements behind the block"},
    {walrus, "assign on a line of its own, before this one"},
};

Guess left_out(const Site& site) {
  for (const LeftOut& known : kLeftOut) {
    if (site.kind() != known.kind) continue;
    return say(site.place(), fmt::format("'{}' is not part of the language", site.text()),
               known.instead);
  }
  return std::nullopt;
}

/// Words that start a statement only by their position: print, exec, match, type.
Guess soft_keyword(const Site& site) {
  if (site.start()->kind != name || site.at() != site.start() + 1) return std::nullopt;
  const std::string word = site.text_of(site.start());
  const bool value = starts_expression(site.kind());
  if (value && word == "print") {
    return say(site.start()->span, "'print' is a function",
               "put parentheses around its arguments: print(…)");
  }
  if (value && (word == "match" || word == "case")) {
    return say(site.start()->span, fmt::format("'{}' is not part of the language", word),
               "write a chain of 'if' and 'elif'");
  }
  if (site.kind() == name && word == "type") {
    return say(site.start()->span, "'type' is not part of the language",
               "assign the value to a name");
  }
  if (site.kind() == name && (word == "function" || word == "func" || word == "fn")) {
    return say(site.start()->span, fmt::format("'{}' does not start a function", word),
               "write 'def'");
  }
  return std::nullopt;
}

/// Operators of other languages, which arrive as two tokens without a blank between.
Guess foreign_operator(const Site& site) {
  struct Foreign {
    TokenKind first;
    TokenKind second;
    const char* text;
    const char* instead;
  };

  static constexpr Foreign kForeign[] = {
      {ampersand, ampersand, "&&", "write 'and'"},
      {pipe, pipe, "||", "write 'or'"},
      {less, greater, "<>", "write '!='"},
      {equal, assign, "===", "write '=='"},
      {not_equal, assign, "!==", "write '!='"},
      {assign, greater, "=>", "write '>=', or 'lambda x: …'"},
      {assign, less, "=<", "write '<='"},
      {minus, greater, "->", "write '.'"},
  };
  for (const Foreign& known : kForeign) {
    if (site.kind() == known.second && site.touches(known.first)) {
      return say(join((site.at() - 1)->span, site.place()),
                 fmt::format("'{}' is not an operator", known.text), known.instead);
    }
  }
  if (site.kind() == bang) return say(site.place(), "'!' is not an operator", "write 'not'");
  for (const TokenKind sign : {plus, minus}) {
    const bool doubled = site.before() == sign && site.at() - 2 >= site.start() &&
                         (site.at() - 2)->kind == sign &&
                         (site.at() - 2)->span.end == (site.at() - 1)->span.begin;
    if (doubled && !starts_expression(site.kind())) {
      return say(join((site.at() - 2)->span, (site.at() - 1)->span),
                 fmt::format("'{0}{0}' is not an operator", spelling(sign)),
                 fmt::format("write 'x {}= 1'", spelling(sign)));
    }
  }
  return std::nullopt;
}

Guess assignment_in_expression(const Site& site) {
  if (site.kind() != assign) return std::nullopt;
  const TokenKind head = site.header()->kind;
  const Token* bracket = site.open_bracket();
  if (head == kw_if || head == kw_elif || head == kw_while || head == kw_assert) {
    return say(site.place(), "'=' in a condition", "a comparison is written '=='");
  }
  if (bracket != nullptr && bracket->kind == left_paren) {
    return say(
        site.place(), "'=' inside an expression",
        "a comparison is written '=='; a keyword argument is a plain name, '=', and the value");
  }
  if (head == kw_return || head == kw_for || bracket != nullptr) {
    return say(site.place(), "'=' inside an expression", "a comparison is written '=='");
  }
  return std::nullopt;
}

Guess stray_block_keyword(const Site& site) {
  if (site.at() != site.start() || (site.kind() != kw_else && site.kind() != kw_elif))
    return std::nullopt;
  return say(site.place(), fmt::format("'{}' without an 'if' before it", site.text()),
             "it must have the indentation of its 'if'");
}

Guess else_if(const Site& site) {
  if (site.kind() != kw_if || site.before() != kw_else || !site.expects(colon)) return std::nullopt;
  return say(join((site.at() - 1)->span, site.place()), "'else if' is not part of the language",
             "write 'elif'");
}

Guess missing_block(const Site& site) {
  if (!site.expects(indent) || site.before() != newline) return std::nullopt;
  const Token* header = site.header_of_block();
  const std::string word = header->kind == at ? "def" : site.text_of(header);
  const LineAt line = site.source().locate(header->span.begin);
  Diagnostic out =
      say(site.place(),
          fmt::format("expected an indented block after '{}' on line {}", word, line.line),
          "write 'pass' for a block that does nothing");
  return out;
}

bool heads_block(TokenKind kind) {
  switch (kind) {
    case kw_if:
    case kw_elif:
    case kw_else:
    case kw_for:
    case kw_while:
    case kw_with:
    case kw_def:
    case kw_class:
      return true;
    default:
      return false;
  }
}

Guess missing_colon(const Site& site) {
  if (!site.expects(colon) || site.open_bracket() != nullptr || !heads_block(site.header()->kind))
    return std::nullopt;
  if (site.kind() != newline && site.line_has_colon_after()) return std::nullopt;
  return say(site.place(), fmt::format("missing ':' after '{}'", site.text_of(site.header())),
             "a line that starts a block ends with ':'");
}

Guess set_display(const Site& site) {
  const Token* bracket = site.open_bracket();
  const bool set = bracket != nullptr && bracket->kind == left_brace && site.expects(colon) &&
                   (site.kind() == comma || site.kind() == right_brace || site.kind() == kw_for);
  if (!set) return std::nullopt;
  return say(bracket->span, "sets are not part of the language", "write a list […] or a tuple (…)");
}

Guess bare_tuple_in_comprehension(const Site& site) {
  if (site.kind() != kw_for || site.open_bracket() == nullptr || !site.expects(comma))
    return std::nullopt;
  return say(site.place(), "a comprehension has one element",
             "put parentheses around it: [(a, b) for …]");
}

Guess block_within_line(const Site& site) {
  const TokenKind before = site.before();
  const bool within = (before == colon || before == semicolon) && site.open_bracket() == nullptr;
  if (!within || !heads_block(site.kind())) return std::nullopt;
  return say(site.place(), fmt::format("'{}' must start a line of its own", site.text()));
}

Guess parameter_expected(const Site& site) {
  if (!site.expects(name) || !site.expects(slash)) return std::nullopt;
  const bool lambda = site.before() == kw_lambda && site.kind() == left_paren;
  return say(site.place(), fmt::format("expected a parameter, found {}", site.found()),
             lambda ? "the parameters of a lambda stand without parentheses" : "");
}

Guess missing_comma(const Site& site) {
  const Token* bracket = site.open_bracket();
  if (bracket == nullptr || !site.expects(comma) || !starts_expression(site.kind()))
    return std::nullopt;
  Diagnostic out =
      say(site.place(),
          fmt::format("expected ',' or '{}' before {}", site.closer_of(bracket), site.found()),
          "perhaps a comma is missing");
  out.notes.push_back({bracket->span, "the bracket that is open here"});
  return out;
}

Guess conditional_without_else(const Site& site) {
  if (!site.expects(kw_else)) return std::nullopt;
  return say(site.place(), fmt::format("expected 'else', found {}", site.found()),
             "a conditional expression is 'a if condition else b'");
}

Guess missing_in(const Site& site) {
  if (!site.expects(kw_in)) return std::nullopt;
  return say(site.place(),
             fmt::format("expected 'in' after the loop variable, found {}", site.found()),
             "a loop is 'for x in range(n):'");
}

Guess decorator_without_definition(const Site& site) {
  if (!site.expects(kw_def) || site.start()->kind != at || site.before() != newline)
    return std::nullopt;
  return say(site.place(), "expected 'def' or 'class' after the decorator",
             "a decorator stands on the line above what it decorates");
}

Guess expression_expected(const Site& site) {
  if (!site.expects(integer)) return std::nullopt;
  if (is_layout(site.kind())) {
    return say(site.place(),
               fmt::format("expected an expression after '{}'", site.text_of(site.at() - 1)));
  }
  if (site.at() == site.start())
    return say(site.place(), fmt::format("a statement cannot start with {}", site.found()));
  return say(site.place(), fmt::format("expected an expression, found {}", site.found()));
}

Guess two_statements(const Site& site) {
  const bool ended =
      site.expects(newline) && site.open_bracket() == nullptr && site.at() > site.start();
  if (!ended) return std::nullopt;
  if (starts_expression(site.kind()) || is_keyword(site.kind())) {
    return say(site.place(), fmt::format("expected the end of the line, found {}", site.found()),
               "an operator is missing, or a ';' between two statements");
  }
  return say(site.place(), fmt::format("unexpected {}", site.found()));
}

/// What could go on in any expression says nothing about the mistake.
bool goes_without_saying(TokenKind kind) {
  return kind == left_paren || kind == left_bracket || kind == dot || kind == kw_if ||
         kind == kw_for;
}

Diagnostic listing(const Site& site) {
  std::string list;
  for (const bool weak : {false, true}) {
    for (std::size_t i = 0; i < kTokenKinds && (!weak || list.empty()); ++i) {
      const auto kind = static_cast<TokenKind>(i);
      if (!site.expects(kind) || goes_without_saying(kind) != weak) continue;
      list += list.empty() ? "" : " or ";
      list += quoted(kind);
    }
  }
  if (list.empty()) return say(site.place(), fmt::format("unexpected {}", site.found()));
  return say(site.place(), fmt::format("expected {}, found {}", list, site.found()));
}

constexpr std::array kGuesses = {
    keyword_as_name,
    left_out,
    soft_keyword,
    foreign_operator,
    assignment_in_expression,
    stray_block_keyword,
    else_if,
    missing_block,
    set_display,
    bare_tuple_in_comprehension,
    block_within_line,
    parameter_expected,
    decorator_without_definition,
    missing_colon,
    missing_in,
    conditional_without_else,
    missing_comma,
    expression_expected,
    two_statements,
};

}  // namespace

Diagnostic explain(const Failure& failure) {
  const Site site(failure);
  for (const auto guess : kGuesses) {
    if (Guess said = guess(site)) return std::move(*said);
  }
  return listing(site);
}

}  // namespace tirx::dsl::grammar
