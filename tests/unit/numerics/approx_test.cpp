// The approximations of the special-function unit: what their tables are relative to, and the
// invariances by which every input reduces to them.
#include "numerics/approx/approx.hpp"

#include <bit>

#include <doctest/doctest.h>

#include "numerics/lanes.hpp"
#include "numerics/scalar.hpp"

#ifdef TIRX_HAVE_MPFR
#include <mpfr.h>
#endif

using namespace tirx::num;

namespace {

std::uint32_t apply(ScalarOp op, float x) {
  return static_cast<std::uint32_t>(
      evaluate(op, DType::f32, std::bit_cast<std::uint32_t>(x)).value);
}

float value(ScalarOp op, float x) {
  return std::bit_cast<float>(apply(op, x));
}

}  // namespace

TEST_CASE("exact cases") {
  CHECK(value(ScalarOp::ex2_approx_ftz, 0.0F) == 1.0F);
  CHECK(value(ScalarOp::ex2_approx_ftz, 10.0F) == 1024.0F);
  CHECK(value(ScalarOp::ex2_approx_ftz, -3.0F) == 0.125F);
  CHECK(value(ScalarOp::rcp_approx, 4.0F) == 0.25F);
  CHECK(value(ScalarOp::rsqrt_approx, 16.0F) == 0.25F);
  CHECK(apply(ScalarOp::rcp_approx, 0.0F) == 0x7f800000U);
  CHECK(apply(ScalarOp::rcp_approx, -0.0F) == 0xff800000U);
  CHECK(apply(ScalarOp::rsqrt_approx, -0.0F) == 0xff800000U);
  CHECK(apply(ScalarOp::rsqrt_approx, -1.0F) == 0x7fffffffU);
}

TEST_CASE("ftz: subnormal arguments and results are zeros") {
  CHECK(apply(ScalarOp::rcp_approx_ftz, 0x1p-127F) == 0x7f800000U);
  CHECK(value(ScalarOp::rcp_approx, 0x1p-127F) == 0x1p127F);
  CHECK(apply(ScalarOp::rcp_approx_ftz, -0x1p127F) == 0x80000000U);
  CHECK(value(ScalarOp::rcp_approx, -0x1p127F) == -0x1p-127F);
  CHECK(apply(ScalarOp::ex2_approx_ftz, -127.0F) == 0);
  CHECK(value(ScalarOp::ex2_approx, -128.0F) == 0x1p-128F);
  CHECK(apply(ScalarOp::rsqrt_approx_ftz, 0x1p-140F) == 0x7f800000U);
  CHECK(value(ScalarOp::rsqrt_approx, 0x1p-140F) == 0x1p70F);
}

TEST_CASE("what has no table is unavailable, and says so") {
  for (const ScalarOp op :
       {ScalarOp::lg2_approx, ScalarOp::tanh_approx, ScalarOp::sin_approx, ScalarOp::cos_approx}) {
    CAPTURE(name(op));
    CHECK(evaluate(op, DType::f32, 0x3f800000U).status == EvalStatus::unavailable);
    CHECK((find_lane_function(op, DType::f32) == nullptr));
  }
  CHECK(evaluate(ScalarOp::ex2_approx, DType::f16, 0).status == EvalStatus::illegal);
  CHECK(approx_recorded(ScalarOp::ex2_approx, 90));
  CHECK_FALSE(approx_recorded(ScalarOp::ex2_approx, 100));
  CHECK_FALSE(approx_recorded(ScalarOp::lg2_approx, 90));
}

#ifdef TIRX_HAVE_MPFR
TEST_CASE("the tables are relative to correctly rounded values") {
  mpfr_t x, y;
  mpfr_init2(x, 53);
  mpfr_init2(y, 24);
  int wrong = 0;
  // Every 17th entry here; all of them were compared once (docs/numerics.md).
  for (std::uint32_t i = 0; i < (1U << 23); i += 17) {
    mpfr_set_d(x, i * 0x1p-23, MPFR_RNDN);
    mpfr_exp2(y, x, MPFR_RNDN);
    wrong += std::bit_cast<float>(rounded_exp2(i)) != mpfr_get_flt(y, MPFR_RNDN);
  }
  CHECK(wrong == 0);
  for (std::uint32_t i = 0; i < (1U << 24); i += 17) {
    mpfr_set_flt(x, std::bit_cast<float>(0x3f800000U + i), MPFR_RNDN);
    mpfr_rec_sqrt(y, x, MPFR_RNDN);
    wrong += std::bit_cast<float>(rounded_rsqrt(i)) != mpfr_get_flt(y, MPFR_RNDN);
  }
  CHECK(wrong == 0);
  mpfr_clear(x);
  mpfr_clear(y);
}
#endif
