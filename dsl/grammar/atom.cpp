// Names, literals, displays and comprehensions.
#include "dsl/grammar/rules.hpp"
#include "dsl/grammar/terminals.hpp"

namespace tirx::dsl::grammar {

using enum TokenKind;

static constexpr ValueParser<ast::Expr> literal{terminal::literal};

static constexpr Rule<parts::Items, struct ContentId> content{"content"};
static constexpr Rule<parts::Entry, struct EntryId> entry{"entry"};
static constexpr Rule<std::vector<parts::Entry>, struct EntriesId> entries{"entries"};

static const auto clause_def = node<parts::ForClause>[place(kw_for) >> target_list >> word(kw_in) >>
                                                      chain >> *(word(kw_if) >> chain)];

static const auto content_def =
    node<parts::Content>[item >> *clause >> *(word(comma) >> item) >> x3::matches[word(comma)]];

static const auto entry_def =
    node<parts::DictUnpack>[place(power) >> expression] |
    node<parts::KeyValue>[expression >> word(colon) >> expression >> *clause];
static const auto entries_def = *(entry >> separated(right_brace));

static const auto atom_def =
    literal | strings | node<parts::Paren>[place(left_paren) >> -content >> place(right_paren)] |
    node<parts::ListDisplay>[place(left_bracket) >> -content >> place(right_bracket)] |
    node<parts::DictDisplay>[place(left_brace) >> entries >> place(right_brace)];

BOOST_SPIRIT_DEFINE(clause, content, entry, entries, atom)

BOOST_SPIRIT_INSTANTIATE(decltype(clause), Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(decltype(atom), Iterator, Context)

}  // namespace tirx::dsl::grammar
