// Which single tokens carry a value?  The functions behind the ValueParsers of the grammar.
#pragma once

#include "dsl/grammar/parts.hpp"
#include "dsl/grammar/state.hpp"

namespace tirx::dsl::grammar::terminal {

// Each fills the value and returns how many tokens it took; 0: something else is there.
int name(ParseState& state, const Token* at, ast::Identifier& value);
int literal(ParseState& state, const Token* at, ast::Expr& value);  // also a name; not a string
int string(ParseState& state, const Token* at, ast::Expr& value);
int fstring_text(ParseState& state, const Token* at, parts::Piece& value);
int conversion(ParseState& state, const Token* at, char& value);
int prefix_operator(ParseState& state, const Token* at, parts::Prefix& value);
int infix_operator(ParseState& state, const Token* at, parts::Infix& value);
int augmented_operator(ParseState& state, const Token* at, parts::Augmented& value);
int import_dots(ParseState& state, const Token* at, int& value);
/// An INDENT where no block was announced: an error, unless it belongs to a broken statement.
int unexpected_indent(ParseState& state, const Token* at, Span& value);
int flow(ParseState& state, const Token* at, ast::Stmt& value);  // pass, break, continue

/// `name =`, the start of a keyword argument.
bool starts_keyword_argument(const ParseState& state, const Token* at);
/// `(` whose partner is followed by ':', after `with`.
bool starts_with_items(const ParseState& state, const Token* at);
/// A compound statement must be the first of its line.
bool starts_line(const ParseState& state, const Token* at);
bool ends_block(const ParseState& state, const Token* at);

}  // namespace tirx::dsl::grammar::terminal
