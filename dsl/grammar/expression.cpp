// Expressions above the postfix level.  Operators are one flat chain: a rule per precedence level
// would cost ten times the grammar (and the stack); build_operators.cpp sorts them.
#include "dsl/grammar/rules.hpp"
#include "dsl/grammar/terminals.hpp"

namespace tirx::dsl::grammar {

using enum TokenKind;

static constexpr ValueParser<parts::Prefix> prefix_operator{terminal::prefix_operator};
static constexpr ValueParser<parts::Infix> infix_operator{terminal::infix_operator};

static constexpr Rule<parts::Operand, struct OperandId> operand{"operand"};
static constexpr Rule<parts::Link, struct LinkId> link{"link"};
static constexpr Rule<parts::Choice, struct ChoiceId> choice{"choice"};
static constexpr Rule<ast::Expr, struct LambdaId> lambda{"lambda"};
static constexpr Rule<ast::Expr, struct TernaryId> ternary{"ternary"};

static const auto operand_def = *prefix_operator >> primary;
static const auto link_def = infix_operator >> operand;
static const auto chain_def = node<parts::Chain>[operand >> *link];

static const auto choice_def = word(kw_if) >> chain >> word(kw_else) >> (lambda | chain);
static const auto ternary_def = node<parts::Ternary>[chain >> *choice];
static const auto lambda_def =
    node<parts::Lambda>[place(kw_lambda) >> lambda_parameters >> word(colon) >> expression];
static const auto expression_def = nested[lambda | ternary];

static const auto item_def = node<parts::Starred>[place(star) >> chain] | expression;
static const auto expression_list_def =
    node<parts::Sequence>[item >> *(word(comma) >> item) >> x3::matches[word(comma)]];
// A target stops before `in`, so it is no chain; build.hpp checks that it can be assigned to.
static const auto target_def = node<parts::Starred>[place(star) >> primary] | primary;
static const auto target_list_def =
    node<parts::Sequence>[target >> *(word(comma) >> target) >> x3::matches[word(comma)]];

BOOST_SPIRIT_DEFINE(operand,
                    link,
                    chain,
                    choice,
                    ternary,
                    lambda,
                    expression,
                    item,
                    expression_list,
                    target,
                    target_list)

BOOST_SPIRIT_INSTANTIATE(decltype(expression), Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(decltype(chain), Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(decltype(item), Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(decltype(expression_list), Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(decltype(target), Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(decltype(target_list), Iterator, Context)

}  // namespace tirx::dsl::grammar
