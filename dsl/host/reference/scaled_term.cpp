#include "dsl/host/reference/scaled_term.hpp"

#include <bit>

namespace tirx::dsl::reference {

using num::Decoded;
using num::NumberClass;
using num::Wide;

Decoded trimmed(Decoded value) {
  if (value.kind != NumberClass::finite) return value;
  const int zeros = std::countr_zero(value.significand);
  value.significand >>= zeros;
  value.exponent += zeros;
  return value;
}

Factor product_of(std::initializer_list<std::uint32_t> float32) {
  Factor out{NumberClass::finite, false, 1, 0};
  for (const std::uint32_t bits : float32) {
    const Decoded v = trimmed(num::decode(num::DType::f32, bits));
    out.negative = out.negative != v.negative;
    if (out.kind == NumberClass::nan || v.kind == NumberClass::nan) {
      out.kind = NumberClass::nan;
    } else if (out.kind == NumberClass::infinite || v.kind == NumberClass::infinite) {
      const bool zero = out.kind == NumberClass::zero || v.kind == NumberClass::zero;
      out.kind = zero ? NumberClass::nan : NumberClass::infinite;
    } else if (v.kind == NumberClass::zero) {
      out.kind = NumberClass::zero;
    }
    if (out.kind != NumberClass::finite) continue;
    out.significand *= v.significand;
    out.exponent += v.exponent;
  }
  return out;
}

void add_scaled(ExactSum& sum, const Factor& factor, Integer value, int exponent) {
  if (factor.kind != NumberClass::finite || value == 0) return;
  const bool negative = factor.negative != (value < 0);
  Wide rest = value < 0 ? -static_cast<Wide>(value) : static_cast<Wide>(value);
  int at = factor.exponent + exponent;
  if (num::bit_length(rest) + num::bit_length(factor.significand) <= 128) {
    sum.add_magnitude(negative, factor.significand * rest, at);
    return;
  }
  for (; rest != 0; rest >>= 32, at += 32) {
    const auto limb = static_cast<std::uint32_t>(rest);
    if (limb != 0) sum.add_magnitude(negative, factor.significand * limb, at);
  }
}

void add_special(ExactSum& sum, const Factor& factor, const Decoded& value) {
  const bool nan = factor.kind == NumberClass::nan || value.kind == NumberClass::nan;
  const bool infinite = factor.kind == NumberClass::infinite || value.kind == NumberClass::infinite;
  if (!nan && !infinite) return;
  const bool zero = factor.kind == NumberClass::zero || value.kind == NumberClass::zero;
  Decoded out;
  out.kind = nan || zero ? NumberClass::nan : NumberClass::infinite;
  out.negative = factor.negative != value.negative;
  sum.add(out);
}

num::Bits round_once(const ExactSum& sum, num::DType out, num::Round round) {
  const bool saturates = num::cast_rule(num::DType::f32, out).satfinite;
  return sum.round_to(out, round, saturates ? num::Overflow::saturate : num::Overflow::ieee);
}

}  // namespace tirx::dsl::reference
