// Flat chains of operators -> trees, by the table of section 6.17 of the Python reference.  Two
// stacks (Dijkstra's shunting yard) and no recursion, so a long chain costs no stack.
#include <algorithm>

#include <fmt/format.h>

#include "dsl/ast/children.hpp"
#include "dsl/ast/precedence.hpp"
#include "dsl/grammar/build.hpp"
#include "dsl/parse.hpp"

namespace tirx::dsl::grammar {
namespace {

using ast::BinaryOp;
using ast::CompareOp;
using ast::Expr;
using ast::LogicalOp;
using ast::UnaryOp;

using ast::precedence;

/// An operator that waits for its right operand.  Comparisons and and/or gather `count` operands.
struct Pending {
  int level = 0;
  std::variant<UnaryOp, BinaryOp, LogicalOp, std::vector<ast::CompareOpAt>> op;
  Span span;
  std::size_t count = 2;
};

class Yard {
 public:
  explicit Yard(ParseState& state) : state_(state) {}

  void operand(parts::Operand&& operand) {
    for (const parts::Prefix& prefix : operand.prefixes) push_prefix(prefix);
    values_.push_back(std::move(operand.value));
  }

  void infix(const parts::Infix& infix) {
    const int level = std::visit([](auto op) -> int { return precedence(op); }, infix.op);
    // `**` is the only one that groups to the right.
    while (!pending_.empty() &&
           (pending_.back().level > level ||
            (pending_.back().level == level && level != kPower && !gathers(level)))) {
      reduce();
    }
    const bool joins = !pending_.empty() && pending_.back().level == level && gathers(level);
    if (joins) {
      ++pending_.back().count;
    } else {
      pending_.push_back({.level = level, .op = start(infix), .span = infix.span});
    }
    if (const auto* compare = std::get_if<CompareOp>(&infix.op)) {
      std::get<std::vector<ast::CompareOpAt>>(pending_.back().op).push_back({*compare, infix.span});
    }
  }

  Expr result() {
    while (!pending_.empty()) reduce();
    return std::move(values_.back());
  }

 private:
  static bool gathers(int level) { return level == kCompare || level == kOr || level == kAnd; }

  static decltype(Pending::op) start(const parts::Infix& infix) {
    if (const auto* binary = std::get_if<BinaryOp>(&infix.op)) return *binary;
    if (const auto* logical = std::get_if<LogicalOp>(&infix.op)) return *logical;
    return std::vector<ast::CompareOpAt>{};
  }

  void push_prefix(const parts::Prefix& prefix) {
    const bool negation = prefix.op == UnaryOp::logical_not;
    if (negation && !pending_.empty() && pending_.back().level > kNot) {
      state_.error(prefix.span, "'not' cannot follow this operator directly",
                   "put parentheses around it: (not x)");
    }
    pending_.push_back(
        {.level = precedence(prefix.op), .op = prefix.op, .span = prefix.span, .count = 1});
  }

  void reduce() {
    Pending top = std::move(pending_.back());
    pending_.pop_back();
    const auto first = values_.end() - static_cast<std::ptrdiff_t>(top.count);
    Span span = top.span;
    for (auto it = first; it != values_.end(); ++it) span = join(span, it->span);
    Expr made;
    if (const auto* unary = std::get_if<UnaryOp>(&top.op)) {
      finish(state_, span, ast::Unary{*unary, top.span, std::move(*first)}, made);
    } else if (const auto* binary = std::get_if<BinaryOp>(&top.op)) {
      finish(state_, span, ast::Binary{*binary, top.span, std::move(first[0]), std::move(first[1])},
             made);
    } else if (const auto* logical = std::get_if<LogicalOp>(&top.op)) {
      finish(state_, span, ast::BoolOp{*logical, take(first)}, made);
    } else {
      auto& ops = std::get<std::vector<ast::CompareOpAt>>(top.op);
      finish(state_, span, ast::Compare{take(first), std::move(ops)}, made);
    }
    values_.erase(first, values_.end());
    values_.push_back(std::move(made));
  }

  std::vector<Expr> take(std::vector<Expr>::iterator first) {
    return {std::make_move_iterator(first), std::make_move_iterator(values_.end())};
  }

  ParseState& state_;
  std::vector<Expr> values_;
  std::vector<Pending> pending_;
};

}  // namespace

void finish(ParseState& state, Span span, ast::Expr::Node&& made, ast::Expr& out) {
  out.span = span;
  out.node = std::move(made);
  std::uint32_t below = 0;
  ast::for_each_child(out, [&](const Expr& child) { below = std::max(below, child.height); });
  out.height = below + 1;
  if (out.height <= kMaxExpressionHeight) return;
  // Once: the rest of the same chain would exceed it again.
  if (state.errors().empty() || state.errors().back().span.begin != span.begin) {
    state.error(
        span, fmt::format("this expression is more than {} operations deep", kMaxExpressionHeight),
        "split it over several statements");
  }
  out.node = ast::EllipsisLit{};
  out.height = 1;
}

void build(ParseState& state, Span, parts::Chain&& chain, ast::Expr& out) {
  if (chain.rest.empty() && chain.first.prefixes.empty()) {
    out = std::move(chain.first.value);
    return;
  }
  Yard yard(state);
  yard.operand(std::move(chain.first));
  for (parts::Link& link : chain.rest) {
    yard.infix(link.op);
    yard.operand(std::move(link.operand));
  }
  out = yard.result();
}

void build(ParseState& state, Span, parts::Ternary&& ternary, ast::Expr& out) {
  // a if b else c if d else e  is  a if b else (c if d else e).
  while (!ternary.rest.empty()) {
    parts::Choice choice = std::move(ternary.rest.back());
    ternary.rest.pop_back();
    Expr& then_value = ternary.rest.empty() ? ternary.first : ternary.rest.back().otherwise;
    const Span span = join(then_value.span, choice.otherwise.span);
    Expr made;
    finish(state, span,
           ast::Conditional{std::move(choice.condition), std::move(then_value),
                            std::move(choice.otherwise)},
           made);
    then_value = std::move(made);
  }
  out = std::move(ternary.first);
}

}  // namespace tirx::dsl::grammar
