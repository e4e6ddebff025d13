// Decimal text of values, and back.
#include "numerics/text.hpp"

#include <doctest/doctest.h>

#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"
#include "tests/unit/numerics/random_bits.hpp"

using namespace tirx::num;
using tirx::num::testing::Random;
using tirx::num::testing::random_bits;

TEST_CASE("text reads back as the same bits") {
  for (const DTypeRow& r : dtype_rows()) {
    if (r.kind == Kind::handle) continue;
    CAPTURE(r.name);
    Random random(2);
    int wrong = 0;
    for (int i = 0; i < 2000; ++i) {
      Bits value = random_bits(random, r.dtype);
      if (r.dtype == DType::tf32) value &= ~Bits{0x1fff};
      if (is_nan(value, r.dtype)) continue;
      wrong += from_text(to_text(value, r.dtype), r.dtype) != value;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("the shortest digits, positional as in Python") {
  CHECK(to_text(from_double(0.1, DType::f32), DType::f32) == "0.1");
  CHECK(to_text(from_double(0.1, DType::f16), DType::f16) == "0.1");
  CHECK(to_text(from_double(1.0 / 3, DType::bf16), DType::bf16) == "0.334");
  CHECK(to_text(from_double(1e-7, DType::f32), DType::f32) == "1e-07");
  CHECK(to_text(from_double(65504, DType::f16), DType::f16) == "65500.0");
  CHECK(to_text(from_double(448, DType::e4m3), DType::e4m3) == "448.0");
  CHECK(to_text(from_double(-1232, DType::bf16), DType::bf16) == "-1232.0");
  CHECK(to_text(from_double(0.25, DType::e8m0), DType::e8m0) == "0.25");
  CHECK(to_text(from_double(0.0, DType::bf16), DType::bf16) == "0.0");
  CHECK(to_text(from_double(-0.0, DType::f32), DType::f32) == "-0.0");
  CHECK(to_text(from_double(1e16, DType::f64), DType::f64) == "1e+16");
  CHECK(to_text(from_double(123456789, DType::f64), DType::f64) == "123456789.0");
  CHECK(to_text(0x7f800000U, DType::f32) == "inf");
  CHECK(to_text(0xfc00, DType::f16) == "-inf");
  CHECK(to_text(0x7fff, DType::f16) == "nan");
  CHECK(to_text(0xff, DType::i8) == "-1");
  CHECK(to_text(~Bits{0}, DType::u64) == "18446744073709551615");
  CHECK(to_text(1, DType::boolean) == "True");
  CHECK(to_text(0x7, DType::e2m1) == "6.0");
  CHECK(to_hex(0x3c00, DType::f16) == "0x3c00");
  CHECK(to_hex(0xa, DType::e2m1) == "0xa");
}

TEST_CASE("reading") {
  CHECK(from_text("1e400", DType::f64) == 0x7ff0000000000000U);
  CHECK(from_text("1e-400", DType::f64) == 0U);
  CHECK(from_text("-1e-400", DType::f32) == 0x80000000U);
  CHECK(from_text("127", DType::i8) == 0x7fU);
  CHECK_FALSE(from_text("128", DType::i8).has_value());
  CHECK_FALSE(from_text("-1", DType::u8).has_value());
  CHECK_FALSE(from_text("", DType::f32).has_value());
  CHECK_FALSE(from_text("1.5x", DType::f32).has_value());
  CHECK_FALSE(from_text("1.5", DType::i32).has_value());
  CHECK(from_text("False", DType::boolean) == 0U);
  // Binary64 first: the decimal lies just above the middle of two float32, its binary64 on it.
  CHECK(from_text("1.00000005960464477539062500000001", DType::f32) == 0x3f800000U);
}
