// What does an f64 (DMMA) or an s8/u8 (IMMA) matrix instruction compute for one output element?
// DMMA: acc = C, then acc = fma_RN(a_k, b_k, acc) for ascending k.  IMMA: exact products, the sum
// modulo 2^32, or with .satfinite clamped once per instruction.  Witnessed on sm_90.
// Integers only, so that it compiles as device code too; see fused_dot.inl.
#pragma once

#include "numerics/mma/fused_dot.inl"

namespace tirx::num::dot {

__extension__ typedef unsigned __int128 Wide;

inline constexpr std::uint64_t kSign64 = 1ull << 63;
inline constexpr std::uint64_t kInf64 = 0x7FFull << 52;
inline constexpr std::uint64_t kInvalid64 = 0xFFF8ull << 48;  // what an invalid f64 operation gives

TIRX_DEVICE inline bool is_nan64(std::uint64_t x) {
  return (x & ~kSign64) > kInf64;
}

TIRX_DEVICE inline int leading_bit(Wide x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return high != 0 ? 64 + leading_bit(high) : leading_bit(static_cast<std::uint64_t>(x));
}

/// x * 2^-shift, lost bits kept as a sticky lowest bit; shift >= 0.
TIRX_DEVICE inline Wide right_sticky(Wide x, int shift) {
  if (shift > 127) return x != 0 ? 1 : 0;
  const Wide q = x >> shift;
  return (q << shift) != x ? q | 1 : q;
}

struct Finite64 {
  std::uint64_t significand;  // leading bit at 52, unless zero
  int lsb;
};

TIRX_DEVICE inline Finite64 decode64(std::uint64_t bits) {
  const auto field = static_cast<int>((bits >> 52) & 0x7FF);
  std::uint64_t m = bits & ((1ull << 52) - 1);
  if (field != 0) return {m | (1ull << 52), field - 1075};
  if (m == 0) return {0, 0};
  const int up = 52 - leading_bit(m);
  return {m << up, -1074 - up};
}

/// magnitude * 2^lsb (magnitude != 0, leading bit above 60) rounded to nearest even.
TIRX_DEVICE inline std::uint64_t round_nearest64(Wide magnitude, int lsb) {
  const int top = leading_bit(magnitude) + lsb, e = top < -1022 ? -1022 : top;
  if (e > 1023) return kInf64;
  const int shift = e - 52 - lsb;
  const Wide s = shift >= 2 ? right_sticky(magnitude, shift - 2) : magnitude << (2 - shift);
  const auto low = static_cast<unsigned>(s & 7);
  const std::uint64_t q =
      static_cast<std::uint64_t>(s >> 2) + (((low & 3) == 3 || low == 6) ? 1 : 0);
  return (static_cast<std::uint64_t>(e + 1022) << 52) + q;
}

/// fma(a, b, c).  Which NaN survives of several: b, then a, then c; not witnessed for three
/// operands.
TIRX_DEVICE inline std::uint64_t fma64(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t quiet = 1ull << 51;
  if (is_nan64(b)) return b | quiet;
  if (is_nan64(a)) return a | quiet;
  if (is_nan64(c)) return c | quiet;
  const std::uint64_t ma = a & ~kSign64, mb = b & ~kSign64, mc = c & ~kSign64;
  const std::uint64_t sign = (a ^ b) & kSign64;
  if (ma == kInf64 || mb == kInf64) {
    if (ma == 0 || mb == 0) return kInvalid64;
    if (mc == kInf64 && (c & kSign64) != sign) return kInvalid64;
    return sign | kInf64;
  }
  if (mc == kInf64) return c;
  if (ma == 0 || mb == 0) {
    if (mc != 0) return c;
    return (c & kSign64) == sign ? c : 0;
  }
  const Finite64 x = decode64(a), y = decode64(b), z = decode64(c);
  // Product: leading bit 124 or 125.  Addend: leading bit 124.  A sticky bit is set only when the
  // operands are too far apart for cancellation to reach it.
  Wide p = static_cast<Wide>(x.significand) * y.significand << 20;
  int lsb = x.lsb + y.lsb - 20;
  if (mc == 0) return sign | round_nearest64(p, lsb);
  Wide q = static_cast<Wide>(z.significand) << 72;
  const int apart = z.lsb - 72 - lsb;
  if (apart >= 0) {
    p = right_sticky(p, apart);
    lsb += apart;
  } else {
    q = right_sticky(q, -apart);
  }
  const std::uint64_t c_sign = c & kSign64;
  if (c_sign == sign) return sign | round_nearest64(p + q, lsb);
  if (p == q) return 0;
  if (p > q) return sign | round_nearest64(p - q, lsb);
  return c_sign | round_nearest64(q - p, lsb);
}

template <class A, class B>
TIRX_DEVICE inline std::uint64_t fma_chain(
    int k, const A& a, const B& b, std::uint64_t c, bool descending = false) {
  for (int i = 0; i < k; ++i) {
    const int at = descending ? k - 1 - i : i;
    c = fma64(a(at), b(at), c);
  }
  return c;
}

/// The value of an 8-bit operand.
TIRX_DEVICE inline int integer_operand(std::uint32_t bits, bool is_signed) {
  const auto v = static_cast<int>(bits & 0xFF);
  return is_signed && v > 127 ? v - 256 : v;
}

/// One instruction; the products are exact, so only the end can wrap or clamp.
template <class A, class B>
TIRX_DEVICE inline std::uint32_t integer_instruction(
    int k, const A& a, bool a_signed, const B& b, bool b_signed, std::uint32_t c, bool saturate) {
  std::int64_t sum = static_cast<std::int32_t>(c);
  for (int i = 0; i < k; ++i) {
    sum += integer_operand(a(i), a_signed) * integer_operand(b(i), b_signed);
  }
  if (saturate && sum > 0x7FFFFFFF) sum = 0x7FFFFFFF;
  if (saturate && sum < -0x7FFFFFFF - 1ll) sum = -0x7FFFFFFF - 1ll;
  return static_cast<std::uint32_t>(sum);
}

}  // namespace tirx::num::dot
