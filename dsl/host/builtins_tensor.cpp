// Methods and properties of tensors.
#include <array>

#include <fmt/format.h>

#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/registry.hpp"
#include "dsl/host/files.hpp"
#include "dsl/host/npy.hpp"
#include "dsl/host/register_host.hpp"
#include "dsl/host/tensor_ops.hpp"
#include "dsl/host/tensor_value.hpp"
#include "ir/base/file.hpp"
#include "numerics/convert.hpp"

namespace tirx::dsl {

namespace {

using ir::Tensor;

const Tensor& self_of(const Arguments& args) {
  return args.self.as<TensorValue>()->tensor;
}

std::optional<num::DType> dtype_option(const Arguments& args, std::size_t i) {
  if (!args.has(i)) return std::nullopt;
  return args.dtype(i);
}

template <Reduction kReduction>
Value reduce_method(Interpreter& interpreter, const Arguments& args) {
  const Tensor& tensor = self_of(args);
  reports_uninitialised(interpreter, tensor, args.span());
  interpreter.spend(tensor.size(), args.span());
  std::optional<std::int64_t> axis;
  if (args.has(0)) axis = args.integer(0);
  const auto out = kReduction == Reduction::sum ? dtype_option(args, 1) : std::nullopt;
  return tensor_value(unwrap(reduce(kReduction, tensor, axis, out), args.span()));
}

/// reshape(2, 3) and reshape((2, 3)).
std::vector<std::int64_t> shape_of(const Arguments& args) {
  std::vector<std::int64_t> shape;
  for (const ArgumentValue& item : args.rest()) {
    const Values* nested = sequence(item.value);
    for (const Value& one : nested != nullptr ? *nested : Values{item.value}) {
      const auto extent = one.integer();
      if (!extent) fail(item.span, "an extent is an integer, not {}", kind_name(one));
      shape.push_back(*extent);
    }
  }
  return shape;
}

Value reshape_method(Interpreter&, const Arguments& args) {
  return tensor_value(unwrap(reshape(self_of(args), shape_of(args)), args.span()));
}

Value permute_method(Interpreter&, const Arguments& args) {
  return tensor_value(unwrap(permute(self_of(args), shape_of(args)), args.span()));
}

Value astype_method(Interpreter& interpreter, const Arguments& args) {
  const num::DType dtype = args.dtype(0);
  reports_uninitialised(interpreter, self_of(args), args.span());
  interpreter.spend(self_of(args).size(), args.span());
  return tensor_value(cast(self_of(args), dtype));
}

Value view_method(Interpreter&, const Arguments& args) {
  return tensor_value(unwrap(view_as(self_of(args), args.dtype(0)), args.span()));
}

Value copy_method(Interpreter& interpreter, const Arguments& args) {
  interpreter.spend(self_of(args).size(), args.span());
  return tensor_value(copy(self_of(args)));
}

Value item_method(Interpreter& interpreter, const Arguments& args) {
  const Tensor& tensor = self_of(args);
  if (tensor.size() != 1)
    fail(args.span(), "item() is for tensors of one element, this one has {}", tensor.size());
  reports_uninitialised(interpreter, tensor, args.span());
  return scalar_of(tensor, args.span());
}

Value nested_list(const Tensor& tensor, Span span) {
  if (tensor.shape.empty()) return scalar_of(tensor, span);
  Values rows;
  for (std::int64_t i = 0; i < tensor.shape[0]; ++i)
    rows.push_back(nested_list(row_of(tensor, i), span));
  return make_list(std::move(rows));
}

Value tolist_method(Interpreter& interpreter, const Arguments& args) {
  const Tensor& tensor = self_of(args);
  reports_uninitialised(interpreter, tensor, args.span());
  interpreter.spend(tensor.size(), args.span());
  return nested_list(tensor, args.span());
}

Value save_method(Interpreter& interpreter, const Arguments& args) {
  reports_uninitialised(interpreter, self_of(args), args.span());
  const std::string path = unwrap(resolve_path(interpreter.options(), args.text(0)), args.span());
  const ScriptOptions& options = interpreter.options();
  if (options.saves_in_memory || options.collect_only) {
    if (const auto failed = unwritable(path, args.text(0))) {
      fail_text(args.span(), failed->text, {});
    }
    interpreter.saved()[path] = to_npy(self_of(args));
    return None{};
  }
  if (const auto failed = write_file(path, args.text(0), to_npy(self_of(args)))) {
    fail_text(args.span(), failed->text, {});
  }
  return None{};
}

Value shape_property(Interpreter&, const Value& self, Span) {
  Values extents;
  for (const std::int64_t extent : self.as<TensorValue>()->tensor.shape)
    extents.emplace_back(extent);
  return make_tuple(std::move(extents));
}

Value dtype_property(Interpreter&, const Value& self, Span) {
  return ir::Type{self.as<TensorValue>()->tensor.dtype, 1};
}

Value size_property(Interpreter&, const Value& self, Span) {
  return self.as<TensorValue>()->tensor.size();
}

Value ndim_property(Interpreter&, const Value& self, Span) {
  return self.as<TensorValue>()->tensor.shape.size();
}

Value transpose_property(Interpreter&, const Value& self, Span) {
  return tensor_value(transpose(self.as<TensorValue>()->tensor));
}

constexpr auto kTensorMethods = std::to_array<BuiltinFunction>({
    {"sum", "axis=None, dtype=None", reduce_method<Reduction::sum>, "The exact sum, rounded once."},
    {"max", "axis=None", reduce_method<Reduction::max>, "The largest element."},
    {"min", "axis=None", reduce_method<Reduction::min>, "The smallest element."},
    {"reshape", "*shape", reshape_method,
     "The same elements in another shape; one extent may be -1."},
    {"permute", "*dims", permute_method, "A view with the dimensions in another order."},
    {"astype", "dtype", astype_method, "Every element converted."},
    {"view", "dtype", view_method, "The same bytes as another dtype."},
    {"copy", "", copy_method, "A contiguous copy."},
    {"item", "", item_method, "The only element, as a number."},
    {"tolist", "", tolist_method, "Nested lists of numbers."},
    {"save", "path", save_method, "Writes an .npy file."},
});

constexpr auto kTensorProperties = std::to_array<Property>({
    {"shape", shape_property, "The extents."},
    {"dtype", dtype_property, "The element type."},
    {"size", size_property, "The number of elements."},
    {"ndim", ndim_property, "The number of dimensions."},
    {"T", transpose_property, "A view with the dimensions reversed."},
});

}  // namespace

void register_tensors(Registry& registry) {
  registry.add_methods("tensor", kTensorMethods);
  registry.add_properties("tensor", kTensorProperties);
}

}  // namespace tirx::dsl
