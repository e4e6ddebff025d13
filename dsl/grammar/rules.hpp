// The rules of the grammar that more than one file uses.  Each is defined and instantiated in one
// .cpp.
#pragma once

#include "dsl/grammar/primitives.hpp"

namespace tirx::dsl::grammar {

template <typename Attribute, typename Id>
using Rule = x3::rule<Id, Attribute>;

// expression.cpp
inline constexpr Rule<ast::Expr, struct ExpressionId> expression{"expression"};
inline constexpr Rule<ast::Expr, struct ChainId> chain{"chain"};  // no lambda, no `if … else`
inline constexpr Rule<ast::Expr, struct StarOrExpressionId> item{"item"};  // `*a` or an expression
inline constexpr Rule<ast::Expr, struct ExpressionListId> expression_list{"expression_list"};
inline constexpr Rule<ast::Expr, struct TargetListId> target_list{"target_list"};
inline constexpr Rule<ast::Expr, struct TargetId> target{"target"};
// parameter.cpp
inline constexpr Rule<std::vector<parts::Param>, struct LambdaParametersId> lambda_parameters{
    "lambda_parameters"};
inline constexpr Rule<std::vector<parts::Param>, struct ParametersId> parameters{"parameters"};
// postfix.cpp
inline constexpr Rule<ast::Expr, struct PrimaryId> primary{"primary"};
inline constexpr Rule<std::vector<ast::Argument>, struct ArgumentsId> arguments{"arguments"};
// atom.cpp
inline constexpr Rule<ast::Expr, struct AtomId> atom{"atom"};
inline constexpr Rule<ast::Clause, struct ClauseId> clause{"clause"};
inline constexpr Rule<ast::Expr, struct StringsId> strings{"strings"};
// simple.cpp
inline constexpr Rule<ast::Stmt, struct SimpleId> simple{"simple"};
// import.cpp
inline constexpr Rule<ast::Stmt, struct ImportId> import_statement{"import_statement"};
// compound.cpp
inline constexpr Rule<ast::Stmt, struct CompoundId> compound{"compound"};
// script.cpp
inline constexpr Rule<ast::Block, struct SuiteId> suite{"suite"};

BOOST_SPIRIT_DECLARE(decltype(expression),
                     decltype(chain),
                     decltype(item),
                     decltype(expression_list),
                     decltype(target_list),
                     decltype(target),
                     decltype(lambda_parameters),
                     decltype(parameters),
                     decltype(primary),
                     decltype(arguments),
                     decltype(atom),
                     decltype(clause),
                     decltype(strings),
                     decltype(simple),
                     decltype(import_statement),
                     decltype(compound),
                     decltype(suite))

}  // namespace tirx::dsl::grammar
