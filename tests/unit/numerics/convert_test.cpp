// Conversions: values from the formats' definitions (OCP, PTX ISA) and rules measured on hardware.
#include "numerics/convert.hpp"

#include <bit>
#include <cmath>

#include <doctest/doctest.h>

#include "numerics/codec.hpp"
#include "numerics/scalar.hpp"
#include "tests/unit/numerics/random_bits.hpp"

using namespace tirx::num;
using tirx::num::testing::Random;
using tirx::num::testing::random_bits;

namespace {

Bits f32(float x) {
  return std::bit_cast<std::uint32_t>(x);
}

Bits f64(double x) {
  return std::bit_cast<std::uint64_t>(x);
}

Bits from_f32(float x, DType to) {
  return convert(f32(x), DType::f32, to);
}

/// The nearest value of a small format by search over all its values, ties to the even code.
Bits nearest_by_search(double x, DType to) {
  Bits best = 0;
  double distance = INFINITY;
  const Bits codes = Bits{1} << (row(to).bits - 1);
  for (Bits code = 0; code < codes; ++code) {
    if (is_nan(code, to) || (row(to).has_inf && code == infinity(to, false))) continue;
    const double gap = std::fabs(to_double(code, to) - std::fabs(x));
    if (gap < distance || (gap == distance && code % 2 == 0)) {
      distance = gap;
      best = code;
    }
  }
  return best | (std::signbit(x) ? sign_mask(to) : 0);
}

}  // namespace

TEST_CASE("values of the small formats") {
  CHECK(to_double(0x7e, DType::e4m3) == 448);
  CHECK(to_double(0x01, DType::e4m3) == 0x1p-9);
  CHECK(to_double(0x7b, DType::e5m2) == 57344);
  CHECK(to_double(0x01, DType::e5m2) == 0x1p-16);
  CHECK(to_double(0x1f, DType::e2m3) == 7.5);
  CHECK(to_double(0x01, DType::e2m3) == 0.125);
  CHECK(to_double(0x1f, DType::e3m2) == 28);
  CHECK(to_double(0x01, DType::e3m2) == 0.0625);
  const double fp4[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (Bits i = 0; i < 8; ++i) {
    CHECK(to_double(i, DType::e2m1) == fp4[i]);
    CHECK(to_double(i + 8, DType::e2m1) == -fp4[i]);
  }
  CHECK(to_double(0x7f, DType::e8m0) == 1);
  CHECK(to_double(0x00, DType::e8m0) == 0x1p-127);
  CHECK(to_double(0xfe, DType::e8m0) == 0x1p127);
}

TEST_CASE("casts to small formats find the nearest value") {
  for (const DType to : {DType::e4m3, DType::e5m2, DType::e2m3, DType::e3m2, DType::e2m1}) {
    CAPTURE(name(to));
    Random random(9);
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) {
      // Within the range and beyond it, on and off the midpoints.
      const double scale = std::ldexp(1.0, static_cast<int>(random.below(24)) - 14);
      double x = static_cast<double>(random.below(4096)) / 256 * scale;
      if (random.below(2) == 0) x = -x;
      wrong += from_f32(static_cast<float>(x), to) != nearest_by_search(x, to);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("every value of a format converts to itself through every wider one") {
  for (const DTypeRow& from : dtype_rows()) {
    if (from.kind != Kind::floating || bits(from.dtype) > 16) continue;
    for (const DType wide : {DType::f32, DType::f64}) {
      int wrong = 0;
      for (Bits v = 0; v < Bits{1} << from.bits; ++v) {
        if (is_nan(v, from.dtype)) continue;
        wrong += convert(convert(v, from.dtype, wide), wide, from.dtype,
                         {.satfinite = !from.has_inf}) != v;
      }
      CAPTURE(from.name);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("saturation, infinities and NaN of fp8") {
  CHECK(from_f32(1e9F, DType::e4m3) == 0x7e);
  CHECK(from_f32(-INFINITY, DType::e4m3) == 0xfe);
  CHECK(from_f32(INFINITY, DType::e5m2) == 0x7b);
  CHECK(from_f32(-NAN, DType::e4m3) == 0x7f);
  CHECK(from_f32(NAN, DType::e5m2) == 0x7f);
  CHECK(from_f32(0x1p-149F, DType::e4m3) == 0);
  CHECK(from_f32(-0x1p-149F, DType::e4m3) == 0x80);
  const Conversion plain{};
  CHECK(convert(f32(464), DType::f32, DType::e4m3, plain) == 0x7e);
  CHECK(convert(f32(465), DType::f32, DType::e4m3, plain) == 0x7f);
  CHECK(convert(f32(-INFINITY), DType::f32, DType::e4m3, plain) == 0xff);
  CHECK(convert(f32(61439), DType::f32, DType::e5m2, plain) == 0x7b);
  CHECK(convert(f32(61440), DType::f32, DType::e5m2, plain) == 0x7c);
  CHECK(convert(0xff, DType::e4m3, DType::f16) == 0x7fff);
  CHECK(convert(0xfc, DType::e5m2, DType::f16) == 0xfc00);
}

TEST_CASE("fp6, fp4 and e8m0") {
  CHECK(from_f32(NAN, DType::e2m1) == 0x7);
  CHECK(from_f32(-NAN, DType::e3m2) == 0x1f);
  CHECK(from_f32(-INFINITY, DType::e2m3) == 0x3f);
  CHECK(from_f32(-0.0F, DType::e2m1) == 0x8);
  CHECK(from_f32(NAN, DType::e8m0) == 0xff);
  CHECK(from_f32(INFINITY, DType::e8m0) == 0xfe);
  CHECK(from_f32(0, DType::e8m0) == 0);
  CHECK(from_f32(-3, DType::e8m0) == 129);  // upwards, without the sign
  CHECK(from_f32(4, DType::e8m0) == 129);
  const Conversion down{.round = Round::rz};
  CHECK(convert(f32(3), DType::f32, DType::e8m0, down) == 128);
  CHECK(from_f32(0x1p-127F, DType::e8m0) == 0);
  CHECK(from_f32(0x1.000004p-127F, DType::e8m0) == 1);
  CHECK(convert(f32(0x1.fffffcp-127F), DType::f32, DType::e8m0, down) == 0);
}

TEST_CASE("float to integer truncates and saturates") {
  CHECK(from_f32(-1.9F, DType::i32) == 0xffffffffU);
  CHECK(from_f32(3e9F, DType::i32) == 0x7fffffffU);
  CHECK(from_f32(-3e9F, DType::i32) == 0x80000000U);
  CHECK(from_f32(-5.0F, DType::u32) == 0);
  CHECK(from_f32(300.0F, DType::u8) == 255);
  CHECK(from_f32(-300.0F, DType::i8) == 0x80);
  CHECK(from_f32(INFINITY, DType::i64) == 0x7fffffffffffffffU);
  CHECK(from_f32(NAN, DType::i32) == 0);
  CHECK(from_f32(NAN, DType::u16) == 0);
  CHECK(from_f32(NAN, DType::i64) == Bits{1} << 63);
  CHECK(from_f32(NAN, DType::u64) == Bits{1} << 63);
  CHECK(convert(f64(NAN), DType::f64, DType::i32) == 0x80000000U);
  const Conversion nearest{};
  CHECK(convert(f32(2.5F), DType::f32, DType::i32, nearest) == 2);
  CHECK(convert(f32(-2.5F), DType::f32, DType::i32, {.round = Round::rm}) == 0xfffffffdU);
  CHECK(convert(f32(2.1F), DType::f32, DType::i32, {.round = Round::rp}) == 3);
  CHECK(from_f32(0.25F, DType::boolean) == 1);
  CHECK(from_f32(-0.0F, DType::boolean) == 0);
}

TEST_CASE("integers to float round once") {
  CHECK(convert(16777217, DType::i32, DType::f32) == f32(16777216));
  CHECK(convert(0xffffffffU, DType::i32, DType::f32) == f32(-1));
  CHECK(convert(0xffffffffU, DType::u32, DType::f32) == f32(4294967296.0F));
  // 2^24 + 2^16 + 1: through float32 the last bit would be lost before bfloat16 rounds the tie.
  CHECK(convert(0x01010001U, DType::u32, DType::bf16) == 0x4b81);
  CHECK(convert(0x01010000U, DType::u32, DType::bf16) == 0x4b80);
  CHECK(convert(~Bits{0}, DType::u64, DType::f64) == f64(0x1p64));
  CHECK(convert(70000, DType::i32, DType::f16) == 0x7c00);
  CHECK(convert(0x1ff, DType::i32, DType::i8) == 0xff);
  CHECK(convert(0xff, DType::i8, DType::u32) == 0xffffffffU);
  CHECK(convert(0xff, DType::u8, DType::i32) == 0xff);
}

TEST_CASE("tf32 ties away, NaN is cut") {
  CHECK(from_f32(1.0F + 0x1p-11F, DType::tf32) == 0x3f802000U);
  CHECK(convert(0x7f800001U, DType::f32, DType::tf32) == 0x7f800000U);
  CHECK(convert(0x7f7fffffU, DType::f32, DType::tf32) == 0x7f800000U);
  CHECK(convert(0x3f801fffU, DType::tf32, DType::f32) == 0x3f800000U);
}

TEST_CASE("directed rounding, relu, sat, ftz") {
  const Conversion rz{.round = Round::rz};
  CHECK(convert(f32(70000), DType::f32, DType::f16, rz) == 0x7bff);
  CHECK(convert(f32(70000), DType::f32, DType::f16, {}) == 0x7c00);
  CHECK(convert(f32(INFINITY), DType::f32, DType::f16, rz) == 0x7c00);
  const Conversion relu{.relu = true};
  CHECK(convert(f32(-2), DType::f32, DType::bf16, relu) == 0);
  CHECK(convert(f32(-0.0F), DType::f32, DType::f16, relu) == 0);
  CHECK(convert(f32(NAN), DType::f32, DType::f16, relu) == 0x7fff);
  const Conversion sat{.sat = true};
  CHECK(convert(f32(2.5F), DType::f32, DType::f16, sat) == 0x3c00);
  CHECK(convert(f32(-2.5F), DType::f32, DType::f16, sat) == 0);
  CHECK(convert(f32(NAN), DType::f32, DType::f16, sat) == 0);
  const Conversion ftz{.ftz = true};
  CHECK(convert(0x80000001U, DType::f32, DType::f64, ftz) == 0x8000000000000000U);
  CHECK(convert(f64(0x1p-130), DType::f64, DType::f32, ftz) == 0);
}

TEST_CASE("NaN payloads survive where the hardware keeps them") {
  CHECK(convert(0xff81, DType::bf16, DType::f32) == 0xff810000U);
  CHECK(convert(0x7c01, DType::f16, DType::f32) == 0x7fffffffU);
  CHECK(convert(0xff812345U, DType::f32, DType::f64) == 0xfff82468a0000000U);
  CHECK(convert(0xfff8000000000000U, DType::f64, DType::f32) == 0xffc00000U);
  CHECK(convert(0xff812345U, DType::f32, DType::f32) == 0xff812345U);
}

TEST_CASE("float64 and float32 agree with the host's conversion") {
  Random random(11);
  int wrong = 0;
  for (int i = 0; i < 200000; ++i) {
    const Bits wide = random_bits(random, DType::f64);
    const auto x = std::bit_cast<double>(wide);
    if (!std::isnan(x))
      wrong += convert(wide, DType::f64, DType::f32) != f32(static_cast<float>(x));
    const Bits near =
        f64(std::ldexp(x, -static_cast<int>(std::isfinite(x) && x != 0 ? std::ilogb(x) : 0) - 130 +
                              static_cast<int>(random.below(40))));
    if (!std::isnan(x)) {
      wrong += convert(near, DType::f64, DType::f32) !=
               f32(static_cast<float>(std::bit_cast<double>(near)));
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("packed elements") {
  std::uint8_t bytes[8] = {};
  store_element(bytes, 0, DType::e2m1, 0x3);
  store_element(bytes, 1, DType::e2m1, 0xa);
  CHECK(bytes[0] == 0xa3);
  CHECK(load_element(bytes, 1, DType::e2m1) == 0xa);
  store_element(bytes, 1, DType::u32, 0x12345678U);
  CHECK(bytes[4] == 0x78);
  CHECK(load_element(bytes, 1, DType::u32) == 0x12345678U);
  store_element(bytes, 2, DType::e3m2, 0x2a);
  CHECK(load_element(bytes, 2, DType::e3m2) == 0x2a);
  CHECK(packed_bytes(5, DType::e2m1) == 3);
  CHECK(packed_bytes(5, DType::e2m3) == 5);
  CHECK(packed_bytes(5, DType::bf16) == 10);
}
