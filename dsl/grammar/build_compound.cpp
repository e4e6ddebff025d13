// Compound statements.
#include <fmt/format.h>

#include "dsl/grammar/build.hpp"

namespace tirx::dsl::grammar {
namespace {

using ast::Stmt;

void refuse_loop_else(ParseState& state, const parts::ElseBlock& otherwise, const char* loop) {
  if (otherwise.body.empty()) return;
  state.error(otherwise.span,
              fmt::format("'else' of a '{}' loop is not part of the language", loop),
              "set a flag in the loop and test it with 'if' after the loop");
}

}  // namespace

void build(ParseState&, Span, parts::Else&& otherwise, parts::ElseBlock& out) {
  out = {otherwise.keyword, std::move(otherwise.body)};
}

void build(ParseState&, Span span, parts::Branch&& branch, ast::Branch& out) {
  out = {span, std::move(branch.condition), std::move(branch.body)};
}

void build(ParseState&, Span span, parts::If&& statement, Stmt& out) {
  ast::If made;
  made.branches.push_back(std::move(statement.first));
  for (ast::Branch& branch : statement.more) made.branches.push_back(std::move(branch));
  made.otherwise = std::move(statement.otherwise.body);
  out.span = span;
  out.node = std::move(made);
}

void build(ParseState& state, Span span, parts::For&& statement, Stmt& out) {
  check_target(state, statement.target);
  check_not_starred(state, statement.iterable);
  refuse_loop_else(state, statement.otherwise, "for");
  out.span = span;
  out.node = ast::For{std::move(statement.target), std::move(statement.iterable),
                      std::move(statement.body)};
}

void build(ParseState& state, Span span, parts::While&& statement, Stmt& out) {
  refuse_loop_else(state, statement.otherwise, "while");
  out.span = span;
  out.node = ast::While{std::move(statement.condition), std::move(statement.body)};
}

void build(ParseState& state, Span span, parts::WithItem&& item, ast::WithItem& out) {
  if (item.target) check_target(state, *item.target);
  out = {span, std::move(item.context), std::move(item.target)};
}

void build(ParseState&, Span span, parts::With&& statement, Stmt& out) {
  out.span = span;
  out.node = ast::With{std::move(statement.items), std::move(statement.body)};
}

void build(ParseState& state, Span span, parts::Function&& function, Stmt& out) {
  out.span = span;
  out.node = ast::FunctionDef{std::move(function.name),
                              {},
                              resolve_parameters(state, std::move(function.parameters)),
                              std::move(function.returns),
                              std::move(function.body)};
}

void build(ParseState& state, Span, parts::Bases&& bases, parts::BaseList& out) {
  check_arguments(state, bases.arguments);
  out.arguments = std::move(bases.arguments);
}

void build(ParseState&, Span span, parts::Class&& statement, Stmt& out) {
  out.span = span;
  out.node = ast::ClassDef{std::move(statement.name),
                           {},
                           std::move(statement.bases.arguments),
                           std::move(statement.body)};
}

void build(ParseState&, Span span, parts::Decorated&& decorated, Stmt& out) {
  out = std::move(decorated.definition);
  out.span = span;
  if (auto* function = out.as<ast::FunctionDef>())
    function->decorators = std::move(decorated.decorators);
  if (auto* made = out.as<ast::ClassDef>()) made->decorators = std::move(decorated.decorators);
}

void build(ParseState&, Span, parts::Orphan&& orphan, Stmt& out) {
  out.span = orphan.indent;
}

}  // namespace tirx::dsl::grammar
