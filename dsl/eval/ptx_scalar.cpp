// The rows, and the call: operands must have exactly the width and kind the instruction says.
#include "dsl/eval/ptx_scalar.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"

namespace tirx::dsl {

namespace {

using num::DType;
using Op = num::ScalarOp;

// clang-format off
constexpr auto kRows = std::to_array<PtxScalar>({
    {"ex2.approx.f32", Op::ex2_approx, DType::f32},
    {"ex2.approx.ftz.f32", Op::ex2_approx_ftz, DType::f32},
    {"rcp.approx.f32", Op::rcp_approx, DType::f32},
    {"rcp.approx.ftz.f32", Op::rcp_approx_ftz, DType::f32},
    {"rcp.rn.f32", Op::rcp, DType::f32},
    {"rcp.rn.ftz.f32", Op::rcp_ftz, DType::f32},
    {"rsqrt.approx.f32", Op::rsqrt_approx, DType::f32},
    {"rsqrt.approx.ftz.f32", Op::rsqrt_approx_ftz, DType::f32},
    {"sqrt.approx.f32", Op::sqrt_approx, DType::f32},
    {"sqrt.approx.ftz.f32", Op::sqrt_approx_ftz, DType::f32},
    {"sqrt.rn.f32", Op::sqrt, DType::f32},
    {"sqrt.rn.ftz.f32", Op::sqrt_ftz, DType::f32},
    {"lg2.approx.f32", Op::lg2_approx, DType::f32},
    {"lg2.approx.ftz.f32", Op::lg2_approx_ftz, DType::f32},
    {"tanh.approx.f32", Op::tanh_approx, DType::f32},
    {"sin.approx.f32", Op::sin_approx, DType::f32},
    {"sin.approx.ftz.f32", Op::sin_approx_ftz, DType::f32},
    {"cos.approx.f32", Op::cos_approx, DType::f32},
    {"cos.approx.ftz.f32", Op::cos_approx_ftz, DType::f32},
    {"add.f32", Op::add, DType::f32},
    {"add.rn.f32", Op::add, DType::f32},
    {"add.ftz.f32", Op::add_ftz, DType::f32},
    {"add.rn.ftz.f32", Op::add_ftz, DType::f32},
    {"sub.f32", Op::sub, DType::f32},
    {"sub.rn.f32", Op::sub, DType::f32},
    {"sub.ftz.f32", Op::sub_ftz, DType::f32},
    {"sub.rn.ftz.f32", Op::sub_ftz, DType::f32},
    {"mul.f32", Op::mul, DType::f32},
    {"mul.rn.f32", Op::mul, DType::f32},
    {"mul.ftz.f32", Op::mul_ftz, DType::f32},
    {"mul.rn.ftz.f32", Op::mul_ftz, DType::f32},
    {"div.rn.f32", Op::div, DType::f32},
    {"div.rn.ftz.f32", Op::div_ftz, DType::f32},
    {"fma.rn.f32", Op::fma, DType::f32},
    {"fma.rn.ftz.f32", Op::fma_ftz, DType::f32},
    {"fma.rn.f16", Op::fma, DType::f16},
    {"fma.rn.bf16", Op::fma, DType::bf16},
    {"fma.rn.f64", Op::fma, DType::f64},
    {"min.f32", Op::min, DType::f32},
    {"max.f32", Op::max, DType::f32},
    {"min.ftz.f32", Op::min_ftz, DType::f32},
    {"max.ftz.f32", Op::max_ftz, DType::f32},
    {"min.NaN.f32", Op::min_nan, DType::f32},
    {"max.NaN.f32", Op::max_nan, DType::f32},
    {"add.f64", Op::add, DType::f64},
    {"add.rn.f64", Op::add, DType::f64},
    {"sub.f64", Op::sub, DType::f64},
    {"sub.rn.f64", Op::sub, DType::f64},
    {"mul.f64", Op::mul, DType::f64},
    {"mul.rn.f64", Op::mul, DType::f64},
    {"add.f16", Op::add, DType::f16},
    {"add.rn.f16", Op::add, DType::f16},
    {"sub.f16", Op::sub, DType::f16},
    {"sub.rn.f16", Op::sub, DType::f16},
    {"mul.f16", Op::mul, DType::f16},
    {"mul.rn.f16", Op::mul, DType::f16},
    {"div.rn.f64", Op::div, DType::f64},
    {"sqrt.rn.f64", Op::sqrt, DType::f64},
    {"rcp.rn.f64", Op::rcp, DType::f64},
    {"min.f64", Op::min, DType::f64},
    {"max.f64", Op::max, DType::f64},
    {"min.f16", Op::min, DType::f16},
    {"max.f16", Op::max, DType::f16},
    {"min.bf16", Op::min, DType::bf16},
    {"max.bf16", Op::max, DType::bf16},
    {"min.NaN.f16", Op::min_nan, DType::f16},
    {"max.NaN.f16", Op::max_nan, DType::f16},
    {"min.NaN.bf16", Op::min_nan, DType::bf16},
    {"max.NaN.bf16", Op::max_nan, DType::bf16},
    {"neg.f32", Op::neg, DType::f32},
    {"abs.f32", Op::abs, DType::f32},
    {"neg.f64", Op::neg, DType::f64},
    {"abs.f64", Op::abs, DType::f64},
    {"popc.b32", Op::popc, DType::u32},
    {"clz.b32", Op::clz, DType::u32},
    {"brev.b32", Op::brev, DType::u32},
    {"mul.hi.u32", Op::mulhi, DType::u32},
    {"mul.hi.s32", Op::mulhi, DType::i32},
});
// clang-format on

}  // namespace

std::span<const PtxScalar> ptx_scalars() {
  return kRows;
}

const PtxScalar* find_ptx_scalar(std::string_view text) {
  for (const PtxScalar& row : kRows) {
    if (row.text == text) return &row;
  }
  // Modifiers may come in any order behind the opcode.
  const auto sorted = [](std::string_view instruction) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= instruction.size();) {
      const std::size_t end = std::min(instruction.find('.', begin), instruction.size());
      parts.push_back(instruction.substr(begin, end - begin));
      begin = end + 1;
    }
    std::sort(parts.begin() + 1, parts.end());
    return parts;
  };
  const auto wanted = sorted(text);
  for (const PtxScalar& row : kRows) {
    if (sorted(row.text) == wanted) return &row;
  }
  return nullptr;
}

Value ptx_scalar_call(Interpreter& interpreter,
                      const PtxScalar& row,
                      CallArgs args,
                      bool as_value) {
  KernelBuilder& builder = interpreter.need_kernel(fmt::format("T.ptx.{}", row.text), args.span);
  if (!args.named.empty()) {
    fail(args.named[0].second.span, "'{}' takes no keyword '{}'", row.text, args.named[0].first);
  }
  const auto inputs = static_cast<std::size_t>(num::declared_row(row.op).arity);
  const std::size_t leading = as_value ? 0 : 1;
  if (args.positional.size() != inputs + leading) {
    fail(args.span, "'{}' expects {} operand{}: {}{} input{}", row.text, inputs + leading,
         inputs + leading == 1 ? "" : "s", as_value ? "" : "where the result goes, and ", inputs,
         inputs == 1 ? "" : "s");
  }
  const ir::Access* place = as_value ? nullptr : writable_place(args.positional[0].value);
  if (place == nullptr && !as_value) {
    fail_help(args.positional[0].span, "the first operand must be a writable scalar",
              "an element of a buffer, or a variable `x: T.float32`");
  }
  std::vector<ir::Expr> values;
  for (std::size_t i = leading; i < args.positional.size(); ++i) {
    const ArgumentValue& given = args.positional[i];
    if (given.value.number()) {
      values.push_back(literal_as(given.value, {row.dtype, 1}, given.span));
      continue;
    }
    ir::Expr value = interpreter.expr(given.value, given.span);
    if (num::bits(value->type.dtype) != num::bits(row.dtype) || value->type.lanes != 1 ||
        num::is_float(value->type.dtype) != num::is_float(row.dtype)) {
      fail(given.span, "operand {} of '{}' must have dtype {}, not {}", i, row.text,
           num::name(row.dtype), ir::to_string(value->type));
    }
    values.push_back(reinterpret_expr(value, {row.dtype, 1}, given.span));
  }
  const ir::Expr result = scalar_expr(row.op, std::move(values), args.span);
  if (as_value) return result;
  const ArgumentValue& destination = args.positional[0];
  const ir::Access to = *place;
  const ir::Type wanted = (*destination.value.as<ir::Expr>())->type;
  if (num::bits(wanted.dtype) != num::bits(result->type.dtype)) {
    fail(destination.span, "the result of '{}' must have dtype {}, not {}", row.text,
         ir::to_string(result->type), ir::to_string(wanted));
  }
  builder.emit(args.span, ir::Store{to, reinterpret_expr(result, wanted, args.span)});
  return {};
}

}  // namespace tirx::dsl
