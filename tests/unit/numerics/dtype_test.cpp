// The element type rows: names, widths, and what is found under which name.
#include "numerics/dtype.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>

using namespace tirx::num;

TEST_CASE("every type is found by its name and its shorthand") {
  for (const DTypeRow& r : dtype_rows()) {
    CHECK(find_dtype(r.name) == r.dtype);
    if (!r.shorthand.empty()) CHECK(find_dtype(r.shorthand) == r.dtype);
    CHECK(&row(r.dtype) == &r);
  }
}

TEST_CASE("names of TIRx, NumPy and PyTorch") {
  CHECK(find_dtype("float8_e4m3fn") == DType::e4m3);
  CHECK(find_dtype("float8_e5m2") == DType::e5m2);
  CHECK(find_dtype("float8_e8m0fnu") == DType::e8m0);
  CHECK(find_dtype("float4_e2m1fn") == DType::e2m1);
  CHECK(find_dtype("tf32") == DType::tf32);
  CHECK(find_dtype("half") == DType::f16);
  CHECK(find_dtype("float") == DType::f32);
  CHECK(find_dtype("handle") == DType::handle);
  CHECK_FALSE(find_dtype("").has_value());
  CHECK_FALSE(find_dtype("float33").has_value());
  CHECK_FALSE(find_dtype("FLOAT32").has_value());
}

TEST_CASE("names are unique") {
  std::set<std::string> seen;
  for (const DTypeRow& r : dtype_rows()) {
    CHECK(seen.insert(std::string(r.name)).second);
    if (!r.shorthand.empty()) CHECK(seen.insert(std::string(r.shorthand)).second);
  }
}

TEST_CASE("widths") {
  CHECK(bits(DType::boolean) == 8);
  CHECK(bytes(DType::boolean) == 1);
  CHECK(bits(DType::e2m1) == 4);
  CHECK(bytes(DType::e2m1) == 1);
  CHECK(bits(DType::e3m2) == 6);
  CHECK(bytes(DType::e3m2) == 1);
  CHECK(bytes(DType::bf16) == 2);
  CHECK(bytes(DType::tf32) == 4);
  CHECK(bytes(DType::handle) == 8);
}

TEST_CASE("kinds") {
  CHECK(is_int(DType::u8));
  CHECK(is_signed(DType::i64));
  CHECK_FALSE(is_int(DType::boolean));
  CHECK_FALSE(is_int(DType::handle));
  CHECK(is_float(DType::e8m0));
  for (const DTypeRow& r : dtype_rows()) {
    CHECK((r.exponent > 0) == (r.kind == Kind::floating));
    if (r.has_inf) CHECK(r.has_nan);
  }
}
