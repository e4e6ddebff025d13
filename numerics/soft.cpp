// IEEE 754 operations in 128-bit integers.
#include "numerics/soft.hpp"

#include <algorithm>

#include "numerics/scalar.hpp"

namespace tirx::num::soft {
namespace {

struct Term {
  bool negative;
  int exponent;
  Wide significand;
};

/// Shifts right, remembering whether anything non-zero was lost.
Wide shift_right_sticky(Wide value, int shift, bool& lost) {
  if (shift >= 128) {
    lost = lost || value != 0;
    return 0;
  }
  lost = lost || (value & ((Wide{1} << shift) - 1)) != 0;
  return value >> shift;
}

/// The sum of two terms of at most 106 bits each, exact but for a sticky bit that lies at least 20
/// bits below the leading one: only the term that is far smaller can lose bits.
Magnitude sum(const Term& a, const Term& b, Round round) {
  const int top =
      std::max(a.exponent + bit_length(a.significand), b.exponent + bit_length(b.significand));
  const int last = top - 126;
  const auto place = [last](const Term& t, bool& lost) {
    const int shift = last - t.exponent;
    return shift <= 0 ? t.significand << -shift : shift_right_sticky(t.significand, shift, lost);
  };
  bool lost_a = false;
  bool lost_b = false;
  const Wide x = place(a, lost_a);
  const Wide y = place(b, lost_b);
  const bool lost = lost_a || lost_b;
  if (a.negative == b.negative) return {a.negative, last, x + y, lost};
  // A lost tail makes the smaller magnitude larger than what is left of it.
  if (x > y) return {a.negative, last, x - y - (lost ? 1U : 0U), lost};
  if (y > x) return {b.negative, last, y - x - (lost ? 1U : 0U), lost};
  return {round == Round::rm, 0, 0, false};
}

bool is_inf(const Decoded& d) {
  return d.kind == NumberClass::infinite;
}

bool is_zero(const Decoded& d) {
  return d.kind == NumberClass::zero;
}

bool nan(const Decoded& d) {
  return d.kind == NumberClass::nan;
}

/// product + addend, both already known to be finite.
Bits finite_sum(DType dtype, const Term& product, const Term& addend, Round round) {
  if (product.significand == 0 && addend.significand == 0) {
    const bool negative =
        product.negative == addend.negative ? product.negative : round == Round::rm;
    return signed_zero(dtype, negative);
  }
  Magnitude exact;
  if (product.significand == 0 || addend.significand == 0) {
    const Term& only = product.significand == 0 ? addend : product;
    exact = {only.negative, only.exponent, only.significand, false};
  } else {
    exact = sum(product, addend, round);
  }
  return encode(dtype, exact, round, Overflow::ieee);
}

Wide integer_sqrt(Wide value, bool& remainder) {
  Wide root = 0;
  Wide rest = value;
  Wide bit = Wide{1} << 126;
  while (bit > rest) bit >>= 2;
  while (bit != 0) {
    if (rest >= root + bit) {
      rest -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
    bit >>= 2;
  }
  remainder = rest != 0;
  return root;
}

}  // namespace

Bits fma(DType dtype, Bits a, Bits b, Bits c, Round round) {
  const Decoded x = decode(dtype, a);
  const Decoded y = decode(dtype, b);
  const Decoded z = decode(dtype, c);
  const bool negative = x.negative != y.negative;
  if (nan(x) || nan(y) || nan(z)) return canonical_nan(dtype);
  if (is_inf(x) || is_inf(y)) {
    if (is_zero(x) || is_zero(y)) return canonical_nan(dtype);
    if (is_inf(z) && z.negative != negative) return canonical_nan(dtype);
    return infinity(dtype, negative);
  }
  if (is_inf(z)) return infinity(dtype, z.negative);
  const Term product{negative, x.exponent + y.exponent, Wide{x.significand} * y.significand};
  return finite_sum(dtype, product, {z.negative, z.exponent, z.significand}, round);
}

Bits add(DType dtype, Bits a, Bits b, Round round) {
  const Decoded x = decode(dtype, a);
  const Decoded y = decode(dtype, b);
  if (nan(x) || nan(y)) return canonical_nan(dtype);
  if (is_inf(x)) {
    return is_inf(y) && x.negative != y.negative ? canonical_nan(dtype)
                                                 : infinity(dtype, x.negative);
  }
  if (is_inf(y)) return infinity(dtype, y.negative);
  return finite_sum(dtype, {x.negative, x.exponent, x.significand},
                    {y.negative, y.exponent, y.significand}, round);
}

Bits sub(DType dtype, Bits a, Bits b, Round round) {
  return add(dtype, a, b ^ sign_mask(dtype), round);
}

Bits mul(DType dtype, Bits a, Bits b, Round round) {
  const Decoded x = decode(dtype, a);
  const Decoded y = decode(dtype, b);
  const bool negative = x.negative != y.negative;
  if (nan(x) || nan(y)) return canonical_nan(dtype);
  if (is_inf(x) || is_inf(y)) {
    return is_zero(x) || is_zero(y) ? canonical_nan(dtype) : infinity(dtype, negative);
  }
  const Magnitude exact{negative, x.exponent + y.exponent, Wide{x.significand} * y.significand,
                        false};
  return encode(dtype, exact, round, Overflow::ieee);
}

Bits div(DType dtype, Bits a, Bits b, Round round) {
  const Decoded x = decode(dtype, a);
  const Decoded y = decode(dtype, b);
  const bool negative = x.negative != y.negative;
  if (nan(x) || nan(y)) return canonical_nan(dtype);
  if (is_inf(x)) return is_inf(y) ? canonical_nan(dtype) : infinity(dtype, negative);
  if (is_inf(y)) return signed_zero(dtype, negative);
  if (is_zero(y)) return is_zero(x) ? canonical_nan(dtype) : infinity(dtype, negative);
  if (is_zero(x)) return signed_zero(dtype, negative);
  // Numerator with its leading bit at 2^127: the quotient has at least 75 bits.
  const int lift = 128 - bit_length(x.significand);
  const Wide numerator = Wide{x.significand} << lift;
  const Magnitude quotient{negative, x.exponent - lift - y.exponent, numerator / y.significand,
                           numerator % y.significand != 0};
  return encode(dtype, quotient, round, Overflow::ieee);
}

Bits sqrt(DType dtype, Bits a, Round round) {
  const Decoded x = decode(dtype, a);
  if (nan(x)) return canonical_nan(dtype);
  if (is_zero(x)) return signed_zero(dtype, x.negative);
  if (x.negative) return canonical_nan(dtype);
  if (is_inf(x)) return infinity(dtype, false);
  int lift = 126 - bit_length(x.significand);
  if (((x.exponent - lift) & 1) != 0) --lift;
  bool remainder = false;
  const Wide root = integer_sqrt(Wide{x.significand} << lift, remainder);
  return encode(dtype, {false, (x.exponent - lift) / 2, root, remainder}, round, Overflow::ieee);
}

Bits to_integral(DType dtype, Bits a, Round round) {
  const Decoded x = decode(dtype, a);
  if (nan(x)) return canonical_nan(dtype);
  if (x.kind != NumberClass::finite || x.exponent >= 0) return a;
  const Wide whole = round_to_integer({x.negative, x.exponent, x.significand, false}, round);
  return encode(dtype, {x.negative, 0, whole, false}, Round::rn, Overflow::ieee);
}

bool less(DType dtype, Bits a, Bits b) {
  const Decoded x = decode(dtype, a);
  const Decoded y = decode(dtype, b);
  if (nan(x) || nan(y) || (is_zero(x) && is_zero(y))) return false;
  if (x.negative != y.negative) return x.negative;
  // Within one sign the bits of every format here are ordered as the magnitudes are.
  const Bits mask = sign_mask(dtype) == 0 ? ~Bits{0} : sign_mask(dtype) - 1;
  return x.negative ? (b & mask) < (a & mask) : (a & mask) < (b & mask);
}

bool equal(DType dtype, Bits a, Bits b) {
  const Decoded x = decode(dtype, a);
  const Decoded y = decode(dtype, b);
  if (nan(x) || nan(y)) return false;
  return (is_zero(x) && is_zero(y)) || a == b;
}

namespace {

Bits flush(Bits a) {
  return (a & 0x7f800000U) == 0 ? a & 0x80000000U : a;
}

Bits unflushed(ScalarOp op, DType dtype, Bits a, Bits b, Bits c, Round round) {
  switch (op) {
    case ScalarOp::add_ftz:
      return add(dtype, a, b, round);
    case ScalarOp::sub_ftz:
      return sub(dtype, a, b, round);
    case ScalarOp::mul_ftz:
      return mul(dtype, a, b, round);
    case ScalarOp::div_ftz:
      return div(dtype, a, b, round);
    case ScalarOp::fma_ftz:
      return fma(dtype, a, b, c, round);
    case ScalarOp::sqrt_ftz:
      return sqrt(dtype, a, round);
    case ScalarOp::rcp_ftz:
      return div(dtype, convert(0x3f800000U, DType::f32, dtype), a, round);
    default:
      return canonical_nan(dtype);
  }
}

}  // namespace

Bits flushed(ScalarOp op, Bits a, Bits b, Bits c) {
  constexpr Bits kTiny = 0x380ffffff0000000U;  // 2^-126 - 2^-151: from there it rounds to 2^-126
  a = flush(a);
  b = flush(b);
  c = flush(c);
  const auto wide = [](Bits x) { return convert(x, DType::f32, DType::f64); };
  // Truncation to binary64 keeps the order with that bound.
  const Bits exact = unflushed(op, DType::f64, wide(a), wide(b), wide(c), Round::rz);
  const Bits rounded = unflushed(op, DType::f32, a, b, c, Round::rn);
  return (exact & 0x7fffffffffffffffU) < kTiny ? rounded & 0x80000000U : flush(rounded);
}

}  // namespace tirx::num::soft
