// The rows of the element types, and the names under which a type is found.
// Formats: IEEE 754-2019 (binary16/32/64), OCP 8-bit Floating Point v1.0 (e4m3fn, e5m2), OCP
// Microscaling Formats v1.0 (e8m0, e2m3, e3m2, e2m1), PTX ISA "Alternate floating-point data
// formats".
#include "numerics/dtype.hpp"

#include <array>
#include <cstddef>

namespace tirx::num {
namespace {

constexpr auto kRows = std::to_array<DTypeRow>({
    // clang-format off
    // dtype          kind                bits exp frac bias   inf    nan    storage name               short   CUDA              NumPy
    {DType::boolean, Kind::boolean,         1, 0,  0,    0, false, false, false, "bool",            "",     "bool",           "|b1"},
    {DType::i8,      Kind::signed_int,      8, 0,  0,    0, false, false, false, "int8",            "i8",   "signed char",    "|i1"},
    {DType::i16,     Kind::signed_int,     16, 0,  0,    0, false, false, false, "int16",           "i16",  "short",          "<i2"},
    {DType::i32,     Kind::signed_int,     32, 0,  0,    0, false, false, false, "int32",           "i32",  "int",            "<i4"},
    {DType::i64,     Kind::signed_int,     64, 0,  0,    0, false, false, false, "int64",           "i64",  "long long",      "<i8"},
    {DType::u8,      Kind::unsigned_int,    8, 0,  0,    0, false, false, false, "uint8",           "u8",   "unsigned char",  "|u1"},
    {DType::u16,     Kind::unsigned_int,   16, 0,  0,    0, false, false, false, "uint16",          "u16",  "unsigned short", "<u2"},
    {DType::u32,     Kind::unsigned_int,   32, 0,  0,    0, false, false, false, "uint32",          "u32",  "unsigned int",   "<u4"},
    {DType::u64,     Kind::unsigned_int,   64, 0,  0,    0, false, false, false, "uint64",          "u64",  "unsigned long long", "<u8"},
    {DType::f16,     Kind::floating,       16, 5, 10,   15, true,  true,  false, "float16",         "f16",  "__half",         "<f2"},
    {DType::bf16,    Kind::floating,       16, 8,  7,  127, true,  true,  false, "bfloat16",        "bf16", "__nv_bfloat16",  "<u2"},
    {DType::f32,     Kind::floating,       32, 8, 23,  127, true,  true,  false, "float32",         "f32",  "float",          "<f4"},
    {DType::f64,     Kind::floating,       64, 11, 52, 1023, true, true,  false, "float64",         "f64",  "double",         "<f8"},
    {DType::tf32,    Kind::floating,       32, 8, 10,  127, true,  true,  true,  "tfloat32",        "tf32", "float",          "<f4"},
    {DType::e4m3,    Kind::floating,        8, 4,  3,    7, false, true,  true,  "float8_e4m3fn",   "e4m3", "__nv_fp8_e4m3",  "|u1"},
    {DType::e5m2,    Kind::floating,        8, 5,  2,   15, true,  true,  true,  "float8_e5m2",     "e5m2", "__nv_fp8_e5m2",  "|u1"},
    {DType::e8m0,    Kind::floating,        8, 8,  0,  127, false, true,  true,  "float8_e8m0fnu",  "e8m0", "__nv_fp8_e8m0",  "|u1"},
    {DType::e2m3,    Kind::floating,        6, 2,  3,    1, false, false, true,  "float6_e2m3fn",   "e2m3", "__nv_fp6_e2m3",  "|u1"},
    {DType::e3m2,    Kind::floating,        6, 3,  2,    3, false, false, true,  "float6_e3m2fn",   "e3m2", "__nv_fp6_e3m2",  "|u1"},
    {DType::e2m1,    Kind::floating,        4, 2,  1,    1, false, false, true,  "float4_e2m1fn",   "e2m1", "__nv_fp4_e2m1",  "|u1"},
    {DType::handle,  Kind::handle,         64, 0,  0,    0, false, false, true,  "handle",          "",     "void*",          "<u8"},
    // clang-format on
});

struct Alias {
  std::string_view name;
  DType dtype;
};

constexpr auto kAliases = std::to_array<Alias>({
    {"boolean", DType::boolean},  {"bool_", DType::boolean},
    {"pred", DType::boolean},     {"int", DType::i32},
    {"uint", DType::u32},         {"half", DType::f16},
    {"fp16", DType::f16},         {"fp32", DType::f32},
    {"fp64", DType::f64},         {"float", DType::f32},
    {"double", DType::f64},       {"float8_e4m3", DType::e4m3},
    {"fp8_e4m3", DType::e4m3},    {"e4m3fn", DType::e4m3},
    {"e4m3_float8", DType::e4m3}, {"fp8_e5m2", DType::e5m2},
    {"e5m2_float8", DType::e5m2}, {"float8_e8m0", DType::e8m0},
    {"e8m0fnu", DType::e8m0},     {"ue8m0", DType::e8m0},
    {"float6_e2m3", DType::e2m3}, {"fp6_e2m3", DType::e2m3},
    {"e2m3fn", DType::e2m3},      {"float6_e3m2", DType::e3m2},
    {"fp6_e3m2", DType::e3m2},    {"e3m2fn", DType::e3m2},
    {"float4_e2m1", DType::e2m1}, {"float4_e2m1fn_x2", DType::e2m1},
    {"fp4_e2m1", DType::e2m1},    {"e2m1fn", DType::e2m1},
});

constexpr bool rows_follow_the_enumeration() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].dtype) != i) return false;
    const DTypeRow& r = kRows[i];
    const bool sign_bit = r.dtype != DType::e8m0;
    // tf32 is 19 bits that travel in a 32-bit register.
    const int width = r.dtype == DType::tf32 ? 19 : r.bits;
    if (r.kind == Kind::floating && r.exponent + r.fraction + (sign_bit ? 1 : 0) != width) {
      return false;
    }
  }
  return true;
}

static_assert(rows_follow_the_enumeration());
static_assert(kRows.size() == static_cast<std::size_t>(DType::handle) + 1);

}  // namespace

std::span<const DTypeRow> dtype_rows() {
  return kRows;
}

const DTypeRow& row(DType dtype) {
  return kRows[static_cast<std::size_t>(dtype)];
}

int bits(DType dtype) {
  return dtype == DType::boolean ? 8 : row(dtype).bits;
}

int bytes(DType dtype) {
  return (bits(dtype) + 7) / 8;
}

bool is_int(DType dtype) {
  const Kind kind = row(dtype).kind;
  return kind == Kind::signed_int || kind == Kind::unsigned_int;
}

std::optional<DType> find_dtype(std::string_view name) {
  for (const DTypeRow& r : kRows) {
    if (name == r.name || (!r.shorthand.empty() && name == r.shorthand)) return r.dtype;
  }
  for (const Alias& alias : kAliases) {
    if (name == alias.name) return alias.dtype;
  }
  return std::nullopt;
}

}  // namespace tirx::num
