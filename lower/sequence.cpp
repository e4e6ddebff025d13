#include "lower/sequence.hpp"

#include <string>
#include <utility>

#include "ir/all_ops.hpp"
#include "ir/visit.hpp"

namespace tirx::lower {

namespace {

/// What happens when an expression is evaluated, beside its value.
struct Content {
  bool effect = false;    // changes memory, prints, waits
  bool read = false;      // of memory that an effect could change
  bool conflict = false;  // two of these, at least one an effect, in operands without an order
};

bool reads_only(ir::OpId op) {
  return op == ir::AllOps::id_of<ir::LoadReadOnly>();
}

bool has_effect(const ir::MachineCall& call) {
  const ir::Effect effect = ir::spec(call.op).effect;
  return effect != ir::Effect::pure && effect != ir::Effect::warp && !reads_only(call.op);
}

bool is_sensitive(const ir::Load& load) {
  return load.from.buffer->scope() != ir::MemoryScope::local;
}

Content content(const ir::Expr& expr);

/// Operands that C++ may evaluate in any order.
class Unordered {
 public:
  void add(const ir::Expr& expr) {
    const Content next = content(expr);
    all_.conflict = all_.conflict || next.conflict || (all_.effect && (next.effect || next.read)) ||
                    (all_.read && next.effect);
    all_.effect = all_.effect || next.effect;
    all_.read = all_.read || next.read;
  }

  [[nodiscard]] Content all() const { return all_; }

 private:
  Content all_;
};

/// The operands of `&&`, `||` and `?:`, which C++ evaluates from left to right.
Content in_order(std::initializer_list<ir::Expr> operands) {
  Content all;
  for (const ir::Expr& operand : operands) {
    const Content next = content(operand);
    all.effect = all.effect || next.effect;
    all.read = all.read || next.read;
    all.conflict = all.conflict || next.conflict;
  }
  return all;
}

Content content(const ir::Expr& expr) {
  if (const auto* n = ir::as<ir::And>(expr)) return in_order({n->left, n->right});
  if (const auto* n = ir::as<ir::Or>(expr)) return in_order({n->left, n->right});
  if (const auto* n = ir::as<ir::IfThenElse>(expr)) {
    return in_order({n->condition, n->when_true, n->when_false});
  }
  Unordered operands;
  ir::for_each_child(expr, [&](const ir::Expr& child) { operands.add(child); });
  Content all = operands.all();
  if (const auto* load = ir::as<ir::Load>(expr)) all.read = all.read || is_sensitive(*load);
  if (const auto* call = ir::as<ir::MachineCall>(expr)) {
    all.effect = all.effect || has_effect(*call);
    all.read = all.read || reads_only(call->op);
  }
  return all;
}

/// Of everything that a statement evaluates, in the script's order.
Content content_of(const ir::Stmt& stmt) {
  Unordered operands;
  if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
    operands.add(store->value);
    for (const ir::Expr& index : store->to.indices) operands.add(index);
  } else if (!std::holds_alternative<ir::TileCall>(stmt.node)) {
    ir::for_each_operand(stmt, [&](const ir::Expr& operand) { operands.add(operand); });
  }
  return operands.all();
}

class Sequencer {
 public:
  explicit Sequencer(Span span) : span_(span) {}

  ir::Body lets;
  std::optional<Diagnostic> error;

  /// The expression without effects and reads: those are variables before it.
  ir::Expr pure(const ir::Expr& expr) {
    const Content inside = content(expr);
    if (!inside.effect && !inside.read) return expr;
    if (ir::as<ir::And>(expr) != nullptr || ir::as<ir::Or>(expr) != nullptr ||
        ir::as<ir::IfThenElse>(expr) != nullptr) {
      return named(conditional(expr), "chosen");
    }
    const ir::Expr rebuilt = operands_first(expr);
    if (const auto* load = ir::as<ir::Load>(rebuilt); load != nullptr && is_sensitive(*load)) {
      return named(rebuilt, load->from.buffer->name + "_value");
    }
    const auto* call = ir::as<ir::MachineCall>(rebuilt);
    if (call != nullptr && (has_effect(*call) || reads_only(call->op))) {
      return named(rebuilt, "result");
    }
    return rebuilt;
  }

  /// The same operation on operands that are pure.
  ir::Expr operands_first(const ir::Expr& expr) {
    const auto p = [&](const ir::Expr& child) { return pure(child); };
    const auto all = [&](std::vector<ir::Expr> list) {
      for (ir::Expr& one : list) one = pure(one);
      return list;
    };
    const auto make = [&](auto node) { return ir::make_expr(expr->type, expr->span, node); };
    return std::visit(
        ir::Match{
            [&](const ir::Scalar& n) {
              return make(ir::Scalar{n.op, all(n.args)});
            },
            [&](const ir::Cast& n) { return make(ir::Cast{p(n.value)}); },
            [&](const ir::Reinterpret& n) { return make(ir::Reinterpret{p(n.value)}); },
            [&](const ir::Select& n) {
              const ir::Expr condition = p(n.condition);
              const ir::Expr when_true = p(n.when_true);
              return make(ir::Select{condition, when_true, p(n.when_false)});
            },
            [&](const ir::Load& n) { return make(ir::Load{access(n.from)}); },
            [&](const ir::AddressOf& n) { return make(ir::AddressOf{access(n.element)}); },
            [&](const ir::MachineCall& n) {
              return make(ir::MachineCall{n.op, all(n.args), n.text, n.instruction});
            },
            [&](const ir::MakeVector& n) { return make(ir::MakeVector{all(n.lanes)}); },
            [&](const ir::Broadcast& n) { return make(ir::Broadcast{p(n.value)}); },
            [&](const ir::Extract& n) {
              return make(ir::Extract{p(n.vector), n.lane});
            },
            [&](const auto&) { return expr; },
        },
        expr->node);
  }

  ir::Access access(ir::Access given) {
    for (ir::Expr& index : given.indices) index = pure(index);
    return given;
  }

 private:
  /// Only what is evaluated in any case may move in front of it.
  ir::Expr conditional(const ir::Expr& expr) {
    const auto make = [&](auto node) { return ir::make_expr(expr->type, expr->span, node); };
    if (const auto* n = ir::as<ir::And>(expr)) {
      return make(ir::And{pure(n->left), ordered(n->right)});
    }
    if (const auto* n = ir::as<ir::Or>(expr)) {
      return make(ir::Or{pure(n->left), ordered(n->right)});
    }
    const auto* n = ir::as<ir::IfThenElse>(expr);
    const ir::Expr condition = pure(n->condition);
    return make(ir::IfThenElse{condition, ordered(n->when_true), ordered(n->when_false)});
  }

  ir::Expr ordered(const ir::Expr& expr) {
    if (content(expr).conflict && !error) {
      error = Diagnostic{
          expr->span.empty() ? span_ : expr->span,
          "several effects in one part of a conditional expression, and their order matters",
          {Note{{}, "write an if statement, and one effect a line"}}};
    }
    return expr;
  }

  ir::Expr named(const ir::Expr& value, std::string name) {
    const auto var = std::make_shared<const ir::Variable>(
        ir::Variable{std::move(name), value->type, value->span});
    lets.push_back({span_, ir::Let{var, value}});
    return ir::make_var(var);
  }

  Span span_;
};

}  // namespace

Result<std::optional<ir::Body>> in_sequence(const ir::Stmt& stmt) {
  if (!content_of(stmt).conflict) return std::optional<ir::Body>();
  Sequencer sequencer(stmt.span);
  ir::Stmt last = stmt;
  if (auto* let = std::get_if<ir::Let>(&last.node)) {
    let->value = sequencer.pure(let->value);
  } else if (auto* store = std::get_if<ir::Store>(&last.node)) {
    store->value = sequencer.pure(store->value);
    store->to = sequencer.access(store->to);
  } else if (auto* loop = std::get_if<ir::For>(&last.node)) {
    loop->begin = sequencer.pure(loop->begin);
    loop->end = sequencer.pure(loop->end);
    if (loop->step) loop->step = sequencer.pure(loop->step);
  } else if (auto* branch = std::get_if<ir::If>(&last.node)) {
    branch->condition = sequencer.pure(branch->condition);
  } else if (auto* check = std::get_if<ir::Assert>(&last.node)) {
    check->condition = sequencer.pure(check->condition);
  } else if (auto* evaluate = std::get_if<ir::Evaluate>(&last.node)) {
    evaluate->call = sequencer.operands_first(evaluate->call);
  } else if (auto* repeat = std::get_if<ir::While>(&last.node)) {
    // The condition is evaluated before each round.
    const ir::Expr condition = sequencer.pure(repeat->condition);
    ir::Body round = std::move(sequencer.lets);
    const ir::Expr ended = ir::make_expr(ir::kBool, repeat->condition->span,
                                         ir::Scalar{num::ScalarOp::logical_not, {condition}});
    round.push_back({stmt.span, ir::If{ended, {{stmt.span, ir::Break{}}}, {}}});
    round.insert(round.end(), repeat->body.begin(), repeat->body.end());
    sequencer.lets = {};
    repeat->condition = ir::make_bool(true, repeat->condition->span);
    repeat->body = std::move(round);
  }
  if (sequencer.error) return *std::move(sequencer.error);
  sequencer.lets.push_back(std::move(last));
  return std::optional<ir::Body>(std::move(sequencer.lets));
}

}  // namespace tirx::lower
