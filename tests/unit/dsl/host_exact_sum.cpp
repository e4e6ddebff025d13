// Exact sums and products: compared with integer arithmetic that the accumulator does not use.
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include <doctest/doctest.h>

#include "dsl/host/exact_sum.hpp"
#include "numerics/scalar.hpp"

using namespace tirx;
using dsl::ExactSum;
using num::DType;

namespace {

num::Decoded f32(float value) {
  return num::decode(DType::f32, std::bit_cast<std::uint32_t>(value));
}

num::Decoded f64(double value) {
  return num::decode(DType::f64, std::bit_cast<std::uint64_t>(value));
}

float as_float(num::Bits bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

}  // namespace

TEST_CASE("a sum is exact whatever the order and the magnitude") {
  ExactSum sum;
  for (const float term : {1e30F, 1.0F, -1e30F, 3e-39F, -1.0F}) sum.add(f32(term));
  CHECK(as_float(sum.round_to(DType::f32)) == 3e-39F);
}

TEST_CASE("rounding happens once, to nearest even, with everything below as sticky") {
  ExactSum tie;
  tie.add(f32(1.0F));
  tie.add(f32(0x1p-24F));
  CHECK(as_float(tie.round_to(DType::f32)) == 1.0F);
  tie.add(f32(0x1p-149F));
  CHECK(as_float(tie.round_to(DType::f32)) == 1.0F + 0x1p-23F);
  tie.add(f32(-0x1p-148F));
  CHECK(as_float(tie.round_to(DType::f32)) == 1.0F);
}

TEST_CASE("sums of random integers agree with int64") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    ExactSum sum;
    std::int64_t total = 0;
    for (int i = 0; i < 100; ++i) {
      const auto a = static_cast<std::int64_t>(random() % 2001) - 1000;
      const auto b = static_cast<std::int64_t>(random() % 2001) - 1000;
      sum.add_product(f64(static_cast<double>(a) * 0x1p-60), f64(static_cast<double>(b) * 0x1p40));
      total += a * b;
    }
    CHECK(std::bit_cast<double>(sum.round_to(DType::f64)) == static_cast<double>(total) * 0x1p-20);
  }
}

TEST_CASE("the extreme products of float64 fit") {
  ExactSum sum;
  sum.add_product(f64(0x1p-1074), f64(0x1p-1074));
  sum.add_product(f64(-0x1.fffffffffffffp1023), f64(0x1.fffffffffffffp1023));
  sum.add_product(f64(0x1.fffffffffffffp1023), f64(0x1.fffffffffffffp1023));
  CHECK(sum.round_to(DType::f64) == 0);  // 2^-2148 rounds to zero, and nothing else is left
  sum.add(f64(1.0));
  CHECK(std::bit_cast<double>(sum.round_to(DType::f64)) == 1.0);
}

TEST_CASE("specials follow the rule of one fused sum") {
  const num::Decoded infinity = f32(INFINITY);
  ExactSum inf;
  inf.add(infinity);
  inf.add(f32(-5.0F));
  CHECK(as_float(inf.round_to(DType::f32)) == INFINITY);
  inf.add_product(infinity, f32(-1.0F));
  CHECK(inf.round_to(DType::f32) == num::canonical_nan(DType::f32));
  ExactSum zero_times_infinity;
  zero_times_infinity.add_product(f32(0.0F), infinity);
  CHECK(zero_times_infinity.round_to(DType::f32) == num::canonical_nan(DType::f32));
  CHECK(ExactSum{}.round_to(DType::f32) == 0);
}
