// The hooks of the evaluator's own objects.
#include "dsl/eval/objects.hpp"

#include <algorithm>

#include "dsl/eval/interpreter.hpp"

namespace tirx::dsl {

namespace {

std::string repr_function(const Value& self, int) {
  return "<function " + self.as<Function>()->name + ">";
}

Value call_bound(Interpreter& interpreter, const Value& self, CallArgs args) {
  const auto* method = self.as<BoundMethod>();
  if (const auto* builtin = method->function.as<Builtin>()) {
    const Arguments arguments(interpreter, builtin->signature, method->self, std::move(args));
    return builtin->row->function(interpreter, arguments);
  }
  args.positional.insert(args.positional.begin(), ArgumentValue{method->self, args.span});
  return interpreter.call(method->function, std::move(args));
}

std::optional<Value> class_attribute(Interpreter&, const Value& self, std::string_view name, Span) {
  const auto* type = self.as<Class>();
  if (name == "__name__") return Value(type->name);
  if (const Value* member = type->find(std::string(name))) {
    const auto* descriptor = member->as<Descriptor>();
    return descriptor != nullptr ? descriptor->function : *member;
  }
  return std::nullopt;
}

void set_class_attribute(
    Interpreter&, const Value& self, const std::string& name, Value value, Span) {
  self.as<Class>()->members[name] = std::move(value);
}

void set_instance_attribute(
    Interpreter&, const Value& self, const std::string& name, Value value, Span) {
  self.as<Instance>()->attributes[name] = std::move(value);
}

std::vector<std::string> instance_names(Interpreter&, const Value& self) {
  std::vector<std::string> names;
  const auto* instance = self.as<Instance>();
  for (const auto& [name, value] : instance->attributes) names.push_back(name);
  for (const auto& [name, value] : instance->of->members) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<Value> module_attribute(Interpreter& interpreter,
                                      const Value& self,
                                      std::string_view name,
                                      Span span) {
  const auto* module = self.as<Module>();
  const auto found = module->members.find(std::string(name));
  if (found != module->members.end()) return found->second;
  if (module->opaque) {
    if (module->name.size() > 1000)
      fail(span, "'{}…' is not available here", module->name.substr(0, 80));
    auto inner = interpreter.make<Module>(module->name + "." + std::string(name));
    inner->opaque = true;
    return Value(inner);
  }
  return std::nullopt;
}

Value call_module(Interpreter&, const Value& self, CallArgs args) {
  const auto* module = self.as<Module>();
  if (module->opaque) {
    fail_help(args.span, fmt::format("'{}' is not available here", module->name),
              "a script has Python's basic built-ins, math, T, Tx and tirx; data comes from "
              "tirx.random, tirx.load, …");
  }
  fail(args.span, "'{}' is a module and cannot be called", module->name);
}

std::vector<std::string> module_names(Interpreter&, const Value& self) {
  std::vector<std::string> names;
  for (const auto& [name, value] : self.as<Module>()->members) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

bool is_inlined(const Value& callee) {
  const auto* method = callee.as<BoundMethod>();
  const auto* function = (method != nullptr ? method->function : callee).as<Function>();
  return function != nullptr && function->kind == FunctionKind::inlined;
}

const ObjectType Tuple::kType{.name = "tuple"};
const ObjectType List::kType{.name = "list"};
const ObjectType Dict::kType{.name = "dict"};
const ObjectType SliceValue::kType{.name = "slice"};
const ObjectType RangeValue::kType{.name = "range"};
const ObjectType Descriptor::kType{.name = "descriptor"};
const ObjectType Ellipsis::kType{.name = "ellipsis",
                                 .repr = [](const Value&, int) { return std::string("Ellipsis"); },
                                 .equal = [](const Value&, const Value&) { return true; }};
const ObjectType Function::kType{.name = "function", .repr = repr_function};
const ObjectType BoundMethod::kType{.name = "method", .call = call_bound};
const ObjectType Class::kType{
    .name = "class",
    .attribute = class_attribute,
    .set_attribute = set_class_attribute,
    .repr = [](const Value& self, int) { return "<class '" + self.as<Class>()->name + "'>"; }};
const ObjectType Instance::kType{
    .name = "object",
    .set_attribute = set_instance_attribute,
    .repr = [](const Value& self, int) { return "<" + self.as<Instance>()->of->name + " object>"; },
    .names = instance_names};
const ObjectType Module::kType{
    .name = "module",
    .attribute = module_attribute,
    .call = call_module,
    .repr = [](const Value& self, int) { return "<module '" + self.as<Module>()->name + "'>"; },
    .names = module_names};
const ObjectType MetaVar::kType{.name = "meta_var"};
const ObjectType LoopFrame::kType{.name = "loop"};
const ObjectType WithFrame::kType{.name = "context"};

const Value* Class::find(const std::string& member) const {
  const auto found = members.find(member);
  if (found != members.end()) return &found->second;
  for (const auto& base : bases) {
    if (const Value* inherited = base->find(member)) return inherited;
  }
  return nullptr;
}

}  // namespace tirx::dsl
