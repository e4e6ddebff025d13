// The approximations of the special-function unit: exact cases, errors within what the vendor
// documents, and the rules by which every input reduces to the interpolator.
#include "numerics/approx/approx.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <doctest/doctest.h>

#include "numerics/lanes.hpp"
#include "numerics/scalar.hpp"

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
  CHECK(value(ScalarOp::lg2_approx, 1.0F) == 0.0F);
  CHECK(value(ScalarOp::lg2_approx, 8.0F) == 3.0F);
  CHECK(apply(ScalarOp::lg2_approx, 0.0F) == 0xff800000U);
  CHECK(apply(ScalarOp::lg2_approx, -1.0F) == 0x7fffffffU);
  // As recorded: the unit does not return -1 here.
  CHECK(value(ScalarOp::lg2_approx_ftz, 0.5F) == -0x1.fffffcp-1F);
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

TEST_CASE("exact cases of sin, cos and tanh") {
  CHECK(apply(ScalarOp::sin_approx, 0.0F) == 0);
  CHECK(apply(ScalarOp::sin_approx, -0.0F) == 0x80000000U);
  CHECK(value(ScalarOp::cos_approx, 0.0F) == 1.0F);
  CHECK(apply(ScalarOp::sin_approx, INFINITY) == 0x7fffffffU);
  CHECK(apply(ScalarOp::cos_approx, -INFINITY) == 0x7fffffffU);
  CHECK(value(ScalarOp::cos_approx, 0x1p60F) == 1.0F);  // no bits of the turn are left
  CHECK(apply(ScalarOp::sin_approx, 0x1p-24F) == 0);    // less than 2^-25 turns
  CHECK(value(ScalarOp::tanh_approx, 100.0F) == 1.0F);
  CHECK(value(ScalarOp::tanh_approx, -INFINITY) == -1.0F);
  CHECK(value(ScalarOp::tanh_approx, 0x1.234568p-9F) == 0x1.234568p-9F);
  CHECK(apply(ScalarOp::tanh_approx, NAN) == 0x7fffffffU);
}

TEST_CASE("other architectures have units of their own") {
  CHECK(evaluate(ScalarOp::ex2_approx, DType::f16, 0).status == EvalStatus::illegal);
  CHECK(approx_recorded(ScalarOp::ex2_approx, 90));
  CHECK_FALSE(approx_recorded(ScalarOp::ex2_approx, 100));
  CHECK(approx_recorded(ScalarOp::tanh_approx, 90));
  CHECK_FALSE(approx_recorded(ScalarOp::add, 90));
}

TEST_CASE("errors are within what the vendor documents") {
  // CUDA C++ Programming Guide, intrinsics: ulp for rcp and ex2, relative 2^-22.9 for rsqrt,
  // 2^-22 absolute or relative for lg2.
  double rcp = 0, ex2 = 0, rsqrt = 0, lg2 = 0;
  for (std::uint32_t word = 0x3f800000U; word < 0x40800000U; word += 97) {
    const auto x = static_cast<double>(std::bit_cast<float>(word));
    const auto f = std::bit_cast<float>(word);
    rcp = std::max(rcp, std::fabs(static_cast<double>(value(ScalarOp::rcp_approx, f)) * x - 1));
    ex2 = std::max(
        ex2, std::fabs(static_cast<double>(value(ScalarOp::ex2_approx, f)) / std::exp2(x) - 1));
    rsqrt = std::max(
        rsqrt, std::fabs(static_cast<double>(value(ScalarOp::rsqrt_approx, f)) * std::sqrt(x) - 1));
    lg2 = std::max(lg2,
                   std::fabs(static_cast<double>(value(ScalarOp::lg2_approx, f)) - std::log2(x)));
  }
  CHECK(rcp < 0x1p-23);
  CHECK(ex2 < 0x1p-22);
  CHECK(rsqrt < 0x1p-22);
  CHECK(lg2 < 0x1p-21);
  CHECK(lg2 > 0);
  // Absolute 2^-20.5 for sin and cos in [-pi, pi], relative 2^-11 for tanh.
  double sine = 0, tanh = 0;
  for (float f = -3.14F; f < 3.14F; f += 0.0003F) {
    const auto x = static_cast<double>(f);
    sine = std::max(sine,
                    std::fabs(static_cast<double>(value(ScalarOp::sin_approx, f)) - std::sin(x)));
    sine = std::max(sine,
                    std::fabs(static_cast<double>(value(ScalarOp::cos_approx, f)) - std::cos(x)));
    tanh = std::max(
        tanh, std::fabs(static_cast<double>(value(ScalarOp::tanh_approx, f)) / std::tanh(x) - 1));
  }
  CHECK(sine < 0x1p-20);
  CHECK(tanh < 0x1p-10);
}
