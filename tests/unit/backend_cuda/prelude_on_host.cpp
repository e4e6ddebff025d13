// The parts of the prelude that are C++ above single instructions, run on the host against
// numerics: narrow floats (exhaustively), rounding to odd, rounding away, integer division and
// shifts.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <doctest/doctest.h>

#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"

namespace tirx::on_host {

using num::DType;

// The instructions that the fragments are made of.
#define __device__
#define __host__
#define __forceinline__ inline

unsigned __float_as_uint(float a) {
  return std::bit_cast<unsigned>(a);
}

constexpr float __uint_as_float(unsigned a) {
  return std::bit_cast<float>(a);
}

long long __double_as_longlong(double a) {
  return std::bit_cast<long long>(a);
}

template <DType FROM, DType TO, typename To, typename From>
To by_numerics(From a, num::Conversion form) {
  num::Bits bits = 0;
  std::memcpy(&bits, &a, sizeof(a));
  bits = num::convert(bits, FROM, TO, form);
  To d;
  std::memcpy(&d, &bits, sizeof(d));
  return d;
}

#define TIRX_FLOATS(T, t)         \
  T tirx_add_##t(T a, T b) {      \
    return a + b;                 \
  }                               \
  T tirx_sub_##t(T a, T b) {      \
    return a - b;                 \
  }                               \
  T tirx_mul_##t(T a, T b) {      \
    return a * b;                 \
  }                               \
  bool tirx_ge_##t(T a, T b) {    \
    return a >= b;                \
  }                               \
  T tirx_abs_##t(T a) {           \
    return std::fabs(a);          \
  }                               \
  T tirx_trunc_##t(T a) {         \
    return std::trunc(a);         \
  }                               \
  T tirx_copysign_##t(T a, T b) { \
    return std::copysign(a, b);   \
  }
TIRX_FLOATS(float, f32)
TIRX_FLOATS(double, f64)
#undef TIRX_FLOATS

constexpr num::Conversion kTowardZero{.round = num::Round::rz};

float tirx_u32_to_f32(unsigned a) {
  return by_numerics<DType::u32, DType::f32, float>(a, {});
}

float tirx_f16_to_f32(unsigned short a) {
  return by_numerics<DType::f16, DType::f32, float>(a, {});
}

double tirx_f32_to_f64(float a) {
  return a;
}

float tirx_f64_to_f32_rz(double a) {
  return by_numerics<DType::f64, DType::f32, float>(a, kTowardZero);
}

float tirx_i64_to_f32_rz(long long a) {
  return by_numerics<DType::i64, DType::f32, float>(a, kTowardZero);
}

float tirx_u64_to_f32_rz(unsigned long long a) {
  return by_numerics<DType::u64, DType::f32, float>(a, kTowardZero);
}

long long tirx_f32_to_i64(float a) {
  return by_numerics<DType::f32, DType::i64, long long>(a, kTowardZero);
}

unsigned long long tirx_f32_to_u64(float a) {
  return by_numerics<DType::f32, DType::u64, unsigned long long>(a, kTowardZero);
}

// What is included are fragments for the device's compiler, which has no warnings of this kind.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "backend_cuda/prelude/integer.cuh"
#include "backend_cuda/prelude/round_away.cuh"
#include "backend_cuda/prelude/round_to_odd.cuh"
#include "backend_cuda/prelude/small_floats.cuh"
#pragma GCC diagnostic pop

struct Random {
  std::uint64_t state = 1;

  std::uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
};

constexpr int kRandom = 200000;

template <DType TO>
void check_narrowing(unsigned char (*narrow)(float), float (*widen)(unsigned char)) {
  const int codes = 1 << num::bits(TO);
  int different = 0;
  const auto check = [&](unsigned bits) {
    const num::Bits expected = num::convert(bits, DType::f32, TO);
    if (!num::same_value(narrow(std::bit_cast<float>(bits)), expected, TO)) ++different;
  };
  for (int code = 0; code < codes; ++code) {
    const auto byte = static_cast<unsigned char>(code);
    const auto wide = std::bit_cast<unsigned>(widen(byte));
    if (!num::same_value(wide, num::convert(byte, TO, DType::f32), DType::f32)) ++different;
    // Every number, its neighbours, and the points halfway to the next one with theirs.
    const auto next =
        std::bit_cast<unsigned>(widen(static_cast<unsigned char>((code + 1) % codes)));
    const auto middle =
        std::bit_cast<unsigned>((std::bit_cast<float>(wide) + std::bit_cast<float>(next)) / 2);
    for (const unsigned base : {wide, middle}) {
      for (const unsigned step : {0U, 1U, 2U, ~0U}) check(base + step);
    }
  }
  for (unsigned high = 0; high < 0x10000U; ++high) {
    for (const unsigned low : {0U, 1U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) check(high << 16 | low);
  }
  CHECK(different == 0);
}

TEST_CASE("narrow floats: the integer code has the bits of numerics") {
  check_narrowing<DType::e4m3>(tirx_f32_to_e4m3, tirx_e4m3_to_f32);
  check_narrowing<DType::e5m2>(tirx_f32_to_e5m2, tirx_e5m2_to_f32);
  check_narrowing<DType::e2m3>(tirx_f32_to_e2m3, tirx_e2m3_to_f32);
  check_narrowing<DType::e3m2>(tirx_f32_to_e3m2, tirx_e3m2_to_f32);
  check_narrowing<DType::e2m1>(tirx_f32_to_e2m1, tirx_e2m1_to_f32);
  check_narrowing<DType::e8m0>(tirx_f32_to_e8m0, tirx_e8m0_to_f32);
}

TEST_CASE("rounding to odd, then narrowing, is one rounding") {
  Random random;
  int different = 0;
  for (int i = 0; i < kRandom; ++i) {
    std::uint64_t bits = random.next();
    // Ties and near ties of binary16 and bfloat16.
    if (i % 2 == 0) bits &= ~std::uint64_t{0} << (random.next() % 50);
    if (i % 4 == 0) bits = (bits & 0x800fffffffffffffU) | (1023 - 30 + random.next() % 60) << 52;
    for (const DType to : {DType::f16, DType::bf16, DType::e4m3, DType::e5m2}) {
      const auto through = [&](float odd) {
        return num::convert(std::bit_cast<unsigned>(odd), DType::f32, to);
      };
      const auto same = [&](num::Bits a, num::Bits b) { return num::same_value(a, b, to); };
      const auto sixty_four = static_cast<long long>(bits >> (random.next() % 64));
      const long long number = bits & 1 ? -sixty_four : sixty_four;
      if (!same(through(tirx_f64_to_f32_odd(std::bit_cast<double>(bits))),
                num::convert(bits, DType::f64, to))) {
        ++different;
      }
      if (!same(through(tirx_i64_to_f32_odd(number)),
                num::convert(static_cast<num::Bits>(number), DType::i64, to))) {
        ++different;
      }
      if (!same(through(tirx_u64_to_f32_odd(static_cast<unsigned long long>(number))),
                num::convert(static_cast<num::Bits>(number), DType::u64, to))) {
        ++different;
      }
    }
  }
  CHECK(different == 0);
}

TEST_CASE("rounding away from zero") {
  Random random;
  int different = 0;
  for (int i = 0; i < kRandom; ++i) {
    const std::uint64_t bits = random.next();
    auto single = static_cast<unsigned>(bits);
    std::uint64_t both = bits;
    if (i % 2 == 0) {
      single = (single & 0x807fffffU) | static_cast<unsigned>(124 + bits % 30) << 23;
      both = (both & 0x800fffffffffffffU) | (1020 + bits % 60) << 52;
    }
    if (i % 4 == 0) {
      single &= 0xfffff000U;
      both &= ~std::uint64_t{0} << 45;
    }
    const float a = tirx_round_f32(std::bit_cast<float>(single));
    const double b = tirx_round_f64(std::bit_cast<double>(both));
    if (!num::same_value(std::bit_cast<unsigned>(a),
                         num::evaluate(num::ScalarOp::round, DType::f32, single).value,
                         DType::f32)) {
      ++different;
    }
    if (!num::same_value(std::bit_cast<std::uint64_t>(b),
                         num::evaluate(num::ScalarOp::round, DType::f64, both).value, DType::f64)) {
      ++different;
    }
  }
  CHECK(different == 0);
}

TEST_CASE("integer division, magnitude and 64-bit shifts") {
  using num::ScalarOp;
  Random random;
  int different = 0;
  const long long edges[] = {0,  1,         -1,        2,         -2,        7,
                             -7, INT64_MAX, INT64_MIN, INT32_MIN, INT32_MAX, 64};
  const auto value = [&]() -> long long {
    if (random.next() % 3 != 0) return edges[random.next() % 12];
    return static_cast<long long>(random.next()) >> (random.next() % 60);
  };
  const auto check = [&](ScalarOp op, DType dtype, auto got, long long a, long long b) {
    const num::Evaluated expected =
        num::evaluate(op, dtype, num::from_int64(a, dtype), num::from_int64(b, dtype));
    if (expected.status != num::EvalStatus::ok) return;
    if (num::from_int64(static_cast<std::int64_t>(got), dtype) != expected.value) ++different;
  };
  for (int i = 0; i < kRandom; ++i) {
    const long long a = value(), b = value();
    check(ScalarOp::abs, DType::i64, tirx_abs_i64(a), a, 0);
    check(ScalarOp::shl, DType::i64, tirx_shl_i64(a, b), a, b);
    check(ScalarOp::shr, DType::i64, tirx_shr_i64(a, b), a, b);
    const auto ua = static_cast<unsigned long long>(a), ub = static_cast<unsigned long long>(b);
    check(ScalarOp::shl, DType::u64, tirx_shl_u64(ua, ub), a, b);
    check(ScalarOp::shr, DType::u64, tirx_shr_u64(ua, ub), a, b);
    if (b != 0) {
      check(ScalarOp::floordiv, DType::i64, tirx_floordiv_i64(a, b), a, b);
      check(ScalarOp::floormod, DType::i64, tirx_floormod_i64(a, b), a, b);
      check(ScalarOp::truncdiv, DType::i64, tirx_truncdiv_i64(a, b), a, b);
      check(ScalarOp::truncmod, DType::i64, tirx_truncmod_i64(a, b), a, b);
    }
    const int c = static_cast<int>(a), d = static_cast<int>(b);
    check(ScalarOp::abs, DType::i32, tirx_abs_i32(c), c, 0);
    if (d != 0) {
      check(ScalarOp::floordiv, DType::i32, tirx_floordiv_i32(c, d), c, d);
      check(ScalarOp::floormod, DType::i32, tirx_floormod_i32(c, d), c, d);
      check(ScalarOp::truncdiv, DType::i32, tirx_truncdiv_i32(c, d), c, d);
      check(ScalarOp::truncmod, DType::i32, tirx_truncmod_i32(c, d), c, d);
    }
  }
  CHECK(different == 0);
}

TEST_CASE("the trips of a loop whose last increment would leave its type") {
  constexpr int kHigh = 2147483647, kLow = -kHigh - 1;
  CHECK(tirx_trips_up<int>(0, 10, 5u) == 2);
  CHECK(tirx_trips_up<int>(0, 11, 5u) == 3);
  CHECK(tirx_trips_up<int>(9, 10, 5u) == 1);
  CHECK(tirx_trips_up<int>(10, 10, 5u) == 0);
  CHECK(tirx_trips_up<int>(11, 10, 5u) == 0);
  CHECK(tirx_trips_up<int>(kHigh, kLow, 5u) == 0);
  CHECK(tirx_trips_up<int>(kHigh - 7, kHigh, 5u) == 2);
  CHECK(tirx_trips_up<int>(kLow, kHigh, 2u) == 2147483648u);
  CHECK(tirx_trips_up<int>(kLow, kHigh, 2147483647u) == 3);
  CHECK(tirx_trips_up<unsigned>(4294967288u, 4294967295u, 5u) == 2);
  CHECK(tirx_trips_up<signed char>(-128, 127, 2u) == 128);
  CHECK(tirx_trips_down<int>(0, -10, 5u) == 2);
  CHECK(tirx_trips_down<int>(0, -11, 5u) == 3);
  CHECK(tirx_trips_down<int>(-10, -10, 5u) == 0);
  CHECK(tirx_trips_down<int>(kLow, kHigh, 5u) == 0);
  CHECK(tirx_trips_down<int>(kHigh, kLow, 2147483648u) == 2);
  CHECK(tirx_trips_down<unsigned>(3u, 0u, 5u) == 1);
  constexpr long long kFar = 9223372036854775807ll;
  CHECK(tirx_trips_up<long long>(-kFar - 1, kFar, 2ull) == 9223372036854775808ull);
  CHECK(tirx_trips_up<long long>(kFar - 8, kFar, 5ull) == 2);
  CHECK(tirx_trips_down<long long>(2 - kFar, -kFar - 1, 5ull) == 1);
}

}  // namespace tirx::on_host
