// Block-scaled GEMMs on the host: the oracle (tirx.reference), problems to feed it and kernels
// with, and the exchange of A and B.
#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "dsl/host/gemm_name.hpp"
#include "dsl/host/gemm_problem.hpp"
#include "dsl/host/random.hpp"
#include "dsl/host/reference/blame.hpp"
#include "dsl/host/register_host.hpp"
#include "dsl/host/scale_tensors.hpp"
#include "dsl/host/tensor_ops.hpp"
#include "dsl/host/tensor_value.hpp"
#include "numerics/scalar.hpp"

namespace tirx::dsl {

namespace {

using ir::Tensor;

GemmArgument argument(const Arguments& args, std::size_t i) {
  return {args[i], args.span(i)};
}

/// The operands of `problem`, where the script passed one instead of A.
void take_problem(GemmArguments& out, const Record& problem, Span span) {
  const auto field = [&](std::string_view name, GemmArgument& into) {
    const Value* value = problem.find(name);
    if (into.value.is_none() && value != nullptr) into = {*value, span};
  };
  out.a = {};
  field("A", out.a);
  field("B", out.b);
  field("SFA", out.sfa);
  field("SFB", out.sfb);
  field("granularity", out.granularity);
  field("alpha", out.alpha);
  field("beta", out.beta);
  field("C", out.c);
  field("out_dtype", out.out_dtype);
  field("promote", out.promote);
}

Value answer(Interpreter& interpreter, DenseOrGrouped asked) {
  if (interpreter.options().collect_only)
    return tensor_value(ir::make_tensor(asked.problem.out, asked.shape, true));
  auto context = std::make_shared<reference::Context>();
  context->problem = std::move(asked.problem);
  context->values = reference::compute(context->problem);
  auto value = std::make_shared<TensorValue>(
      from_values(context->problem.out, asked.shape, context->values));
  // Rows of no group have no value.
  const reference::Problem& p = context->problem;
  for (std::int64_t row = 0; row < p.rows; ++row) {
    if (p.row_group[static_cast<std::size_t>(row)] >= 0) continue;
    const auto bytes = static_cast<std::size_t>(p.n * num::bytes(p.out));
    const std::size_t begin = static_cast<std::size_t>(row) * bytes;
    value->tensor.memory->set_valid(begin, begin + bytes, false);
  }
  value->context = std::move(context);
  return value;
}

Value block_scaled_gemm(Interpreter& interpreter, const Arguments& args) {
  GemmArguments all;
  all.call = args.span();
  GemmArgument* const into[] = {&all.a,           &all.b,     &all.sfa,     &all.sfb,
                                &all.granularity, &all.alpha, &all.beta,    &all.c,
                                &all.out_dtype,   &all.model, &all.promote, &all.order};
  for (std::size_t i = 0; i < std::size(into); ++i) *into[i] = argument(args, i);
  if (const auto* problem = args[0].as<Record>()) take_problem(all, *problem, args.span(0));
  return answer(interpreter, dense_problem(interpreter, all));
}

Value grouped_gemm(Interpreter& interpreter, const Arguments& args) {
  GemmArguments all;
  all.call = args.span();
  GemmArgument* const into[] = {&all.a,           &all.b,         &all.sfa,      &all.sfb,
                                &all.granularity, &all.m_indices, &all.masked_m, &all.group_sizes,
                                &all.alpha,       &all.beta,      &all.c,        &all.out_dtype,
                                &all.model,       &all.promote,   &all.order};
  for (std::size_t i = 0; i < std::size(into); ++i) *into[i] = argument(args, i);
  return answer(interpreter, grouped_problem(interpreter, all));
}

// ---- problems -----------------------------------------------------------------------------------

Value problem_value(std::vector<std::pair<std::string, Value>> fields) {
  auto record = std::make_shared<Record>("gemm problem");
  record->fields = std::move(fields);
  return record;
}

Value gemm_problem(Interpreter&, const Arguments& args) {
  return problem_value({{"A", args[0]},
                        {"B", args[1]},
                        {"SFA", args[2]},
                        {"SFB", args[3]},
                        {"granularity", args[4]},
                        {"alpha", args.has(5) ? args[5] : Value(1.0)},
                        {"beta", args.has(6) ? args[6] : Value(0.0)},
                        {"C", args[7]},
                        {"out_dtype", args.has(8) ? args[8] : Value("bfloat16")},
                        {"promote", args[9]}});
}

Value transposed(const Value& value) {
  const auto* tensor = value.as<TensorValue>();
  return tensor == nullptr ? value : tensor_value(copy(transpose(tensor->tensor)));
}

Value swap_ab(Interpreter&, const Arguments& args) {
  const auto* problem = args[0].as<Record>();
  if (problem == nullptr || problem->find("SFB") == nullptr)
    args.wrong(0, "a problem of tirx.gemm_problem or tirx.gemm_inputs");
  const auto field = [&](std::string_view name) {
    const Value* value = problem->find(name);
    return value == nullptr ? Value() : *value;
  };
  Value granularity = field("granularity");
  if (const Values* g = sequence(granularity); g != nullptr && g->size() == 3)
    granularity = make_tuple({(*g)[1], (*g)[0], (*g)[2]});
  return problem_value({{"A", field("B")},
                        {"B", field("A")},
                        {"SFA", field("SFB")},
                        {"SFB", field("SFA")},
                        {"granularity", std::move(granularity)},
                        {"alpha", field("alpha")},
                        {"beta", field("beta")},
                        {"C", transposed(field("C"))},
                        {"out_dtype", field("out_dtype")},
                        {"promote", field("promote")}});
}

// ---- inputs -------------------------------------------------------------------------------------

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a - 1) / b + 1;
}

/// Bits that products of integers up to 3 need over all of K.
int bits_of_sum(std::int64_t k) {
  return static_cast<int>(std::bit_width(9 * static_cast<std::uint64_t>(k)));
}

/// Element i of an operand in -3 … 3 without 0: small enough that no sum over K with these scales
/// is rounded.
num::Bits exact_element(num::DType dtype, std::uint64_t seed, std::uint64_t i) {
  const std::uint64_t draw = random_bits(seed, i, 0) >> 32;
  const double value = static_cast<double>(draw % 3 + 1);
  return num::from_double(draw % 2 == 0 ? value : -value, dtype);
}

/// A normal number times a power of two: a sum over many binades is rounded, and differently by
/// each order and each tensor core.
num::Bits random_operand_element(num::DType dtype, std::uint64_t seed, std::uint64_t i) {
  const num::Bits normal = random_element(RandomKind::normal, num::DType::f64, seed, i);
  const auto exponent = static_cast<int>((random_bits(seed, i, 7) >> 33) % 11) - 5;
  const double factor = exponent < 0 ? 1.0 / (1 << -exponent) : 1 << exponent;
  return num::from_double(num::to_double(normal, num::DType::f64) * factor, dtype);
}

/// Scales by adversarial_choice.  Exact: integers, or powers of two, of `room` bits.  Random: 17
/// binades, and where the type has a fraction any number in them.
Tensor make_scales(
    std::vector<std::int64_t> shape, num::DType dtype, bool exact, int room, std::uint64_t seed) {
  constexpr std::int64_t kBinades = 17;
  const bool powers = dtype == num::DType::e8m0;
  const std::int64_t choices = !exact   ? kBinades
                               : powers ? room + 1
                                        : (std::int64_t{1} << room) - 1;
  const std::int64_t count = shape[0] * shape[1];
  std::vector<num::Bits> values;
  std::uint64_t i = 0;
  for (const std::int64_t choice :
       adversarial_choice(count, std::max<std::int64_t>(choices, 2), seed, shape[1])) {
    double value = 0;
    if (exact && !powers) {
      value = static_cast<double>(choice + 1) * 0.25;
    } else {
      const std::int64_t exponent = choice - choices / 2;
      value = exponent < 0 ? 1.0 / static_cast<double>(std::int64_t{1} << -exponent)
                           : static_cast<double>(std::int64_t{1} << exponent);
      if (!exact && !powers)
        value *= 1.0 + static_cast<double>(random_bits(seed, i, 1) >> 41) * 0x1p-23;
    }
    values.push_back(num::from_double(value, dtype));
    ++i;
  }
  return from_values(dtype, std::move(shape), values);
}

Value gemm_inputs(Interpreter& interpreter, const Arguments& args) {
  const std::int64_t m = args.integer(0);
  const std::int64_t n = args.integer(1);
  const std::int64_t k = args.integer(2);
  const std::vector<std::int64_t> g = args.integers(3);
  if (std::min({m, n, k}) < 1) fail(args.span(), "M, N and K are at least 1");
  if (g.size() != 3 || std::min({g[0], g[1], g[2]}) < 1)
    fail(args.span(3), "granularity is (gm, gn, gk), three positive ints");
  const num::DType dtype = args.dtype_or(4, num::DType::e4m3);
  const std::string mode = args.text_or(5, "random");
  if (mode != "random" && mode != "exact")
    fail(args.span(5), "mode is \"random\" or \"exact\", not '{}'", mode);
  const num::DType scale_dtype = args.dtype_or(6, num::DType::f32);
  if (scale_dtype != num::DType::f32 && scale_dtype != num::DType::e8m0)
    fail(args.span(6), "scales are float32 or float8_e8m0fnu, not {}", num::name(scale_dtype));
  if (!num::is_float(dtype) || !random_kind_fits(RandomKind::normal, dtype))
    fail(args.span(4), "operands are floats, not {}", num::name(dtype));
  const bool exact = mode == "exact";
  const int room = std::min((24 - bits_of_sum(k)) / 2, 5);
  if (exact && room < 2) {
    fail(args.span(2), "K = {} leaves no room for exact sums in float32: at most 116508", k);
  }
  for (const auto& [rows, place] : {std::pair{m, 0}, std::pair{n, 1}})
    (void)unwrap(checked_size({rows, k}, dtype), args.span(static_cast<std::size_t>(place)));
  interpreter.spend(1 + (m * k + n * k) / 16, args.span());
  const auto seed = 16 * static_cast<std::uint64_t>(args.integer_or(7, 0));
  const auto operand = [&](std::int64_t rows, std::uint64_t its_seed) {
    return tensor_value(
        generate(dtype, {rows, k}, interpreter.options().collect_only,
                 [element = exact ? exact_element : random_operand_element, dtype,
                  its_seed](std::uint64_t i) { return element(dtype, its_seed, i); }));
  };
  const std::int64_t blocks = ceil_div(k, g[2]);
  interpreter.spend((ceil_div(m, g[0]) + ceil_div(n, g[1])) * blocks, args.span());
  return problem_value(
      {{"A", operand(m, seed)},
       {"B", operand(n, seed + 1)},
       {"SFA",
        tensor_value(make_scales({ceil_div(m, g[0]), blocks}, scale_dtype, exact, room, seed + 2))},
       {"SFB",
        tensor_value(make_scales({ceil_div(n, g[1]), blocks}, scale_dtype, exact, room, seed + 3))},
       {"granularity", make_tuple({Value(g[0]), Value(g[1]), Value(g[2])})},
       {"alpha", 1.0},
       {"beta", 0.0},
       {"C", Value()},
       {"out_dtype", args.has(8) ? args[8] : Value("bfloat16")},
       {"promote", Value()}});
}

Value parse_name(Interpreter&, const Arguments& args) {
  const GemmName name = unwrap(parse_gemm_name(args.text(0)), args.span(0));
  auto record = std::make_shared<Record>("gemm name");
  for (const GemmNameField& field : name.fields) {
    if (field.number) {
      record->with(field.key, *field.number);
    } else {
      record->with(field.key, field.value);
    }
  }
  return record;
}

constexpr auto kReference = std::to_array<BuiltinFunction>({
    {"block_scaled_gemm",
     "A, B=None, SFA=None, SFB=None, granularity=None, alpha=1.0, beta=0.0, C=None, "
     "out_dtype='bfloat16', model='exact', promote=None, order='product'",
     block_scaled_gemm, "The block-scaled product, exact or with a hardware's bits."},
    {"grouped_gemm",
     "A, B, SFA, SFB, granularity, m_indices=None, masked_m=None, group_sizes=None, alpha=1.0, "
     "beta=0.0, C=None, out_dtype='bfloat16', model='exact', promote=None, order='product'",
     grouped_gemm, "The same for groups of rows that each have their own B."},
});

constexpr auto kGemmFunctions = std::to_array<BuiltinFunction>({
    {"gemm_problem",
     "A, B, SFA, SFB, granularity, alpha=1.0, beta=0.0, C=None, out_dtype='bfloat16', promote=None",
     gemm_problem, "The operands of a block-scaled GEMM, together."},
    {"gemm_inputs",
     "M, N, K, granularity, dtype='float8_e4m3fn', mode='random', scale_dtype='float32', seed=0, "
     "out_dtype='bfloat16'",
     gemm_inputs, "A problem whose scales show a wrong index."},
    {"swap_ab", "problem", swap_ab, "The problem of D transposed: A and B exchanged."},
    {"parse_gemm_name", "name", parse_name, "The fields of a CUTLASS kernel's name."},
});

}  // namespace

void register_gemm(Registry& registry) {
  registry.add("tirx", kGemmFunctions);
  registry.add("tirx.reference", kReference);
}

}  // namespace tirx::dsl
