// The rows of the scalar operations.  Sources: PTX ISA 8.x "Integer/Floating Point Instructions";
// evidence as in docs/numerics.md.
#include "numerics/scalar_op.hpp"

#include <array>
#include <cstddef>

#include "numerics/fingerprint.hpp"

namespace tirx::num {
namespace {

constexpr TypeSet kSigned =
    type_bit(DType::i8) | type_bit(DType::i16) | type_bit(DType::i32) | type_bit(DType::i64);
constexpr TypeSet kUnsigned =
    type_bit(DType::u8) | type_bit(DType::u16) | type_bit(DType::u32) | type_bit(DType::u64);
constexpr TypeSet kInts = kSigned | kUnsigned;
constexpr TypeSet kF32 = type_bit(DType::f32);
constexpr TypeSet kHalves = type_bit(DType::f16) | type_bit(DType::bf16);
constexpr TypeSet kFloats = kHalves | kF32 | type_bit(DType::f64);
constexpr TypeSet kNumbers = kInts | kFloats;
constexpr TypeSet kBool = type_bit(DType::boolean);
constexpr TypeSet kMath = kHalves | kF32;  // float64 forms do not exist, and say so

constexpr auto kSame = ResultRule::same;
constexpr auto kExact = Exactness::exact;
constexpr auto kRounded = Exactness::correctly_rounded;
constexpr auto kWitnessed = Evidence::witnessed;
constexpr auto kDefined = Evidence::defined;

constexpr ScalarOpRow math(ScalarOp op, std::string_view name, int arity, double ulp) {
  return {op, name, arity, kSame, kMath, Exactness::sequence, kWitnessed, ulp};
}

constexpr ScalarOpRow approx(ScalarOp op, std::string_view name, Evidence evidence, double ulp) {
  return {op, name, 1, kSame, kF32, Exactness::table, evidence, ulp};
}

constexpr ScalarOpRow compare(ScalarOp op, std::string_view name, TypeSet types) {
  return {op, name, 2, ResultRule::boolean, types, kExact, kWitnessed, 0};
}

constexpr ScalarOpRow integer(ScalarOp op, std::string_view name, int arity, TypeSet types) {
  return {op, name, arity, kSame, types, kExact, kDefined, 0};
}

constexpr ScalarOpRow count(ScalarOp op, std::string_view name) {
  return {op, name, 1, ResultRule::int32, kInts, kExact, kDefined, 0};
}

constexpr ScalarOpRow rounded(ScalarOp op,
                              std::string_view name,
                              int arity,
                              TypeSet types,
                              Evidence evidence = Evidence::witnessed) {
  return {op, name, arity, kSame, types, kRounded, evidence, 0.5};
}

constexpr auto kHandle = type_bit(DType::handle);

constexpr auto kRows = std::to_array<ScalarOpRow>({
    rounded(ScalarOp::add, "add", 2, kNumbers),
    rounded(ScalarOp::sub, "sub", 2, kNumbers),
    rounded(ScalarOp::mul, "mul", 2, kNumbers),
    rounded(ScalarOp::div, "div", 2, kFloats),
    integer(ScalarOp::floordiv, "floordiv", 2, kInts),
    integer(ScalarOp::floormod, "floormod", 2, kInts),
    integer(ScalarOp::truncdiv, "truncdiv", 2, kInts),
    integer(ScalarOp::truncmod, "truncmod", 2, kInts),
    rounded(ScalarOp::fma, "fma", 3, kFloats),
    {ScalarOp::min, "min", 2, kSame, kNumbers, kExact, kWitnessed, 0},
    {ScalarOp::max, "max", 2, kSame, kNumbers, kExact, kWitnessed, 0},
    {ScalarOp::min_nan, "min_nan", 2, kSame, kFloats, kExact, kWitnessed, 0},
    {ScalarOp::max_nan, "max_nan", 2, kSame, kFloats, kExact, kWitnessed, 0},
    {ScalarOp::neg, "neg", 1, kSame, kNumbers, kExact, kDefined, 0},
    {ScalarOp::abs, "abs", 1, kSame, kNumbers, kExact, kDefined, 0},
    compare(ScalarOp::eq, "eq", kNumbers | kBool | kHandle),
    compare(ScalarOp::ne, "ne", kNumbers | kBool | kHandle),
    compare(ScalarOp::lt, "lt", kNumbers | kBool),
    compare(ScalarOp::le, "le", kNumbers | kBool),
    compare(ScalarOp::gt, "gt", kNumbers | kBool),
    compare(ScalarOp::ge, "ge", kNumbers | kBool),
    integer(ScalarOp::bit_and, "bit_and", 2, kInts | kBool),
    integer(ScalarOp::bit_or, "bit_or", 2, kInts | kBool),
    integer(ScalarOp::bit_xor, "bit_xor", 2, kInts | kBool),
    integer(ScalarOp::bit_not, "bit_not", 1, kInts),
    integer(ScalarOp::shl, "shl", 2, kInts),
    integer(ScalarOp::shr, "shr", 2, kInts),
    count(ScalarOp::popc, "popc"),
    count(ScalarOp::clz, "clz"),
    integer(ScalarOp::brev, "brev", 1, kInts),
    count(ScalarOp::ffs, "ffs"),
    integer(ScalarOp::mulhi, "mulhi", 2, kInts),
    integer(ScalarOp::logical_not, "logical_not", 1, kBool),
    rounded(ScalarOp::sqrt, "sqrt", 1, kFloats),
    rounded(ScalarOp::rcp, "rcp", 1, kFloats),
    {ScalarOp::floor, "floor", 1, kSame, kFloats, kExact, kWitnessed, 0},
    {ScalarOp::ceil, "ceil", 1, kSame, kFloats, kExact, kWitnessed, 0},
    {ScalarOp::trunc, "trunc", 1, kSame, kFloats, kExact, kWitnessed, 0},
    {ScalarOp::rint, "rint", 1, kSame, kFloats, kExact, kWitnessed, 0},
    {ScalarOp::round, "round", 1, kSame, kFloats, kExact, kDefined, 0},
    {ScalarOp::copysign, "copysign", 2, kSame, kFloats, kExact, kDefined, 0},
    {ScalarOp::isnan, "isnan", 1, ResultRule::boolean, kFloats, kExact, kDefined, 0},
    {ScalarOp::isinf, "isinf", 1, ResultRule::boolean, kFloats, kExact, kDefined, 0},
    {ScalarOp::isfinite, "isfinite", 1, ResultRule::boolean, kFloats, kExact, kDefined, 0},
    math(ScalarOp::exp, "exp", 1, 1),
    math(ScalarOp::exp2, "exp2", 1, 1),
    math(ScalarOp::log, "log", 1, 1),
    math(ScalarOp::log2, "log2", 1, 1),
    math(ScalarOp::log1p, "log1p", 1, 1),
    math(ScalarOp::expm1, "expm1", 1, 1),
    math(ScalarOp::sin, "sin", 1, 1),
    math(ScalarOp::cos, "cos", 1, 1),
    math(ScalarOp::tan, "tan", 1, 1),
    math(ScalarOp::tanh, "tanh", 1, 2),
    math(ScalarOp::erf, "erf", 1, 2),
    math(ScalarOp::rsqrt, "rsqrt", 1, 1),
    math(ScalarOp::pow, "pow", 2, 2),
    math(ScalarOp::sigmoid, "sigmoid", 1, 3),
    math(ScalarOp::silu, "silu", 1, -1),
    math(ScalarOp::gelu, "gelu", 1, -1),
    approx(ScalarOp::ex2_approx, "ex2_approx", kWitnessed, 2),
    approx(ScalarOp::ex2_approx_ftz, "ex2_approx_ftz", kWitnessed, 2),
    approx(ScalarOp::rcp_approx, "rcp_approx", kWitnessed, 1),
    approx(ScalarOp::rcp_approx_ftz, "rcp_approx_ftz", kWitnessed, 1),
    approx(ScalarOp::rsqrt_approx, "rsqrt_approx", kWitnessed, 2),
    approx(ScalarOp::rsqrt_approx_ftz, "rsqrt_approx_ftz", kWitnessed, 2),
    approx(ScalarOp::sqrt_approx, "sqrt_approx", kWitnessed, 2),
    approx(ScalarOp::sqrt_approx_ftz, "sqrt_approx_ftz", kWitnessed, 2),
    approx(ScalarOp::lg2_approx, "lg2_approx", kWitnessed, -1),
    approx(ScalarOp::lg2_approx_ftz, "lg2_approx_ftz", kWitnessed, -1),
    approx(ScalarOp::tanh_approx, "tanh_approx", kWitnessed, -1),
    approx(ScalarOp::sin_approx, "sin_approx", kWitnessed, -1),
    approx(ScalarOp::sin_approx_ftz, "sin_approx_ftz", kWitnessed, -1),
    approx(ScalarOp::cos_approx, "cos_approx", kWitnessed, -1),
    approx(ScalarOp::cos_approx_ftz, "cos_approx_ftz", kWitnessed, -1),
    rounded(ScalarOp::add_ftz, "add_ftz", 2, kF32),
    rounded(ScalarOp::sub_ftz, "sub_ftz", 2, kF32),
    rounded(ScalarOp::mul_ftz, "mul_ftz", 2, kF32),
    rounded(ScalarOp::fma_ftz, "fma_ftz", 3, kF32),
    rounded(ScalarOp::div_ftz, "div_ftz", 2, kF32),
    rounded(ScalarOp::sqrt_ftz, "sqrt_ftz", 1, kF32),
    rounded(ScalarOp::rcp_ftz, "rcp_ftz", 1, kF32),
    {ScalarOp::min_ftz, "min_ftz", 2, kSame, kF32, kExact, kWitnessed, 0},
    {ScalarOp::max_ftz, "max_ftz", 2, kSame, kF32, kExact, kWitnessed, 0},
});

constexpr bool rows_follow_the_enumeration() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].op) != i) return false;
  }
  return kRows.size() == kScalarOpCount;
}

static_assert(rows_follow_the_enumeration());

}  // namespace

std::span<const ScalarOpRow> scalar_op_rows() {
  static const auto rows = [] {
    auto out = kRows;
    for (ScalarOpRow& r : out) {
      const std::string_view recorded = recorded_fingerprint(r.name);
      if (!recorded.empty()) r.evidence = standing(r.evidence, recorded, fingerprint(r.op));
    }
    return out;
  }();
  return rows;
}

const ScalarOpRow& row(ScalarOp op) {
  return scalar_op_rows()[static_cast<std::size_t>(op)];
}

const ScalarOpRow& declared_row(ScalarOp op) {
  return kRows[static_cast<std::size_t>(op)];
}

std::optional<ScalarOp> find_scalar_op(std::string_view name) {
  for (const ScalarOpRow& r : kRows) {
    if (r.name == name) return r.op;
  }
  return std::nullopt;
}

DType result_dtype(ScalarOp op, DType operand) {
  switch (declared_row(op).result) {
    case ResultRule::boolean:
      return DType::boolean;
    case ResultRule::int32:
      return DType::i32;
    case ResultRule::same:
      break;
  }
  return operand;
}

}  // namespace tirx::num
