// Assignment: names, tuples, elements, attributes; inside kernels the rules of docs/language.md,
// "What an assignment does".
#include <algorithm>

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/frame.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"

namespace tirx::dsl {

namespace {

std::vector<std::string> target_names(const ast::Expr& target) {
  if (const auto* name = target.as<ast::Name>()) return {name->id};
  if (const auto* attribute = target.as<ast::Attribute>()) return {attribute->name.text};
  const std::vector<ast::Expr>* elements = nullptr;
  if (const auto* tuple = target.as<ast::Tuple>()) elements = &tuple->elements;
  if (const auto* list = target.as<ast::List>()) elements = &list->elements;
  std::vector<std::string> names;
  if (elements != nullptr) {
    for (const ast::Expr& element : *elements) {
      const auto* name = element.as<ast::Name>();
      if (name == nullptr) return {};
      names.push_back(name->id);
    }
  }
  return names;
}

const std::vector<ast::Expr>* pattern(const ast::Expr& target) {
  if (const auto* tuple = target.as<ast::Tuple>()) return &tuple->elements;
  if (const auto* list = target.as<ast::List>()) return &list->elements;
  return nullptr;
}

/// The items for each element of a tuple target; a starred one gets a list.
Values split_for(const std::vector<ast::Expr>& elements, Values items, Span span) {
  std::size_t starred = elements.size();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].is<ast::Starred>()) starred = i;
  }
  const bool has_star = starred < elements.size();
  const std::size_t fixed = elements.size() - (has_star ? 1 : 0);
  if (items.size() < fixed || (!has_star && items.size() > fixed)) {
    fail(span, "cannot unpack {} value{} into {}{} target{}", items.size(),
         items.size() == 1 ? "" : "s", has_star ? "at least " : "", fixed, fixed == 1 ? "" : "s");
  }
  if (!has_star) return items;
  const std::size_t extra = items.size() - fixed;
  Values out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i != starred) {
      out.push_back(std::move(items[next++]));
      continue;
    }
    Values rest;
    for (std::size_t k = 0; k < extra; ++k) rest.push_back(std::move(items[next++]));
    out.push_back(make_list(std::move(rest)));
  }
  return out;
}

const ast::Expr& without_star(const ast::Expr& target) {
  if (const auto* starred = target.as<ast::Starred>()) return *starred->value;
  return target;
}

}  // namespace

void Interpreter::bind_pattern(const ast::Expr& target, Value value) {
  if (const auto* name = target.as<ast::Name>()) {
    scope_->bind(name->id, std::move(value));
    return;
  }
  if (const auto* elements = pattern(target)) {
    Values items = split_for(*elements, iterate(value, target.span), target.span);
    for (std::size_t i = 0; i < items.size(); ++i) {
      bind_pattern(without_star((*elements)[i]), std::move(items[i]));
    }
    return;
  }
  assign(target, std::move(value), target.span);
}

void Interpreter::assign(const ast::Expr& target, Value value, Span value_span) {
  if (const auto* name = target.as<ast::Name>()) {
    assign_name(name->id, std::move(value), target.span, value_span);
  } else if (const auto* elements = pattern(target)) {
    Values items = split_for(*elements, iterate(value, value_span), value_span);
    if (kernel_ != nullptr) read_before_stores(*elements, items, value_span);
    for (std::size_t i = 0; i < items.size(); ++i) {
      assign(without_star((*elements)[i]), std::move(items[i]), value_span);
    }
  } else if (const auto* item = target.as<ast::Subscript>()) {
    const Value base = eval(*item->base);
    Subscripts items = eval_subscripts(*item, target.span);
    items.value = value_span;
    set_subscript(base, items, std::move(value));
  } else if (const auto* attribute = target.as<ast::Attribute>()) {
    assign_attribute(eval(*attribute->base), attribute->name, std::move(value), value_span);
  } else {
    fail(target.span, "this cannot be assigned to");
  }
}

/// `a, b = b, a`: as in Python, the right side is read before anything is stored.
void Interpreter::read_before_stores(const std::vector<ast::Expr>& targets,
                                     Values& items,
                                     Span span) {
  bool stored = false;  // by a target further left
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto* value = items[i].as<ir::Expr>();
    const bool computed = value != nullptr && ir::as_const(*value) == nullptr &&
                          (*value)->type.dtype != num::DType::handle;
    if (stored && computed) {
      const auto var =
          std::make_shared<const ir::Variable>(ir::Variable{"before", (*value)->type, span});
      kernel_->emit(span, ir::Let{var, *value});
      items[i] = ir::make_var(var, span);
    }
    const auto* name = targets[i].as<ast::Name>();
    const Name* known = name != nullptr ? scope_->find(name->id) : nullptr;
    const auto* buffer = known != nullptr ? known->value.as<ir::Buffer>() : nullptr;
    stored = stored || targets[i].is<ast::Subscript>() ||
             (buffer != nullptr && is_mutable_scalar(*buffer));
  }
}

void Interpreter::assign_attribute(const Value& base,
                                   const ast::Identifier& name,
                                   Value value,
                                   Span value_span) {
  if (kernel_ != nullptr) {
    if (const auto* meta = value.as<MetaVar>()) {
      set_attribute(base, name.text, meta->value, name.span);
      return;
    }
    if (const auto* instance = base.as<Instance>()) {
      const auto found = instance->attributes.find(name.text);
      if (found != instance->attributes.end() && !value.is<ir::Buffer>()) {
        const auto* buffer = found->second.as<ir::Buffer>();
        if (buffer != nullptr && is_mutable_scalar(*buffer)) {
          emit_store(*this, {*buffer, {ir::make_int(0, ir::kInt32, name.span)}, {}, 1},
                     {(*buffer)->dtype, 1}, value, value_span);
          return;
        }
      }
    }
  }
  set_attribute(base, name.text, std::move(value), name.span);
}

void Interpreter::assign_name(const std::string& name, Value value, Span span, Span value_span) {
  if (in_kernel_code()) {
    kernel_assign_name(name, std::move(value), span, value_span);
    return;
  }
  if (const auto* meta = value.as<MetaVar>()) value = meta->value;
  Scope* target = scope_->redirected(name);
  (target != nullptr ? target : scope_.get())->bind(name, std::move(value));
}

void Interpreter::exec_assign(const ast::Assign& node, Span span) {
  if (node.targets.size() > 1 && in_kernel_code()) {
    fail_help(span, "chained assignment is not allowed in a kernel",
              "write one assignment per line: each name becomes a variable of its own");
  }
  Value value = node.targets.size() == 1 ? eval_named(node.value, target_names(node.targets[0]))
                                         : eval(node.value);
  if (in_kernel_code()) fresh_variable_ = node.value.is<ast::Call>();
  for (const ast::Expr& target : node.targets) assign(target, value, node.value.span);
  fresh_variable_ = false;
}

void Interpreter::exec_annotated(const ast::AnnAssign& node, Span span) {
  if (in_kernel_code()) {
    kernel_annotated(node, span);
    return;
  }
  if (node.value) assign(node.target, eval_named(*node.value, target_names(node.target)), span);
}

void Interpreter::exec_augmented(const ast::AugAssign& node, Span span) {
  const Span value_span = node.value.span;
  if (const auto* name = node.target.as<ast::Name>()) {
    const Value before = eval(node.target);
    if (in_kernel_code()) {
      const Name* found = scope_->find(name->id);
      const auto* buffer = found != nullptr ? found->value.as<ir::Buffer>() : nullptr;
      if (buffer == nullptr || !is_mutable_scalar(*buffer)) {
        fail_help(span, fmt::format("'{}' is not a variable of the kernel", name->id),
                  fmt::format("declare one: `{0}_: T.int32 = {0}`, then change that", name->id));
      }
    }
    const Value right = eval(node.value);
    if (augment_in_place(node.op, before, right, value_span)) return;
    const Value after = binary(node.op, before, right, span);
    assign_name(name->id, after, node.target.span, span);
  } else if (const auto* item = node.target.as<ast::Subscript>()) {
    const Value base = eval(*item->base);
    Subscripts keys = eval_subscripts(*item, node.target.span);
    keys.value = span;
    const Value before = decay(subscript(base, keys), span);
    const Value right = eval(node.value);
    set_subscript(base, keys, binary(node.op, before, right, span));
  } else if (const auto* attribute_node = node.target.as<ast::Attribute>()) {
    const Value base = eval(*attribute_node->base);
    const Value before = attribute(base, attribute_node->name.text, attribute_node->name.span);
    const Value right = eval(node.value);
    assign_attribute(base, attribute_node->name, binary(node.op, before, right, span), value_span);
  } else {
    fail(node.target.span, "this cannot be the target of an augmented assignment");
  }
}

bool Interpreter::augment_in_place(ast::BinaryOp op,
                                   const Value& before,
                                   const Value& right,
                                   Span span) {
  auto* list = before.as<List>();
  if (list == nullptr || op != ast::BinaryOp::add) return false;
  Values items = iterate(right, span);
  spend(static_cast<std::int64_t>(items.size()), span);
  track(std::get<ObjectRef>(before.storage()));
  for (Value& item : items) list->items.push_back(std::move(item));
  return true;
}

}  // namespace tirx::dsl
