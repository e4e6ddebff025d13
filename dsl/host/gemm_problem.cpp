#include "dsl/host/gemm_problem.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dsl/host/elements.hpp"
#include "dsl/host/tensor_value.hpp"
#include "ir/layout/layout.hpp"
#include "ir/layout/scale_convention.hpp"
#include "numerics/scalar.hpp"

namespace tirx::dsl {

namespace {

using ir::Tensor;
using reference::Problem;

std::string text_of(const std::vector<std::int64_t>& shape) {
  return ir::to_string(std::span<const std::int64_t>(shape));
}

const Tensor& tensor_of(const GemmArgument& argument, std::string_view name) {
  const auto* tensor = argument.value.as<TensorValue>();
  if (tensor == nullptr)
    fail(argument.span, "{} is a tensor, not {}", name, kind_name(argument.value));
  return tensor->tensor;
}

const Tensor& operand(const GemmArgument& argument, std::string_view name, std::size_t rank) {
  const Tensor& tensor = tensor_of(argument, name);
  if (tensor.shape.size() != rank || tensor.size() == 0) {
    fail(argument.span, "{} has {} dimensions, none of them empty, not shape {}", name, rank,
         text_of(tensor.shape));
  }
  if (!num::is_float(tensor.dtype) || num::bits(tensor.dtype) > 32)
    fail(argument.span, "{} cannot be {}: floats of at most 32 bits", name,
         num::name(tensor.dtype));
  return tensor;
}

std::vector<std::uint32_t> raw(const Tensor& tensor) {
  std::vector<std::uint32_t> out;
  out.reserve(static_cast<std::size_t>(tensor.size()));
  for (ElementCursor at(tensor); !at.done(); at.next())
    out.push_back(static_cast<std::uint32_t>(read_at(tensor, at.offset())));
  return out;
}

std::vector<std::uint32_t> as_float32(const Tensor& tensor) {
  std::vector<std::uint32_t> out = raw(tensor);
  for (std::uint32_t& bits : out)
    bits = static_cast<std::uint32_t>(num::convert(bits, tensor.dtype, num::DType::f32));
  return out;
}

std::uint32_t float32_number(const GemmArgument& argument, double fallback) {
  if (argument.value.is_none()) {
    return static_cast<std::uint32_t>(num::from_double(fallback, num::DType::f32));
  }
  const auto number = argument.value.number();
  if (!number) fail(argument.span, "alpha and beta are numbers, not {}", kind_name(argument.value));
  return static_cast<std::uint32_t>(num::from_double(*number, num::DType::f32));
}

void set_granularity(Problem& p, const GemmArgument& argument) {
  const Values* items = sequence(argument.value);
  std::vector<std::int64_t> g;
  for (std::size_t i = 0; items != nullptr && i < items->size(); ++i)
    g.push_back((*items)[i].integer().value_or(0));
  constexpr std::int64_t kLargest = std::int64_t{1} << 31;
  if (g.size() != 3 || *std::min_element(g.begin(), g.end()) < 1 ||
      *std::max_element(g.begin(), g.end()) > kLargest) {
    fail_help(argument.span, "granularity is (gm, gn, gk), three positive ints",
              "for example (1, 128, 128): a scale for each row of A and 128 of K, and one for each "
              "128 x 128 block of B");
  }
  p.gm = g[0];
  p.gn = g[1];
  p.gk = g[2];
}

void set_options(Problem& p, const GemmArguments& args) {
  p.alpha = float32_number(args.alpha, 1);
  p.beta = float32_number(args.beta, 0);
  p.out = num::DType::bf16;
  if (const auto* type = args.out_dtype.value.as<ir::Type>()) p.out = type->dtype;
  if (const std::string* name = args.out_dtype.value.text()) {
    const auto found = num::find_dtype(*name);
    if (!found) fail(args.out_dtype.span, "'{}' is no dtype", *name);
    p.out = *found;
  }
  if (!num::is_float(p.out) || num::bits(p.out) < 8 || p.out == num::DType::e8m0 ||
      p.out == num::DType::tf32)
    fail(args.out_dtype.span, "D cannot be {}", num::name(p.out));
  p.promote = p.gk;
  if (!args.promote.value.is_none()) {
    p.promote = args.promote.value.integer().value_or(0);
    if (p.promote < 1 || p.gk % p.promote != 0) {
      fail_help(args.promote.span,
                fmt::format("promote must divide gk = {}, the K of one scale", p.gk),
                "a temporary sum that runs over two scale blocks has no scale");
    }
  }
  const std::string* written = args.model.value.text();
  if (written == nullptr && !args.model.value.is_none())
    fail(args.model.span, "model is a name, not {}", kind_name(args.model.value));
  const std::string name = written != nullptr ? *written : std::string("exact");
  const auto model = reference::find_model(name, p.a_type, p.b_type);
  if (!model) {
    fail_help(
        args.model.span,
        fmt::format("there is no model '{}' for {} x {} with a float32 accumulator", name,
                    num::name(p.a_type), num::name(p.b_type)),
        fmt::format("there are {}", fmt::join(reference::model_names(p.a_type, p.b_type), ", ")));
  }
  p.model = *model;
  if (args.order.value.is_none()) return;
  const std::string* word = args.order.value.text();
  const auto order = word != nullptr ? reference::find_order(*word) : std::nullopt;
  if (!order) {
    fail_help(args.order.span, "there is no such order of operations",
              "there are \"product\" (the definition), \"one_by_one\", \"unfused\", "
              "\"triton\" and \"elements\"");
  }
  p.order = *order;
}

/// Scales of `rows` x K, perhaps one matrix for each group in front.
void check_scales(const GemmArgument& argument,
                  std::string_view name,
                  std::vector<std::int64_t> expected,
                  std::int64_t rows,
                  std::int64_t g,
                  const Problem& p) {
  const Tensor& tensor = tensor_of(argument, name);
  if (!num::is_float(tensor.dtype) || num::bits(tensor.dtype) > 32)
    fail(argument.span, "{} cannot be {}: float32 or float8_e8m0fnu", name,
         num::name(tensor.dtype));
  if (!tensor.scale_convention.empty()) {
    const auto convention = ir::find_scale_convention(tensor.scale_convention);
    if (convention.ok() && (convention->major != ir::ScaleMajor::k || convention->pad != 1)) {
      fail_help(argument.span,
                fmt::format("{} is tagged '{}': the reference takes the logical matrix, {}", name,
                            tensor.scale_convention, text_of(expected)),
                fmt::format("tirx.convert_scales(t, \"{}\", \"{}x{}.k\", shape=(rows, K))",
                            tensor.scale_convention, convention->rows, convention->k));
    }
  }
  if (tensor.shape == expected) return;
  std::vector<std::int64_t> swapped = expected;
  std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
  std::vector<std::int64_t> no_tail = expected;
  no_tail.back() = p.k / p.gk;
  std::string help = fmt::format(
      "one scale for each started block: ceil({} / {}) = {} by "
      "ceil({} / {}) = {}",
      rows, g, expected[expected.size() - 2], p.k, p.gk, expected.back());
  if (tensor.shape == swapped) {
    help = "it is transposed: K goes last. Pass its .T";
  } else if (tensor.shape == no_tail) {
    help =
        fmt::format("K = {} ends with a tail of {} that has no scale: {}", p.k, p.k % p.gk, help);
  }
  fail_help(
      argument.span,
      fmt::format("{} must have shape {}, not {}", name, text_of(expected), text_of(tensor.shape)),
      help);
}

void set_c(Problem& p,
           const GemmArgument& argument,
           const std::vector<std::int64_t>& shape,
           Interpreter& interpreter) {
  const bool reads = num::decode(num::DType::f32, p.beta).kind != num::NumberClass::zero;
  if (argument.value.is_none()) {
    if (reads) fail(argument.span, "beta is not 0, so C is needed");
    return;
  }
  const Tensor& c = tensor_of(argument, "C");
  if (c.shape != shape)
    fail(argument.span, "C must have D's shape {}, not {}", text_of(shape), text_of(c.shape));
  if (!num::is_float(c.dtype) || num::bits(c.dtype) > 32)
    fail(argument.span, "C cannot be {}", num::name(c.dtype));
  if (reads) reports_uninitialised(interpreter, c, argument.span);
  if (!interpreter.options().collect_only) p.c = as_float32(c);
}

void charge(Interpreter& interpreter, const Problem& p, Span call) {
  const double work =
      static_cast<double>(p.rows) * static_cast<double>(p.n) * static_cast<double>(p.k);
  if (work > 4e11) fail(call, "this reference would take minutes: use a smaller problem");
  interpreter.spend(1 + static_cast<std::int64_t>(work) / 4096, call);
}

/// Poison in rows of no group is nobody's business.
void check_rows_written(Interpreter& interpreter,
                        const Problem& p,
                        const Tensor& a,
                        const Tensor& sfa,
                        const GemmArguments& args) {
  for (std::int64_t row = 0; row < p.rows; ++row) {
    if (p.row_group[static_cast<std::size_t>(row)] < 0) continue;
    Tensor one = a;
    one.shape = {p.k};
    one.strides = {a.strides.back()};
    Tensor scales = sfa;
    scales.shape = {p.blocks()};
    scales.strides = {sfa.strides.back()};
    const std::int64_t scale_row = p.row_scale[static_cast<std::size_t>(row)];
    if (a.shape.size() == 3) {
      one.offset += row / a.shape[1] * a.strides[0] + row % a.shape[1] * a.strides[1];
      scales.offset +=
          scale_row / sfa.shape[1] * sfa.strides[0] + scale_row % sfa.shape[1] * sfa.strides[1];
    } else {
      one.offset += row * a.strides[0];
      scales.offset += scale_row * sfa.strides[0];
    }
    if (reports_uninitialised(interpreter, one, args.a.span)) return;
    if (reports_uninitialised(interpreter, scales, args.sfa.span)) return;
  }
}

void fill(Problem& p, const GemmArguments& args, Interpreter& interpreter) {
  const Tensor& a = tensor_of(args.a, "A");
  const Tensor& sfa = tensor_of(args.sfa, "SFA");
  check_rows_written(interpreter, p, a, sfa, args);
  reports_uninitialised(interpreter, tensor_of(args.b, "B"), args.b.span);
  reports_uninitialised(interpreter, tensor_of(args.sfb, "SFB"), args.sfb.span);
  if (interpreter.options().collect_only) return;  // nothing is computed from the values
  p.a = raw(a);
  p.b = raw(tensor_of(args.b, "B"));
  p.sfa = as_float32(sfa);
  p.sfb = as_float32(tensor_of(args.sfb, "SFB"));
}

void check_inner(const Tensor& a, const Tensor& b, const GemmArguments& args) {
  if (a.shape.back() == b.shape.back()) return;
  fail_help(args.b.span,
            fmt::format("A {} and B {} have different K", text_of(a.shape), text_of(b.shape)),
            "both are K-last: A is (M, K), B is (N, K); pass B.T if it is (K, N)");
}

/// Rows that m_indices or group_sizes give to groups, one after the other.
std::vector<std::int64_t> contiguous_groups(Interpreter& interpreter,
                                            const Problem& p,
                                            const GemmArguments& args) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(p.rows), -1);
  if (!args.m_indices.value.is_none()) {
    const Tensor& indices = tensor_of(args.m_indices, "m_indices");
    if (!num::is_int(indices.dtype) || indices.shape != std::vector<std::int64_t>{p.rows}) {
      fail(args.m_indices.span, "m_indices has one int for each of the {} rows of A, not {} {}",
           p.rows, num::name(indices.dtype), text_of(indices.shape));
    }
    reports_uninitialised(interpreter, indices, args.m_indices.span);
    std::size_t row = 0;
    for (ElementCursor at(indices); !at.done(); at.next(), ++row) {
      out[row] = num::to_int64(read_at(indices, at.offset()), indices.dtype);
      if (out[row] < -1 || out[row] >= p.groups) {
        fail(args.m_indices.span,
             "row {} belongs to group {}: there are groups 0 … {}, and -1 is "
             "padding",
             row, out[row], p.groups - 1);
      }
    }
    return out;
  }
  std::int64_t row = 0;
  std::int64_t group = 0;
  for (const Value& item : interpreter.iterate(args.group_sizes.value, args.group_sizes.span)) {
    const auto size = item.integer();
    if (!size || *size < 0) fail(args.group_sizes.span, "a group has 0 or more rows");
    if (group >= p.groups)
      fail(args.group_sizes.span, "more sizes than the {} groups of B", p.groups);
    if (*size > p.rows - row) {
      fail(args.group_sizes.span, "group {} has {} rows from row {} on: A has only {}", group,
           *size, row, p.rows);
    }
    for (std::int64_t i = 0; i < *size; ++i) out[static_cast<std::size_t>(row++)] = group;
    ++group;
  }
  if (group != p.groups)
    fail(args.group_sizes.span, "{} sizes for the {} groups of B", group, p.groups);
  return out;
}

std::vector<std::int64_t> masked_groups(Interpreter& interpreter,
                                        const Problem& p,
                                        const GemmArguments& args) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(p.rows), -1);
  std::int64_t group = 0;
  if (const auto* tensor = args.masked_m.value.as<TensorValue>())
    reports_uninitialised(interpreter, tensor->tensor, args.masked_m.span);
  for (const Value& item : interpreter.iterate(args.masked_m.value, args.masked_m.span)) {
    const auto size = item.integer();
    if (!size || *size < 0 || *size > p.rows_per_group || group >= p.groups) {
      fail(args.masked_m.span,
           "masked_m says how many of its {} rows each of {} groups uses; the "
           "number for group {} is {}",
           p.rows_per_group, p.groups, group, str(item));
    }
    for (std::int64_t i = 0; i < *size; ++i)
      out[static_cast<std::size_t>(group * p.rows_per_group + i)] = group;
    ++group;
  }
  if (group != p.groups) fail(args.masked_m.span, "{} sizes for {} groups", group, p.groups);
  return out;
}

/// With gm > 1 a group must start where a block of SFA does.
void check_group_starts(const Problem& p, Span span) {
  for (std::int64_t row = 1; row < p.rows; ++row) {
    const std::int64_t before = p.row_group[static_cast<std::size_t>(row - 1)];
    const std::int64_t here = p.row_group[static_cast<std::size_t>(row)];
    if (here == before || here < 0 || before < 0 || row % p.gm == 0) continue;
    fail_help(span,
              fmt::format("group {} starts at row {}, inside a block of {} rows that share scales "
                          "of SFA",
                          here, row, p.gm),
              "pad each group to a multiple of gm, with -1 in m_indices");
  }
}

}  // namespace

DenseOrGrouped dense_problem(Interpreter& interpreter, const GemmArguments& args) {
  DenseOrGrouped out;
  Problem& p = out.problem;
  const Tensor& a = operand(args.a, "A", 2);
  const Tensor& b = operand(args.b, "B", 2);
  check_inner(a, b, args);
  p.rows = a.shape[0];
  p.rows_per_group = p.rows;
  p.k = a.shape[1];
  p.n = b.shape[0];
  p.a_type = a.dtype;
  p.b_type = b.dtype;
  set_granularity(p, args.granularity);
  set_options(p, args);
  check_scales(args.sfa, "SFA", {p.sfa_rows(), p.blocks()}, p.rows, p.gm, p);
  check_scales(args.sfb, "SFB", {p.sfb_rows(), p.blocks()}, p.n, p.gn, p);
  charge(interpreter, p, args.call);
  p.row_group.assign(static_cast<std::size_t>(p.rows), 0);
  for (std::int64_t row = 0; row < p.rows; ++row) p.row_scale.push_back(row / p.gm);
  fill(p, args, interpreter);
  out.shape = {p.rows, p.n};
  set_c(p, args.c, out.shape, interpreter);
  return out;
}

DenseOrGrouped grouped_problem(Interpreter& interpreter, const GemmArguments& args) {
  DenseOrGrouped out;
  Problem& p = out.problem;
  const bool masked = !args.masked_m.value.is_none();
  const int ways = (masked ? 1 : 0) + (args.m_indices.value.is_none() ? 0 : 1) +
                   (args.group_sizes.value.is_none() ? 0 : 1);
  if (ways != 1) {
    fail_help(args.call, "say once which rows belong to which group",
              "m_indices (a group for each row of A, -1: padding), group_sizes (rows one after the "
              "other), or masked_m (valid rows of each group of A)");
  }
  const Tensor& a = operand(args.a, "A", masked ? 3 : 2);
  const Tensor& b = operand(args.b, "B", 3);
  check_inner(a, b, args);
  p.groups = b.shape[0];
  p.n = b.shape[1];
  p.k = b.shape[2];
  if (masked && a.shape[0] != p.groups)
    fail(args.a.span, "A has {} groups, B has {}", a.shape[0], p.groups);
  p.rows_per_group = masked ? a.shape[1] : a.shape[0];
  p.rows = masked ? a.shape[0] * a.shape[1] : a.shape[0];
  p.a_type = a.dtype;
  p.b_type = b.dtype;
  set_granularity(p, args.granularity);
  set_options(p, args);
  std::vector<std::int64_t> sfa{p.sfa_rows(), p.blocks()};
  if (masked) sfa.insert(sfa.begin(), p.groups);
  check_scales(args.sfa, "SFA", sfa, p.rows_per_group, p.gm, p);
  check_scales(args.sfb, "SFB", {p.groups, p.sfb_rows(), p.blocks()}, p.n, p.gn, p);
  charge(interpreter, p, args.call);
  p.row_group =
      masked ? masked_groups(interpreter, p, args) : contiguous_groups(interpreter, p, args);
  if (!masked) check_group_starts(p, args.call);
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const std::int64_t group = row / p.rows_per_group;
    p.row_scale.push_back(group * p.sfa_rows() + row % p.rows_per_group / p.gm);
  }
  fill(p, args, interpreter);
  out.shape = a.shape;
  out.shape.back() = p.n;
  set_c(p, args.c, out.shape, interpreter);
  return out;
}

}  // namespace tirx::dsl
