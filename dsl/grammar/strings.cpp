// String literals: adjacent ones are one, and the fields of f-strings hold expressions.
#include "dsl/grammar/rules.hpp"
#include "dsl/grammar/terminals.hpp"

namespace tirx::dsl::grammar {

using enum TokenKind;

static constexpr ValueParser<ast::Expr> plain_string{terminal::string};
static constexpr ValueParser<parts::Piece> text{terminal::fstring_text};
static constexpr ValueParser<char> conversion{terminal::conversion};

static constexpr Rule<parts::Piece, struct FieldId> field{"field"};
static constexpr Rule<std::vector<parts::Piece>, struct PiecesId> pieces{"pieces"};
static constexpr Rule<std::vector<parts::Piece>, struct SpecId> spec{"spec"};
static constexpr Rule<ast::Expr, struct StringPieceId> string_piece{"string_piece"};

static const auto pieces_def = *(text | field);
static const auto spec_def = word(field_colon) >> pieces | x3::eps;
static const auto field_def =
    node<parts::Field>[place(field_begin) >> expression_list >> -place(field_equals) >>
                       -conversion >> spec >> place(field_end)];
static const auto string_piece_def =
    plain_string |
    node<parts::FStringDisplay>[place(fstring_begin) >> pieces >> place(fstring_end)];
static const auto strings_def = node<parts::Strings>[string_piece >> *string_piece];

BOOST_SPIRIT_DEFINE(field, pieces, spec, string_piece, strings)

BOOST_SPIRIT_INSTANTIATE(decltype(strings), Iterator, Context)

}  // namespace tirx::dsl::grammar
