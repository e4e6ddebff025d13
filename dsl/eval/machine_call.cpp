// Operands of machine operations by what their names in the operation list mean.
#include "dsl/eval/machine_call.hpp"

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"

namespace tirx::dsl {

namespace {

std::string_view operand_name(const ir::OpSpec& spec, std::size_t i) {
  std::string_view name = i < spec.operands.size() ? spec.operands[i] : std::string_view();
  if (!name.empty() && name.back() == '?') name.remove_suffix(1);
  return name;
}

const ir::BufferNode* pointee(const ir::Expr& pointer) {
  const auto* address = ir::as<ir::AddressOf>(pointer);
  return address != nullptr ? address->element.buffer.get() : nullptr;
}

ir::Type result_type(const ir::OpSpec& spec, const std::vector<ir::Expr>& args) {
  switch (spec.result) {
    case ir::ResultRule::none:
      return ir::kVoid;
    case ir::ResultRule::boolean:
      return ir::kBool;
    case ir::ResultRule::i32:
      return ir::kInt32;
    case ir::ResultRule::u32:
      return {num::DType::u32, 1};
    case ir::ResultRule::first_arg:
      return args.at(0)->type;
    case ir::ResultRule::second_arg:
      return args.at(1)->type;
    case ir::ResultRule::pointee:
      return {pointee(args.at(0))->dtype, 1};
  }
  return ir::kVoid;
}

/// A mask or a count written as an int: bits beyond 31 are fine for uint32.
ir::Expr unsigned_operand(Interpreter& interpreter, const Value& value, Span span) {
  const ir::Type type{num::DType::u32, 1};
  if (const auto number = value.integer()) {
    if (*number < -1 || *number > 0xffffffffLL) fail(span, "{} is no 32-bit mask", *number);
    return ir::make_int(*number, type, span);
  }
  const ir::Expr made = interpreter.expr(value, span);
  // A negative int is a mask too.
  return num::bits(made->type.dtype) > 32 ? integer_expr(made, type, span)
                                          : cast_expr(made, type, span);
}

ir::Expr operand(Interpreter& interpreter,
                 const ir::OpSpec& spec,
                 std::size_t i,
                 const ArgumentValue& given,
                 const std::vector<ir::Expr>& before) {
  const std::string_view name = operand_name(spec, i);
  const Span span = given.span;
  if (name == "pointer") return pointer_expr(interpreter, given.value, span);
  if (name == "mask") return unsigned_operand(interpreter, given.value, span);
  if (name == "predicate") {
    return condition_expr(interpreter.expr(given.value, span), span);
  }
  const bool into_memory = (name == "value" || name == "compare") && !before.empty() &&
                           pointee(before.front()) != nullptr;
  if (into_memory) {
    return interpreter.convert_for_store(given.value, {pointee(before.front())->dtype, 1}, span);
  }
  if (name == "lane" || name == "delta" || name == "lane_mask" || name == "width" ||
      name == "barrier" || name == "thread_count" || name == "phase") {
    return integer_expr(index_expr(given.value, span), ir::kInt32, span);
  }
  if (name == "nanoseconds") {
    const ir::Expr value = index_expr(given.value, span);
    (void)integer_expr(value, {num::DType::u32, 1}, span);
    return value;
  }
  return interpreter.expr(given.value, span);
}

}  // namespace

ir::Expr scope_variable(KernelBuilder& builder, ir::ScopeIdKind kind, Span span) {
  for (const ir::ScopeIdDef& def : builder.kernel().scope_ids) {
    if (def.kind == kind && def.vars.size() == 1) return ir::make_var(def.vars.front(), span);
  }
  const auto var = std::make_shared<const ir::Variable>(
      ir::Variable{std::string(ir::to_string(kind)), ir::kInt32, span});
  builder.kernel().scope_ids.push_back({kind, {var}, {}, {}, span});
  return ir::make_var(var, span);
}

ir::Expr pointer_expr(Interpreter& interpreter, const Value& value, Span span) {
  if (const auto* expr = value.as<ir::Expr>()) {
    if (ir::as<ir::AddressOf>(*expr) != nullptr) return *expr;
  }
  if (const ir::Access* place = writable_place(value)) {
    return make_checked(ir::kHandle, span, ir::AddressOf{*place});
  }
  if (const auto region = to_region(value, span)) {
    ir::Access access{region->buffer, {}, {}, 1};
    for (const ir::Range& range : region->ranges) access.indices.push_back(range.begin);
    return make_checked(ir::kHandle, span, ir::AddressOf{std::move(access)});
  }
  (void)interpreter;
  fail_help(span, fmt::format("expected a pointer, not {}", kind_name(value)),
            "A.ptr_to([i, j]), T.address_of(A[i, j]) or A.data");
}

Value machine_call(Interpreter& interpreter,
                   ir::OpId op,
                   std::vector<ArgumentValue> operands,
                   std::string text,
                   Span span) {
  const ir::OpSpec& spec = ir::spec(op);
  KernelBuilder& builder = interpreter.need_kernel(fmt::format("T.{}", spec.name), span);
  builder.need_device(fmt::format("T.{}", spec.name), span);
  if (operands.size() < spec.min_operands() || operands.size() > spec.max_operands()) {
    std::string expected = std::to_string(spec.min_operands());
    if (spec.max_operands() != spec.min_operands()) {
      expected += " to " + std::to_string(spec.max_operands());
    }
    fail(span, "T.{} expects {} operand(s), not {}", spec.name, expected, operands.size());
  }
  std::vector<ir::Expr> args;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    args.push_back(operand(interpreter, spec, i, operands[i], args));
  }
  const ir::Type type = result_type(spec, args);
  ir::Expr call = make_checked(type, span, ir::MachineCall{op, std::move(args), std::move(text)});
  if (type.is_void()) {
    builder.emit(span, ir::Evaluate{std::move(call)});
    return {};
  }
  return call;
}

}  // namespace tirx::dsl
