// Parentheses, lists, dicts, comprehensions, strings.
#include <algorithm>

#include <fmt/format.h>

#include "dsl/grammar/build.hpp"

namespace tirx::dsl::grammar {
namespace {

using ast::Expr;

std::vector<Expr> together(Expr&& first, std::vector<Expr>&& rest) {
  std::vector<Expr> all;
  all.reserve(rest.size() + 1);
  all.push_back(std::move(first));
  std::move(rest.begin(), rest.end(), std::back_inserter(all));
  return all;
}

void append_text(std::vector<ast::FStringPart>& parts, Span span, std::string&& text) {
  if (text.empty()) return;
  auto* last = parts.empty() ? nullptr : std::get_if<std::string>(&parts.back().content);
  if (last == nullptr) {
    parts.push_back({span, std::move(text)});
    return;
  }
  *last += text;
  parts.back().span = join(parts.back().span, span);
}

/// Joins neighbouring texts, and splits `{x=}` into its text and its field.
std::vector<ast::FStringPart> flatten(std::vector<parts::Piece>&& pieces) {
  std::vector<ast::FStringPart> out;
  for (parts::Piece& piece : pieces) {
    append_text(out, piece.part.span, std::move(piece.label));
    if (auto* text = std::get_if<std::string>(&piece.part.content)) {
      append_text(out, piece.part.span, std::move(*text));
    } else {
      out.push_back(std::move(piece.part));
    }
  }
  return out;
}

/// A comprehension takes one plain element.
Expr element_of(ParseState& state, parts::Items& items) {
  Expr element = std::move(items.elements.front());
  check_not_starred(state, element);
  if (items.comma) {
    state.error(element.span, "a comprehension has one element",
                "put parentheses around the element, or around the comprehension");
  }
  return element;
}

}  // namespace

void check_not_starred(ParseState& state, const Expr& expr) {
  if (expr.is<ast::Starred>()) {
    state.error(expr.span, "'*…' can stand only in a tuple, a list, a call or a subscript",
                "for a tuple write a comma behind it");
  }
}

void build(ParseState& state, Span span, parts::Starred&& starred, Expr& out) {
  finish(state, span, ast::Starred{std::move(starred.value)}, out);
}

void build(ParseState& state, Span span, parts::Sequence&& sequence, Expr& out) {
  if (sequence.rest.empty() && !sequence.comma) {
    out = std::move(sequence.first);
    return;
  }
  finish(state, span, ast::Tuple{together(std::move(sequence.first), std::move(sequence.rest))},
         out);
}

void build(ParseState&, Span, parts::ItemList&& list, parts::Items& out) {
  out.comma = list.comma || !list.rest.empty();
  out.elements = together(std::move(list.first), std::move(list.rest));
}

void build(ParseState&, Span, parts::Content&& content, parts::Items& out) {
  out.comma = content.comma || !content.rest.empty();
  out.elements = together(std::move(content.first), std::move(content.rest));
  out.clauses = std::move(content.clauses);
}

void build(ParseState& state, Span span, parts::ForClause&& clause, ast::Clause& out) {
  check_target(state, clause.target);
  out = {span, std::move(clause.target), std::move(clause.iterable), std::move(clause.conditions)};
}

void build(ParseState& state, Span span, parts::Paren&& paren, Expr& out) {
  parts::Items& items = paren.items;
  if (!items.clauses.empty()) {
    Expr element = element_of(state, items);
    finish(state, span, ast::GeneratorExp{std::move(element), std::move(items.clauses)}, out);
  } else if (items.elements.size() == 1 && !items.comma) {
    Expr& only = items.elements.front();
    check_not_starred(state, only);
    Expr inner = only.is<ast::Starred>() ? std::move(*std::get<ast::Starred>(only.node).value)
                                         : std::move(only);
    out = std::move(inner);
    out.span = span;
  } else {
    finish(state, span, ast::Tuple{std::move(items.elements)}, out);
  }
}

void build(ParseState& state, Span span, parts::ListDisplay&& list, Expr& out) {
  if (list.items.clauses.empty()) {
    finish(state, span, ast::List{std::move(list.items.elements)}, out);
    return;
  }
  Expr element = element_of(state, list.items);
  finish(state, span, ast::ListComp{std::move(element), std::move(list.items.clauses)}, out);
}

void build(ParseState&, Span span, parts::KeyValue&& pair, parts::Entry& out) {
  out = {{std::move(pair.key), std::move(pair.value)}, std::move(pair.clauses), span};
}

void build(ParseState&, Span span, parts::DictUnpack&& unpack, parts::Entry& out) {
  out = {{{}, std::move(unpack.value)}, {}, span};
}

void build(ParseState& state, Span span, parts::DictDisplay&& dict, Expr& out) {
  ast::Dict made;
  for (parts::Entry& entry : dict.entries) {
    if (!entry.clauses.empty() && dict.entries.size() == 1) {
      finish(state, span,
             ast::DictComp{std::move(entry.item.key), std::move(entry.item.value),
                           std::move(entry.clauses)},
             out);
      return;
    }
    if (!entry.clauses.empty()) {
      state.error(entry.span, "a comprehension cannot stand among other entries",
                  "merge it with '**{…}'");
    }
    made.items.push_back(std::move(entry.item));
  }
  finish(state, span, std::move(made), out);
}

void build(ParseState& state, Span span, parts::Field&& field, parts::Piece& out) {
  check_not_starred(state, field.value);
  ast::FStringField made{std::move(field.value), field.conversion, flatten(std::move(field.spec))};
  if (!field.equals.empty()) {
    // The label is the text between the brace and the value, blanks around '=' included.
    std::uint32_t end = field.equals.end;
    const std::string_view text = state.source().text();
    while (end < text.size() && text[end] == ' ') ++end;
    out.label = state.source().text({field.open.end, end});
    if (made.conversion == '\0' && made.spec.empty()) made.conversion = 'r';
  }
  out.part = {span, std::move(made)};
}

void build(ParseState& state, Span span, parts::FStringDisplay&& display, Expr& out) {
  finish(state, span, ast::FString{flatten(std::move(display.pieces))}, out);
}

void build(ParseState& state, Span span, parts::Strings&& strings, Expr& out) {
  if (strings.rest.empty() && strings.first.is<ast::StringLit>()) {
    out = std::move(strings.first);
    return;
  }
  std::vector<ast::FStringPart> joined;
  for (Expr& piece : together(std::move(strings.first), std::move(strings.rest))) {
    if (auto* text = piece.as<ast::StringLit>()) {
      append_text(joined, piece.span, std::move(text->value));
    } else {
      for (ast::FStringPart& part : piece.as<ast::FString>()->parts) {
        auto* inner = std::get_if<std::string>(&part.content);
        inner != nullptr ? append_text(joined, part.span, std::move(*inner))
                         : joined.push_back(std::move(part));
      }
    }
  }
  const bool plain = joined.empty() || (joined.size() == 1 && joined[0].content.index() == 0);
  if (!plain) {
    finish(state, span, ast::FString{std::move(joined)}, out);
    return;
  }
  out.span = span;
  out.node = ast::StringLit{joined.empty() ? std::string()
                                           : std::get<std::string>(std::move(joined[0].content))};
}

}  // namespace tirx::dsl::grammar
