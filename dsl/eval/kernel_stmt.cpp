// Statements inside kernels: assignment by the rules of docs/language.md, loops and conditions that
// exist at run time, and the building of a kernel from its function.
#include <algorithm>

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/frame.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"
#include "ir/all_ops.hpp"
#include "ir/visit.hpp"

namespace tirx::dsl {

namespace {

ir::Access first_element(const ir::Buffer& buffer, Span span) {
  return {buffer, {ir::make_int(0, ir::kInt32, span)}, {}, 1};
}

bool reads_memory(const ir::Expr& expr) {
  bool found = false;
  ir::for_each_expr(expr, [&](const ir::Expr& part) {
    found = found || ir::as<ir::Load>(part) != nullptr || ir::as<ir::MachineCall>(part) != nullptr;
  });
  return found;
}

[[noreturn]] void fail_reassigned(const std::string& name, Span span) {
  fail_help(span, fmt::format("'{}' cannot be reassigned", name),
            "it names one value for good (a pointer, a vector or a T.let); use another name");
}

}  // namespace

/// A pointer whose indices do not change any more: what they read is read here.
ir::Expr Interpreter::freeze(const ir::Expr& pointer, Span span) {
  const auto* address = ir::as<ir::AddressOf>(pointer);
  if (address == nullptr) return pointer;
  ir::AddressOf frozen = *address;
  for (ir::Expr& index : frozen.element.indices) {
    if (!reads_memory(index)) continue;
    const auto var = std::make_shared<const ir::Variable>(ir::Variable{"index", index->type, span});
    kernel_->emit(span, ir::Let{var, index});
    index = ir::make_var(var, span);
  }
  return ir::make_expr(pointer->type, span, std::move(frozen));
}

void Interpreter::kernel_assign_name(const std::string& name,
                                     Value value,
                                     Span span,
                                     Span value_span) {
  Name* existing = scope_->find(name);
  if (const auto* meta = value.as<MetaVar>()) {
    scope_->bind(name, meta->value);
    return;
  }
  const bool scalar_value =
      value.number().has_value() || value.is<ir::Expr>() ||
      (value.is<RegionValue>() && existing != nullptr && existing->value.is<ir::Buffer>() &&
       is_mutable_scalar(*existing->value.as<ir::Buffer>()));
  if (existing != nullptr && scalar_value) {
    const auto* buffer = existing->value.as<ir::Buffer>();
    if (buffer != nullptr && is_mutable_scalar(*buffer)) {
      const ir::Buffer target = *buffer;
      emit_store(*this, first_element(target, span), {target->dtype, 1}, value, value_span);
      return;
    }
  }
  if (existing != nullptr && existing->binding == Binding::let &&
      scope_->find_in_function(name) == existing) {
    fail_reassigned(name, span);
  }
  if (value.text() != nullptr) {
    fail_help(value_span, "a string cannot be bound to a name inside a kernel",
              "build it outside, or write T.meta_var(…) around it");
  }
  if (const auto* expr = value.as<ir::Expr>()) {
    const ir::Expr bound = *expr;
    if (bound->type.is_void()) fail(value_span, "this operation has no value");
    if (fresh_variable_ && ir::as<ir::VarRef>(bound) != nullptr) {
      scope_->bind(name, bound);
      return;
    }
    if (bound->type.dtype == num::DType::handle) {
      scope_->bind(name, freeze(bound, value_span), Binding::let);
      return;
    }
    if (bound->type.is_vector()) {
      const auto var = std::make_shared<const ir::Variable>(ir::Variable{name, bound->type, span});
      kernel_->emit(span, ir::Let{var, bound});
      scope_->bind(name, ir::make_var(var, span), Binding::let);
      return;
    }
  } else if (!value.number()) {
    scope_->bind(name, std::move(value));
    return;
  }
  const ir::Expr initial = expr(value, value_span);
  const ir::Buffer scalar = kernel_->make_scalar(name, initial->type, span);
  kernel_->emit(span, ir::Store{first_element(scalar, span), initial});
  scope_->bind(name, scalar, Binding::mutable_scalar);
}

void Interpreter::kernel_annotated(const ast::AnnAssign& node, Span span) {
  const auto* target = node.target.as<ast::Name>();
  if (target == nullptr) fail(node.target.span, "only a name can be declared with a type");
  const std::string& name = target->id;
  const Value annotation = eval(node.annotation);
  const Value value =
      node.value ? eval_named(*node.value, std::vector<std::string>{name}) : Value();
  const Span value_span = node.value ? node.value->span : span;

  if (const auto* type = annotation.as<ir::Type>()) {
    if (type->dtype == num::DType::handle) {
      fail_help(node.annotation.span, "a pointer is not a variable",
                fmt::format("write `{}: T.let = …`", name));
    }
    const ir::Expr initial = node.value ? convert_for_store(value, *type, value_span) : ir::Expr();
    if (type->is_vector()) {
      if (!node.value) fail(span, "a vector variable needs a value");
      const auto var = std::make_shared<const ir::Variable>(ir::Variable{name, *type, span});
      kernel_->emit(span, ir::Let{var, initial});
      scope_->bind(name, ir::make_var(var, span), Binding::let);
      return;
    }
    const ir::Buffer scalar = kernel_->make_scalar(name, *type, node.target.span);
    if (initial) kernel_->emit(span, ir::Store{first_element(scalar, span), initial});
    scope_->bind(name, scalar, Binding::mutable_scalar);
    return;
  }
  const auto* special = annotation.as<Annotation>();
  if (special != nullptr && special->kind == Annotation::Kind::let) {
    if (!node.value) fail(span, "T.let needs a value");
    if (!value.number() && !is_ir(value)) {
      scope_->bind(name, value, Binding::let);
      return;
    }
    ir::Expr bound = expr(value, value_span);
    if (!special->type.is_void()) {
      bound = convert_for_store(value, special->type, value_span);
    }
    if (bound->type.dtype == num::DType::handle) {
      scope_->bind(name, freeze(bound, value_span), Binding::let);
      return;
    }
    const auto var =
        std::make_shared<const ir::Variable>(ir::Variable{name, bound->type, node.target.span});
    kernel_->emit(span, ir::Let{var, bound});
    scope_->bind(name, ir::make_var(var, span), Binding::let);
    return;
  }
  if (special != nullptr && special->kind == Annotation::Kind::array) {
    if (node.value) fail(value_span, "a local array has no initial value; store its elements");
    kernel_->need_device("a local array", span);
    BufferSpec spec;
    spec.name = name;
    spec.dtype = special->type.dtype;
    spec.shape = shape_exprs(*this, make_tuple(special->shape), node.annotation.span, false);
    spec.scope = ir::MemoryScope::local;
    spec.span = node.target.span;
    const ir::Buffer buffer = kernel_->make_buffer(std::move(spec));
    kernel_->emit(span, ir::Allocate{buffer});
    scope_->bind(name, buffer);
    return;
  }
  if (special != nullptr && special->kind == Annotation::Kind::handle) {
    fail_help(node.annotation.span, "a pointer is not a variable",
              fmt::format("write `{}: T.let = …`", name));
  }
  if (!node.value) fail(node.annotation.span, "{} is no type", repr(annotation));
  kernel_assign_name(name, value, node.target.span, value_span);
}

void Interpreter::kernel_expression(const Value& value, Span span) {
  const auto* expr = value.as<ir::Expr>();
  if (expr == nullptr) return;
  bool effect = false;
  ir::for_each_expr(*expr, [&](const ir::Expr& part) {
    const auto* machine = ir::as<ir::MachineCall>(part);
    effect = effect || (machine != nullptr && ir::spec(machine->op).effect != ir::Effect::pure);
  });
  if (effect) kernel_->emit(span, ir::Evaluate{*expr});
}

/// Opens a block that exists at run time, for as long as it lives.  Later walks recurse into
/// blocks.
class Interpreter::RunTimeBlock {
 public:
  RunTimeBlock(Interpreter& interpreter, Span span) : interpreter_(interpreter) {
    constexpr int kMaxDepth = 120;
    if (++interpreter_.kernel_->block_depth > kMaxDepth) {
      fail_help(span, fmt::format("conditions and loops nest more than {} deep", kMaxDepth),
                "an elif counts as an if inside the else; compute a value first, or use a table");
    }
    ++interpreter_.frame_->run_time_blocks;
  }

  ~RunTimeBlock() {
    --interpreter_.frame_->run_time_blocks;
    --interpreter_.kernel_->block_depth;
  }

  RunTimeBlock(const RunTimeBlock&) = delete;
  RunTimeBlock& operator=(const RunTimeBlock&) = delete;

 private:
  Interpreter& interpreter_;
};

Flow Interpreter::run_block(const ast::Block& block, ir::Body& into) {
  const RunTimeBlock opened(*this, block.empty() ? Span{} : block.front().span);
  const KernelBuilder::Into guard(*kernel_, into);
  const ScopeRef inner = new_scope(ScopeKind::block, scope_);
  Scope& function = scope_->function();
  const std::weak_ptr<Scope> before = function.innermost;
  function.innermost = inner;
  const Setting<ScopeRef> in(scope_, inner);
  const Flow flow = exec(block);
  function.innermost = before;
  return flow;
}

Flow Interpreter::kernel_if(const ir::Expr& condition,
                            const ast::If& node,
                            std::size_t branch,
                            Span) {
  ir::If result{condition, {}, {}};
  const ast::Branch& taken = node.branches[branch];
  (void)run_block(taken.body, result.then_body);
  const bool more = branch + 1 < node.branches.size();
  if (more || !node.otherwise.empty()) {
    const KernelBuilder::Into guard(*kernel_, result.else_body);
    if (more) {
      const ScopeRef inner = new_scope(ScopeKind::block, scope_);
      const Setting<ScopeRef> in(scope_, inner);
      const RunTimeBlock opened(*this, node.branches[branch + 1].span);
      (void)exec_if(node, branch + 1, node.branches[branch + 1].span);
    } else {
      (void)run_block(node.otherwise, result.else_body);
    }
  }
  kernel_->emit(taken.span, std::move(result));
  return Flow::normal;
}

Flow Interpreter::kernel_while(const ast::While& node, Span span) {
  const Value condition = eval(node.condition);
  if (!is_ir(condition) && !truth(condition, node.condition.span)) return Flow::normal;
  kernel_->need_device("a loop", span);
  ir::While loop{condition_expr(expr(condition, node.condition.span), node.condition.span), {}};
  ++frame_->loops;
  const Setting<std::string> no_grid(frame_->grid, {});
  (void)run_block(node.body, loop.body);
  --frame_->loops;
  kernel_->emit(span, std::move(loop));
  return Flow::normal;
}

Flow Interpreter::kernel_return(const ast::Return& node, Span span) {
  if (frame_->kernel_body) {
    if (node.value && !node.value->is<ast::NoneLit>()) {
      fail_help(node.value->span, "a kernel returns nothing", "write its results into buffers");
    }
    if (frame_->run_time_blocks > 0) kernel_->emit(span, ir::Return{});
    return Flow::returned;
  }
  if (frame_->run_time_blocks > 0) {
    fail_help(span, "an inline function cannot return under a condition known only at run time",
              "its statements are the caller's: put the rest under the opposite condition");
  }
  returned_ = node.value ? eval(*node.value) : Value();
  return Flow::returned;
}

// ---- loops --------------------------------------------------------------------------------------

namespace {

bool is_range_call(const ast::Expr& iterable, const Scope&) {
  const auto* call = iterable.as<ast::Call>();
  const auto* name = call != nullptr ? call->callee->as<ast::Name>() : nullptr;
  return name != nullptr && name->id == "range";
}

}  // namespace

std::shared_ptr<LoopFrame> Interpreter::range_frame(const ast::Expr& iterable) {
  const auto* node = iterable.as<ast::Call>();
  const CallArgs args = eval_arguments(*node, iterable.span);
  if (!args.named.empty() || args.positional.empty() || args.positional.size() > 3) {
    fail(iterable.span, "range() takes 1 to 3 positional arguments");
  }
  auto frame = std::make_shared<LoopFrame>();
  LoopFrame::Level level;
  const auto at = [&](std::size_t i) {
    return index_expr(args.positional[i].value, args.positional[i].span);
  };
  const bool one = args.positional.size() == 1;
  level.begin = one ? ir::make_int(0, ir::kInt32, iterable.span) : at(0);
  level.end = at(one ? 0 : 1);
  level.step = args.positional.size() == 3 ? at(2) : ir::make_int(1, ir::kInt32, iterable.span);
  finish_level(level, iterable.span);
  frame->levels.push_back(std::move(level));
  return frame;
}

void finish_level(LoopFrame::Level& level, Span span) {
  const ir::Const* step = ir::as_const(level.step);
  if (step == nullptr) {
    fail_help(span, "the step of a loop must be known when the kernel is built",
              "count iterations, and multiply inside the loop");
  }
  if (step->bits == 0) fail(span, "the step of a loop cannot be 0");
  // Loop variables are int32 unless a bound says otherwise; a literal bound never does.
  if (level.type.is_void()) {
    level.type = ir::kInt32;
    for (const ir::Expr* bound : {&level.begin, &level.end}) {
      const num::DType dtype = (*bound)->type.dtype;
      const bool literal = ir::as_const(*bound) != nullptr && dtype == num::DType::i32;
      if (!literal &&
          (dtype == num::DType::u32 || dtype == num::DType::i64 || dtype == num::DType::u64)) {
        level.type = promote(level.type, {dtype, 1}, span);
      }
    }
  }
  for (ir::Expr* part : {&level.begin, &level.end, &level.step})
    *part = integer_expr(*part, level.type, (*part)->span);
}

Flow Interpreter::kernel_for(const ast::For& node, Span span) {
  std::shared_ptr<LoopFrame> frame;
  if (is_range_call(node.iterable, *scope_) && scope_->find("range") == nullptr) {
    frame = range_frame(node.iterable);
  } else {
    frame = eval(node.iterable).share<LoopFrame>();
  }
  if (frame == nullptr) {
    fail_help(node.iterable.span,
              "Expect the for loop to be one of the following: range, T.serial, T.grid, "
              "T.parallel, T.vectorized, T.unroll, T.thread_binding",
              "values known now can be unrolled in a comprehension or a recursive @T.inline");
  }
  kernel_->need_device("a loop", span);
  std::vector<const ast::Expr*> targets;
  if (const auto* tuple = node.target.as<ast::Tuple>()) {
    for (const ast::Expr& element : tuple->elements) targets.push_back(&element);
  } else {
    targets.push_back(&node.target);
  }
  const std::size_t levels = frame->levels.size();
  if (targets.size() != levels && targets.size() != 1) {
    fail(node.target.span, "the loop has {} variables, not {}", levels, targets.size());
  }
  std::vector<ir::Var> vars;
  Values values;
  for (std::size_t i = 0; i < levels; ++i) {
    const ast::Expr* target = targets.size() == levels ? targets[i] : targets[0];
    const auto* name = target->as<ast::Name>();
    const std::string base = name != nullptr ? name->id : std::string("i");
    const std::string full = targets.size() == levels ? base : base + "_" + std::to_string(i);
    if (!frame->thread.empty()) {
      vars.push_back(
          kernel_->launch_axis(frame->thread, frame->levels[0].end, full, node.iterable.span));
    } else {
      vars.push_back(std::make_shared<const ir::Variable>(
          ir::Variable{full, frame->levels[i].type, target->span}));
    }
    values.emplace_back(ir::make_var(vars.back(), target->span));
  }
  const Value bound = levels == 1 ? values[0] : make_tuple(values);
  if (!frame->thread.empty()) {
    bind_pattern(node.target, bound);
    return exec(node.body);
  }

  ir::Body body;
  {
    const ScopeRef inner = new_scope(ScopeKind::block, scope_);
    const Setting<ScopeRef> in(scope_, inner);
    bind_pattern(node.target, bound);
    ++frame_->loops;
    const Setting<std::string> in_grid(frame_->grid, levels > 1 ? vars.back()->name : "");
    (void)run_block(node.body, body);
    --frame_->loops;
  }
  for (std::size_t i = levels; i-- > 0;) {
    const LoopFrame::Level& level = frame->levels[i];
    ir::For loop{vars[i], level.begin, level.end, level.step, frame->kind, frame->unroll, {}};
    loop.body = std::move(body);
    body.clear();
    body.push_back({span, std::move(loop)});
  }
  kernel_->emit(std::move(body.front()));
  return Flow::normal;
}

}  // namespace tirx::dsl
