// Attributes, calls, subscripts behind an atom.
#include "dsl/grammar/rules.hpp"
#include "dsl/grammar/terminals.hpp"

namespace tirx::dsl::grammar {

using enum TokenKind;

static constexpr ValueParser<ast::Identifier> identifier{terminal::name};
static constexpr LookParser starts_keyword_argument{terminal::starts_keyword_argument};

static constexpr Rule<ast::Argument, struct ArgumentId> argument{"argument"};
static constexpr Rule<ast::Expr, struct SliceTailId> slice_tail{"slice_tail"};
static constexpr Rule<ast::Expr, struct SubscriptItemId> subscript_item{"subscript_item"};
static constexpr Rule<parts::Items, struct SubscriptItemsId> subscript_items{"subscript_items"};
static constexpr Rule<ast::Expr, struct SuffixId> suffix{"suffix"};

static const auto argument_def =
    node<parts::KeywordArgument>[starts_keyword_argument >> identifier >> word(assign) >>
                                 expression] |
    node<parts::StarArgument>[place(star) >> expression] |
    node<parts::DoubleStarArgument>[place(power) >> expression] |
    node<parts::PositionalArgument>[expression >> *clause];
static const auto arguments_def = *(argument >> separated(right_paren));

static const auto slice_tail_def =
    node<parts::SliceTail>[place(colon) >> -expression >> -(word(colon) >> -expression)];
static const auto subscript_item_def = node<parts::Starred>[place(star) >> chain] | slice_tail |
                                       node<parts::SliceItem>[expression >> -slice_tail];
static const auto subscript_items_def =
    node<parts::ItemList>[subscript_item >> *(word(comma) >> subscript_item) >>
                          x3::matches[word(comma)]];

static const auto suffix_def =
    node<parts::AttributeSuffix>[place(dot) >> identifier] |
    node<parts::CallSuffix>[place(left_paren) >> arguments >> place(right_paren)] |
    node<parts::SubscriptSuffix>[place(left_bracket) >> subscript_items >> place(right_bracket)];
static const auto primary_def = node<parts::Primary>[atom >> *suffix];

BOOST_SPIRIT_DEFINE(
    argument, arguments, slice_tail, subscript_item, subscript_items, suffix, primary)

BOOST_SPIRIT_INSTANTIATE(decltype(arguments), Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(decltype(primary), Iterator, Context)

}  // namespace tirx::dsl::grammar
