// Suffixes, arguments, slices, lambdas.
#include <set>

#include <fmt/format.h>

#include "dsl/grammar/build.hpp"

namespace tirx::dsl::grammar {

using ast::Argument;
using ast::ArgumentKind;
using ast::Expr;

void build(ParseState& state, Span span, parts::Lambda&& lambda, Expr& out) {
  finish(
      state, span,
      ast::Lambda{resolve_parameters(state, std::move(lambda.parameters)), std::move(lambda.body)},
      out);
}

void build(ParseState& state, Span, parts::Primary&& primary, Expr& out) {
  out = std::move(primary.atom);
  for (Expr& suffix : primary.suffixes) {
    const Span span = join(out.span, suffix.span);
    Expr::Node made = std::move(suffix.node);
    if (auto* attribute = std::get_if<ast::Attribute>(&made)) {
      attribute->base = std::move(out);
    } else if (auto* call = std::get_if<ast::Call>(&made)) {
      call->callee = std::move(out);
    } else if (auto* subscript = std::get_if<ast::Subscript>(&made)) {
      subscript->base = std::move(out);
    }
    out = Expr{};
    finish(state, span, std::move(made), out);
  }
}

void build(ParseState&, Span span, parts::AttributeSuffix&& suffix, Expr& out) {
  out.span = span;
  out.node = ast::Attribute{{}, std::move(suffix.name)};
}

void build(ParseState& state, Span span, parts::CallSuffix&& suffix, Expr& out) {
  check_arguments(state, suffix.arguments);
  out.span = span;
  out.node = ast::Call{{}, std::move(suffix.arguments)};
}

void check_arguments(ParseState& state, const std::vector<Argument>& arguments) {
  std::set<std::string_view> names;
  bool keyword_seen = false;
  bool unpack_seen = false;
  for (const Argument& argument : arguments) {
    const bool positional = argument.kind == ArgumentKind::positional;
    if (positional && (keyword_seen || unpack_seen)) {
      state.error(argument.span, "a positional argument cannot follow a keyword argument",
                  "move it to the front, or write NAME=…");
    }
    if (argument.kind == ArgumentKind::star && unpack_seen) {
      state.error(argument.span, "'*…' cannot follow '**…' in a call", "move it to the front");
    }
    if (argument.kind == ArgumentKind::keyword && !names.insert(argument.name.text).second) {
      state.error(argument.name.span,
                  fmt::format("keyword argument '{}' is given twice", argument.name.text),
                  "remove one");
    }
    // In `f(x for x in y, z)` Python asks for parentheses, too; a span that is wider than the
    // element tells.
    const auto* generator = positional ? argument.value.as<ast::GeneratorExp>() : nullptr;
    const bool bare =
        generator != nullptr && argument.value.span.begin == generator->element->span.begin;
    if (bare && arguments.size() > 1) {
      state.error(argument.span, "a generator among other arguments needs parentheses of its own",
                  "write f((x for x in y), z)");
    }
    keyword_seen |= argument.kind == ArgumentKind::keyword;
    unpack_seen |= argument.kind == ArgumentKind::double_star;
  }
}

void build(ParseState&, Span span, parts::SubscriptSuffix&& suffix, Expr& out) {
  out.span = span;
  out.node = ast::Subscript{{}, std::move(suffix.items.elements), suffix.items.comma};
  // A[*index] is the tuple index A[(*index,)].
  auto& subscript = std::get<ast::Subscript>(out.node);
  if (subscript.items.size() == 1 && subscript.items[0].is<ast::Starred>())
    subscript.is_tuple = true;
}

void build(ParseState& state, Span span, parts::SliceTail&& tail, Expr& out) {
  finish(state, span, ast::Slice{{}, std::move(tail.end), std::move(tail.step)}, out);
}

void build(ParseState& state, Span span, parts::SliceItem&& item, Expr& out) {
  if (!item.tail) {
    out = std::move(item.begin);
    return;
  }
  auto slice = std::get<ast::Slice>(std::move(item.tail->node));
  slice.begin = std::move(item.begin);
  finish(state, span, std::move(slice), out);
}

void build(ParseState&, Span span, parts::KeywordArgument&& argument, Argument& out) {
  out = {span, ArgumentKind::keyword, std::move(argument.name), std::move(argument.value)};
}

void build(ParseState& state, Span span, parts::PositionalArgument&& argument, Argument& out) {
  out.span = span;
  if (argument.clauses.empty()) {
    out.value = std::move(argument.value);
  } else {
    finish(state, span, ast::GeneratorExp{std::move(argument.value), std::move(argument.clauses)},
           out.value);
  }
}

void build(ParseState&, Span span, parts::StarArgument&& argument, Argument& out) {
  out = {span, ArgumentKind::star, {}, std::move(argument.value)};
}

void build(ParseState&, Span span, parts::DoubleStarArgument&& argument, Argument& out) {
  out = {span, ArgumentKind::double_star, {}, std::move(argument.value)};
}

}  // namespace tirx::dsl::grammar
