// cvt, in integers.  Which rule comes from where: docs/numerics.md, "Conversions".
#include "numerics/convert.hpp"

#include <bit>
#include <limits>

#include "numerics/codec.hpp"
#include "numerics/scalar.hpp"

namespace tirx::num {
namespace {

constexpr Bits kOneBits64 = 0x3ff0000000000000U;

bool is_small_float(DType dtype) {
  switch (dtype) {
    case DType::e4m3:
    case DType::e5m2:
    case DType::e8m0:
    case DType::e2m3:
    case DType::e3m2:
    case DType::e2m1:
      return true;
    default:
      return false;
  }
}

Bits width_mask(DType dtype) {
  const int width = bits(dtype);
  return width >= 64 ? ~Bits{0} : (Bits{1} << width) - 1;
}

/// NaN to integer [H200: 2^63 for 64 bits; else 0, but from float64 the target's top bit].
Bits nan_to_integer(DType from, DType to) {
  const bool top_bit = from == DType::f64 || bits(to) == 64;
  return top_bit ? Bits{1} << (bits(to) - 1) : 0;
}

Bits float_to_integer(Bits value, DType from, DType to, Round round) {
  const Decoded d = decode(from, value);
  if (d.kind == NumberClass::nan) return nan_to_integer(from, to);
  const int width = bits(to);
  const Wide positive_limit = is_signed(to) ? (Wide{1} << (width - 1)) - 1 : (Wide{1} << width) - 1;
  const Wide negative_limit = is_signed(to) ? Wide{1} << (width - 1) : 0;
  const Wide limit = d.negative ? negative_limit : positive_limit;
  Wide magnitude = limit;
  if (d.kind != NumberClass::infinite) {
    magnitude = round_to_integer({d.negative, d.exponent, d.significand, false}, round);
    if (magnitude > limit) magnitude = limit;
  }
  const Bits low = static_cast<Bits>(magnitude);
  return (d.negative ? Bits{0} - low : low) & width_mask(to);
}

/// NaN to a floating type: the payload survives only on the paths where the hardware keeps it.
Bits nan_to_float(Bits value, DType from, DType to, const Conversion& form) {
  const bool plain = !form.relu && !form.sat;
  if (plain && from == DType::bf16 && to == DType::f32) return value << 16;
  if (plain && (from == DType::f32 || from == DType::bf16) && to == DType::tf32 &&
      form.round == Round::rna) {
    const Bits word = from == DType::f32 ? value : value << 16;
    // [H200: with satfinite one step nearer to zero, as from infinity to the largest value]
    return (word & ~Bits{0x1fff}) - (form.satfinite ? 0x2000U : 0);
  }
  if (plain && from == DType::f64 && to == DType::f32) {
    return ((value >> 32) & 0x80000000U) | 0x7fc00000U | ((value >> 29) & 0x3fffffU);
  }
  if (plain && from == DType::f16 && to == DType::f64) {  // the payload is kept [H200]
    return ((value & 0x8000U) << 48) | 0x7ff8000000000000U | ((value & 0x3ffU) << 42);
  }
  if (plain && to == DType::f64 && !form.ftz) {
    const Bits word = from == DType::f32 ? value : convert(value, from, DType::f32);
    return ((word & 0x80000000U) << 32) | 0x7ff8000000000000U | ((word & 0x3fffffU) << 29);
  }
  if (plain && to == DType::f64) return 0x7fffffffe0000000U;  // .ftz makes it float32's first
  return form.sat ? 0 : canonical_nan(to);
}

Bits flush(Bits value, DType dtype) {
  if (dtype != DType::f32 || (value & 0x7f800000U) != 0) return value;
  return value & 0x80000000U;
}

/// A finite or infinite value, or an integer, to a floating type.
Bits number_to_float(const Decoded& d, DType to, const Conversion& form) {
  const Overflow overflow = form.satfinite ? Overflow::saturate : Overflow::ieee;
  if (d.kind == NumberClass::infinite) {
    if (!row(to).has_inf && row(to).has_nan && !form.satfinite && to != DType::e8m0) {
      return canonical_nan(to) | (d.negative ? sign_mask(to) : 0);
    }
    return form.satfinite ? max_finite(to, d.negative) : infinity(to, d.negative);
  }
  if (d.kind == NumberClass::zero) return signed_zero(to, d.negative);
  return encode(to, {d.negative, d.exponent, d.significand, false}, form.round, overflow);
}

Bits clamp_to_unit(Bits value, DType dtype) {
  if (is_negative(dtype, value)) return 0;
  const Bits one = convert(kOneBits64, DType::f64, dtype);
  return value > one ? one : value;
}

Bits to_floating(Bits value, DType from, DType to, const Conversion& form) {
  const Decoded d = decode(from, value);
  if (d.kind == NumberClass::nan) return nan_to_float(value, from, to, form);
  Bits result = number_to_float(d, to, form);
  if (form.relu && is_negative(to, result)) result = 0;
  if (form.sat) result = clamp_to_unit(result, to);
  return form.ftz ? flush(result, to) : result;
}

}  // namespace

Conversion cast_rule(DType from, DType to) {
  Conversion form;
  if (!is_float(to)) {
    if (is_float(from)) form.round = Round::rz;
    return form;
  }
  form.satfinite = is_small_float(to);
  if (to == DType::e8m0) form.round = Round::rp;
  if (to == DType::tf32) form.round = Round::rna;
  return form;
}

Bits convert(Bits value, DType from, DType to) {
  return from == to ? value : convert(value, from, to, cast_rule(from, to));
}

Bits convert(Bits value, DType from, DType to, const Conversion& form) {
  if (form.ftz && to != DType::f16) value = flush(value, from);  // [H200: not toward float16]
  if (to == DType::boolean) {
    return decode(from, value).kind == NumberClass::zero ? 0 : 1;
  }
  if (!is_float(to)) {
    return is_float(from) ? float_to_integer(value, from, to, form.round)
                          : static_cast<Bits>(to_int64(value, from)) & width_mask(to);
  }
  return to_floating(value, from, to, form);
}

Bits from_double(double value, DType to) {
  return convert(std::bit_cast<std::uint64_t>(value), DType::f64, to);
}

double to_double(Bits value, DType from) {
  return std::bit_cast<double>(convert(value, from, DType::f64));
}

Bits load_element(const std::uint8_t* base, std::size_t index, DType dtype) {
  if (dtype == DType::e2m1) return (Bits{base[index / 2]} >> (index % 2 * 4)) & 0xf;
  const auto width = static_cast<std::size_t>(bytes(dtype));
  Bits value = 0;
  for (std::size_t i = 0; i < width; ++i) value |= Bits{base[index * width + i]} << (8 * i);
  return value;
}

void store_element(std::uint8_t* base, std::size_t index, DType dtype, Bits value) {
  if (dtype == DType::e2m1) {
    std::uint8_t& byte = base[index / 2];
    const unsigned shift = index % 2 * 4;
    byte = static_cast<std::uint8_t>((byte & ~(0xfU << shift)) |
                                     (static_cast<unsigned>(value & 0xf) << shift));
    return;
  }
  const auto width = static_cast<std::size_t>(bytes(dtype));
  for (std::size_t i = 0; i < width; ++i) {
    base[index * width + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

std::size_t packed_bytes(std::size_t count, DType dtype) {
  return dtype == DType::e2m1 ? (count + 1) / 2 : count * static_cast<std::size_t>(bytes(dtype));
}

}  // namespace tirx::num
