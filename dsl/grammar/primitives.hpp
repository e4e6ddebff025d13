// The X3 parsers of ours: tokens as terminals, and the directive `node<Parts>[…]` that makes a
// syntax tree node of what a sequence found.  There are no semantic actions.
#pragma once

#include <boost/spirit/home/x3.hpp>

#include "dsl/grammar/build.hpp"
#include "dsl/grammar/parts.hpp"
#include "dsl/grammar/parts_fusion.hpp"
#include "dsl/grammar/state.hpp"
#include "dsl/grammar/token.hpp"

namespace tirx::dsl::grammar {

namespace x3 = boost::spirit::x3;

struct StateTag;

// The one Iterator and the one Context of the grammar.
using Iterator = const Token*;
using Context = x3::context<StateTag, ParseState>;

/// A terminal without an attribute.
struct WordParser : x3::parser<WordParser> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  constexpr explicit WordParser(TokenKind token) : kind(token) {}

  template <typename C, typename R, typename A>
  bool parse(Iterator& first, const Iterator&, const C& context, const R&, A&) const {
    if (first->kind == kind) {
      ++first;
      return true;
    }
    x3::get<StateTag>(context).expected(first, kind);
    return false;
  }

  TokenKind kind;
};

/// A terminal whose attribute is its Span.
struct PlaceParser : x3::parser<PlaceParser> {
  using attribute_type = Span;
  static constexpr bool has_attribute = true;

  constexpr explicit PlaceParser(TokenKind token) : kind(token) {}

  template <typename C, typename R, typename A>
  bool parse(Iterator& first, const Iterator&, const C& context, const R&, A& value) const {
    if (first->kind == kind) {
      x3::traits::move_to(Span(first->span), value);
      ++first;
      return true;
    }
    x3::get<StateTag>(context).expected(first, kind);
    return false;
  }

  TokenKind kind;
};

constexpr WordParser word(TokenKind kind) {
  return WordParser(kind);
}

constexpr PlaceParser place(TokenKind kind) {
  return PlaceParser(kind);
}

/// A terminal whose attribute `recognise(state, token, value)` fills; it says how many tokens it
/// took.
template <typename Value>
struct ValueParser : x3::parser<ValueParser<Value>> {
  using attribute_type = Value;
  using Recognise = int (*)(ParseState&, const Token*, Value&);
  static constexpr bool has_attribute = true;

  constexpr explicit ValueParser(Recognise function) : recognise(function) {}

  template <typename C, typename R, typename A>
  bool parse(Iterator& first, const Iterator&, const C& context, const R&, A& attribute) const {
    Value value{};
    const int taken = recognise(x3::get<StateTag>(context), first, value);
    if (taken == 0) return false;
    first += taken;
    x3::traits::move_to(std::move(value), attribute);
    return true;
  }

  Recognise recognise;
};

/// A condition on the next token; takes none.
struct LookParser : x3::parser<LookParser> {
  using attribute_type = x3::unused_type;
  using Holds = bool (*)(const ParseState&, const Token*);
  static constexpr bool has_attribute = false;

  constexpr explicit LookParser(Holds function) : holds(function) {}

  template <typename C, typename R, typename A>
  bool parse(Iterator& first, const Iterator&, const C& context, const R&, A&) const {
    return holds(x3::get<StateTag>(context), first);
  }

  Holds holds;
};

template <typename Subject, typename Parts>
struct NodeDirective : x3::unary_parser<Subject, NodeDirective<Subject, Parts>> {
  using base_type = x3::unary_parser<Subject, NodeDirective<Subject, Parts>>;
  using attribute_type = typename Parts::Node;
  static constexpr bool has_attribute = true;
  static constexpr bool handles_container = false;

  constexpr explicit NodeDirective(const Subject& inner) : base_type(inner) {}

  template <typename C, typename R, typename A>
  bool parse(
      Iterator& first, const Iterator& last, const C& context, R& rcontext, A& attribute) const {
    Parts parts{};
    const Iterator start = first;
    if (!this->subject.parse(first, last, context, rcontext, parts)) return false;
    ParseState& state = x3::get<StateTag>(context);
    attribute_type made{};
    build(state, state.span(start, first), std::move(parts), made);
    x3::traits::move_to(std::move(made), attribute);
    return true;
  }
};

template <typename Parts>
struct NodeGenerator {
  template <typename Subject>
  constexpr auto operator[](const Subject& subject) const {
    using Parser = typename x3::extension::as_parser<Subject>::value_type;
    return NodeDirective<Parser, Parts>(x3::as_parser(subject));
  }
};

template <typename Parts>
inline constexpr NodeGenerator<Parts> node{};

/// One more level of nested expressions.
template <typename Subject>
struct NestedDirective : x3::unary_parser<Subject, NestedDirective<Subject>> {
  using base_type = x3::unary_parser<Subject, NestedDirective<Subject>>;
  static constexpr bool is_pass_through_unary = true;
  static constexpr bool handles_container = Subject::handles_container;

  constexpr explicit NestedDirective(const Subject& inner) : base_type(inner) {}

  template <typename C, typename R, typename A>
  bool parse(
      Iterator& first, const Iterator& last, const C& context, R& rcontext, A& attribute) const {
    ParseState& state = x3::get<StateTag>(context);
    const bool fits = state.enter(first);
    const bool parsed = fits && this->subject.parse(first, last, context, rcontext, attribute);
    state.leave();
    return parsed;
  }
};

struct NestedGenerator {
  template <typename Subject>
  constexpr auto operator[](const Subject& subject) const {
    using Parser = typename x3::extension::as_parser<Subject>::value_type;
    return NestedDirective<Parser>(x3::as_parser(subject));
  }
};

inline constexpr NestedGenerator nested{};

/// A comma, or the closer right behind: `*(item >> separated(closer))` is a list with a trailing
/// comma.
constexpr auto separated(TokenKind closer) {
  return word(TokenKind::comma) | &word(closer);
}

}  // namespace tirx::dsl::grammar
