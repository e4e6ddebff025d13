// Parameters of `def` and `lambda`.
#include "dsl/grammar/rules.hpp"
#include "dsl/grammar/terminals.hpp"

namespace tirx::dsl::grammar {

using enum TokenKind;

static constexpr ValueParser<ast::Identifier> identifier{terminal::name};

static constexpr Rule<parts::Param, struct ParameterId> parameter{"parameter"};
static constexpr Rule<parts::Param, struct LambdaParameterId> lambda_parameter{"lambda_parameter"};

static const auto annotation = -(word(colon) >> expression);
static const auto default_value = -(word(assign) >> expression);
static const auto slash_marker = node<parts::SlashParam>[place(slash) >> x3::attr(true)];

static const auto parameter_def =
    node<parts::DoubleStarParam>[place(power) >> identifier >> annotation] |
    node<parts::StarParam>[place(star) >> -identifier >> annotation] | slash_marker |
    node<parts::NamedParam>[identifier >> annotation >> default_value];
static const auto parameters_def = *(parameter >> separated(right_paren));

static const auto no_annotation = x3::attr(ast::Box<ast::Expr>());
static const auto lambda_parameter_def =
    node<parts::DoubleStarParam>[place(power) >> identifier >> no_annotation] |
    node<parts::StarParam>[place(star) >> -identifier >> no_annotation] | slash_marker |
    node<parts::LambdaParam>[identifier >> default_value];
static const auto lambda_parameters_def = *(lambda_parameter >> separated(colon));

BOOST_SPIRIT_DEFINE(parameter, parameters, lambda_parameter, lambda_parameters)

BOOST_SPIRIT_INSTANTIATE(decltype(parameters), Iterator, Context)
BOOST_SPIRIT_INSTANTIATE(decltype(lambda_parameters), Iterator, Context)

}  // namespace tirx::dsl::grammar
