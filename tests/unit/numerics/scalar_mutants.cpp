// Does a deliberately broken scalar row make the comparison with the GPU fail?  Every mutant names
// a recorded function (tests/vectors/scalar/digests.bin.gz) and a block of 2^20 inputs whose digest
// catches it; the row itself must give the recorded digest there.  Matrix rows: mma_mutants.cpp.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "numerics/approx/tables.hpp"
#include "numerics/scalar.hpp"
#include "numerics/soft.hpp"
#include "tests/tools/numerics/campaign/digest_file.hpp"
#include "tests/tools/numerics/campaign/rows.hpp"

using namespace tirx::num;

namespace {

using Operand = std::uint32_t;
using Function = std::function<Bits(Operand, Operand, Operand)>;

struct Mutant {
  const char* name;
  const char* row;  // of the campaign
  std::size_t block;
  Function broken;
};

Operand f32(ScalarOp op, Bits a, Bits b = 0, Bits c = 0) {
  return static_cast<Operand>(evaluate(op, DType::f32, a, b, c).value);
}

Operand word(float x) {
  return std::bit_cast<Operand>(x);
}

/// The same conversion in another form.
Function form(DType from, DType to, const Conversion& other) {
  return [=](Operand x, Operand, Operand) { return convert(x, from, to, other); };
}

/// Subnormal operands and results become zeros, but only once the result has been rounded as a
/// subnormal is.
Function flushed_late(ScalarOp op) {
  return [op](Operand a, Operand b, Operand c) -> Bits {
    const auto flush = [](Bits x) { return (x & 0x7f800000U) == 0 ? x & 0x80000000U : x; };
    return flush(f32(op, flush(a), flush(b), flush(c)));
  };
}

/// Tininess before rounding.
Bits flushed_early(Operand a, Operand b, Operand) {
  const auto flush = [](Bits x) { return (x & 0x7f800000U) == 0 ? x & 0x80000000U : x; };
  const Bits cut = soft::mul(DType::f32, flush(a), flush(b), Round::rz);
  return (cut & 0x7f800000U) == 0 ? cut & 0x80000000U
                                  : flush(f32(ScalarOp::mul, flush(a), flush(b)));
}

/// rcp.approx.ftz of [1, 2) by an interpolator.
Function reciprocal(const Interpolator& unit, std::int64_t more) {
  return [unit, more](Operand x, Operand, Operand) -> Bits {
    const auto value = static_cast<std::uint64_t>(interpolate(unit, x & 0x7fffffU) + more);
    const int width = static_cast<int>(std::bit_width(value));
    return (static_cast<Bits>(width - 1 - kUnit + 127) << 23) + (value >> (width - 24) & 0x7fffffU);
  };
}

constexpr std::size_t kOne = 0x3f8;    // the block of 1.0
constexpr std::size_t kTwo = 0x401;    // of 2.25
constexpr std::size_t kTie = 0x402;    // of 2.5
constexpr std::size_t kMinus = 0xbf8;  // of -1.0

std::vector<Mutant> mutants() {
  using Op = ScalarOp;
  const auto one = word(1.0F);
  const Conversion rn{}, rz{.round = Round::rz}, rna{.round = Round::rna}, rp{.round = Round::rp};
  const Interpolator rcp = rcp_unit();
  return {
      // IEEE operations
      {"add without a NaN of its own", "add", 7,
       [](Operand a, Operand b, Operand) -> Bits {
         const Operand sum = f32(Op::add, a, b);
         return sum == 0x7fffffffU ? 0x7fc00000U : sum;
       }},
      {"sub as add", "sub", 0, [](Operand a, Operand b, Operand) { return f32(Op::add, a, b); }},
      {"mul rounded toward zero", "mul", 1,
       [](Operand a, Operand b, Operand) { return soft::mul(DType::f32, a, b, Round::rz); }},
      {"div by a reciprocal", "div", 6,
       [](Operand a, Operand b, Operand) { return f32(Op::mul, a, f32(Op::rcp, b)); }},
      {"fma in two roundings", "fma", 0,
       [](Operand a, Operand b, Operand c) { return f32(Op::add, f32(Op::mul, a, b), c); }},
      {"min takes the second zero", "min", 7,
       [](Operand a, Operand b, Operand) -> Bits {
         return (a << 1) == 0 && (b << 1) == 0 ? b : f32(Op::min, a, b);
       }},
      {"max keeps a NaN", "max", 7,
       [](Operand a, Operand b, Operand) { return f32(Op::max_nan, a, b); }},
      {"sqrt by rsqrt", "sqrt", kTwo,
       [](Operand a, Operand, Operand) { return f32(Op::mul, a, f32(Op::rsqrt, a)); }},
      {"rint ties away", "rint", kTie,
       [](Operand a, Operand, Operand) { return f32(Op::round, a); }},
      {"floor as trunc", "floor", kMinus,
       [](Operand a, Operand, Operand) { return f32(Op::trunc, a); }},
      // .ftz
      {"mul.ftz as subnormals round", "mul_ftz", 0, flushed_late(Op::mul)},
      {"mul.ftz tiny before rounding", "mul_ftz", 0, flushed_early},
      {"fma.ftz as subnormals round", "fma_ftz", 4, flushed_late(Op::fma)},
      {"div.ftz as subnormals round", "div_ftz", 0, flushed_late(Op::div)},
      {"add without .ftz", "add_ftz", 6,
       [](Operand a, Operand b, Operand) { return f32(Op::add, a, b); }},
      // 16-bit fma
      {"float16 fma in two roundings", "fma.f16", 0,
       [](Operand a, Operand b, Operand c) -> Bits {
         const Bits product = evaluate(Op::mul, DType::f16, a, b).value;
         return evaluate(Op::add, DType::f16, product, c).value;
       }},
      // conversions
      {"to float16, ties away", "cvt.rn.f16.f32", kOne, form(DType::f32, DType::f16, rna)},
      {"to float16 toward zero, overflow to infinity", "cvt.rz.f16.f32", 0x478,
       [](Operand x, Operand, Operand) -> Bits {
         const Bits half = convert(x, DType::f32, DType::f16, {.round = Round::rz});
         return (half & 0x7fffU) == 0x7bffU ? half + 1 : half;
       }},
      {"to bfloat16, truncated", "cvt.rn.bf16.f32", kOne, form(DType::f32, DType::bf16, rz)},
      {"to tf32, ties to even", "cvt.rna.tf32.f32", kOne, form(DType::f32, DType::tf32, rn)},
      {"to e4m3, not saturating", "cvt.rn.satfinite.e4m3x2.f32", 0x43f,
       form(DType::f32, DType::e4m3, rn)},
      {"no relu", "cvt.rn.relu.f16.f32", kMinus + 1, form(DType::f32, DType::f16, rn)},
      {"no sat", "cvt.sat.f32.f32", kTwo, form(DType::f32, DType::f32, rn)},
      {"to int32, ties away", "cvt.rni.s32.f32", kTie, form(DType::f32, DType::i32, rna)},
      {"to uint8, wrapping", "cvt.rzi.u8.f32", 0x43f,
       [](Operand x, Operand, Operand) {
         return convert(x, DType::f32, DType::i32, {.round = Round::rz}) & 0xffU;
       }},
      {"NaN to int32 as x86 does", "cvt.rzi.s32.f32", 0x7fc,
       [](Operand x, Operand, Operand) -> Bits {
         const bool nan = (x & 0x7fffffffU) > 0x7f800000U;
         return nan ? 0x80000000U : convert(x, DType::f32, DType::i32);
       }},
      {"int32 to float32, truncated", "cvt.rn.f32.s32", 0x7ff, form(DType::i32, DType::f32, rz)},
      {"uint32 read as int32", "cvt.rn.f32.u32", 0xfff, form(DType::i32, DType::f32, rn)},
      {"upwards as to nearest", "cvt.rp.f32.u32", 0xfff, form(DType::u32, DType::f32, rn)},
      {"float16 NaN to float64 loses its payload", "cvt.f64.f16", 0,
       [](Operand x, Operand, Operand) -> Bits {
         return (x & 0x7fffU) > 0x7c00U ? 0x7fffffffe0000000U : convert(x, DType::f16, DType::f64);
       }},
      // the special-function unit
      {"square with all partial products", "rcp_approx_ftz", kOne,
       reciprocal({rcp.segments, rcp.bits, 0}, 0)},
      {"square with one column less", "rcp_approx_ftz", kOne,
       reciprocal({rcp.segments, rcp.bits, rcp.cut + 1}, 0)},
      {"sum 2^-25 higher", "rcp_approx_ftz", kOne, reciprocal(rcp, std::int64_t{1} << 15)},
      {"ex2 of a negative number by negation", "ex2_approx_ftz", kMinus,
       [](Operand x, Operand, Operand) -> Bits {
         return f32(Op::rcp, f32(Op::ex2_approx_ftz, x ^ 0x80000000U));
       }},
      {"lg2 of 1/2 exact", "lg2_approx_ftz", 0x3f0,
       [](Operand x, Operand, Operand) -> Bits {
         return x == 0x3f000000U ? 0xbf800000U : f32(Op::lg2_approx_ftz, x);
       }},
      {"sin.approx of the exact argument", "sin_approx", kOne,
       [](Operand x, Operand, Operand) { return f32(Op::sin, x); }},
      {"tanh.approx with all bits", "tanh_approx", kOne,
       [](Operand x, Operand, Operand) { return f32(Op::tanh, x); }},
      // our own sequences
      {"exp by exp2", "exp", kOne,
       [](Operand x, Operand, Operand) {
         return f32(Op::exp2, f32(Op::mul, x, word(0x1.715476p+0F)));
       }},
      {"exp2 by exp", "exp2", kOne,
       [](Operand x, Operand, Operand) {
         return f32(Op::exp, f32(Op::mul, x, word(0x1.62e43p-1F)));
       }},
      {"expm1 by exp", "expm1", kOne,
       [one](Operand x, Operand, Operand) { return f32(Op::sub, f32(Op::exp, x), one); }},
      {"log by log2", "log", kTwo,
       [](Operand x, Operand, Operand) {
         return f32(Op::mul, f32(Op::log2, x), word(0x1.62e43p-1F));
       }},
      {"log2 by log", "log2", kTwo,
       [](Operand x, Operand, Operand) {
         return f32(Op::mul, f32(Op::log, x), word(0x1.715476p+0F));
       }},
      {"log1p by log", "log1p", 0x3a0,
       [one](Operand x, Operand, Operand) { return f32(Op::log, f32(Op::add, x, one)); }},
      {"sin by cos", "sin", kOne,
       [](Operand x, Operand, Operand) {
         return f32(Op::cos, f32(Op::sub, x, word(0x1.921fb6p+0F)));
       }},
      {"cos by sin", "cos", kOne,
       [](Operand x, Operand, Operand) {
         return f32(Op::sin, f32(Op::add, x, word(0x1.921fb6p+0F)));
       }},
      {"tan as a quotient", "tan", kOne,
       [](Operand x, Operand, Operand) { return f32(Op::div, f32(Op::sin, x), f32(Op::cos, x)); }},
      {"tanh by exp", "tanh", kOne,
       [one](Operand x, Operand, Operand) {
         const Operand e = f32(Op::exp, f32(Op::add, x, x));
         return f32(Op::div, f32(Op::sub, e, one), f32(Op::add, e, one));
       }},
      {"erf by tanh", "erf", kOne,
       [](Operand x, Operand, Operand) { return f32(Op::tanh, f32(Op::mul, x, word(1.128379F))); }},
      {"rsqrt without its correction", "rsqrt", kTwo,
       [one](Operand x, Operand, Operand) { return f32(Op::div, one, f32(Op::sqrt, x)); }},
      {"pow by exp2 and log2", "pow", 1,
       [](Operand x, Operand y, Operand) {
         return f32(Op::exp2, f32(Op::mul, y, f32(Op::log2, x)));
       }},
      {"sigmoid without its branch", "sigmoid", kMinus,
       [one](Operand x, Operand, Operand) {
         return f32(Op::div, one, f32(Op::add, one, f32(Op::exp, x ^ 0x80000000U)));
       }},
      {"silu as one quotient", "silu", kOne,
       [one](Operand x, Operand, Operand) {
         return f32(Op::div, x, f32(Op::add, one, f32(Op::exp, x ^ 0x80000000U)));
       }},
      {"gelu with the product first", "gelu", kOne,
       [one](Operand x, Operand, Operand) {
         const Operand e = f32(Op::erf, f32(Op::mul, x, word(0x1.6a09e6p-1F)));
         return f32(Op::mul, word(0.5F), f32(Op::fma, x, e, f32(Op::mul, x, one)));
       }},
      {"ceil as floor", "ceil", kTwo,
       [](Operand x, Operand, Operand) { return f32(Op::floor, x); }},
      {"trunc as rint", "trunc", kTie,
       [](Operand x, Operand, Operand) { return f32(Op::rint, x); }},
      {"upwards to float16 as to nearest", "cvt.rp.f16.f32", kOne,
       form(DType::f32, DType::f16, rn)},
      {"to float16 upwards as downwards", "cvt.rm.f16.f32", kOne, form(DType::f32, DType::f16, rp)},
  };
}

std::uint32_t digest_of(const campaign::Row& row, std::size_t block, const Function& function) {
  const std::uint64_t size = campaign::block_size(row);
  const int operands = campaign::operand_count(row);
  std::uint32_t sum = 0;
  for (std::uint64_t index = block * size; index < (block + 1) * size; ++index) {
    Operand in[3] = {static_cast<Operand>(index), 0, 0};
    for (int o = 0; row.samples >= 0 && o < operands; ++o) {
      in[o] = campaign::tirx_sample(row.samples, index, o, row.quotient);
      if (bits(row.from) == 16) in[o] &= 0xffffU;
    }
    sum += campaign::mix(static_cast<Operand>(index), function(in[0], in[1], in[2]));
  }
  return sum;
}

}  // namespace

TEST_CASE("scalar rows: every mutant is caught by the recorded block it names") {
  const std::vector<campaign::DigestRow> recorded =
      campaign::read_digests(TIRX_SOURCE_DIR "/tests/vectors/scalar/digests.bin.gz");
  REQUIRE(!recorded.empty());
  const std::vector<campaign::Row> rows = campaign::all_rows();
  const auto named = [](const auto& list, const std::string& name) {
    return std::find_if(list.begin(), list.end(), [&](const auto& r) { return r.name == name; });
  };
  for (const Mutant& mutant : mutants()) {
    CAPTURE(std::string(mutant.name));
    CAPTURE(std::string(mutant.row));
    const auto record = named(recorded, mutant.row);
    const auto row = named(rows, mutant.row);
    REQUIRE(record != recorded.end());
    REQUIRE(row != rows.end());
    const std::uint32_t digest = record->digests.at(mutant.block);
    CHECK(campaign::packed_digest(campaign::host_digest(*row, mutant.block)) == digest);
    CHECK(campaign::packed_digest(digest_of(*row, mutant.block, mutant.broken)) != digest);
  }
}
