// Limits, diagnostics, tracking of objects, attributes: what every part of the evaluator shares.
#include "dsl/eval/interpreter.hpp"

#include <algorithm>

#include "dsl/eval/frame.hpp"
#include "dsl/eval/kernel_builder.hpp"

namespace tirx::dsl {

namespace {

constexpr std::ptrdiff_t kStackBudget = 5 << 20;  // of the usual 8 MiB

}  // namespace

Interpreter::Interpreter(SourceRef source,
                         Engine& engine,
                         const ScriptOptions& options,
                         ScriptResult& result)
    : source_(std::move(source)), engine_(engine), options_(options), result_(result) {
  register_all(registry_);
  module_scope_ = new_scope(ScopeKind::module, nullptr);
  module_scope_->bind("__name__", "__main__");
  module_scope_->bind("__file__", source_->name());
  scope_ = module_scope_;
}

Interpreter::~Interpreter() {
  // Functions hold scopes, scopes hold functions: let go of everything.
  for (const auto& weak : scopes_) {
    if (const auto scope = weak.lock()) scope->clear();
  }
  for (const auto& weak : tracked_) {
    if (const auto object = weak.lock()) object->clear();
  }
  registry_.clear();
}

void Interpreter::run(const ast::Module& module) {
  const char marker = 0;
  stack_base_ = &marker;
  Frame frame;
  const Setting<Frame*> in(frame_, &frame);
  exec(module.body);
}

void Interpreter::check_stack(Span span) const {
  const char marker = 0;
  const std::ptrdiff_t used = stack_base_ - &marker;
  if (used > kStackBudget || -used > kStackBudget) {
    fail_help(span, "too deeply nested", "split the expression, or recurse less");
  }
}

void Interpreter::spend(std::int64_t steps, Span span) {
  steps_ += std::max<std::int64_t>(steps, 0);
  if (steps_ > options_.max_host_steps) {
    fail_help(span, fmt::format("the script did not end within {} steps", options_.max_host_steps),
              "is there a loop that never ends?  Work on many elements belongs into a kernel");
  }
}

void Interpreter::print(std::string_view text) {
  if (options_.output) options_.output(text);
}

void Interpreter::warn(Span span, std::string text) {
  result_.diagnostics.push_back({span, std::move(text), {}, Severity::warning});
}

void Interpreter::record_difference(Diagnostic difference) {
  result_.differences.push_back(std::move(difference));
}

void Interpreter::track(const ObjectRef& object) {
  if (object->tracked) return;
  object->tracked = true;
  steps_ += 40;  // memory counts as work: see spend
  tracked_.push_back(object);
  if (tracked_.size() + scopes_.size() < sweep_at_) return;
  std::erase_if(tracked_, [](const auto& weak) { return weak.expired(); });
  std::erase_if(scopes_, [](const auto& weak) { return weak.expired(); });
  sweep_at_ = 2 * (tracked_.size() + scopes_.size()) + 1024;
}

ScopeRef Interpreter::new_scope(ScopeKind kind, ScopeRef parent) {
  auto scope = std::make_shared<Scope>(kind, std::move(parent));
  scopes_.push_back(scope);
  return scope;
}

KernelBuilder& Interpreter::need_kernel(std::string_view what, Span span) const {
  if (kernel_ == nullptr) {
    fail_help(span, fmt::format("{} belongs into a kernel", what),
              "call it in a function with @T.prim_func or @T.jit, or in a function called there");
  }
  return *kernel_;
}

// ---- attributes ---------------------------------------------------------------------------------

namespace {

Value bind_method(Interpreter& interpreter, const Value& self, const Value& member, Span span) {
  if (member.is<Function>() || member.is<Builtin>()) {
    return interpreter.make<BoundMethod>(self, member);
  }
  if (const auto* descriptor = member.as<Descriptor>()) {
    return descriptor->property ? interpreter.call(descriptor->function, Values{self}, span)
                                : descriptor->function;
  }
  return member;
}

std::optional<Value> find_attribute(Interpreter& interpreter,
                                    const Value& base,
                                    std::string_view name,
                                    Span span) {
  const Object* object = base.object();
  if (object != nullptr && object->type->attribute != nullptr) {
    if (auto found = object->type->attribute(interpreter, base, name, span)) return found;
  }
  if (const auto* instance = base.as<Instance>()) {
    const std::string key(name);
    const auto own = instance->attributes.find(key);
    if (own != instance->attributes.end()) return own->second;
    if (const Value* member = instance->of->find(key)) {
      return bind_method(interpreter, base, *member, span);
    }
  }
  if (const MemberTable* members = interpreter.registry().members(kind_name(base))) {
    if (const auto property = members->properties.find(name);
        property != members->properties.end()) {
      return property->second->get(interpreter, base, span);
    }
    if (const auto method = members->methods.find(name); method != members->methods.end()) {
      return Value(std::make_shared<BoundMethod>(base, Value(method->second)));
    }
  }
  // `x.ptr_to(…)` of a mutable scalar: its name means its value, which knows its buffer.
  if (const auto* expr = base.as<ir::Expr>()) {
    if (const auto* load = ir::as<ir::Load>(*expr); load != nullptr && load->from.buffer->scalar) {
      return find_attribute(interpreter, Value(load->from.buffer), name, span);
    }
  }
  return std::nullopt;
}

std::vector<std::string> attribute_names(Interpreter& interpreter, const Value& base) {
  std::vector<std::string> names = interpreter.registry().member_names(kind_name(base));
  if (const Object* object = base.object(); object != nullptr && object->type->names != nullptr) {
    for (std::string& name : object->type->names(interpreter, base)) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace

Value Interpreter::attribute(const Value& base, std::string_view name, Span span) {
  if (auto found = find_attribute(*this, base, name, span)) return decay(std::move(*found), span);
  const std::string suggestion = did_you_mean(name, attribute_names(*this, base));
  if (const auto* module = base.as<Module>()) {
    fail(span, "'{}' has no '{}'{}", module->name, name, suggestion);
  }
  if (const auto* instance = base.as<Instance>()) {
    fail(span, "'{}' object has no attribute '{}'{}", instance->of->name, name, suggestion);
  }
  fail(span, "{} has no attribute '{}'{}", kind_name(base), name, suggestion);
}

bool Interpreter::has_attribute(const Value& base, std::string_view name, Span span) {
  return find_attribute(*this, base, name, span).has_value();
}

void Interpreter::set_attribute(const Value& base,
                                const std::string& name,
                                Value value,
                                Span span) {
  const Object* object = base.object();
  if (object == nullptr || object->type->set_attribute == nullptr) {
    fail(span, "attributes of {} cannot be set", kind_name(base));
  }
  object->type->set_attribute(*this, base, name, std::move(value), span);
}

}  // namespace tirx::dsl
