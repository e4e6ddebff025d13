// The functions of `tirx` that make tensors and parameters.
#include <array>

#include <fmt/format.h>

#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/registry.hpp"
#include "dsl/host/files.hpp"
#include "dsl/host/npy.hpp"
#include "dsl/host/random.hpp"
#include "dsl/host/register_host.hpp"
#include "dsl/host/tensor_ops.hpp"
#include "dsl/host/tensor_value.hpp"
#include "ir/base/file.hpp"
#include "ir/layout/library.hpp"
#include "numerics/scalar.hpp"

namespace tirx::dsl {

namespace {

using ir::Tensor;

/// The shape in argument 0, checked against the size limit for the dtype.
std::vector<std::int64_t> checked_shape(Interpreter& interpreter,
                                        const Arguments& args,
                                        num::DType dtype) {
  std::vector<std::int64_t> shape = args.integers(0);
  const std::int64_t size = unwrap(checked_size(shape, dtype), args.span(0));
  interpreter.spend(1 + size / 64, args.span());
  return shape;
}

Value empty(Interpreter& interpreter, const Arguments& args) {
  const num::DType dtype = args.dtype_or(1, num::DType::f32);
  return tensor_value(ir::make_tensor(dtype, checked_shape(interpreter, args, dtype), false));
}

Value zeros(Interpreter& interpreter, const Arguments& args) {
  const num::DType dtype = args.dtype_or(1, num::DType::f32);
  return tensor_value(ir::make_tensor(dtype, checked_shape(interpreter, args, dtype), true));
}

Value full(Interpreter& interpreter, const Arguments& args) {
  const num::DType dtype = args.dtype_or(2, num::DType::f32);
  Tensor tensor = ir::make_tensor(dtype, checked_shape(interpreter, args, dtype), true);
  (void)unwrap(assign(tensor, as_tensor(interpreter, args[1], dtype, args.span(1))), args.span());
  return tensor_value(std::move(tensor));
}

Value arange(Interpreter& interpreter, const Arguments& args) {
  const num::DType dtype = args.dtype_or(1, num::DType::f32);
  std::vector<std::int64_t> shape = checked_shape(interpreter, args, dtype);
  const bool whole = args[2].integer().has_value() || !args.has(2);
  const bool whole_step = args[3].integer().has_value() || !args.has(3);
  if (!num::is_float(dtype) && !(whole && whole_step))
    fail(args.span(), "a ramp of {} has an integer start and step", num::name(dtype));
  Tensor tensor = ir::make_tensor(dtype, std::move(shape), true);
  std::int64_t i = 0;
  const double start = args.number_or(2, 0);
  const double step = args.number_or(3, 1);
  for (ElementCursor at(tensor); !at.done(); at.next(), ++i) {
    num::Bits bits = 0;
    if (num::is_float(dtype)) {
      bits = num::from_double(start + step * static_cast<double>(i), dtype);
    } else {
      const auto offset =
          static_cast<std::uint64_t>(args.integer_or(3, 1)) * static_cast<std::uint64_t>(i);
      bits = num::from_int64(
          static_cast<std::int64_t>(static_cast<std::uint64_t>(args.integer_or(2, 0)) + offset),
          dtype);
    }
    write_at(tensor, at.offset(), bits);
  }
  return tensor_value(std::move(tensor));
}

Value random(Interpreter& interpreter, const Arguments& args) {
  const num::DType dtype = args.dtype_or(1, num::DType::f32);
  const std::string word = args.text_or(3, num::is_float(dtype) ? "normal" : "int");
  const auto kind = find_random_kind(word);
  if (!kind)
    fail(args.span(3), "kind is 'normal', 'uniform', 'int', 'dyadic' or 'bits', not '{}'", word);
  if (!random_kind_fits(*kind, dtype)) {
    fail_help(args.span(), fmt::format("there are no {} numbers of {}", word, num::name(dtype)),
              "write kind=\"int\" or kind=\"bits\"");
  }
  const auto seed = static_cast<std::uint64_t>(args.integer_or(2, 0));
  return tensor_value(generate(dtype, checked_shape(interpreter, args, dtype),
                               interpreter.options().collect_only,
                               [kind = *kind, dtype, seed](std::uint64_t i) {
                                 return random_element(kind, dtype, seed, i);
                               }));
}

/// The shape of nested lists, from the first element of each.
std::vector<std::int64_t> nested_shape(const Value& value, Span span) {
  std::vector<std::int64_t> shape;
  const Value* first = &value;
  while (const Values* items = sequence(*first)) {
    if (shape.size() == 16) fail(span, "a tensor has at most 16 dimensions");
    shape.push_back(static_cast<std::int64_t>(items->size()));
    if (items->empty()) break;
    first = &items->front();
  }
  return shape;
}

/// The numbers of nested lists in order; ragged lists are an error.
void flatten(const Value& value,
             std::size_t depth,
             const std::vector<std::int64_t>& shape,
             Values& leaves,
             Span span) {
  const Values* items = sequence(value);
  if ((items == nullptr) != (depth == shape.size())) {
    fail(span, "the nested lists do not form a box");
  }
  if (items == nullptr) {
    leaves.push_back(value);
    return;
  }
  if (shape[depth] != static_cast<std::int64_t>(items->size())) {
    fail(span, "the nested lists do not form a box: {} and {} elements", shape[depth],
         items->size());
  }
  for (const Value& item : *items) flatten(item, depth + 1, shape, leaves, span);
}

Value tensor(Interpreter& interpreter, const Arguments& args) {
  std::vector<std::int64_t> shape = nested_shape(args[0], args.span(0));
  Values leaves;
  flatten(args[0], 0, shape, leaves, args.span(0));
  bool whole = !leaves.empty();
  for (const Value& leaf : leaves) whole = whole && leaf.integer().has_value();
  const num::DType dtype = args.dtype_or(1, whole ? num::DType::i32 : num::DType::f32);
  interpreter.spend(static_cast<std::int64_t>(leaves.size()), args.span());
  std::vector<num::Bits> values;
  for (const Value& leaf : leaves) {
    values.push_back(read_all(as_tensor(interpreter, leaf, dtype, args.span(0))).front());
  }
  return tensor_value(from_values(dtype, std::move(shape), values));
}

Value load(Interpreter& interpreter, const Arguments& args) {
  const std::string path = unwrap(resolve_path(interpreter.options(), args.text(0)), args.span(0));
  constexpr std::size_t kLargest = kMaxTensorBytes + (std::size_t{1} << 20);  // and a header
  const auto saved = interpreter.saved().find(path);
  const std::string bytes = saved != interpreter.saved().end()
                                ? saved->second
                                : unwrap(read_file(path, args.text(0), kLargest), args.span(0));
  std::optional<num::DType> dtype;
  if (args.has(1)) dtype = args.dtype(1);
  return tensor_value(unwrap(parse_npy(bytes, dtype), args.span()));
}

Value matmul_function(Interpreter& interpreter, const Arguments& args) {
  const TensorValue* a = args[0].as<TensorValue>();
  const TensorValue* b = args[1].as<TensorValue>();
  if (a == nullptr) args.wrong(0, "a tensor");
  if (b == nullptr) args.wrong(1, "a tensor");
  reports_uninitialised(interpreter, a->tensor, args.span(0));
  reports_uninitialised(interpreter, b->tensor, args.span(1));
  std::optional<num::DType> out;
  if (args.has(2)) out = args.dtype(2);
  if (a->tensor.shape.size() == 2 && b->tensor.shape.size() == 2) {
    const double work =
        static_cast<double>(a->tensor.size()) * static_cast<double>(b->tensor.shape[1]);
    if (work > 1e11)
      fail(args.span(), "this exact product would take minutes: use a smaller problem");
    interpreter.spend(static_cast<std::int64_t>(work) / 1000, args.span());
  }
  if (interpreter.options().collect_only && a->tensor.shape.size() == 2 &&
      b->tensor.shape.size() == 2 && a->tensor.shape[1] == b->tensor.shape[0]) {
    // Nothing is computed: an empty product has the dtype, and zeros the shape.
    Tensor x = a->tensor, y = b->tensor;
    x.shape = {0, 0};
    y.shape = {0, 0};
    const Tensor none = unwrap(matmul(x, y, out), args.span());
    return tensor_value(
        ir::make_tensor(none.dtype, {a->tensor.shape[0], b->tensor.shape[1]}, true));
  }
  return tensor_value(unwrap(matmul(a->tensor, b->tensor, out), args.span()));
}

Value param(Interpreter& interpreter, const Arguments& args) {
  const std::string& name = args.text(0);
  const auto& set = interpreter.options().set;
  interpreter.result().params.push_back(name);
  const auto found = set.find(name);
  if (found == set.end()) return args[1];
  const std::string& text = found->second;
  const Value& fallback = args[1];
  if (fallback.text() != nullptr) return Value(text);
  if (fallback.is<bool>()) {
    if (text == "True" || text == "true" || text == "1") return Value(true);
    if (text == "False" || text == "false" || text == "0") return Value(false);
  }
  try {
    std::size_t used = 0;
    if (fallback.is<std::int64_t>()) {
      const std::int64_t value = std::stoll(text, &used, 0);
      if (used == text.size()) return Value(value);
    } else if (fallback.is<double>()) {
      const double value = std::stod(text, &used);
      if (used == text.size()) return Value(value);
    }
  } catch (const std::exception&) {
    // Not a number of that kind: the error below says so.
  }
  fail_help(args.span(),
            fmt::format("--set {}={} does not give {} like the default {}", name, text,
                        kind_name(fallback), repr(fallback)),
            fallback.is<bool>()           ? "write True or False"
            : fallback.is<std::int64_t>() ? "write a whole number from -2^63 to 2^63 - 1"
                                          : "write a number that a float64 holds");
}

constexpr auto kTirxFunctions = std::to_array<BuiltinFunction>({
    {"empty", "shape, dtype=float32", empty, "Storage whose every byte is uninitialised."},
    {"zeros", "shape, dtype=float32", zeros, "All zeros."},
    {"full", "shape, value, dtype=float32", full, "One value everywhere."},
    {"arange", "shape, dtype=float32, start=0, step=1", arange,
     "A row-major ramp, rounded to dtype."},
    {"random", "shape, dtype=float32, seed=0, kind=None", random, "Reproducible random numbers."},
    {"tensor", "values, dtype=None", tensor, "A tensor of nested lists."},
    {"load", "path, dtype=None", load, "Reads an .npy file; dtype= reinterprets it."},
    {"matmul", "a, b, dtype=None", matmul_function, "The exact matrix product, rounded once."},
    {"param", "name, default", param, "A constant that --set NAME=VALUE overrides."},
});

}  // namespace

void register_tirx(Registry& registry) {
  registry.add("tirx", kTirxFunctions);
}

}  // namespace tirx::dsl
