// From a decorated function to a kernel: its parameters by their annotations, then its body.
#include "dsl/eval/buffers.hpp"
#include "dsl/eval/frame.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"
#include "ir/verify.hpp"

namespace tirx::dsl {

namespace {

BufferSpec buffer_spec(Interpreter& interpreter,
                       const Annotation& annotation,
                       const std::string& name) {
  BufferSpec spec;
  spec.name = name;
  spec.dtype = annotation.type.dtype;
  spec.span = annotation.span;
  spec.shape = shape_exprs(interpreter, make_tuple(annotation.shape), annotation.span, true);
  const auto option = [&](const char* key) -> const ArgumentValue* {
    const auto found = annotation.options.find(key);
    return found != annotation.options.end() ? &found->second : nullptr;
  };
  if (const auto* strides = option("strides"); strides != nullptr && !strides->value.is_none()) {
    const Values* items = sequence(strides->value);
    if (items == nullptr || !items->empty()) {
      spec.strides = shape_exprs(interpreter, strides->value, strides->span, true);
    }
  }
  if (const auto* offset = option("elem_offset"); offset != nullptr && !offset->value.is_none()) {
    spec.offset = index_expr(offset->value, offset->span);
    std::int64_t known = 0;
    if (ir::is_const_int(spec.offset, known) && known == 0) spec.offset = ir::Expr();
  }
  if (const auto* scope = option("scope"); scope != nullptr && scope->value.text() != nullptr) {
    if (memory_scope(*scope->value.text(), scope->span) != ir::MemoryScope::global) {
      fail(scope->span, "a parameter lies in global memory");
    }
  }
  if (const auto* align = option("align"); align != nullptr && align->value.integer()) {
    spec.alignment = *align->value.integer();
  }
  if (const auto* layout = option("layout")) set_layout(spec, layout->value, layout->span);
  if (spec.layout && !spec.strides.empty()) {
    fail(annotation.span, "give either strides or a layout, not both");
  }
  return spec;
}

bool is_constexpr(const Value& annotation) {
  const auto* special = annotation.as<Annotation>();
  return special != nullptr && special->kind == Annotation::Kind::constexpr_value;
}

}  // namespace

/// Binds the constexprs first: other annotations may mention them.
void Interpreter::bind_constexprs(const Function& function,
                                  const std::map<std::string, Value>& given,
                                  Scope& scope,
                                  Span span) {
  std::vector<std::string> missing;
  for (const ast::Parameter& p : *function.parameters) {
    const auto value = given.find(p.name.text);
    const auto* name = p.annotation ? p.annotation->as<ast::Attribute>() : nullptr;
    const auto* plain = p.annotation ? p.annotation->as<ast::Name>() : nullptr;
    const bool looks_constexpr = (name != nullptr && name->name.text == "constexpr") ||
                                 (plain != nullptr && plain->id == "constexpr");
    if (!looks_constexpr) continue;
    if (value != given.end()) {
      scope.bind(p.name.text, value->second);
      continue;
    }
    bool found = false;
    for (const auto& [key, fallback] : function.defaults) {
      if (key == p.name.text) {
        scope.bind(p.name.text, fallback);
        found = true;
      }
    }
    if (!found) missing.push_back("'" + p.name.text + "'");
  }
  if (!missing.empty()) {
    fail_help(span,
              fmt::format("{}.specialize() is missing the constexpr{} {}", function.name,
                          missing.size() == 1 ? "" : "s", fmt::join(missing, ", ")),
              fmt::format("{}.specialize({}=…)", function.name,
                          missing.front().substr(1, missing.front().size() - 2)));
  }
}

void Interpreter::bind_parameter(const Function& function,
                                 const ast::Parameter& p,
                                 const std::map<std::string, Value>& constexprs,
                                 bool is_jit) {
  const std::string& name = p.name.text;
  const Span span = p.name.span;
  if (p.kind == ast::ParameterKind::var_positional || p.kind == ast::ParameterKind::var_keyword) {
    fail(span, "a kernel's parameters are fixed: no * and **");
  }
  if (!p.annotation) {
    fail_help(span, fmt::format("parameter '{}' has no type", name),
              fmt::format("write `{0}: T.handle`, `{0}: T.Buffer(…)` or `{0}: T.int32`", name));
  }
  Value annotation = eval(*p.annotation);
  const auto* special = annotation.as<Annotation>();
  if (special != nullptr && special->kind == Annotation::Kind::optional) {
    if (!is_jit) {
      fail_help(p.annotation->span, "T.Optional is for @T.jit kernels",
                "a specialisation decides whether the parameter is there");
    }
    const auto given = constexprs.find(name);
    if (given != constexprs.end()) {
      if (!given->second.is_none()) {
        fail(span, "'{}' can only be specialised to None, not {}", name, repr(given->second));
      }
      kernel_->add_absent(name, span);
      scope_->bind(name, Value());
      return;
    }
    annotation = Value(special->inner);
    special = annotation.as<Annotation>();
  }
  if (is_constexpr(annotation)) {
    if (!is_jit) {
      fail_help(p.annotation->span, "T.constexpr is for @T.jit kernels",
                "decorate the function with @T.jit and call .specialize(…)");
    }
    return;  // bound already
  }
  if (constexprs.count(name) != 0) {
    fail(span, "'{}' of {} is no T.constexpr: it is an argument of the launch", name,
         function.name);
  }
  if (special != nullptr && special->kind == Annotation::Kind::buffer) {
    ir::Buffer buffer;
    kernel_->add_tensor(name, buffer_spec(*this, *special, name), buffer);
    scope_->bind(name, buffer);
    return;
  }
  if (special != nullptr && special->kind == Annotation::Kind::handle) {
    scope_->bind(name, kernel_->add_handle(name, special->type, span));
    return;
  }
  if (const auto* type = annotation.as<ir::Type>(); type != nullptr && type->lanes == 1) {
    if (type->dtype == num::DType::handle) {
      scope_->bind(name, kernel_->add_handle(name, ir::kVoid, span));
      return;
    }
    if (num::row(type->dtype).storage_only) {
      fail(p.annotation->span, "a scalar parameter cannot be {}", num::name(type->dtype));
    }
    const auto var = std::make_shared<const ir::Variable>(ir::Variable{name, *type, span});
    kernel_->add_scalar(name, var, span);
    scope_->bind(name, ir::make_var(var, span));
    return;
  }
  fail_help(p.annotation->span,
            fmt::format("{} is no type of a kernel's parameter", repr(annotation)),
            "T.handle, T.Buffer(shape, dtype), or a dtype such as T.int32");
}

std::shared_ptr<KernelValue> Interpreter::build_kernel(
    const std::shared_ptr<Function>& function,
    const std::map<std::string, Value>& constexprs,
    bool is_jit,
    Span span) {
  if (kernel_ != nullptr) {
    fail_help(span, "a kernel cannot be defined inside a kernel",
              "a function that becomes a part of it is @T.inline");
  }
  spend(5'000, span);
  KernelBuilder builder(source_, function->name, function->span);
  Frame frame;
  frame.parent = frame_;
  frame.function = function.get();
  frame.builds = true;
  frame.kernel_body = true;
  frame.depth = frame_->depth + 1;
  const ScopeRef scope = new_scope(ScopeKind::function, function->closure);
  scope->innermost = scope;
  const Setting<KernelBuilder*> in_kernel(kernel_, &builder);
  const Setting<Frame*> in_frame(frame_, &frame);
  const Setting<ScopeRef> in_scope(scope_, scope);
  if (is_jit) bind_constexprs(*function, constexprs, *scope, span);
  for (const ast::Parameter& p : *function->parameters) {
    bind_parameter(*function, p, constexprs, is_jit);
  }
  (void)exec(function->definition->body);
  auto kernel = std::make_shared<const ir::Kernel>(builder.finish());
  if (function->check_well_formed) {
    if (auto wrong = ir::verify(*kernel)) throw EvalError{*std::move(wrong)};
  }
  result_.kernels.push_back(kernel);
  return std::make_shared<KernelValue>(std::move(kernel));
}

}  // namespace tirx::dsl
