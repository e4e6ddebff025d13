// Decoding, and the one rounding routine of the project.
#include "numerics/codec.hpp"

#include <algorithm>
#include <bit>

#include "numerics/scalar.hpp"

namespace tirx::num {
namespace {

// tf32 lives in the upper 19 bits of a 32-bit register.
constexpr int kTf32Shift = 13;

int pad_bits(DType dtype) {
  return dtype == DType::tf32 ? kTf32Shift : 0;
}

bool rounds_up(Round round, bool negative, bool odd, bool half, bool below_half) {
  switch (round) {
    case Round::rn:
      return half && (below_half || odd);
    case Round::rna:
      return half;
    case Round::rz:
      return false;
    case Round::rm:
      return negative && (half || below_half);
    case Round::rp:
      return !negative && (half || below_half);
  }
  return false;
}

/// Shifts right by `shift` (any size, also negative) and rounds; exact left shifts must fit.
Wide shift_and_round(const Magnitude& value, int shift, Round round) {
  if (shift <= 0) {
    const Wide kept = value.significand << -shift;
    return kept +
           (rounds_up(round, value.negative, (kept & 1) != 0, false, value.sticky) ? 1U : 0U);
  }
  Wide kept = 0;
  bool half = false;
  bool below = value.sticky;
  if (shift > 128) {
    below = below || value.significand != 0;
  } else {
    const Wide half_bit = Wide{1} << (shift - 1);
    kept = shift == 128 ? 0 : value.significand >> shift;
    half = (value.significand & half_bit) != 0;
    below = below || (value.significand & (half_bit - 1)) != 0;
  }
  return kept + (rounds_up(round, value.negative, (kept & 1) != 0, half, below) ? 1U : 0U);
}

/// e8m0 has neither sign nor zero: the magnitude's power of two, downwards or upwards.
Bits encode_e8m0(const Magnitude& value, Round round) {
  if (value.significand == 0) return 0;
  const int length = bit_length(value.significand);
  const bool power_of_two = (value.significand & (value.significand - 1)) == 0 && !value.sticky;
  int exponent = value.exponent + length - 1 + row(DType::e8m0).bias;
  if (round != Round::rz && !power_of_two) ++exponent;
  return static_cast<Bits>(std::clamp(exponent, 0, 254));
}

Bits overflowed(DType dtype, bool negative, Round round, Overflow overflow) {
  if (overflow == Overflow::saturate) return max_finite(dtype, negative);
  const bool away = round == Round::rn || round == Round::rna ||
                    (round == Round::rp && !negative) || (round == Round::rm && negative);
  if (!away) return max_finite(dtype, negative);
  if (row(dtype).has_inf) return infinity(dtype, negative);
  if (row(dtype).has_nan) return canonical_nan(dtype) | (negative ? sign_mask(dtype) : 0);
  return max_finite(dtype, negative);
}

Decoded decode_integer(DType dtype, Bits bits) {
  const std::int64_t value = to_int64(bits, dtype);
  const bool negative = row(dtype).kind == Kind::signed_int && value < 0;
  const auto magnitude = static_cast<std::uint64_t>(value);
  const std::uint64_t significand = negative ? std::uint64_t{0} - magnitude : magnitude;
  return {significand == 0 ? NumberClass::zero : NumberClass::finite, negative, 0, significand};
}

}  // namespace

int bit_length(Wide value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  return static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
}

Bits sign_mask(DType dtype) {
  const DTypeRow& r = row(dtype);
  return dtype == DType::e8m0 || r.kind != Kind::floating ? 0 : Bits{1} << (r.bits - 1);
}

bool is_negative(DType dtype, Bits bits) {
  return (bits & sign_mask(dtype)) != 0;
}

Bits signed_zero(DType dtype, bool negative) {
  return negative ? sign_mask(dtype) : 0;
}

Bits max_finite(DType dtype, bool negative) {
  const DTypeRow& r = row(dtype);
  const Bits sign = negative ? sign_mask(dtype) : 0;
  if (dtype == DType::e8m0) return 0xfe;
  const Bits all = (Bits{1} << (r.exponent + r.fraction)) - 1;
  if (r.has_inf) return sign | ((all - (Bits{1} << r.fraction)) << pad_bits(dtype));
  return sign | (r.has_nan ? all - 1 : all);
}

Bits infinity(DType dtype, bool negative) {
  const DTypeRow& r = row(dtype);
  if (!r.has_inf) return max_finite(dtype, negative);
  const Bits field = ((Bits{1} << r.exponent) - 1) << r.fraction;
  return (negative ? sign_mask(dtype) : 0) | (field << pad_bits(dtype));
}

Bits canonical_nan(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 0xfff8000000000000U;
    case DType::f32:
      return 0x7fffffffU;
    case DType::tf32:
      return 0x7fffe000U;  // the low 13 bits are zero
    case DType::f16:
    case DType::bf16:
      return 0x7fffU;
    case DType::e4m3:
    case DType::e5m2:
      return 0x7fU;
    case DType::e8m0:
      return 0xffU;
    default:
      return max_finite(dtype, false);  // formats without NaN: what cvt makes of one
  }
}

Decoded decode(DType dtype, Bits bits) {
  const DTypeRow& r = row(dtype);
  if (r.kind != Kind::floating) return decode_integer(dtype, bits);
  if (dtype == DType::e8m0) {
    if (bits == 0xff) return {NumberClass::nan, false, 0, 0};
    return {NumberClass::finite, false, static_cast<int>(bits) - r.bias, 1};
  }
  const bool negative = is_negative(dtype, bits);
  const Bits body = bits >> pad_bits(dtype);
  const Bits fraction_mask = (Bits{1} << r.fraction) - 1;
  const Bits top_field = (Bits{1} << r.exponent) - 1;
  const Bits field = (body >> r.fraction) & top_field;
  const Bits fraction = body & fraction_mask;
  if (r.has_nan && field == top_field) {
    if (r.has_inf) {
      return {fraction == 0 ? NumberClass::infinite : NumberClass::nan, negative, 0, 0};
    }
    if (fraction == fraction_mask) return {NumberClass::nan, negative, 0, 0};
  }
  const int exponent = std::max(static_cast<int>(field), 1) - r.bias - r.fraction;
  const Bits significand = field == 0 ? fraction : fraction | (fraction_mask + 1);
  return {significand == 0 ? NumberClass::zero : NumberClass::finite, negative, exponent,
          significand};
}

Bits encode(DType dtype, const Magnitude& value, Round round, Overflow overflow) {
  if (dtype == DType::e8m0) return encode_e8m0(value, round);
  const DTypeRow& r = row(dtype);
  const Bits sign = value.negative ? sign_mask(dtype) : 0;
  if (value.significand == 0 && !value.sticky) return sign;
  const int leading = value.exponent + bit_length(value.significand) - 1;
  if (leading > r.bias + 1) return overflowed(dtype, value.negative, round, overflow);
  const int smallest_normal = 1 - r.bias;
  const int last_place = std::max(leading, smallest_normal) - r.fraction;
  const Wide kept = shift_and_round(value, last_place - value.exponent, round);
  // The hidden bit, if there, adds one to the field; so does a carry out of the significand.
  const Bits field = static_cast<Bits>(last_place + r.fraction + r.bias - 1);
  const Bits highest = max_finite(dtype, false) >> pad_bits(dtype);
  const Bits body = (field << r.fraction) + static_cast<Bits>(kept);
  if (body > highest) return overflowed(dtype, value.negative, round, overflow);
  return sign | (body << pad_bits(dtype));
}

Wide round_to_integer(const Magnitude& value, Round round) {
  if (value.exponent + bit_length(value.significand) > 127) return Wide{1} << 127;
  return shift_and_round(value, -value.exponent, round);
}

}  // namespace tirx::num
