// Integer operations of every width against plain 128-bit arithmetic.
#include <doctest/doctest.h>

#include "numerics/scalar.hpp"
#include "tests/unit/numerics/random_bits.hpp"

using namespace tirx::num;
using tirx::num::testing::Random;
using tirx::num::testing::random_bits;
using tirx::num::testing::width_mask;

namespace {

__extension__ using Int = __int128;

constexpr DType kIntegers[] = {DType::i8, DType::i16, DType::i32, DType::i64,
                               DType::u8, DType::u16, DType::u32, DType::u64};

Int value_of(Bits value, DType dtype) {
  if (!is_signed(dtype)) return static_cast<Int>(value);
  const Int half = Int{1} << (bits(dtype) - 1);
  const Int raw = static_cast<Int>(value);
  return raw >= half ? raw - 2 * half : raw;
}

Bits wrap(Int value, DType dtype) {
  return static_cast<Bits>(value) & width_mask(dtype);
}

bool in_range(Int value, DType dtype) {
  return value_of(wrap(value, dtype), dtype) == value;
}

Int floor_quotient(Int a, Int b) {
  const Int q = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? q - 1 : q;
}

Bits apply(ScalarOp op, DType dtype, Bits a, Bits b = 0) {
  return evaluate(op, dtype, a, b).value;
}

}  // namespace

TEST_CASE("arithmetic, division and comparison") {
  for (const DType d : kIntegers) {
    CAPTURE(name(d));
    Random random(3);
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) {
      const Bits a = random_bits(random, d);
      const Bits b = random_bits(random, d);
      const Int x = value_of(a, d);
      const Int y = value_of(b, d);
      wrong += apply(ScalarOp::add, d, a, b) != wrap(x + y, d);
      wrong += apply(ScalarOp::sub, d, a, b) != wrap(x - y, d);
      wrong += apply(ScalarOp::neg, d, a) != wrap(-x, d);
      wrong += apply(ScalarOp::abs, d, a) != wrap(x < 0 ? -x : x, d);
      wrong += apply(ScalarOp::min, d, a, b) != wrap(x < y ? x : y, d);
      wrong += apply(ScalarOp::max, d, a, b) != wrap(x < y ? y : x, d);
      wrong += apply(ScalarOp::lt, d, a, b) != (x < y ? 1U : 0U);
      wrong += apply(ScalarOp::le, d, a, b) != (x <= y ? 1U : 0U);
      wrong += apply(ScalarOp::gt, d, a, b) != (x > y ? 1U : 0U);
      wrong += apply(ScalarOp::ge, d, a, b) != (x >= y ? 1U : 0U);
      wrong += apply(ScalarOp::eq, d, a, b) != (x == y ? 1U : 0U);
      wrong += apply(ScalarOp::ne, d, a, b) != (x != y ? 1U : 0U);
      // Products of 64-bit values stay below 2^127 in magnitude, or wrap harmlessly in unsigned.
      __extension__ using Uint = unsigned __int128;
      const Uint product = static_cast<Uint>(x) * static_cast<Uint>(y);
      wrong += apply(ScalarOp::mul, d, a, b) != (static_cast<Bits>(product) & width_mask(d));
      const Bits high = is_signed(d) ? static_cast<Bits>(static_cast<Int>(product) >> bits(d))
                                     : static_cast<Bits>(product >> bits(d));
      wrong += apply(ScalarOp::mulhi, d, a, b) != (high & width_mask(d));
      if (y == 0) continue;
      wrong += apply(ScalarOp::truncdiv, d, a, b) != wrap(x / y, d);
      wrong += apply(ScalarOp::truncmod, d, a, b) != wrap(x % y, d);
      wrong += apply(ScalarOp::floordiv, d, a, b) != wrap(floor_quotient(x, y), d);
      wrong += apply(ScalarOp::floormod, d, a, b) != wrap(x - y * floor_quotient(x, y), d);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("bits and shifts") {
  for (const DType d : kIntegers) {
    CAPTURE(name(d));
    const int width = bits(d);
    Random random(4);
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) {
      const Bits a = random_bits(random, d);
      const Bits b = random_bits(random, d);
      wrong += apply(ScalarOp::bit_and, d, a, b) != (a & b);
      wrong += apply(ScalarOp::bit_or, d, a, b) != (a | b);
      wrong += apply(ScalarOp::bit_xor, d, a, b) != (a ^ b);
      wrong += apply(ScalarOp::bit_not, d, a) != (~a & width_mask(d));
      Bits ones = 0;
      Bits leading = static_cast<Bits>(width);
      Bits lowest = 0;
      Bits reversed = 0;
      for (int k = 0; k < width; ++k) {
        if ((a >> k & 1) == 0) continue;
        ++ones;
        leading = static_cast<Bits>(width - 1 - k);
        if (lowest == 0) lowest = static_cast<Bits>(k + 1);
        reversed |= Bits{1} << (width - 1 - k);
      }
      wrong += apply(ScalarOp::popc, d, a) != ones;
      wrong += apply(ScalarOp::clz, d, a) != leading;
      wrong += apply(ScalarOp::ffs, d, a) != lowest;
      wrong += apply(ScalarOp::brev, d, a) != reversed;
      const Bits count = i % 2 == 0 ? b : b % static_cast<Bits>(width + 2);
      const bool all_out = count >= static_cast<Bits>(width);
      const Int x = value_of(a, d);
      const Bits left = all_out ? 0 : (a << count) & width_mask(d);
      const Bits right = wrap(all_out ? (x < 0 ? -1 : 0) : x >> count, d);
      wrong += apply(ScalarOp::shl, d, a, count) != left;
      wrong += apply(ScalarOp::shr, d, a, count) != right;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("division by zero is reported and gives 0") {
  for (const DType d : kIntegers) {
    for (const ScalarOp op :
         {ScalarOp::floordiv, ScalarOp::floormod, ScalarOp::truncdiv, ScalarOp::truncmod}) {
      const Evaluated result = evaluate(op, d, 5, 0);
      CHECK(result.status == EvalStatus::division_by_zero);
      CHECK(result.value == 0);
    }
  }
}

TEST_CASE("the one quotient that does not fit wraps") {
  CHECK(apply(ScalarOp::truncdiv, DType::i32, 0x80000000U, 0xffffffffU) == 0x80000000U);
  CHECK(apply(ScalarOp::truncmod, DType::i32, 0x80000000U, 0xffffffffU) == 0);
  CHECK(apply(ScalarOp::floordiv, DType::i64, Bits{1} << 63, ~Bits{0}) == Bits{1} << 63);
  CHECK(apply(ScalarOp::floordiv, DType::i8, 0x80, 0xff) == 0x80);
}

TEST_CASE("checked arithmetic refuses exactly what leaves the type") {
  for (const DType d : kIntegers) {
    CAPTURE(name(d));
    Random random(6);
    int wrong = 0;
    const auto check = [&](ScalarOp op, Bits a, Bits b, Int exact) {
      const auto result = evaluate_checked(op, d, a, b);
      wrong += result.has_value() != in_range(exact, d);
      if (result) wrong += *result != wrap(exact, d);
    };
    for (int i = 0; i < 20000; ++i) {
      const Bits a = random_bits(random, d);
      const Bits b = random_bits(random, d);
      const Int x = value_of(a, d);
      const Int y = value_of(b, d);
      check(ScalarOp::add, a, b, x + y);
      check(ScalarOp::sub, a, b, x - y);
      check(ScalarOp::neg, a, b, -x);
      if (y != 0) check(ScalarOp::floordiv, a, b, floor_quotient(x, y));
      // |x y| < 2^127 unless both are unsigned 64-bit values of 2^63 and more.
      if (x < (Int{1} << 63) || y < (Int{1} << 63)) check(ScalarOp::mul, a, b, x * y);
      const Bits count = b % 70;
      if (count < 62) check(ScalarOp::shl, a, count, x * (Int{1} << count));
    }
    CHECK(wrong == 0);
  }
  CHECK_FALSE(evaluate_checked(ScalarOp::mul, DType::u64, ~Bits{0}, ~Bits{0}).has_value());
  CHECK_FALSE(evaluate_checked(ScalarOp::floordiv, DType::i32, 1, 0).has_value());
}

TEST_CASE("bool") {
  CHECK(evaluate(ScalarOp::logical_not, DType::boolean, 1).value == 0);
  CHECK(evaluate(ScalarOp::bit_xor, DType::boolean, 1, 1).value == 0);
  CHECK(evaluate(ScalarOp::add, DType::boolean, 1, 1).status == EvalStatus::illegal);
  CHECK(result_dtype(ScalarOp::lt, DType::f16) == DType::boolean);
  CHECK(result_dtype(ScalarOp::popc, DType::u64) == DType::i32);
}
