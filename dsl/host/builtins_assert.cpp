// What a script expects: equal tensors, close tensors, faults.
#include <array>

#include <fmt/format.h>

#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/registry.hpp"
#include "dsl/host/compare.hpp"
#include "dsl/host/reference/blame.hpp"
#include "dsl/host/register_host.hpp"
#include "dsl/host/tensor_value.hpp"

namespace tirx::dsl {

namespace {

/// The two tensors of an assertion; a number takes the other's dtype and shape is NumPy's.
std::pair<ir::Tensor, ir::Tensor> two_tensors(Interpreter& interpreter, const Arguments& args) {
  const TensorValue* x = args[0].as<TensorValue>();
  const TensorValue* y = args[1].as<TensorValue>();
  if (x == nullptr && y == nullptr) args.wrong(0, "a tensor");
  const num::DType dtype = x != nullptr ? x->tensor.dtype : y->tensor.dtype;
  return {as_tensor(interpreter, args[0], dtype, args.span(0)),
          as_tensor(interpreter, args[1], dtype, args.span(1))};
}

/// Poison in either operand is a finding of its own, and then there is nothing to compare; nor is
/// there where nothing is launched, but shapes and types that do not fit are an error everywhere.
bool readable(Interpreter& interpreter,
              const Arguments& args,
              const ir::Tensor& x,
              const ir::Tensor& y) {
  if (interpreter.options().collect_only && x.shape == y.shape && x.dtype == y.dtype) return false;
  const bool poison_x = reports_uninitialised(interpreter, x, args.span(0));
  const bool poison_y = reports_uninitialised(interpreter, y, args.span(1));
  return !poison_x && !poison_y;
}

void judge(Interpreter& interpreter,
           const Arguments& args,
           const std::optional<std::string>& difference) {
  if (difference) {
    interpreter.record_difference(
        {args.span(), fmt::format("{}: {}", args.function(), *difference), {}, Severity::error});
  }
}

/// One of the two came from tirx.reference: rows of no group do not count, and a difference is
/// explained.
void against_reference(Interpreter& interpreter,
                       const Arguments& args,
                       std::size_t computed,
                       const reference::Context& context) {
  const ir::Tensor& seen = args[computed].as<TensorValue>()->tensor;
  const ir::Tensor& right = args[1 - computed].as<TensorValue>()->tensor;
  if (seen.shape != right.shape || seen.dtype != right.dtype)
    return judge(interpreter, args, unwrap(difference(seen, right), args.span()));
  if (interpreter.options().collect_only) return;
  if (interpreter.engine().checks(ir::FaultKind::uninit)) {
    if (const auto text = reference::unwritten(context, seen)) {
      const std::string_view name = interpreter.source()->text(args.span(computed));
      interpreter.result().findings.push_back(
          {args.span(computed), fmt::format("uninit: {}{}", name, *text), {}, Severity::error});
      return;
    }
  }
  judge(interpreter, args, reference::difference(context, seen));
}

Value assert_equal(Interpreter& interpreter, const Arguments& args) {
  for (const std::size_t computed : {std::size_t{0}, std::size_t{1}}) {
    const auto* right = args[1 - computed].as<TensorValue>();
    if (right == nullptr || right->context == nullptr || !args[computed].is<TensorValue>())
      continue;
    interpreter.spend(right->tensor.size(), args.span());
    against_reference(interpreter, args, computed, *right->context);
    return None{};
  }
  const auto [x, y] = two_tensors(interpreter, args);
  interpreter.spend(x.size(), args.span());
  if (!readable(interpreter, args, x, y)) return None{};
  judge(interpreter, args, unwrap(difference(x, y), args.span()));
  return None{};
}

Value assert_close(Interpreter& interpreter, const Arguments& args) {
  const auto [x, y] = two_tensors(interpreter, args);
  interpreter.spend(x.size(), args.span());
  if (!readable(interpreter, args, x, y)) return None{};
  judge(interpreter, args,
        unwrap(difference_beyond(x, y, args.number_or(2, 0), args.number_or(3, 0)), args.span()));
  return None{};
}

/// Launches since `first` that ended in the fault are marked, so that it is no finding of the run.
bool mark_expected(ScriptResult& result, std::size_t first, ir::FaultKind kind) {
  bool seen = false;
  for (std::size_t i = first; i < result.launches.size(); ++i) {
    for (const ir::Fault& fault : result.launches[i].outcome.faults) {
      if (fault.kind != kind) continue;
      result.launches[i].expected = ir::to_string(kind);
      seen = true;
    }
  }
  return seen;
}

Value expect_fault(Interpreter& interpreter, const Arguments& args) {
  const auto kind = ir::find_fault_kind(args.text(0));
  if (!kind) {
    fail(args.span(0),
         "'{}' is no kind of fault: bounds, align, uninit, race, divergence, deadlock, async, "
         "arith, overflow, trap",
         args.text(0));
  }
  if (!interpreter.engine().checks(*kind)) {
    interpreter.print(fmt::format("tirx.expect_fault: {}: not applicable here, not launched\n",
                                  ir::to_string(*kind)));
    return None{};
  }
  CallArgs call;
  call.span = args.span();
  call.positional = args.rest();
  call.named = args.named_rest();
  const std::size_t first = interpreter.result().launches.size();
  (void)interpreter.call(args[1], std::move(call));
  if (!mark_expected(interpreter.result(), first, *kind)) {
    interpreter.result().findings.push_back(
        {args.span(),
         fmt::format("the expected {} fault did not come", ir::to_string(*kind)),
         {},
         Severity::error});
  }
  return None{};
}

constexpr auto kAssertFunctions = std::to_array<BuiltinFunction>({
    {"assert_equal", "x, y", assert_equal, "Same bits everywhere (a NaN equals any NaN)."},
    {"assert_close", "x, y, rtol=0.0, atol=0.0", assert_close,
     "|x - y| <= atol + rtol * |y| everywhere."},
    {"expect_fault", "kind, kernel, *args, **kwargs", expect_fault,
     "The launch must end in a fault of this kind."},
});

}  // namespace

void register_asserts(Registry& registry) {
  registry.add("tirx", kAssertFunctions);
}

}  // namespace tirx::dsl
