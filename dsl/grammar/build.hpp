// From the parts of a rule to a node of the syntax tree: operator precedence, kinds of parameters,
// what may be assigned to.  Mistakes go to the state; a node is made in any case, so that the
// grammar goes on.
#pragma once

#include "dsl/grammar/parts.hpp"
#include "dsl/grammar/state.hpp"

namespace tirx::dsl::grammar {

// build_operators.cpp
void build(ParseState&, Span, parts::Chain&&, ast::Expr&);
void build(ParseState&, Span, parts::Ternary&&, ast::Expr&);
// build_expr.cpp
void build(ParseState&, Span, parts::Lambda&&, ast::Expr&);
void build(ParseState&, Span, parts::Primary&&, ast::Expr&);
void build(ParseState&, Span, parts::AttributeSuffix&&, ast::Expr&);
void build(ParseState&, Span, parts::CallSuffix&&, ast::Expr&);
void build(ParseState&, Span, parts::SubscriptSuffix&&, ast::Expr&);
void build(ParseState&, Span, parts::SliceTail&&, ast::Expr&);
void build(ParseState&, Span, parts::SliceItem&&, ast::Expr&);
void build(ParseState&, Span, parts::KeywordArgument&&, ast::Argument&);
void build(ParseState&, Span, parts::PositionalArgument&&, ast::Argument&);
void build(ParseState&, Span, parts::StarArgument&&, ast::Argument&);
void build(ParseState&, Span, parts::DoubleStarArgument&&, ast::Argument&);
// build_display.cpp
void build(ParseState&, Span, parts::Starred&&, ast::Expr&);
void build(ParseState&, Span, parts::Sequence&&, ast::Expr&);
void build(ParseState&, Span, parts::ItemList&&, parts::Items&);
void build(ParseState&, Span, parts::Content&&, parts::Items&);
void build(ParseState&, Span, parts::ForClause&&, ast::Clause&);
void build(ParseState&, Span, parts::Paren&&, ast::Expr&);
void build(ParseState&, Span, parts::ListDisplay&&, ast::Expr&);
void build(ParseState&, Span, parts::KeyValue&&, parts::Entry&);
void build(ParseState&, Span, parts::DictUnpack&&, parts::Entry&);
void build(ParseState&, Span, parts::DictDisplay&&, ast::Expr&);
void build(ParseState&, Span, parts::Field&&, parts::Piece&);
void build(ParseState&, Span, parts::FStringDisplay&&, ast::Expr&);
void build(ParseState&, Span, parts::Strings&&, ast::Expr&);
// build_parameter.cpp
void build(ParseState&, Span, parts::NamedParam&&, parts::Param&);
void build(ParseState&, Span, parts::LambdaParam&&, parts::Param&);
void build(ParseState&, Span, parts::StarParam&&, parts::Param&);
void build(ParseState&, Span, parts::DoubleStarParam&&, parts::Param&);
void build(ParseState&, Span, parts::SlashParam&&, parts::Param&);
// build_simple.cpp
void build(ParseState&, Span, parts::AugmentedTail&&, parts::Tail&);
void build(ParseState&, Span, parts::AnnotatedTail&&, parts::Tail&);
void build(ParseState&, Span, parts::AssignedTail&&, parts::Tail&);
void build(ParseState&, Span, parts::ExpressionStatement&&, ast::Stmt&);
void build(ParseState&, Span, parts::Return&&, ast::Stmt&);
void build(ParseState&, Span, parts::Assert&&, ast::Stmt&);
void build(ParseState&, Span, parts::Raise&&, ast::Stmt&);
void build(ParseState&, Span, parts::Del&&, ast::Stmt&);
void build(ParseState&, Span, parts::Global&&, ast::Stmt&);
void build(ParseState&, Span, parts::Nonlocal&&, ast::Stmt&);
void build(ParseState&, Span, parts::Dotted&&, ast::Identifier&);
void build(ParseState&, Span, parts::ImportName&&, ast::ImportName&);
void build(ParseState&, Span, parts::Import&&, ast::Stmt&);
void build(ParseState&, Span, parts::ImportStar&&, parts::Imported&);
void build(ParseState&, Span, parts::ImportNames&&, parts::Imported&);
void build(ParseState&, Span, parts::FromImport&&, ast::Stmt&);
// build_compound.cpp
void build(ParseState&, Span, parts::Else&&, parts::ElseBlock&);
void build(ParseState&, Span, parts::Branch&&, ast::Branch&);
void build(ParseState&, Span, parts::If&&, ast::Stmt&);
void build(ParseState&, Span, parts::For&&, ast::Stmt&);
void build(ParseState&, Span, parts::While&&, ast::Stmt&);
void build(ParseState&, Span, parts::WithItem&&, ast::WithItem&);
void build(ParseState&, Span, parts::With&&, ast::Stmt&);
void build(ParseState&, Span, parts::Function&&, ast::Stmt&);
void build(ParseState&, Span, parts::Bases&&, parts::BaseList&);
void build(ParseState&, Span, parts::Class&&, ast::Stmt&);
void build(ParseState&, Span, parts::Decorated&&, ast::Stmt&);
void build(ParseState&, Span, parts::Orphan&&, ast::Stmt&);

// --- shared by the builders ---

/// Sets span, node and height.  A tree that would become too high is an error, and becomes `...`.
void finish(ParseState&, Span, ast::Expr::Node&&, ast::Expr&);
/// Reports what cannot stand on the left of `=`, after `for`, after `as`.
void check_target(ParseState&, const ast::Expr&);
/// Reports `*a` where no list takes it up.
void check_not_starred(ParseState&, const ast::Expr&);
[[nodiscard]] std::vector<ast::Parameter> resolve_parameters(ParseState&,
                                                             std::vector<parts::Param>&&);
void check_arguments(ParseState&, const std::vector<ast::Argument>&);

}  // namespace tirx::dsl::grammar
