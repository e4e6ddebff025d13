// Which element types exist, and what are their facts?  One row per type; every other table of the
// project (typing, packing, CUDA spelling, .npy) is derived from these rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tirx::num {

// clang-format off
enum class DType : std::uint8_t {
  boolean, i8, i16, i32, i64, u8, u16, u32, u64,
  f16, bf16, f32, f64, tf32,
  e4m3, e5m2, e8m0, e2m3, e3m2, e2m1,
  handle,  // an opaque pointer; no arithmetic
};
// clang-format on

enum class Kind : std::uint8_t { boolean, signed_int, unsigned_int, floating, handle };

/// One element type.  `exponent`, `fraction`, `bias` are 0 for types that are not floating.
struct DTypeRow {
  DType dtype;
  Kind kind;
  int bits;      // logical width: 1 for boolean is stored as 8, 4 and 6 for the packed ones
  int exponent;  // exponent field width
  int fraction;  // fraction field width
  int bias;
  bool has_inf;  // e4m3, e2m3, e3m2, e2m1, e8m0 have none
  bool has_nan;
  bool storage_only;           // no arithmetic in the language: the user casts first
  std::string_view name;       // TIRx spelling: "float32", "float8_e4m3fn"
  std::string_view shorthand;  // "f32", "i8"; empty if none
  std::string_view cuda;       // CUDA C++ spelling of one element in memory
  std::string_view numpy;      // .npy descriptor used to carry it: "<f4", "|u1"
};

[[nodiscard]] std::span<const DTypeRow> dtype_rows();
[[nodiscard]] const DTypeRow& row(DType dtype);

[[nodiscard]] inline std::string_view name(DType dtype) {
  return row(dtype).name;
}

/// Logical width in bits (boolean: 8, since it is stored as a byte).
[[nodiscard]] int bits(DType dtype);
/// Bytes of one stored element; 6-bit types are stored one a byte, 4-bit types two a byte (returns
/// 1).
[[nodiscard]] int bytes(DType dtype);

[[nodiscard]] inline bool is_float(DType dtype) {
  return row(dtype).kind == Kind::floating;
}

[[nodiscard]] bool is_int(DType dtype);  // signed or unsigned, not boolean

[[nodiscard]] inline bool is_signed(DType dtype) {
  return row(dtype).kind == Kind::signed_int;
}

[[nodiscard]] inline bool is_unsigned(DType dtype) {
  return row(dtype).kind == Kind::unsigned_int;
}

/// Finds a type by its TIRx name, its shorthand, or NumPy's and PyTorch's usual names for it.
[[nodiscard]] std::optional<DType> find_dtype(std::string_view name);

}  // namespace tirx::num
