// Simple statements, and what may be assigned to.
#include <fmt/format.h>

#include "dsl/grammar/build.hpp"

namespace tirx::dsl::grammar {
namespace {

using ast::Expr;
using ast::Stmt;

struct Describe {
  std::string operator()(const ast::NoneLit&) const { return "None"; }

  std::string operator()(const ast::EllipsisLit&) const { return "'...'"; }

  std::string operator()(const ast::BoolLit& n) const { return n.value ? "True" : "False"; }

  std::string operator()(const ast::IntLit&) const { return "a number"; }

  std::string operator()(const ast::FloatLit&) const { return "a number"; }

  std::string operator()(const ast::StringLit&) const { return "a string"; }

  std::string operator()(const ast::FString&) const { return "an f-string"; }

  std::string operator()(const ast::Call&) const { return "the result of a call"; }

  std::string operator()(const ast::Compare&) const { return "a comparison"; }

  std::string operator()(const ast::Lambda&) const { return "a lambda"; }

  std::string operator()(const ast::Dict&) const { return "a dict"; }

  std::string operator()(const ast::Conditional&) const { return "a conditional expression"; }

  std::string operator()(const ast::ListComp&) const { return "a comprehension"; }

  std::string operator()(const ast::DictComp&) const { return "a comprehension"; }

  std::string operator()(const ast::GeneratorExp&) const { return "a generator"; }

  std::string operator()(const ast::Tuple&) const { return "a tuple"; }

  std::string operator()(const ast::List&) const { return "a list"; }

  std::string operator()(const ast::Starred&) const { return "'*…'"; }

  template <typename Other>
  std::string operator()(const Other&) const {
    return "an expression";
  }
};

void refuse_target(ParseState& state, const Expr& target) {
  state.error(target.span, fmt::format("cannot assign to {}", std::visit(Describe{}, target.node)),
              "a target is a name, an attribute or a subscript; a comparison is written '=='");
}

bool is_single_target(const Expr& target) {
  return target.is<ast::Name>() || target.is<ast::Attribute>() || target.is<ast::Subscript>();
}

/// `inside`: an element of a tuple or list, where one '*' may stand.
void check_target_in(ParseState& state, const Expr& target, bool inside) {
  if (is_single_target(target)) return;
  const auto* tuple = target.as<ast::Tuple>();
  const auto* list = target.as<ast::List>();
  if (tuple != nullptr || list != nullptr) {
    bool star_seen = false;
    for (const Expr& element : tuple != nullptr ? tuple->elements : list->elements) {
      const auto* starred = element.as<ast::Starred>();
      if (starred != nullptr && star_seen) {
        state.error(element.span, "two '*' targets in one assignment", "remove one '*'");
      }
      star_seen |= starred != nullptr;
      check_target_in(state, element, true);
    }
    return;
  }
  const auto* starred = target.as<ast::Starred>();
  if (starred != nullptr && inside) {
    check_target_in(state, *starred->value, false);
    return;
  }
  refuse_target(state, target);
}

void check_single_target(ParseState& state, const Expr& target, std::string_view where) {
  if (is_single_target(target)) return;
  state.error(
      target.span,
      fmt::format("{} needs a single target, not {}", where, std::visit(Describe{}, target.node)),
      "a target is a name, an attribute or a subscript");
}

}  // namespace

void check_target(ParseState& state, const Expr& target) {
  check_target_in(state, target, false);
}

void build(ParseState& state, Span, parts::AugmentedTail&& tail, parts::Tail& out) {
  check_not_starred(state, tail.value);
  out = {.kind = parts::Tail::Kind::augmented, .op = tail.op, .annotation = {}, .values = {}};
  out.values.push_back(std::move(tail.value));
}

void build(ParseState& state, Span, parts::AnnotatedTail&& tail, parts::Tail& out) {
  out.kind = parts::Tail::Kind::annotated;
  out.annotation = std::move(tail.annotation);
  if (!tail.value) return;
  check_not_starred(state, *tail.value);
  out.values.push_back(std::move(*tail.value));
}

void build(ParseState&, Span, parts::AssignedTail&& tail, parts::Tail& out) {
  out.kind = parts::Tail::Kind::assigned;
  out.values.push_back(std::move(tail.value));
  for (Expr& value : tail.more) out.values.push_back(std::move(value));
}

void build(ParseState& state, Span span, parts::ExpressionStatement&& statement, Stmt& out) {
  out.span = span;
  parts::Tail& tail = statement.tail;
  Expr& first = statement.first;
  switch (tail.kind) {
    case parts::Tail::Kind::none:
      check_not_starred(state, first);
      out.node = ast::ExprStmt{std::move(first)};
      return;
    case parts::Tail::Kind::augmented:
      check_single_target(state, first, fmt::format("'{}='", spelling(tail.op.op)));
      out.node =
          ast::AugAssign{std::move(first), tail.op.op, tail.op.span, std::move(tail.values[0])};
      return;
    case parts::Tail::Kind::annotated: {
      check_single_target(state, first, "an annotation");
      ast::AnnAssign made{std::move(first), std::move(*tail.annotation), {}};
      if (!tail.values.empty()) made.value = std::move(tail.values[0]);
      out.node = std::move(made);
      return;
    }
    case parts::Tail::Kind::assigned:
      break;
  }
  ast::Assign made;
  made.targets.push_back(std::move(first));
  made.value = std::move(tail.values.back());
  tail.values.pop_back();
  for (Expr& target : tail.values) made.targets.push_back(std::move(target));
  for (const Expr& target : made.targets) check_target(state, target);
  check_not_starred(state, made.value);
  out.node = std::move(made);
}

void build(ParseState& state, Span span, parts::Return&& statement, Stmt& out) {
  if (statement.value) check_not_starred(state, *statement.value);
  out.span = span;
  out.node = ast::Return{std::move(statement.value)};
}

void build(ParseState& state, Span span, parts::Assert&& statement, Stmt& out) {
  const auto* tuple = statement.condition.as<ast::Tuple>();
  if (tuple != nullptr && !tuple->elements.empty()) {
    state.error(statement.condition.span, "this assertion always holds: its condition is a tuple",
                "write assert CONDITION, MESSAGE without parentheses");
  }
  out.span = span;
  out.node = ast::Assert{std::move(statement.condition), std::move(statement.message)};
}

void build(ParseState&, Span span, parts::Raise&& statement, Stmt& out) {
  out.span = span;
  out.node = ast::Raise{std::move(statement.value), std::move(statement.cause)};
}

void build(ParseState& state, Span span, parts::Del&& statement, Stmt& out) {
  out.span = span;
  ast::Del made;
  auto* tuple = statement.targets.as<ast::Tuple>();
  if (tuple != nullptr) {
    made.targets = std::move(tuple->elements);
  } else {
    made.targets.push_back(std::move(statement.targets));
  }
  for (const Expr& target : made.targets) {
    if (is_single_target(target)) continue;
    state.error(target.span, fmt::format("cannot delete {}", std::visit(Describe{}, target.node)),
                "write a name, an attribute or a subscript");
  }
  out.node = std::move(made);
}

void build(ParseState&, Span span, parts::Global&& statement, Stmt& out) {
  out.span = span;
  out.node = ast::Global{std::move(statement.names)};
}

void build(ParseState&, Span span, parts::Nonlocal&& statement, Stmt& out) {
  out.span = span;
  out.node = ast::Nonlocal{std::move(statement.names)};
}

void build(ParseState&, Span span, parts::Dotted&& dotted, ast::Identifier& out) {
  out = std::move(dotted.first);
  for (const ast::Identifier& part : dotted.rest) out.text += '.' + part.text;
  out.span = span;
}

void build(ParseState&, Span, parts::ImportName&& name, ast::ImportName& out) {
  out = {std::move(name.name), std::move(name.alias)};
}

void build(ParseState&, Span span, parts::Import&& statement, Stmt& out) {
  out.span = span;
  out.node = ast::Import{std::move(statement.names)};
}

void build(ParseState&, Span, parts::ImportStar&& star, parts::Imported& out) {
  out.star = star.marker;
}

void build(ParseState&, Span, parts::ImportNames&& names, parts::Imported& out) {
  out.names = std::move(names.names);
}

void build(ParseState&, Span span, parts::FromImport&& statement, Stmt& out) {
  out.span = span;
  out.node = ast::FromImport{statement.level, std::move(statement.module),
                             std::move(statement.imported.names), statement.imported.star};
}

}  // namespace tirx::dsl::grammar
