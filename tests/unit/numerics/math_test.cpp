// The math functions: errors against MPFR on some hundred thousand inputs and on the worst inputs
// that sweeps of all 2^32 found (tests/tools/numerics/math_sweep.cpp), special values, and the
// 16-bit forms.
#include <bit>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "numerics/convert.hpp"
#include "numerics/lanes.hpp"
#include "numerics/scalar.hpp"
#include "tests/unit/numerics/random_bits.hpp"

#ifdef TIRX_HAVE_MPFR
#include <mpfr.h>
#endif

using namespace tirx::num;
using tirx::num::testing::Random;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::uint32_t word(float x) {
  return std::bit_cast<std::uint32_t>(x);
}

float call(ScalarOp op, float x, float y = 0) {
  const Evaluated result = evaluate(op, DType::f32, word(x), word(y));
  REQUIRE(result.status == EvalStatus::ok);
  return std::bit_cast<float>(static_cast<std::uint32_t>(result.value));
}

bool same(float a, float b) {
  return same_value(word(a), word(b), DType::f32);
}

}  // namespace

TEST_CASE("special values") {
  CHECK(call(ScalarOp::exp, 0) == 1);
  CHECK(call(ScalarOp::exp, kInf) == kInf);
  CHECK(same(call(ScalarOp::exp, -kInf), 0));
  CHECK(call(ScalarOp::exp, 89) == kInf);
  CHECK(call(ScalarOp::exp2, -149) == 0x1p-149F);
  CHECK(call(ScalarOp::exp2, 127) == 0x1p127F);
  CHECK(same(call(ScalarOp::expm1, -0.0F), -0.0F));
  CHECK(call(ScalarOp::expm1, -kInf) == -1);
  CHECK(same(call(ScalarOp::log, 1), 0));
  CHECK(call(ScalarOp::log, -0.0F) == -kInf);
  CHECK(call(ScalarOp::log, kInf) == kInf);
  CHECK(call(ScalarOp::log2, 0x1p-149F) == -149);
  CHECK(call(ScalarOp::log2, 8) == 3);
  CHECK(same(call(ScalarOp::log1p, -0.0F), -0.0F));
  CHECK(call(ScalarOp::log1p, -1) == -kInf);
  CHECK(same(call(ScalarOp::sin, -0.0F), -0.0F));
  CHECK(call(ScalarOp::cos, 0) == 1);
  CHECK(same(call(ScalarOp::tan, -0.0F), -0.0F));
  CHECK(call(ScalarOp::tanh, -kInf) == -1);
  CHECK(same(call(ScalarOp::tanh, -0.0F), -0.0F));
  CHECK(call(ScalarOp::erf, kInf) == 1);
  CHECK(same(call(ScalarOp::erf, -0.0F), -0.0F));
  CHECK(call(ScalarOp::rsqrt, 4) == 0.5F);
  CHECK(call(ScalarOp::rsqrt, -0.0F) == -kInf);
  CHECK(same(call(ScalarOp::rsqrt, kInf), 0));
  CHECK(call(ScalarOp::sigmoid, 0) == 0.5F);
  CHECK(call(ScalarOp::sigmoid, kInf) == 1);
  CHECK(same(call(ScalarOp::sigmoid, -kInf), 0));
  CHECK(call(ScalarOp::silu, 0) == 0);
  CHECK(call(ScalarOp::gelu, kInf) == kInf);
}

TEST_CASE("NaN and arguments outside the domain give the canonical NaN") {
  for (const ScalarOpRow& r : scalar_op_rows()) {
    if (r.exactness != Exactness::sequence) continue;
    CAPTURE(r.name);
    CHECK(evaluate(r.op, DType::f32, word(-kNan), word(2.0F)).value == 0x7fffffffU);
    CHECK(evaluate(r.op, DType::f16, 0xfe00, 0x4000).value == 0x7fffU);
    CHECK(evaluate(r.op, DType::bf16, 0x7f81, 0x4000).value == 0x7fffU);
    CHECK(evaluate(r.op, DType::f64, 0).status == EvalStatus::illegal);
  }
  for (const ScalarOp op : {ScalarOp::log, ScalarOp::log2, ScalarOp::rsqrt}) {
    CHECK(word(call(op, -1)) == 0x7fffffffU);
    CHECK(word(call(op, -kInf)) == 0x7fffffffU);
  }
  for (const ScalarOp op : {ScalarOp::sin, ScalarOp::cos, ScalarOp::tan}) {
    CHECK(word(call(op, -kInf)) == 0x7fffffffU);
  }
  CHECK(word(call(ScalarOp::log1p, -1.5F)) == 0x7fffffffU);
}

TEST_CASE("pow: the special cases of C99") {
  const float values[] = {0.0F,       -0.0F,       1.0F,         -1.0F, 2.0F,   -2.0F,
                          3.0F,       -3.0F,       0.5F,         -0.5F, 2.5F,   kInf,
                          -kInf,      16777215.0F, -16777216.0F, 1e30F, -1e30F, 0x1p-149F,
                          -0x1p-149F, 8388609.5F,  kNan};
  for (const float x : values) {
    for (const float y : values) {
      const double exact = std::pow(static_cast<double>(x), static_cast<double>(y));
      const auto expected = static_cast<float>(exact);
      const float result = call(ScalarOp::pow, x, y);
      CAPTURE(x);
      CAPTURE(y);
      const bool tiny_error =
          ulp_distance(word(result), word(expected), DType::f32).value_or(9) <= 2;
      CHECK((same(result, expected) || tiny_error));
    }
  }
}

TEST_CASE("sigmoid, silu and gelu are the documented compositions") {
  Random random(8);
  for (int i = 0; i < 2000; ++i) {
    const float x = static_cast<float>(static_cast<int>(random.below(40000)) - 20000) / 1000;
    const float e = call(ScalarOp::exp, -std::fabs(x));
    const float sigmoid = call(ScalarOp::div, x < 0 ? e : 1.0F, call(ScalarOp::add, 1, e));
    CHECK(same(call(ScalarOp::sigmoid, x), sigmoid));
    CHECK(same(call(ScalarOp::silu, x), call(ScalarOp::mul, x, sigmoid)));
    const float erf = call(ScalarOp::erf, call(ScalarOp::mul, x, 0x1.6a09e6p-1F));
    const float half = call(ScalarOp::mul, 0.5F, x);
    CHECK(same(call(ScalarOp::gelu, x), call(ScalarOp::mul, half, call(ScalarOp::add, 1, erf))));
  }
}

TEST_CASE("16-bit forms are the float32 ones, rounded once more") {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    for (const ScalarOp op : {ScalarOp::exp, ScalarOp::sin, ScalarOp::tanh, ScalarOp::gelu}) {
      int wrong = 0;
      for (Bits a = 0; a < 0x10000; a += 3) {
        const Bits wide = convert(a, dtype, DType::f32);
        const Bits expected = convert(evaluate(op, DType::f32, wide).value, DType::f32, dtype);
        wrong += evaluate(op, dtype, a).value != expected;
      }
      CHECK(wrong == 0);
    }
  }
}

#ifdef TIRX_HAVE_MPFR
namespace {

struct Case {
  ScalarOp op;
  int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  double limit;  // a little above the worst error of the full sweep
  float low;     // where the function is interesting: magnitudes are drawn from [low, high)
  float high;
  std::uint32_t worst[4];
};

const Case kCases[] = {
    {ScalarOp::exp,
     mpfr_exp,
     0.88,
     0x1p-30F,
     104.0F,
     {0xc1dac129U, 0x41798bc1U, 0x41798a4bU, 0x41829494U}},
    {ScalarOp::exp2,
     mpfr_exp2,
     0.88,
     0x1p-30F,
     150.0F,
     {0xc2fcfe35U, 0xc2fcd824U, 0xc2fcf3d4U, 0xc2fced3eU}},
    {ScalarOp::expm1,
     mpfr_expm1,
     1,
     0x1p-30F,
     90.0F,
     {0x3eb2ec78U, 0x3ece60d1U, 0xbe8eca3bU, 0x3ebd8001U}},
    {ScalarOp::log,
     mpfr_log,
     1,
     0x1p-149F,
     0x1p127F,
     {0x3fad891bU, 0x3fab9e32U, 0x3faf6afbU, 0x3f2f6a7aU}},
    {ScalarOp::log2,
     mpfr_log2,
     1,
     0x1p-149F,
     0x1p127F,
     {0x3fab0ea3U, 0x3fac7e11U, 0x3fabf084U, 0x3fb35ce9U}},
    {ScalarOp::log1p,
     mpfr_log1p,
     1,
     0x1p-30F,
     0x1p127F,
     {0x3eb60891U, 0x3eb5941dU, 0x3eaac559U, 0x3eb73dc5U}},
    {ScalarOp::sin,
     mpfr_sin,
     1,
     0x1p-20F,
     0x1p127F,
     {0x64dc3fc8U, 0x6782f3d8U, 0x53880ad6U, 0x4689394aU}},
    {ScalarOp::cos,
     mpfr_cos,
     1,
     0x1p-20F,
     0x1p127F,
     {0x716d5357U, 0x62aaa058U, 0x4d1f6e9cU, 0x476ab7acU}},
    {ScalarOp::tan,
     mpfr_tan,
     1,
     0x1p-20F,
     0x1p127F,
     {0x77dacb68U, 0x499400b6U, 0x6bc8da7dU, 0x47fef87bU}},
    {ScalarOp::tanh,
     mpfr_tanh,
     1,
     0x1p-30F,
     10.0F,
     {0x3e3e1b1bU, 0x3e3b6e71U, 0x3e35020bU, 0x3e34ebd4U}},
    {ScalarOp::erf,
     mpfr_erf,
     1,
     0x1p-30F,
     4.0F,
     {0x3f7a32f8U, 0x3f8a772cU, 0x3f8a782dU, 0x3f87c832U}},
    {ScalarOp::rsqrt,
     mpfr_rec_sqrt,
     0.51,
     0x1p-149F,
     0x1p127F,
     {0x5209f038U, 0x043a18e3U, 0x7e7ffffeU, 0x40d2208fU}},
};

/// The error of f(x) in units of the last place of the exact value.
double error_in_ulp(const Case& c, std::uint32_t input, std::uint32_t output) {
  const auto x = std::bit_cast<float>(input);
  const auto result = static_cast<double>(std::bit_cast<float>(output));
  mpfr_t exact;
  mpfr_init2(exact, 120);
  mpfr_set_flt(exact, x, MPFR_RNDN);
  c.exact(exact, exact, MPFR_RNDN);
  double error = 0;
  const double nearest = mpfr_get_d(exact, MPFR_RNDN);
  if (std::isnan(nearest) || std::isinf(nearest) || std::fabs(nearest) >= 0x1.ffffffp127) {
    const auto expected = static_cast<float>(nearest);
    error = same_value(output, word(expected), DType::f32) ? 0 : 1e30;
  } else {
    const int exponent = nearest == 0 ? -126 : std::max(std::ilogb(nearest), -126);
    mpfr_sub_d(exact, exact, result, MPFR_RNDN);
    mpfr_mul_2si(exact, exact, 23 - exponent, MPFR_RNDN);
    error = std::fabs(mpfr_get_d(exact, MPFR_RNDN));
  }
  mpfr_clear(exact);
  return error;
}

}  // namespace

TEST_CASE("errors against MPFR") {
  for (const Case& c : kCases) {
    CAPTURE(name(c.op));
    const LaneFunction run = find_lane_function(c.op, DType::f32);
    Random random(static_cast<std::uint64_t>(c.op));
    double worst = 0;
    alignas(64) std::uint32_t in[kLanes];
    alignas(64) std::uint32_t out[kLanes];
    for (int round = 0; round < 800; ++round) {
      for (int i = 0; i < kLanes; ++i) {
        const std::uint32_t span = word(c.high) - word(c.low);
        const auto magnitude = word(c.low) + static_cast<std::uint32_t>(random.below(span));
        in[i] = magnitude | (static_cast<std::uint32_t>(random.next()) & 0x80000000U);
      }
      if (round == 0) {
        for (int i = 0; i < 4; ++i) in[i] = c.worst[i];
      }
      run(out, in, nullptr, nullptr, 0xffffffffU);
      for (int i = 0; i < kLanes; ++i) {
        const double error = error_in_ulp(c, in[i], out[i]);
        if (error > c.limit) MESSAGE("input " << in[i]);
        worst = error > worst ? error : worst;
      }
    }
    CHECK(worst <= c.limit);
    CHECK(c.limit <= row(c.op).max_ulp);
  }
}
#endif
