// Names, literals and operators as the grammar sees them.
#include "dsl/grammar/terminals.hpp"

#include <optional>

namespace tirx::dsl::grammar::terminal {
namespace {

using ast::BinaryOp;
using ast::CompareOp;
using ast::LogicalOp;
using ast::UnaryOp;

std::optional<BinaryOp> binary(TokenKind kind) {
  switch (kind) {
    case TokenKind::plus:
    case TokenKind::plus_assign:
      return BinaryOp::add;
    case TokenKind::minus:
    case TokenKind::minus_assign:
      return BinaryOp::subtract;
    case TokenKind::star:
    case TokenKind::star_assign:
      return BinaryOp::multiply;
    case TokenKind::slash:
    case TokenKind::slash_assign:
      return BinaryOp::divide;
    case TokenKind::floor_divide:
    case TokenKind::floor_divide_assign:
      return BinaryOp::floor_divide;
    case TokenKind::percent:
    case TokenKind::percent_assign:
      return BinaryOp::modulo;
    case TokenKind::at:
    case TokenKind::at_assign:
      return BinaryOp::matmul;
    case TokenKind::power:
    case TokenKind::power_assign:
      return BinaryOp::power;
    case TokenKind::shift_left:
    case TokenKind::shift_left_assign:
      return BinaryOp::shift_left;
    case TokenKind::shift_right:
    case TokenKind::shift_right_assign:
      return BinaryOp::shift_right;
    case TokenKind::ampersand:
    case TokenKind::and_assign:
      return BinaryOp::bit_and;
    case TokenKind::caret:
    case TokenKind::xor_assign:
      return BinaryOp::bit_xor;
    case TokenKind::pipe:
    case TokenKind::or_assign:
      return BinaryOp::bit_or;
    default:
      return std::nullopt;
  }
}

bool is_assignment(TokenKind kind) {
  return (kind >= TokenKind::power_assign && kind <= TokenKind::shift_right_assign) ||
         (kind >= TokenKind::plus_assign && kind <= TokenKind::xor_assign);
}

std::optional<CompareOp> comparison(TokenKind kind) {
  switch (kind) {
    case TokenKind::equal:
      return CompareOp::equal;
    case TokenKind::not_equal:
      return CompareOp::not_equal;
    case TokenKind::less:
      return CompareOp::less;
    case TokenKind::less_equal:
      return CompareOp::less_equal;
    case TokenKind::greater:
      return CompareOp::greater;
    case TokenKind::greater_equal:
      return CompareOp::greater_equal;
    case TokenKind::kw_is:
      return CompareOp::is;
    case TokenKind::kw_in:
      return CompareOp::in;
    default:
      return std::nullopt;
  }
}

std::string text_of(const ParseState& state, const Token* at) {
  return std::string(state.source().text(at->span));
}

}  // namespace

int name(ParseState& state, const Token* at, ast::Identifier& value) {
  if (at->kind != TokenKind::name) {
    state.expected(at, TokenKind::name);
    return 0;
  }
  value = {text_of(state, at), at->span};
  return 1;
}

int literal(ParseState& state, const Token* at, ast::Expr& value) {
  value.span = at->span;
  switch (at->kind) {
    case TokenKind::name:
      value.node = ast::Name{text_of(state, at)};
      return 1;
    case TokenKind::integer:
      value.node = state.list().integers[at->payload];
      return 1;
    case TokenKind::floating:
      value.node = state.list().floats[at->payload];
      return 1;
    case TokenKind::kw_true:
      value.node = ast::BoolLit{true};
      return 1;
    case TokenKind::kw_false:
      value.node = ast::BoolLit{false};
      return 1;
    case TokenKind::kw_none:
      value.node = ast::NoneLit{};
      return 1;
    case TokenKind::ellipsis:
      value.node = ast::EllipsisLit{};
      return 1;
    default:
      state.expected(at, TokenKind::integer);
      return 0;
  }
}

int string(ParseState& state, const Token* at, ast::Expr& value) {
  if (at->kind != TokenKind::string) {
    state.expected(at, TokenKind::string);
    return 0;
  }
  value.span = at->span;
  value.node = ast::StringLit{state.list().strings[at->payload]};
  return 1;
}

int fstring_text(ParseState& state, const Token* at, parts::Piece& value) {
  if (at->kind != TokenKind::fstring_text) return 0;
  value.part = {at->span, state.list().strings[at->payload]};
  return 1;
}

int conversion(ParseState& state, const Token* at, char& value) {
  if (at->kind != TokenKind::field_conversion) return 0;
  value = state.list().strings[at->payload].front();
  return 1;
}

int prefix_operator(ParseState& state, const Token* at, parts::Prefix& value) {
  value.span = at->span;
  switch (at->kind) {
    case TokenKind::plus:
      value.op = UnaryOp::plus;
      return 1;
    case TokenKind::minus:
      value.op = UnaryOp::minus;
      return 1;
    case TokenKind::tilde:
      value.op = UnaryOp::invert;
      return 1;
    case TokenKind::kw_not:
      value.op = UnaryOp::logical_not;
      return 1;
    default:
      state.reached(at);
      return 0;
  }
}

int infix_operator(ParseState& state, const Token* at, parts::Infix& value) {
  value.span = at->span;
  const TokenKind kind = at->kind;
  const TokenKind next = is_layout(kind) ? kind : (at + 1)->kind;
  if (kind == TokenKind::kw_not && next == TokenKind::kw_in) {
    value = {CompareOp::not_in, join(at->span, (at + 1)->span)};
    return 2;
  }
  if (kind == TokenKind::kw_is && next == TokenKind::kw_not) {
    value = {CompareOp::is_not, join(at->span, (at + 1)->span)};
    return 2;
  }
  if (kind == TokenKind::kw_and || kind == TokenKind::kw_or) {
    value.op = kind == TokenKind::kw_and ? LogicalOp::logical_and : LogicalOp::logical_or;
    return 1;
  }
  if (const auto compare = comparison(kind)) {
    value.op = *compare;
    return 1;
  }
  if (const auto arithmetic = is_assignment(kind) ? std::nullopt : binary(kind)) {
    value.op = *arithmetic;
    return 1;
  }
  state.reached(at);
  return 0;
}

int augmented_operator(ParseState& state, const Token* at, parts::Augmented& value) {
  const auto op = is_assignment(at->kind) ? binary(at->kind) : std::nullopt;
  if (!op) {
    state.reached(at);
    return 0;
  }
  value = {*op, at->span};
  return 1;
}

int import_dots(ParseState& state, const Token* at, int& value) {
  int taken = 0;
  for (;; ++at, ++taken) {
    if (at->kind == TokenKind::dot) {
      value += 1;
    } else if (at->kind == TokenKind::ellipsis) {
      value += 3;
    } else {
      state.reached(at);
      return taken;
    }
  }
}

int flow(ParseState& state, const Token* at, ast::Stmt& value) {
  value.span = at->span;
  switch (at->kind) {
    case TokenKind::kw_pass:
      value.node = ast::Pass{};
      return 1;
    case TokenKind::kw_break:
      value.node = ast::Break{};
      return 1;
    case TokenKind::kw_continue:
      value.node = ast::Continue{};
      return 1;
    default:
      state.reached(at);
      return 0;
  }
}

int unexpected_indent(ParseState& state, const Token* at, Span& value) {
  if (at->kind != TokenKind::indent) return 0;
  value = at->span;
  if (!state.follows_broken()) {
    state.error(at->span, "unexpected indentation",
                "a block is indented only after a line that ends with ':'");
  }
  return 1;
}

bool starts_keyword_argument(const ParseState&, const Token* at) {
  return at->kind == TokenKind::name && (at + 1)->kind == TokenKind::assign;
}

bool starts_with_items(const ParseState& state, const Token* at) {
  if (at->kind != TokenKind::left_paren || at->partner == 0) return false;
  return state.list().tokens[at->partner + 1].kind == TokenKind::colon;
}

bool starts_line(const ParseState&, const Token* at) {
  return at->starts_line;
}

bool ends_block(const ParseState&, const Token* at) {
  return at->kind == TokenKind::dedent || at->kind == TokenKind::end_of_file;
}

}  // namespace tirx::dsl::grammar::terminal
