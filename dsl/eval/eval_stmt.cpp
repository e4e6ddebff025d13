// Executing statements: control flow of the host part, definitions, imports.
#include <algorithm>

#include "dsl/eval/frame.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"

namespace tirx::dsl {

bool Interpreter::in_kernel_code() const {
  return kernel_ != nullptr && frame_->builds;
}

Flow Interpreter::exec(const ast::Block& block) {
  for (const ast::Stmt& stmt : block) {
    Flow flow = Flow::normal;
    try {
      flow = exec(stmt);
    } catch (EvalError& error) {
      // An error found where no place is known (a comparison deep in a container).
      if (error.diagnostic.span.empty()) error.diagnostic.span = stmt.span;
      throw;
    }
    if (flow != Flow::normal) return flow;
  }
  return Flow::normal;
}

Flow Interpreter::exec(const ast::Stmt& stmt) {
  spend(1, stmt.span);
  check_stack(stmt.span);
  const Span span = stmt.span;
  const auto done = [](auto&&...) { return Flow::normal; };
  return std::visit(
      ir::Match{
          [](const ast::Pass&) { return Flow::normal; },
          [&](const ast::ExprStmt& node) { return done((exec_expression(node.value), 0)); },
          [&](const ast::Assign& node) { return done((exec_assign(node, span), 0)); },
          [&](const ast::AnnAssign& node) { return done((exec_annotated(node, span), 0)); },
          [&](const ast::AugAssign& node) { return done((exec_augmented(node, span), 0)); },
          [&](const ast::For& node) {
            return in_kernel_code() ? kernel_for(node, span) : exec_for(node, span);
          },
          [&](const ast::While& node) {
            return in_kernel_code() ? kernel_while(node, span) : exec_while(node, span);
          },
          [&](const ast::If& node) { return exec_if(node, 0, span); },
          [&](const ast::With& node) { return exec_with(node, span); },
          [&](const ast::FunctionDef& node) { return done((exec_function(node, span), 0)); },
          [&](const ast::ClassDef& node) { return done((exec_class(node, span), 0)); },
          [&](const ast::Return& node) {
            if (frame_->function == nullptr) fail(span, "'return' outside a function");
            if (in_kernel_code()) return kernel_return(node, span);
            returned_ = node.value ? eval(*node.value) : Value();
            return Flow::returned;
          },
          [&](const ast::Break&) {
            if (frame_->loops == 0) fail(span, "'break' outside a loop");
            if (!frame_->grid.empty()) {
              warn(span,
                   fmt::format("break leaves only the innermost loop of T.grid, that of {}, where "
                               "Python would leave all; a `for` inside another says that it is "
                               "meant, and one loop over all iterations is left at once",
                               frame_->grid));
            }
            if (in_kernel_code()) kernel_->emit(span, ir::Break{});
            return Flow::broke;
          },
          [&](const ast::Continue&) {
            if (frame_->loops == 0) fail(span, "'continue' outside a loop");
            if (in_kernel_code()) kernel_->emit(span, ir::Continue{});
            return Flow::continued;
          },
          [&](const ast::Assert& node) { return done((exec_assert(node, span), 0)); },
          [&](const ast::Raise& node) -> Flow {
            const Value value = node.value ? eval(*node.value) : Value();
            fail(span, "{}", node.value ? str(value) : "raise");
          },
          [&](const ast::Import& node) { return done((exec_import(node), 0)); },
          [&](const ast::FromImport& node) { return done((exec_from_import(node, span), 0)); },
          [&](const ast::Global& node) {
            for (const ast::Identifier& name : node.names) {
              if (scope_ != module_scope_) scope_->redirect(name.text, module_scope_);
            }
            return Flow::normal;
          },
          [&](const ast::Nonlocal& node) {
            for (const ast::Identifier& name : node.names) {
              ScopeRef target = scope_->function().parent();
              while (target != nullptr && target->find_here(name.text) == nullptr) {
                target = target->parent();
              }
              if (target == nullptr || target == module_scope_) {
                fail(name.span, "no binding for nonlocal '{}' found", name.text);
              }
              scope_->redirect(name.text, target);
            }
            return Flow::normal;
          },
          [&](const ast::Del& node) { return done((exec_delete(node), 0)); },
      },
      stmt.node);
}

void Interpreter::exec_expression(const ast::Expr& value) {
  const Value result = eval(value);
  if (kernel_ != nullptr) kernel_expression(result, value.span);
}

Flow Interpreter::exec_for(const ast::For& node, Span span) {
  const Value iterable = eval(node.iterable);
  if (iterable.is<LoopFrame>()) {
    fail_help(node.iterable.span, "a kernel loop cannot run in a plain function",
              "make the function a @T.inline");
  }
  ++frame_->loops;
  const Setting<std::string> no_grid(frame_->grid, {});
  Flow result = Flow::normal;
  const auto body = [&](Value item) {
    spend(1, span);
    assign(node.target, std::move(item), node.iterable.span);
    const Flow flow = exec(node.body);
    if (flow == Flow::returned) result = flow;
    return flow != Flow::broke && flow != Flow::returned;
  };
  if (const auto* range = iterable.as<RangeValue>()) {
    for (std::int64_t i = 0, n = range->size(); i < n; ++i) {
      if (!body(range->begin + i * range->step)) break;
    }
  } else {
    for (Value& item : iterate(iterable, node.iterable.span)) {
      if (!body(std::move(item))) break;
    }
  }
  --frame_->loops;
  return result;
}

Flow Interpreter::exec_while(const ast::While& node, Span span) {
  ++frame_->loops;
  const Setting<std::string> no_grid(frame_->grid, {});
  Flow result = Flow::normal;
  while (truth(eval(node.condition), node.condition.span)) {
    spend(1, span);
    const Flow flow = exec(node.body);
    if (flow == Flow::returned) result = flow;
    if (flow == Flow::broke || flow == Flow::returned) break;
  }
  --frame_->loops;
  return result;
}

Flow Interpreter::exec_if(const ast::If& node, std::size_t branch, Span span) {
  for (; branch < node.branches.size(); ++branch) {
    const ast::Branch& one = node.branches[branch];
    const Value condition = eval(one.condition);
    if (is_ir(condition)) {
      const ir::Expr test = condition_expr(expr(condition, one.condition.span), one.condition.span);
      std::int64_t known = 0;
      if (!ir::is_const_int(test, known)) {
        if (!in_kernel_code()) {
          fail_help(one.condition.span, "this condition is known only when the kernel runs",
                    "make the function a @T.inline, so that its statements become the kernel's");
        }
        return kernel_if(test, node, branch, span);
      }
      if (known != 0) return exec(one.body);
      continue;
    }
    if (truth(condition, one.condition.span)) return exec(one.body);
  }
  return exec(node.otherwise);
}

Flow Interpreter::exec_with(const ast::With& node, Span span) {
  std::vector<Value> managers;
  for (const ast::WithItem& item : node.items) {
    std::vector<std::string> targets;
    if (item.target) {
      if (const auto* name = item.target->as<ast::Name>()) targets.push_back(name->id);
    }
    const Value manager = eval_named(item.context, targets);
    Value entered = manager;
    if (const auto* frame = manager.as<WithFrame>()) {
      entered = frame->value;
    } else if (manager.is<Instance>() && has_attribute(manager, "__enter__", item.span)) {
      entered = call(attribute(manager, "__enter__", item.span), Values{}, item.span);
    } else {
      fail(item.context.span, "'with' needs a context such as T.launch_thread(…), not {}",
           kind_name(manager));
    }
    if (item.target) bind_pattern(*item.target, entered);
    managers.push_back(manager);
  }
  const Flow flow = exec(node.body);
  for (auto it = managers.rbegin(); it != managers.rend(); ++it) {
    if (it->is<Instance>() && has_attribute(*it, "__exit__", span)) {
      (void)call(attribute(*it, "__exit__", span), Values(3), span);
    }
  }
  return flow;
}

void Interpreter::exec_assert(const ast::Assert& node, Span span) {
  const auto* comparison = node.condition.as<ast::Compare>();
  Values compared;
  const Value condition = comparison != nullptr
                              ? eval_compare(*comparison, node.condition.span, &compared)
                              : eval(node.condition);
  if (is_ir(condition)) {
    KernelBuilder& builder = need_kernel("an assertion about run-time values", span);
    const ir::Expr test = condition_expr(expr(condition, node.condition.span), node.condition.span);
    std::string message = node.message ? str(eval(*node.message)) : std::string();
    if (message.empty()) message = std::string(source_->text(node.condition.span));
    std::int64_t known = 0;
    if (!ir::is_const_int(test, known)) {
      builder.emit(span, ir::Assert{test, std::move(message)});
      return;
    }
    if (known != 0) return;
    fail(span, "this assertion never holds: {}", message);
  }
  if (truth(condition, node.condition.span)) return;
  const std::string message = node.message ? str(eval(*node.message)) : std::string();
  // The two that do not compare; a value that is written out needs no saying, and a tensor is too
  // long.
  constexpr std::size_t kLongest = 100;
  std::string values;
  const std::size_t all = compared.size();
  for (std::size_t i = all - std::min<std::size_t>(all, 2); i < all; ++i) {
    const std::string value = repr(compared[i]);
    const std::string written(source_->text(comparison->operands[i].span));
    if (value == written || value.size() > kLongest || value.find('\n') != std::string::npos)
      continue;
    values += fmt::format("{}{} is {}", values.empty() ? "" : ", ", written, value);
  }
  std::string text = "assertion failed";
  if (!message.empty()) text += ": " + message;
  if (!values.empty()) text += message.empty() ? ": " + values : fmt::format(" ({})", values);
  if (kernel_ != nullptr) fail(span, "{}", text);
  record_difference({span, text, {}, Severity::error});
  if (!options_.collect_only) throw ScriptStopped{};
}

void Interpreter::exec_function(const ast::FunctionDef& node, Span span) {
  if (in_kernel_code() && node.decorators.empty()) {
    fail_help(node.name.span, "a function inside a kernel must be a @T.inline",
              "write @T.inline above it, or move it out of the kernel");
  }
  Values decorators;
  for (const ast::Expr& decorator : node.decorators) decorators.push_back(eval(decorator));
  auto function = make_function(node.name.text, node.parameters, node.name.span);
  function->definition = &node;
  Value value = function;
  for (std::size_t i = decorators.size(); i-- > 0;) {
    CallArgs args;
    args.span = node.decorators[i].span;
    args.positional.push_back({value, node.name.span});
    value = call(decorators[i], std::move(args));
  }
  (void)span;
  Scope* target = scope_->redirected(node.name.text);
  (target != nullptr ? target : scope_.get())->bind(node.name.text, std::move(value));
}

void Interpreter::exec_class(const ast::ClassDef& node, Span) {
  auto type = make<Class>();
  type->name = node.name.text;
  type->span = node.name.span;
  for (const ast::Argument& base : node.bases) {
    const Value value = eval(base.value);
    const auto parent = value.share<Class>();
    if (parent == nullptr)
      fail(base.span, "a base class must be a class, not {}", kind_name(value));
    type->bases.push_back(parent);
  }
  {
    const Setting<ScopeRef> in(scope_, new_scope(ScopeKind::class_body, scope_));
    Frame frame;
    frame.parent = frame_;
    frame.function = frame_->function;
    frame.depth = frame_->depth;
    const Setting<Frame*> in_frame(frame_, &frame);
    exec(node.body);
    for (const auto& [name, entry] : scope_->names()) type->members[name] = entry.value;
  }
  Value value = type;
  for (std::size_t i = node.decorators.size(); i-- > 0;) {
    value = call(eval(node.decorators[i]), Values{value}, node.decorators[i].span);
  }
  scope_->bind(node.name.text, std::move(value));
}

// ---- imports ------------------------------------------------------------------------------------

namespace {

std::shared_ptr<Module> opaque_module(Interpreter& interpreter, const std::string& path) {
  auto module = interpreter.make<Module>(path);
  module->opaque = true;
  return module;
}

/// Scripts may import what their host needs elsewhere; but a name that is not here is a mistake as
/// soon as it is used, and perhaps one of spelling.
std::string no_module(const Registry& registry, const std::string& path) {
  return fmt::format("there is no module '{}' here, and using it is an error{}", path,
                     did_you_mean(path, registry.import_paths()));
}

/// The path, or some module's that begins with it: `import tvm` has no members of its own.
bool leads_somewhere(const Registry& registry, const std::string& path) {
  const std::vector<std::string> known = registry.import_paths();
  return std::any_of(known.begin(), known.end(), [&](const std::string& name) {
    return name == path || name.starts_with(path + ".");
  });
}

}  // namespace

void Interpreter::exec_import(const ast::Import& node) {
  for (const ast::ImportName& name : node.names) {
    const std::string& path = name.name.text;
    std::shared_ptr<Module> found = registry_.find_import(path);
    if (!leads_somewhere(registry_, path)) warn(name.name.span, no_module(registry_, path));
    if (!name.alias.text.empty()) {
      scope_->bind(name.alias.text, found ? found : opaque_module(*this, path));
      continue;
    }
    const std::string root = path.substr(0, path.find('.'));
    std::shared_ptr<Module> top = registry_.find_import(root);
    if (top == nullptr) top = opaque_module(*this, root);
    scope_->bind(root, top);
  }
}

void Interpreter::exec_from_import(const ast::FromImport& node, Span span) {
  if (node.module.text == "__future__") return;
  const std::shared_ptr<Module> module = registry_.find_import(node.module.text);
  if (node.star) {
    if (module == nullptr) fail(span, "'{}' is not available here", node.module.text);
    for (const auto& [name, value] : module->members) scope_->bind(name, value);
    return;
  }
  for (const ast::ImportName& name : node.names) {
    const std::string& bound = name.alias.text.empty() ? name.name.text : name.alias.text;
    if (module != nullptr) {
      const auto found = module->members.find(name.name.text);
      if (found != module->members.end()) {
        scope_->bind(bound, found->second);
        continue;
      }
    }
    const std::string path = node.module.text + "." + name.name.text;
    const std::shared_ptr<Module> inner = registry_.find_import(path);
    if (module != nullptr && inner == nullptr) {
      std::vector<std::string> known;
      for (const auto& [member, value] : module->members) known.push_back(member);
      warn(name.name.span,
           fmt::format("there is no '{}' in {} here, and using it is an error{}", name.name.text,
                       node.module.text, did_you_mean(name.name.text, known)));
    } else if (inner == nullptr && &name == &node.names.front() &&
               !leads_somewhere(registry_, path)) {
      warn(span, no_module(registry_,
                           leads_somewhere(registry_, node.module.text) ? path : node.module.text));
    }
    scope_->bind(bound, inner ? inner : opaque_module(*this, path));
  }
}

void Interpreter::exec_delete(const ast::Del& node) {
  for (const ast::Expr& target : node.targets) {
    if (const auto* name = target.as<ast::Name>()) {
      if (scope_->find_here(name->id) == nullptr) {
        fail(target.span, "name '{}' is not defined here", name->id);
      }
      scope_->erase(name->id);
    } else if (const auto* item = target.as<ast::Subscript>()) {
      const Value base = eval(*item->base);
      const Subscripts keys = eval_subscripts(*item, target.span);
      auto* dict = base.as<Dict>();
      if (dict == nullptr || keys.items.size() != 1) {
        fail(target.span, "only names and dict items can be deleted");
      }
      if (!dict->erase(keys.items[0].value)) {
        fail(target.span, "key not found: {}", repr(keys.items[0].value));
      }
    } else {
      fail(target.span, "only names and dict items can be deleted");
    }
  }
}

}  // namespace tirx::dsl
