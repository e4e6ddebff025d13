// Compound statements.
#include "dsl/grammar/rules.hpp"
#include "dsl/grammar/terminals.hpp"

namespace tirx::dsl::grammar {

using enum TokenKind;

static constexpr ValueParser<ast::Identifier> identifier{terminal::name};
static constexpr LookParser starts_with_items{terminal::starts_with_items};
static constexpr LookParser starts_line{terminal::starts_line};

static constexpr Rule<parts::ElseBlock, struct ElseId> else_block{"else_block"};
static constexpr Rule<ast::Branch, struct IfBranchId> if_branch{"if_branch"};
static constexpr Rule<ast::Branch, struct ElifBranchId> elif_branch{"elif_branch"};
static constexpr Rule<ast::WithItem, struct WithItemId> with_item{"with_item"};
static constexpr Rule<std::vector<ast::WithItem>, struct WithItemsId> with_items{"with_items"};
static constexpr Rule<ast::Expr, struct DecoratorId> decorator{"decorator"};
static constexpr Rule<ast::Stmt, struct DefinitionId> definition{"definition"};
static constexpr Rule<ast::Stmt, struct FunctionId> function{"function"};

static const auto else_block_def = node<parts::Else>[place(kw_else) >> word(colon) >> suite];
static const auto if_branch_def =
    node<parts::Branch>[place(kw_if) >> expression >> word(colon) >> suite];
static const auto elif_branch_def =
    node<parts::Branch>[place(kw_elif) >> expression >> word(colon) >> suite];

static const auto with_item_def = node<parts::WithItem>[expression >> -(word(kw_as) >> target)];
static const auto with_items_def = starts_with_items >> word(left_paren) >>
                                       *(with_item >> separated(right_paren)) >> word(right_paren) |
                                   with_item % word(comma);

static const auto decorator_def = word(TokenKind::at) >> expression >> word(newline);
static const auto function_def =
    node<parts::Function>[place(kw_def) >> identifier >> word(left_paren) >> parameters >>
                          word(right_paren) >> -(word(arrow) >> expression) >> word(colon) >>
                          suite];
static const auto bases = node<parts::Bases>[place(left_paren) >> arguments >> place(right_paren)];
static const auto definition_def =
    function | node<parts::Class>[place(kw_class) >> identifier >> -bases >> word(colon) >> suite];

static const auto compound_def =
    starts_line >>
    (node<parts::If>[if_branch >> *elif_branch >> -else_block] |
     node<parts::For>[place(kw_for) >> target_list >> word(kw_in) >> expression_list >>
                      word(colon) >> suite >> -else_block] |
     node<parts::While>[place(kw_while) >> expression >> word(colon) >> suite >> -else_block] |
     node<parts::With>[place(kw_with) >> with_items >> word(colon) >> suite] | definition |
     node<parts::Decorated>[+decorator >> definition]);

BOOST_SPIRIT_DEFINE(else_block,
                    if_branch,
                    elif_branch,
                    with_item,
                    with_items,
                    decorator,
                    definition,
                    function,
                    compound)

BOOST_SPIRIT_INSTANTIATE(decltype(compound), Iterator, Context)

}  // namespace tirx::dsl::grammar
