// The rules of floats that IEEE leaves open or the GPU decides otherwise: NaN, signed zeros, ftz.
#include <doctest/doctest.h>

#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"

using namespace tirx::num;

namespace {

Bits apply(ScalarOp op, DType dtype, Bits a, Bits b = 0, Bits c = 0) {
  const Evaluated result = evaluate(op, dtype, a, b, c);
  REQUIRE(result.status == EvalStatus::ok);
  return result.value;
}

constexpr Bits kOne = 0x3f800000U;
constexpr Bits kInf = 0x7f800000U;
constexpr Bits kMinusZero = 0x80000000U;
constexpr Bits kSignalling = 0x7f800001U;
constexpr Bits kNegativeNan = 0xffc12345U;

}  // namespace

TEST_CASE("arithmetic makes the canonical NaN") {
  for (const Bits nan : {kSignalling, kNegativeNan, Bits{0x7fc00000U}}) {
    for (const ScalarOp op :
         {ScalarOp::add, ScalarOp::sub, ScalarOp::mul, ScalarOp::div, ScalarOp::min_nan}) {
      CHECK(apply(op, DType::f32, nan, kOne) == 0x7fffffffU);
      CHECK(apply(op, DType::f32, kOne, nan) == 0x7fffffffU);
    }
    CHECK(apply(ScalarOp::fma, DType::f32, kOne, kOne, nan) == 0x7fffffffU);
    CHECK(apply(ScalarOp::sqrt, DType::f32, nan) == 0x7fffffffU);
  }
  CHECK(apply(ScalarOp::sub, DType::f32, kInf, kInf) == 0x7fffffffU);
  CHECK(apply(ScalarOp::mul, DType::f16, 0x7c00, 0) == 0x7fffU);
  CHECK(apply(ScalarOp::add, DType::bf16, 0xff81, 0) == 0x7fffU);
  CHECK(apply(ScalarOp::sqrt, DType::f64, 0xbff0000000000000U) == 0xfff8000000000000U);
}

TEST_CASE("min and max drop one NaN and order the zeros") {
  CHECK(apply(ScalarOp::min, DType::f32, kSignalling, kOne) == kOne);
  CHECK(apply(ScalarOp::max, DType::f32, kOne, kNegativeNan) == kOne);
  CHECK(apply(ScalarOp::max, DType::f32, kSignalling, kNegativeNan) == 0x7fffffffU);
  CHECK(apply(ScalarOp::min, DType::f32, 0, kMinusZero) == kMinusZero);
  CHECK(apply(ScalarOp::min, DType::f32, kMinusZero, 0) == kMinusZero);
  CHECK(apply(ScalarOp::max, DType::f32, 0, kMinusZero) == 0);
  CHECK(apply(ScalarOp::max, DType::f32, kMinusZero, 0) == 0);
  CHECK(apply(ScalarOp::max_nan, DType::f16, 0x3c00, 0x7e01) == 0x7fffU);
  CHECK(apply(ScalarOp::min, DType::bf16, 0x0000, 0x8000) == 0x8000U);
}

TEST_CASE("neg, abs and copysign only touch the sign") {
  CHECK(apply(ScalarOp::neg, DType::f32, kSignalling) == 0xff800001U);
  CHECK(apply(ScalarOp::abs, DType::f32, kNegativeNan) == 0x7fc12345U);
  CHECK(apply(ScalarOp::neg, DType::f16, 0) == 0x8000U);
  CHECK(apply(ScalarOp::copysign, DType::f32, kOne, kMinusZero) == 0xbf800000U);
}

TEST_CASE("comparisons with NaN are false, but for ne") {
  for (const ScalarOp op : {ScalarOp::eq, ScalarOp::lt, ScalarOp::le, ScalarOp::gt, ScalarOp::ge}) {
    CHECK(apply(op, DType::f32, kSignalling, kSignalling) == 0);
  }
  CHECK(apply(ScalarOp::ne, DType::f32, kSignalling, kSignalling) == 1);
  CHECK(apply(ScalarOp::eq, DType::f32, 0, kMinusZero) == 1);
  CHECK(apply(ScalarOp::isnan, DType::f16, 0x7c01) == 1);
  CHECK(apply(ScalarOp::isinf, DType::bf16, 0xff80) == 1);
  CHECK(apply(ScalarOp::isfinite, DType::f32, 1) == 1);
}

TEST_CASE("ftz keeps the sign of what it flushes") {
  CHECK(apply(ScalarOp::add, DType::f32, 1, 1) == 2);
  CHECK(apply(ScalarOp::add_ftz, DType::f32, 1, 1) == 0);
  CHECK(apply(ScalarOp::add_ftz, DType::f32, 0x80000001U, kMinusZero) == kMinusZero);
  // 2^-126 - 1.5 * 2^-126: the difference is a negative subnormal.
  CHECK(apply(ScalarOp::sub_ftz, DType::f32, 0x00800000U, 0x00c00000U) == kMinusZero);
  CHECK(apply(ScalarOp::mul_ftz, DType::f32, 0x80800000U, 0x3f000000U) == kMinusZero);
  CHECK(apply(ScalarOp::rcp_ftz, DType::f32, 0x80000001U) == 0xff800000U);
}

TEST_CASE("ftz flushes what is below the smallest normal number after rounding to 24 bits") {
  constexpr Bits kNormal = 0x00800000U;
  // As an H200 answered: 2^-126 - 2^-150 is representable with 24 bits, and flushed.
  CHECK(apply(ScalarOp::div_ftz, DType::f32, 0xbfffffffU, 0xff000000U) == 0);
  CHECK(apply(ScalarOp::div, DType::f32, 0xbfffffffU, 0xff000000U) == kNormal);
  CHECK(apply(ScalarOp::fma_ftz, DType::f32, 0x2e51f4b6U, 0x056bcd46U, 0x80800000U) == kMinusZero);
  CHECK(apply(ScalarOp::fma, DType::f32, 0x2e51f4b6U, 0x056bcd46U, 0x80800000U) == 0x80800000U);
  // (1 - 2^-24)(1 + 2^-23) 2^-126 exceeds it.  (1 + 2^-23)(1 - 2^-23) 2^-126 rounds up to it with
  // 24 bits, (1 - 2^-24)(1 - 2^-24) 2^-126 does not.
  CHECK(apply(ScalarOp::mul_ftz, DType::f32, 0x3f7fffffU, 0x00800001U) == kNormal);
  CHECK(apply(ScalarOp::mul_ftz, DType::f32, 0x3f7ffffeU, 0x00800001U) == kNormal);
  CHECK(apply(ScalarOp::mul_ftz, DType::f32, 0x3f7fffffU, kNormal) == 0);
  CHECK(apply(ScalarOp::mul, DType::f32, 0x3f7fffffU, kNormal) == kNormal);
  // A product of 2^-151 or less from 2^-126: the tie and what is above stay.
  const Bits half_step = 0x1f800000U;  // 2^-64
  CHECK(apply(ScalarOp::fma_ftz, DType::f32, half_step, 0x94000000U, kNormal) == kNormal);
  CHECK(apply(ScalarOp::fma_ftz, DType::f32, half_step, 0x94000001U, kNormal) == 0);
}

TEST_CASE("16-bit fma rounds once") {
  // 1.0009765625 * 1.0009765625 + 2^-24: the product's tail and the addend only count together.
  const Bits a = 0x3c01;
  const Bits tie = apply(ScalarOp::fma, DType::f16, a, a, 0x0001);
  const Bits twice = apply(ScalarOp::add, DType::f16, apply(ScalarOp::mul, DType::f16, a, a), 1);
  CHECK(tie == 0x3c02);
  CHECK(twice == 0x3c02);
  // (1 + 2^-10)^2 = 1 + 2^-9 + 2^-20; adding 2^-11 - 2^-20 reaches the tie exactly, adding 2^-11
  // passes it: two roundings cannot tell.
  CHECK(apply(ScalarOp::fma, DType::f16, a, a, from_double(0x1p-11, DType::f16)) == 0x3c03);
  CHECK(apply(ScalarOp::add, DType::f16, 0x3c02, from_double(0x1p-11, DType::f16)) == 0x3c02);
}

TEST_CASE("values and distances") {
  CHECK(same_value(0x7fc00000U, 0xffffffffU, DType::f32));
  CHECK_FALSE(same_value(0, kMinusZero, DType::f32));
  CHECK(ulp_distance(0, kMinusZero, DType::f32) == 1);
  CHECK(ulp_distance(kOne, kOne + 3, DType::f32) == 3);
  CHECK_FALSE(ulp_distance(kOne, kSignalling, DType::f32).has_value());
  CHECK(ulp_distance(0xff, 1, DType::i8) == 2);
  CHECK(to_int64(0xff, DType::i8) == -1);
  CHECK(to_int64(0xff, DType::u8) == 255);
  CHECK(from_int64(-1, DType::i16) == 0xffffU);
}
