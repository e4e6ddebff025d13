// Calls: arguments, functions with their scopes, classes.
#include <algorithm>
#include <unordered_set>

#include "dsl/eval/dtype_call.hpp"
#include "dsl/eval/frame.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/kernel_builder.hpp"

namespace tirx::dsl {

namespace {

constexpr int kMaxCallDepth = 200;
constexpr std::size_t kMaxCallNotes = 8;

/// "in the call of f": so that an error inside an inline function shows how it got there.
void add_call_note(Diagnostic& diagnostic, const std::string& function, Span call) {
  if (diagnostic.notes.size() >= kMaxCallNotes) return;
  diagnostic.notes.push_back({call, fmt::format("in the call of {}", function)});
}

}  // namespace

/// A mutable scalar named as an argument of an inline function is passed itself: assigning to the
/// parameter stores into it.  Everything else receives its value.
Value Interpreter::eval_argument(const ast::Expr& argument, bool by_name) {
  const auto* name = by_name ? std::get_if<ast::Name>(&argument.node) : nullptr;
  const Name* found = name != nullptr ? scope_->find(name->id) : nullptr;
  if (found != nullptr && found->value.is<ir::Buffer>()) return found->value;
  return eval(argument);
}

CallArgs Interpreter::eval_arguments(const ast::Call& node, Span span, bool by_name) {
  CallArgs args;
  args.span = span;
  for (const ast::Argument& argument : node.arguments) {
    const Span place = argument.value.span;
    switch (argument.kind) {
      case ast::ArgumentKind::positional:
        args.positional.push_back({eval_argument(argument.value, by_name), place});
        break;
      case ast::ArgumentKind::keyword:
        args.named.emplace_back(argument.name.text,
                                ArgumentValue{eval_argument(argument.value, by_name), place});
        break;
      case ast::ArgumentKind::star:
        for (Value& item : iterate(eval(argument.value), place)) {
          args.positional.push_back({std::move(item), place});
        }
        break;
      case ast::ArgumentKind::double_star: {
        const Value value = eval(argument.value);
        const auto* dict = value.as<Dict>();
        if (dict == nullptr) fail(place, "** needs a dict, not {}", kind_name(value));
        for (const auto& [key, item] : dict->items) {
          if (key.text() == nullptr) fail(place, "keywords must be strings");
          args.named.emplace_back(*key.text(), ArgumentValue{item, place});
        }
        break;
      }
    }
  }
  return args;
}

Value Interpreter::call(const Value& callee, CallArgs args) {
  spend(1, args.span);
  check_stack(args.span);
  if (const auto function = callee.share<Function>()) {
    return call_function(function, std::move(args));
  }
  if (const auto type = callee.share<Class>()) return call_class(type, std::move(args));
  if (const auto* dtype = callee.as<ir::Type>()) return call_dtype(*this, *dtype, std::move(args));
  const Object* object = callee.object();
  if (object != nullptr && object->type->call != nullptr) {
    return object->type->call(*this, callee, std::move(args));
  }
  if (callee.is<Instance>()) {
    if (has_attribute(callee, "__call__", args.span)) {
      return call(attribute(callee, "__call__", args.span), std::move(args));
    }
  }
  fail(args.span, "{} cannot be called", kind_name(callee));
}

Value Interpreter::call(const Value& callee, Values values, Span span) {
  CallArgs args;
  args.span = span;
  for (Value& value : values) args.positional.push_back({std::move(value), span});
  return call(callee, std::move(args));
}

std::shared_ptr<Function> Interpreter::make_function(std::string name,
                                                     const std::vector<ast::Parameter>& params,
                                                     Span span) {
  auto function = make<Function>();
  function->name = std::move(name);
  function->span = span;
  function->parameters = &params;
  function->closure = scope_;
  function->signature.function = function->name;
  std::unordered_set<std::string> seen;
  for (const ast::Parameter& p : params) {
    if (!seen.insert(p.name.text).second) {
      fail(p.name.span, "duplicate parameter '{}'", p.name.text);
    }
    function->signature.parameters.push_back({p.name.text, p.kind,
                                              !p.default_value &&
                                                  p.kind != ast::ParameterKind::var_positional &&
                                                  p.kind != ast::ParameterKind::var_keyword});
    if (p.default_value) function->defaults.emplace_back(p.name.text, eval(*p.default_value));
  }
  return function;
}

Value Interpreter::call_function(const std::shared_ptr<Function>& function, CallArgs args) {
  const Span span = args.span;
  const bool inlined = function->kind == FunctionKind::inlined;
  if (inlined) (void)need_kernel("a @T.inline function", span);
  if (frame_->depth >= kMaxCallDepth) {
    fail_help(span,
              fmt::format("'{}' calls itself too deeply (limit {})", function->name, kMaxCallDepth),
              "a recursion must end by a condition that is known when the script is evaluated");
  }
  BoundArguments bound = bind_arguments(function->signature, std::move(args));

  ScopeRef parent = function->closure;
  if (inlined) {
    // Free names mean what they mean at the call: look them up from the block now being evaluated
    // in the function that defines the inline.
    const ScopeRef current = parent->function().innermost.lock();
    if (current != nullptr && current->has_ancestor(parent.get())) parent = current;
  }
  const ScopeRef scope = new_scope(ScopeKind::function, parent);
  scope->innermost = scope;
  for (std::size_t i = 0; i < function->signature.parameters.size(); ++i) {
    const SignatureParameter& p = function->signature.parameters[i];
    Value value;
    if (p.kind == ast::ParameterKind::var_positional) {
      Values rest;
      for (ArgumentValue& item : bound.rest) rest.push_back(std::move(item.value));
      value = make_tuple(std::move(rest));
    } else if (p.kind == ast::ParameterKind::var_keyword) {
      auto dict = std::make_shared<Dict>();
      for (auto& [key, item] : bound.named_rest) dict->set(Value(key), std::move(item.value));
      value = Value(dict);
    } else if (bound.values[i]) {
      value = std::move(bound.values[i]->value);
    } else {
      for (const auto& [name, fallback] : function->defaults) {
        if (name == p.name) value = fallback;
      }
    }
    if (const auto* meta = value.as<MetaVar>()) value = meta->value;
    scope->bind(p.name, std::move(value));
  }

  Frame frame;
  frame.parent = frame_;
  frame.function = function.get();
  frame.builds = inlined;
  frame.depth = frame_->depth + 1;
  const Setting<Frame*> in_frame(frame_, &frame);
  const Setting<ScopeRef> in_scope(scope_, scope);
  try {
    if (function->body != nullptr) return eval(*function->body);
    returned_ = Value();
    const Flow flow = exec(function->definition->body);
    Value result = flow == Flow::returned ? std::move(returned_) : Value();
    returned_ = Value();
    return result;
  } catch (EvalError& error) {
    add_call_note(error.diagnostic, function->name, span);
    throw;
  }
}

Value Interpreter::call_class(const std::shared_ptr<Class>& type, CallArgs args) {
  auto instance = make<Instance>(type);
  const Value self = instance;
  if (const Value* init = type->find("__init__")) {
    args.positional.insert(args.positional.begin(), ArgumentValue{self, args.span});
    (void)call(*init, std::move(args));
  } else if (!args.positional.empty() || !args.named.empty()) {
    fail(args.span, "{}() takes no arguments", type->name);
  }
  return self;
}

}  // namespace tirx::dsl
