// Launching kernels from the host part.
#include "dsl/eval/launch.hpp"

#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/launch_check.hpp"
#include "dsl/host/tensor_value.hpp"

namespace tirx::dsl {

namespace {

ir::Argument argument_for(const ir::Param& param, const ArgumentValue& given) {
  if (param.absent) {
    if (given.value.is_none()) return std::monostate{};
    fail_help(given.span, fmt::format("'{}' was specialised to None", param.name),
              "pass None for it, or specialise without it");
  }
  if (param.scalar != nullptr) {
    if (!given.value.number()) {
      fail(given.span, "'{}' has the type {}, not {}", param.name,
           num::name(param.scalar->type.dtype), kind_name(given.value));
    }
    if (given.value.is<double>() && !num::is_float(param.scalar->type.dtype)) {
      fail(given.span, "'{}' has the type {}: give an int", param.name,
           num::name(param.scalar->type.dtype));
    }
    return ir::ScalarValue{param.scalar->type.dtype,
                           literal_bits(given.value, param.scalar->type.dtype, given.span)};
  }
  const auto* tensor = given.value.as<TensorValue>();
  if (tensor == nullptr) {
    fail_help(given.span,
              fmt::format("'{}' is a tensor of {}, not {}", param.name,
                          num::name(param.buffer->dtype), kind_name(given.value)),
              "make one with tirx.random(shape, dtype), tirx.zeros, tirx.load, …");
  }
  return tensor->tensor;
}

}  // namespace

std::vector<ir::Argument> launch_arguments(Interpreter&, const ir::Kernel& kernel, CallArgs args) {
  Signature signature{kernel.name, {}};
  for (const ir::Param& param : kernel.params) {
    signature.parameters.push_back({param.name, ast::ParameterKind::normal, !param.absent});
  }
  const Span span = args.span;
  // An absent parameter may be left out altogether.
  std::size_t present = 0;
  for (const ir::Param& param : kernel.params) present += param.absent ? 0 : 1;
  if (args.positional.size() == present && present < kernel.params.size()) {
    std::vector<ArgumentValue> filled;
    std::size_t next = 0;
    for (const ir::Param& param : kernel.params) {
      filled.push_back(param.absent ? ArgumentValue{Value(), span}
                                    : std::move(args.positional[next++]));
    }
    args.positional = std::move(filled);
  }
  const BoundArguments bound = bind_arguments(signature, std::move(args));
  std::vector<ir::Argument> out;
  std::vector<Span> places;
  for (std::size_t i = 0; i < kernel.params.size(); ++i) {
    const ArgumentValue given = bound.values[i].value_or(ArgumentValue{Value(), span});
    out.push_back(argument_for(kernel.params[i], given));
    places.push_back(given.span);
  }
  check_launch(kernel, out, places, span);
  return out;
}

ir::LaunchOutcome run_launch(Interpreter& interpreter,
                             const std::shared_ptr<const ir::Kernel>& kernel,
                             const std::vector<ir::Argument>& args,
                             Span span,
                             const std::string& expected) {
  ir::LaunchOutcome outcome = interpreter.engine().launch(*kernel, args, span);
  interpreter.print(outcome.output);
  interpreter.result().launches.push_back({kernel, span, outcome, expected});
  for (const Diagnostic& diagnostic : outcome.diagnostics) {
    interpreter.result().diagnostics.push_back(diagnostic);
  }
  if (outcome.status == ir::LaunchStatus::incomplete) interpreter.result().incomplete = true;
  if (outcome.status != ir::LaunchStatus::ok) throw ScriptStopped{};
  return outcome;
}

Value launch_kernel(Interpreter& interpreter,
                    const std::shared_ptr<KernelValue>& kernel,
                    CallArgs args) {
  if (interpreter.kernel() != nullptr) {
    fail_help(args.span, "a kernel cannot launch a kernel",
              "a function that becomes a part of it is @T.inline");
  }
  const Span span = args.span;
  const std::vector<ir::Argument> values =
      launch_arguments(interpreter, *kernel->kernel, std::move(args));
  (void)run_launch(interpreter, kernel->kernel, values, span);
  return {};
}

Value launch_jit(Interpreter& interpreter, const std::shared_ptr<JitValue>& jit, CallArgs args) {
  const Value kernel = interpreter.call(interpreter.attribute(Value(jit), "specialize", args.span),
                                        Values{}, args.span);
  return launch_kernel(interpreter, kernel.share<KernelValue>(), std::move(args));
}

}  // namespace tirx::dsl
