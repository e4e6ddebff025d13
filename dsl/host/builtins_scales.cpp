// Scale tensors: layouts, the conventions of other libraries, conversion between them, and inputs
// that show a wrong index.
#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/registry.hpp"
#include "dsl/host/record.hpp"
#include "dsl/host/register_host.hpp"
#include "dsl/host/scale_tensors.hpp"
#include "dsl/host/tensor_ops.hpp"
#include "dsl/host/tensor_value.hpp"
#include "ir/layout/scale_convention.hpp"
#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"

namespace tirx::dsl {

namespace {

using ir::Tensor;

const Tensor& tensor_arg(const Arguments& args, std::size_t i) {
  const TensorValue* given = args[i].as<TensorValue>();
  if (given == nullptr) args.wrong(i, "a tensor");
  return given->tensor;
}

ir::ScaleMajor major_of(const std::string& word, Span span) {
  if (word == "MN" || word == "M" || word == "N") return ir::ScaleMajor::mn;
  if (word == "K") return ir::ScaleMajor::k;
  fail(span, "major is \"MN\" (the scales of neighbouring rows are neighbours) or \"K\", not '{}'",
       word);
}

Value layout_value(ir::TileLayout layout) {
  return std::make_shared<LayoutValue>(ir::Layout(std::move(layout)));
}

Value scale_layout(Interpreter&, const Arguments& args) {
  const std::vector<std::int64_t> shape = args.integers(0);
  if (args[1].text() != nullptr) {
    const auto convention = unwrap(ir::find_scale_convention(args.text(1)), args.span(1));
    if (args.has(2) || args.has(3))
      fail(args.span(), "'{}' says the major and the padding already", convention.name);
    return layout_value(unwrap(ir::scale_layout(shape, convention), args.span()));
  }
  const ir::ScaleMajor major = major_of(args.text_or(2, "MN"), args.span(2));
  return layout_value(
      unwrap(ir::scale_layout(shape, args.integers(1), major, args.integer_or(3, 1)), args.span()));
}

Value scales(Interpreter&, const Arguments& args) {
  Tensor tagged = tensor_arg(args, 0);
  tagged.scale_convention = unwrap(ir::find_scale_convention(args.text(1)), args.span(1)).name;
  return tensor_value(std::move(tagged));
}

Value convert(Interpreter& interpreter, const Arguments& args) {
  const Tensor& tensor = tensor_arg(args, 0);
  const auto from = unwrap(ir::find_scale_convention(args.text(1)), args.span(1));
  const auto to = unwrap(ir::find_scale_convention(args.text(2)), args.span(2));
  if (!tensor.scale_convention.empty() && tensor.scale_convention != from.name) {
    fail(args.span(1), "this tensor is tagged '{}', not '{}'", tensor.scale_convention, from.name);
  }
  std::optional<std::vector<std::int64_t>> shape;
  if (args.has(3)) shape = args.integers(3);
  interpreter.spend(1 + tensor.size() / 16, args.span());
  return tensor_value(unwrap(convert_scales(tensor, from, to, shape), args.span()));
}

/// A float32 tensor of powers of two; see adversarial_choice.
Value adversarial_scales(Interpreter& interpreter, const Arguments& args) {
  // Two scales multiply: with 49 binades each no product leaves float32, and beyond 49 scales a
  // narrower range keeps every term of a sum visible.
  constexpr std::int64_t kDistinct = 49;
  constexpr std::int64_t kMany = 25;
  const std::int64_t count = args.integer(0);
  if (count < 1 || count > 1'000'000)
    fail(args.span(0), "the number of scales is 1 … 1000000, not {}", count);
  interpreter.spend(count, args.span());
  const std::int64_t binades = count <= kDistinct ? std::max<std::int64_t>(count, 2) : kMany;
  std::vector<num::Bits> values;
  for (const std::int64_t choice :
       adversarial_choice(count, binades, static_cast<std::uint64_t>(args.integer_or(1, 0)))) {
    const auto biased = static_cast<num::Bits>(127 + choice - binades / 2);
    values.push_back(biased << 23);
  }
  return tensor_value(from_values(num::DType::f32, {count}, values));
}

// ---- presets ------------------------------------------------------------------------------------

/// The conventions must exist: their names are made here.
Value preset(std::string library,
             const std::array<std::int64_t, 3>& granularity,
             std::string sfa,
             std::string sfb) {
  auto record = std::make_shared<Record>("preset");
  record->with("name", std::move(library))
      .with("granularity", make_tuple({granularity[0], granularity[1], granularity[2]}))
      .with("sfa", std::move(sfa))
      .with("sfb", std::move(sfb));
  return record;
}

std::array<std::int64_t, 3> granularity_of(const Arguments& args) {
  std::array<std::int64_t, 3> out{};
  for (std::size_t i = 0; i < 3; ++i) {
    out[i] = args.integer(i);
    if (out[i] < 1) fail(args.span(i), "a granularity is at least 1, not {}", out[i]);
  }
  return out;
}

Value cutlass_preset(Interpreter&, const Arguments& args) {
  const auto g = granularity_of(args);
  const auto suffix = [&](std::size_t i) {
    return major_of(args.text_or(i, "MN"), args.span(i)) == ir::ScaleMajor::mn ? "mn" : "k";
  };
  return preset("cutlass", g, fmt::format("cutlass.{}x{}.{}", g[0], g[2], suffix(3)),
                fmt::format("cutlass.{}x{}.{}", g[1], g[2], suffix(4)));
}

Value pytorch_preset(Interpreter&, const Arguments& args) {
  const auto g = granularity_of(args);
  return preset("pytorch", g, fmt::format("pytorch.{}x{}", g[0], g[2]),
                fmt::format("pytorch.{}x{}.t", g[1], g[2]));
}

Value deepgemm_preset(Interpreter&, const Arguments& args) {
  const std::string b = args.text_or(0, "128x128");
  if (b != "1x128" && b != "128x128")
    fail(args.span(0), "DeepGEMM scales B by \"128x128\" or by \"1x128\", not '{}'", b);
  const std::int64_t gn = b == "1x128" ? 1 : 128;
  return preset("deepgemm", {1, gn, 128}, "deepgemm.1x128", "deepgemm." + b);
}

Value cublaslt_preset(Interpreter&, const Arguments& args) {
  std::array<std::string, 2> names = {args.text_or(0, "vec128"), args.text_or(1, "blk128x128")};
  std::array<std::int64_t, 3> g{1, 1, 128};
  for (std::size_t i = 0; i < 2; ++i) {
    if (names[i] != "vec128" && names[i] != "blk128x128")
      fail(args.span(i), "cuBLASLt's modes are \"vec128\" and \"blk128x128\", not '{}'", names[i]);
    if (names[i] == "blk128x128") g[i] = 128;
  }
  if (g[0] == 128 && g[1] == 128) {
    fail_help(args.span(), "cuBLASLt has no product of two operands scaled by 128x128",
              "one of them is \"vec128\"");
  }
  return preset("cublaslt", g, "cublaslt." + names[0], "cublaslt." + names[1]);
}

// ---- poison and padding -------------------------------------------------------------------------

num::Bits nan_of(num::DType dtype, Span span) {
  if (!num::row(dtype).has_nan) {
    fail_help(span, fmt::format("{} has no NaN", num::name(dtype)),
              "use tirx.empty: reading what was never written is then reported");
  }
  if (dtype == num::DType::e8m0) return 0xff;
  return num::canonical_nan(dtype);
}

Value poisoned(Interpreter& interpreter, const Arguments& args) {
  const num::DType dtype = args.dtype_or(1, num::DType::f32);
  std::vector<std::int64_t> shape = args.integers(0);
  const std::int64_t size = unwrap(checked_size(shape, dtype), args.span(0));
  interpreter.spend(1 + size / 64, args.span());
  const std::vector<num::Bits> values(static_cast<std::size_t>(size), nan_of(dtype, args.span(1)));
  return tensor_value(from_values(dtype, std::move(shape), values));
}

Value pad_nan(Interpreter& interpreter, const Arguments& args) {
  const Tensor& tensor = tensor_arg(args, 0);
  reports_uninitialised(interpreter, tensor, args.span(0));
  std::vector<std::int64_t> shape = args.integers(1);
  const std::int64_t size = unwrap(checked_size(shape, tensor.dtype), args.span(1));
  interpreter.spend(1 + size / 64, args.span());
  bool covers = shape.size() == tensor.shape.size();
  for (std::size_t i = 0; covers && i < shape.size(); ++i) covers = shape[i] >= tensor.shape[i];
  if (!covers)
    fail(args.span(1), "{} does not cover the tensor's shape {}", ir::to_string(shape),
         ir::to_string(tensor.shape));
  const std::vector<num::Bits> values(static_cast<std::size_t>(size),
                                      nan_of(tensor.dtype, args.span(0)));
  Tensor out = from_values(tensor.dtype, std::move(shape), values);
  Tensor corner = out;
  corner.shape = tensor.shape;
  write_all(corner, read_all(tensor));
  out.scale_convention = tensor.scale_convention;
  return tensor_value(std::move(out));
}

constexpr auto kScalesFunctions = std::to_array<BuiltinFunction>({
    {"scale_layout", "shape, granularity, major='MN', pad=1", scale_layout,
     "The layout of block scales; granularity may be a convention's name."},
    {"scales", "tensor, convention", scales, "Tags a scale tensor with its convention."},
    {"convert_scales", "tensor, source, target, shape=None", convert,
     "Scales in the order of another convention; a finer one repeats them."},
    {"adversarial_scales", "count, seed=0", adversarial_scales,
     "Powers of two that no wrong index, major or transposition survives."},
    {"poisoned", "shape, dtype=float32", poisoned, "NaN everywhere: an output nobody wrote."},
    {"pad_nan", "tensor, shape", pad_nan, "The tensor in the corner of a larger one full of NaN."},
});

Value filter_zeros(Interpreter&, const Arguments& args) {
  ir::Layout out = args.self.as<LayoutValue>()->layout;
  out.tile = unwrap(ir::filter_zeros(out.tile), args.span());
  return std::make_shared<LayoutValue>(std::move(out));
}

constexpr auto kLayoutMethods = std::to_array<BuiltinFunction>({
    {"filter_zeros", "", filter_zeros, "Without the iters of stride 0: the compact scales."},
});

constexpr auto kPresets = std::to_array<BuiltinFunction>({
    {"cutlass", "gm, gn, gk, majorA='MN', majorB='MN'", cutlass_preset,
     "CUTLASS's blockwise scales."},
    {"deepgemm", "b='128x128'", deepgemm_preset, "DeepGEMM's scales on sm_90."},
    {"cublaslt", "a='vec128', b='blk128x128'", cublaslt_preset, "cuBLASLt's scaling modes."},
    {"pytorch", "gm, gn, gk", pytorch_preset,
     "PyTorch's scales: B's are held transposed, as B is."},
});

}  // namespace

void register_scales(Registry& registry) {
  registry.add("tirx", kScalesFunctions);
  registry.add("tirx.presets", kPresets);
  registry.add_methods("layout", kLayoutMethods);
}

}  // namespace tirx::dsl
