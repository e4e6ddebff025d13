// Simple statements.  `x`, `x = …`, `x: …` and `x += …` start alike: one expression list is read,
// then the next token decides.
#include "dsl/grammar/rules.hpp"
#include "dsl/grammar/terminals.hpp"

namespace tirx::dsl::grammar {

using enum TokenKind;

static constexpr ValueParser<ast::Stmt> flow{terminal::flow};
static constexpr ValueParser<parts::Augmented> augmented_operator{terminal::augmented_operator};
static constexpr ValueParser<ast::Identifier> identifier{terminal::name};

static constexpr Rule<parts::Tail, struct TailId> tail{"tail"};
static constexpr Rule<ast::Stmt, struct KeywordStatementId> keyword_statement{"keyword_statement"};

static const auto tail_def =
    node<parts::AssignedTail>[place(assign) >> expression_list >>
                              *(word(assign) >> expression_list)] |
    node<parts::AugmentedTail>[augmented_operator >> expression_list] |
    node<parts::AnnotatedTail>[word(colon) >> expression >> -(word(assign) >> expression_list)];

static const auto keyword_statement_def =
    flow | node<parts::Return>[place(kw_return) >> -expression_list] |
    node<parts::Assert>[place(kw_assert) >> expression >> -(word(comma) >> expression)] |
    node<parts::Raise>[place(kw_raise) >> -expression >> -(word(kw_from) >> expression)] |
    node<parts::Del>[place(kw_del) >> target_list] |
    node<parts::Global>[place(kw_global) >> identifier % word(comma)] |
    node<parts::Nonlocal>[place(kw_nonlocal) >> identifier % word(comma)] | import_statement;

static const auto simple_def =
    keyword_statement | node<parts::ExpressionStatement>[expression_list >> -tail];

BOOST_SPIRIT_DEFINE(tail, keyword_statement, simple)

BOOST_SPIRIT_INSTANTIATE(decltype(simple), Iterator, Context)

}  // namespace tirx::dsl::grammar
