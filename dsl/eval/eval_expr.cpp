// Evaluating expressions (the Python reference's chapter on expressions decides what they mean at
// the meta level).
#include <algorithm>

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/frame.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"
#include "dsl/eval/meta_arithmetic.hpp"

namespace tirx::dsl {

Value Interpreter::decay(Value value, Span span) const {
  const auto* buffer = value.as<ir::Buffer>();
  if (buffer == nullptr || !(*buffer)->scalar) return value;
  return load_expr({*buffer, {ir::make_int(0, ir::kInt32, span)}, {}, 1}, {(*buffer)->dtype, 1},
                   span);
}

Value Interpreter::lookup(const std::string& name, Span span) {
  if (const Name* found = scope_->find(name)) return decay(found->value, span);
  if (const Value* builtin = registry_.find_builtin(name)) return *builtin;
  std::vector<std::string> names;
  for (const Scope* scope = scope_.get(); scope != nullptr; scope = scope->parent().get()) {
    for (const auto& [known, value] : scope->names()) names.push_back(known);
  }
  for (const auto& [known, value] : registry_.module("")->members) names.push_back(known);
  std::sort(names.begin(), names.end());
  fail(span, "name '{}' is not defined{}", name, did_you_mean(name, names));
}

Value Interpreter::eval_named(const ast::Expr& expr, std::vector<std::string> targets) {
  if (const auto* node = expr.as<ast::Call>()) {
    spend(1, expr.span);
    check_stack(expr.span);
    const Value callee = eval(*node->callee);
    CallArgs args = eval_arguments(*node, expr.span, is_inlined(callee));
    args.targets = std::move(targets);
    return call(callee, std::move(args));
  }
  if (const auto* node = expr.as<ast::Subscript>()) {
    spend(1, expr.span);
    check_stack(expr.span);
    const Value base = eval(*node->base);
    Subscripts items = eval_subscripts(*node, expr.span);
    items.targets = std::move(targets);
    return decay(subscript(base, items), expr.span);
  }
  if (const auto* tuple = expr.as<ast::Tuple>();
      tuple && tuple->elements.size() == targets.size()) {
    Values items;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (tuple->elements[i].is<ast::Starred>()) return eval(expr);
      items.push_back(eval_named(tuple->elements[i], {targets[i]}));
    }
    return make_tuple(std::move(items));
  }
  return eval(expr);
}

Value Interpreter::eval(const ast::Expr& expr) {
  spend(1, expr.span);
  check_stack(expr.span);
  const Span span = expr.span;
  return std::visit(
      ir::Match{
          [](const ast::NoneLit&) { return Value(); },
          [&](const ast::Name& node) { return lookup(node.id, span); },
          [&](const ast::IntLit& node) {
            if (node.overflow || node.value > static_cast<std::uint64_t>(INT64_MAX)) {
              fail(span, "{} does not fit a 64-bit integer", node.text);
            }
            return Value(static_cast<std::int64_t>(node.value));
          },
          [](const ast::FloatLit& node) { return Value(node.value); },
          [](const ast::StringLit& node) { return Value(node.value); },
          [&](const ast::FString& node) { return eval_fstring(node, span); },
          [](const ast::BoolLit& node) { return Value(node.value); },
          [](const ast::EllipsisLit&) { return Value(std::make_shared<Ellipsis>()); },
          [&](const ast::Unary& node) {
            if (const auto* literal = node.operand->as<ast::IntLit>();
                literal != nullptr && node.op == ast::UnaryOp::minus && !literal->overflow &&
                literal->value == static_cast<std::uint64_t>(INT64_MAX) + 1) {
              return Value(INT64_MIN);
            }
            if (node.op == ast::UnaryOp::minus) {
              if (const auto* magnitude = node.operand->as<ast::Binary>()) {
                const Value left = eval(*magnitude->left);
                const Value right = eval(*magnitude->right);
                if (is_two_to_the_63(magnitude->op, left, right)) return Value(INT64_MIN);
                return unary(node.op, binary(magnitude->op, left, right, node.operand->span), span);
              }
            }
            return unary(node.op, eval(*node.operand), span);
          },
          [&](const ast::Binary& node) {
            const Value left = eval(*node.left);
            const Value right = eval(*node.right);
            return binary(node.op, left, right, span);
          },
          [&](const ast::BoolOp& node) { return eval_bool(node, span); },
          [&](const ast::Compare& node) { return eval_compare(node, span); },
          [&](const ast::Conditional& node) { return eval_conditional(node, span); },
          [&](const ast::Lambda& node) {
            auto function = make_function("<lambda>", node.parameters, span);
            function->body = node.body.get();
            return Value(function);
          },
          [&](const ast::Call& node) {
            const Value callee = eval(*node.callee);
            return call(callee, eval_arguments(node, span, is_inlined(callee)));
          },
          [&](const ast::Attribute& node) {
            return attribute(eval(*node.base), node.name.text, node.name.span);
          },
          [&](const ast::Subscript& node) {
            const Value base = eval(*node.base);
            return decay(subscript(base, eval_subscripts(node, span)), span);
          },
          [&](const ast::Slice& node) {
            const auto part = [&](const ast::Box<ast::Expr>& e) { return e ? eval(*e) : Value(); };
            Value begin = part(node.begin);
            Value end = part(node.end);
            Value step = part(node.step);
            return Value(
                std::make_shared<SliceValue>(std::move(begin), std::move(end), std::move(step)));
          },
          [&](const ast::Starred&) -> Value {
            fail(span, "a starred expression cannot stand here");
          },
          [&](const ast::Tuple& node) { return make_tuple(eval_elements(node.elements)); },
          [&](const ast::List& node) { return make_list(eval_elements(node.elements)); },
          [&](const ast::Dict& node) { return eval_dict(node); },
          [&](const ast::ListComp& node) {
            Values items;
            eval_clauses(node.clauses, 0, [&] { items.push_back(eval(*node.element)); });
            return make_list(std::move(items));
          },
          [&](const ast::GeneratorExp& node) {
            // Evaluated at once: nothing can tell, except a generator that never ends.
            Values items;
            eval_clauses(node.clauses, 0, [&] { items.push_back(eval(*node.element)); });
            return make_list(std::move(items));
          },
          [&](const ast::DictComp& node) {
            auto dict = std::make_shared<Dict>();
            eval_clauses(node.clauses, 0, [&] {
              const Value key = eval(*node.key);
              if (!hash(key)) fail(node.key->span, "{} cannot be a dict key", kind_name(key));
              dict->set(key, eval(*node.value));
            });
            return Value(dict);
          },
      },
      expr.node);
}

Values Interpreter::eval_elements(const std::vector<ast::Expr>& elements) {
  Values items;
  items.reserve(elements.size());
  for (const ast::Expr& element : elements) {
    if (const auto* starred = element.as<ast::Starred>()) {
      for (Value& item : iterate(eval(*starred->value), element.span)) {
        items.push_back(std::move(item));
      }
    } else {
      items.push_back(eval(element));
    }
  }
  return items;
}

Value Interpreter::eval_dict(const ast::Dict& node) {
  auto dict = std::make_shared<Dict>();
  for (const ast::DictItem& item : node.items) {
    if (!item.key) {
      const Value other = eval(item.value);
      const auto* merged = other.as<Dict>();
      if (merged == nullptr) fail(item.value.span, "** needs a dict, not {}", kind_name(other));
      for (const auto& [key, value] : merged->items) dict->set(key, value);
      continue;
    }
    const Value key = eval(*item.key);
    if (!hash(key)) fail(item.key->span, "{} cannot be a dict key", kind_name(key));
    dict->set(key, eval(item.value));
  }
  return dict;
}

void Interpreter::eval_clauses(const std::vector<ast::Clause>& clauses,
                               std::size_t at,
                               const std::function<void()>& each) {
  if (at == clauses.size()) {
    each();
    return;
  }
  const ast::Clause& clause = clauses[at];
  const Value iterable = eval(clause.iterable);
  const Setting<ScopeRef> in(scope_, new_scope(ScopeKind::block, scope_));
  const auto body = [&](Value item) {
    spend(8, clause.span);
    bind_pattern(clause.target, std::move(item));
    for (const ast::Expr& condition : clause.conditions) {
      if (!truth(eval(condition), condition.span)) return;
    }
    eval_clauses(clauses, at + 1, each);
  };
  if (const auto* range = iterable.as<RangeValue>()) {
    for (std::int64_t i = 0, n = range->size(); i < n; ++i) body(range->begin + i * range->step);
    return;
  }
  for (Value& item : iterate(iterable, clause.iterable.span)) body(std::move(item));
}

Subscripts Interpreter::eval_subscripts(const ast::Subscript& node, Span span) {
  Subscripts out{span, node.base->span, {}, node.is_tuple, {}, {}};
  for (const ast::Expr& item : node.items) {
    if (const auto* starred = item.as<ast::Starred>()) {
      for (Value& value : iterate(eval(*starred->value), item.span)) {
        out.items.push_back({std::move(value), item.span});
      }
      out.is_tuple = true;
    } else {
      out.items.push_back({eval(item), item.span});
    }
  }
  return out;
}

Value Interpreter::eval_bool(const ast::BoolOp& node, Span span) {
  const bool is_and = node.op == ast::LogicalOp::logical_and;
  Value result;
  ir::Expr built;
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    Value value = eval(node.operands[i]);
    const Span place = node.operands[i].span;
    if (is_ir(value) || built) {
      const ir::Expr condition = condition_expr(expr(value, place), place);
      if (!built) {
        built = condition;
      } else {
        built = is_and ? and_expr(built, condition, span) : or_expr(built, condition, span);
      }
      continue;
    }
    if (truth(value, place) != is_and) return value;
    result = std::move(value);
  }
  return built ? Value(built) : result;
}

Value Interpreter::eval_compare(const ast::Compare& node, Span span, Values* operands) {
  Value left = eval(node.operands[0]);
  if (operands != nullptr) operands->push_back(left);
  Value result = true;
  for (std::size_t i = 0; i < node.ops.size(); ++i) {
    Value right = eval(node.operands[i + 1]);
    if (operands != nullptr) operands->push_back(right);
    const Span pair =
        node.ops.size() == 1 ? span : join(node.operands[i].span, node.operands[i + 1].span);
    Value one = compare(node.ops[i].op, left, right, pair);
    if (is_ir(one) || is_ir(result)) {
      result = i == 0 ? one
                      : Value(and_expr(condition_expr(expr(result, span), span),
                                       condition_expr(expr(one, pair), pair), span));
    } else if (node.ops.size() == 1) {
      return one;
    } else if (!truth(one, pair)) {
      return one;
    } else {
      result = std::move(one);
    }
    left = std::move(right);
  }
  return result;
}

Value Interpreter::eval_conditional(const ast::Conditional& node, Span span) {
  const Value condition = eval(*node.condition);
  if (!is_ir(condition)) {
    return truth(condition, node.condition->span) ? eval(*node.then_value) : eval(*node.else_value);
  }
  const ir::Expr test = condition_expr(expr(condition, node.condition->span), node.condition->span);
  std::int64_t known = 0;
  if (ir::is_const_int(test, known)) {
    return known != 0 ? eval(*node.then_value) : eval(*node.else_value);
  }
  const Value when_true = eval(*node.then_value);
  const Value when_false = eval(*node.else_value);
  return if_then_else_expr(
      test, {expr(when_true, node.then_value->span), !is_ir(when_true), node.then_value->span},
      {expr(when_false, node.else_value->span), !is_ir(when_false), node.else_value->span}, span);
}

ir::Expr Interpreter::expr(const Value& value, Span span) {
  if (const auto* expr = value.as<ir::Expr>()) return *expr;
  if (auto made = to_expr(value, span)) return *made;
  if (const auto region = to_region(value, span)) {
    if (auto access = to_access(*region)) {
      return load_expr(std::move(access->first), access->second, span);
    }
    fail_help(span, fmt::format("a region of '{}' is not a value", region->buffer->name),
              "index one element, or use a tile operation (Tx.copy, Tx.add, …) on regions");
  }
  if (const auto* meta = value.as<MetaVar>()) return expr(meta->value, span);
  fail(span, "expected a value of the kernel, not {}", kind_name(value));
}

}  // namespace tirx::dsl
