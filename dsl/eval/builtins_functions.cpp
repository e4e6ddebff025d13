// What decorators make of functions and classes: T.prim_func, T.jit, T.inline, T.meta_class.
#include <array>

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/builtins.hpp"
#include "dsl/eval/frame.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"
#include "dsl/eval/launch.hpp"

namespace tirx::dsl {

namespace {

/// `@T.jit(…)`: the decorator that a call with options gives.
struct Decorator : Object {
  static const ObjectType kType;

  explicit Decorator(Value f) : Object(kType), function(std::move(f)) {}

  Value function;
  std::vector<std::pair<std::string, ArgumentValue>> options;
};

std::shared_ptr<Function> need_function(const Arguments& args, std::string_view decorator) {
  auto function = args[0].share<Function>();
  if (function == nullptr || function->definition == nullptr) {
    fail(args.span(), "{} decorates a function", decorator);
  }
  return function;
}

/// What `@T.prim_func(check_well_formed=False)` decorates with.
Value self_decorator(const Arguments& args, const Value& itself) {
  auto decorator = std::make_shared<Decorator>(itself);
  const Signature& signature = itself.as<Builtin>()->signature;
  for (std::size_t i = 1; i < signature.parameters.size(); ++i) {
    if (args.given(i)) {
      decorator->options.emplace_back(signature.parameters[i].name,
                                      ArgumentValue{args[i], args.span(i)});
    }
  }
  return decorator;
}

Value prim_func(Interpreter& interpreter, const Arguments& args) {
  if (!args.given(0)) {
    return self_decorator(args, interpreter.registry().module("T")->members.at("prim_func"));
  }
  const auto function = need_function(args, "@T.prim_func");
  function->check_well_formed = args.boolean_or(2, true);
  return interpreter.build_kernel(function, {}, false, args.span());
}

Value jit(Interpreter& interpreter, const Arguments& args) {
  if (!args.given(0)) {
    return self_decorator(args, interpreter.registry().module("T")->members.at("jit"));
  }
  const auto function = need_function(args, "@T.jit");
  function->check_well_formed = args.boolean_or(2, true);
  return interpreter.make<JitValue>(function);
}

Value inline_function(Interpreter& interpreter, const Arguments& args) {
  if (!args.given(0)) {
    return self_decorator(args, interpreter.registry().module("T")->members.at("inline"));
  }
  auto function = need_function(args, "@T.inline");
  function->kind = FunctionKind::inlined;
  return function;
}

Value meta_class(Interpreter& interpreter, const Arguments& args) {
  if (!args.given(0)) {
    return self_decorator(args, interpreter.registry().module("T")->members.at("meta_class"));
  }
  const auto type = args[0].share<Class>();
  if (type == nullptr) fail(args.span(), "@T.meta_class decorates a class");
  type->meta = true;
  return type;
}

constexpr auto kFunctionsFunctions = std::to_array<BuiltinFunction>({
    {"prim_func",
     "func=, *, private=False, check_well_formed=True, s_tir=False, persistent=False, tirx=True",
     prim_func, "Makes a kernel of a function."},
    {"jit", "func=, *, private=False, check_well_formed=True, s_tir=False, persistent=False", jit,
     "Makes a kernel for each choice of its T.constexpr parameters."},
    {"inline", "func=", inline_function, "Puts the function's statements where it is called."},
    {"macro", "func=, *, hygienic=True", inline_function, "The same as T.inline."},
    {"meta_class", "cls=", meta_class, "A class whose objects exist while the kernel is built."},
});

Value call_decorator(Interpreter& interpreter, const Value& self, CallArgs args) {
  const auto* decorator = self.as<Decorator>();
  for (const auto& option : decorator->options) args.named.push_back(option);
  return interpreter.call(decorator->function, std::move(args));
}

Value call_kernel(Interpreter& interpreter, const Value& self, CallArgs args) {
  return launch_kernel(interpreter, self.share<KernelValue>(), std::move(args));
}

// ---- jit ----------------------------------------------------------------------------------------

Value specialize(Interpreter& interpreter, const Arguments& args) {
  auto jit_value = args.self.share<JitValue>();
  const std::shared_ptr<Function>& function = jit_value->function;
  std::map<std::string, Value> given;
  std::string key;
  for (const auto& [name, argument] : args.named_rest()) {
    bool known = false;
    std::vector<std::string> names;
    for (const ast::Parameter& p : *function->parameters) {
      known = known || p.name.text == name;
      names.push_back(p.name.text);
    }
    if (!known) {
      fail(argument.span, "{}.specialize() got an unexpected argument '{}'{}", function->name, name,
           did_you_mean(name, names));
    }
    given[name] = argument.value;
  }
  // Said or left at its default: the same instance.
  std::map<std::string, Value> chosen = given;
  for (const auto& [name, fallback] : function->defaults) chosen.try_emplace(name, fallback);
  for (const auto& [name, value] : chosen) key += name + "=" + repr(value) + ";";
  if (const auto found = jit_value->cache.find(key); found != jit_value->cache.end()) {
    return found->second;
  }
  const Value kernel = interpreter.build_kernel(function, given, true, args.span());
  jit_value->cache[key] = kernel;
  return kernel;
}

constexpr auto kJitMethods = std::to_array<BuiltinFunction>({
    {"specialize", "**constexprs", specialize, "The kernel for these values."},
});

Value call_jit(Interpreter& interpreter, const Value& self, CallArgs args) {
  return launch_jit(interpreter, self.share<JitValue>(), std::move(args));
}

Value kernel_name(Interpreter&, const Value& self, Span) {
  return self.as<KernelValue>()->kernel->name;
}

constexpr auto kKernelProperties = std::to_array<Property>({
    {"name", kernel_name, "The name."},
    {"__name__", kernel_name, "The name."},
});

}  // namespace

const ObjectType Decorator::kType{.name = "decorator", .call = call_decorator};
const ObjectType KernelValue::kType{
    .name = "kernel", .call = call_kernel, .repr = [](const Value& self, int) {
      return "<kernel " + self.as<KernelValue>()->kernel->name + ">";
    }};
const ObjectType JitValue::kType{.name = "jit kernel", .call = call_jit};

void register_functions(Registry& registry) {
  registry.add("T", kFunctionsFunctions);
  registry.add_methods("jit kernel", kJitMethods);
  registry.add_properties("kernel", kKernelProperties);
}

}  // namespace tirx::dsl
