// import a.b as c, d      from ..a import (b as c, d)      from a import *
#include "dsl/grammar/rules.hpp"
#include "dsl/grammar/terminals.hpp"

namespace tirx::dsl::grammar {

using enum TokenKind;

static constexpr ValueParser<ast::Identifier> identifier{terminal::name};
static constexpr ValueParser<int> dots{terminal::import_dots};

static constexpr Rule<ast::Identifier, struct DottedId> dotted{"dotted"};
static constexpr Rule<parts::Imported, struct ImportedId> imported{"imported"};
static constexpr Rule<ast::ImportName, struct ImportedNameId> imported_name{"imported_name"};

static const auto alias = -(word(kw_as) >> identifier);
static const auto dotted_def = node<parts::Dotted>[identifier >> *(word(dot) >> identifier)];
static const auto imported_name_def = node<parts::ImportName>[identifier >> alias];
static const auto imported_def =
    node<parts::ImportStar>[place(star) >> x3::attr(true)] |
    node<parts::ImportNames>[word(left_paren) >> (imported_name % word(comma)) >>
                             x3::matches[word(comma)] >> word(right_paren)] |
    node<parts::ImportNames>[(imported_name % word(comma)) >> x3::attr(false)];

static const auto import_statement_def =
    node<parts::Import>[place(kw_import) >>
                        node<parts::ImportName>[dotted >> alias] % word(comma)] |
    node<parts::FromImport>[place(kw_from) >> -dots >> -dotted >> word(kw_import) >> imported];

BOOST_SPIRIT_DEFINE(dotted, imported_name, imported, import_statement)

BOOST_SPIRIT_INSTANTIATE(decltype(import_statement), Iterator, Context)

}  // namespace tirx::dsl::grammar
