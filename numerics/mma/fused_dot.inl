// What does one matrix instruction of an NVIDIA GPU compute for one output element, to the bit?
// One aligned sum for every float format (numerics rule "fused dot": exact products, zero terms
// dropped, terms truncated toward zero F bits below the largest exponent, exact sum, one rounding),
// an fma chain for f64, plain integers for s8/u8.  Behaviour: docs/numerics_mma.md.
// Integers only and no standard containers, so that the same text compiles as CUDA device code:
// define TIRX_DEVICE as `__host__ __device__` before the inclusion.
#pragma once

#include <cstdint>

#ifndef TIRX_DEVICE
#define TIRX_DEVICE
#endif

namespace tirx::num::dot {

enum class Specials : std::uint8_t {
  ieee,      // all-ones exponent: infinity or NaN
  nan_only,  // only the all-ones pattern is NaN (e4m3)
  none,      // every pattern is a number (fp6, fp4)
};

/// How an operand's bits split up.  `dropped` low bits are ignored by the hardware (tf32: 13).
struct Format {
  std::uint8_t exponent, fraction, dropped;
  Specials specials;
};

inline constexpr Format kF16{5, 10, 0, Specials::ieee};
inline constexpr Format kBf16{8, 7, 0, Specials::ieee};
inline constexpr Format kTf32{8, 10, 13, Specials::ieee};
inline constexpr Format kF32{8, 23, 0, Specials::ieee};
inline constexpr Format kE4m3{4, 3, 0, Specials::nan_only};
inline constexpr Format kE5m2{5, 2, 0, Specials::ieee};
inline constexpr Format kE2m3{2, 3, 0, Specials::none};
inline constexpr Format kE3m2{3, 2, 0, Specials::none};
inline constexpr Format kE2m1{2, 1, 0, Specials::none};

enum class Out : std::uint8_t {
  f32_rz,    // truncated to binary32
  e8m13_rz,  // truncated to 14 significant bits, kept in a binary32
  f16_rne,   // rounded to nearest even binary16
};

/// Everything the aligned sum depends on.
struct Rule {
  Format a, b, c;
  int fraction;  // F: bits kept below the largest exponent
  int floor;     // the largest exponent is at least this; kNoFloor if none is known
  int group;     // terms per aligned sum; a longer k chains sums in ascending k
  Out out;
  bool f16_emulation;  // fp8 mma.sync of sm_90 and sm_100: two f16 sums from zero, then C + t
};

inline constexpr int kNoFloor = -100000;
inline constexpr int kDropped = -100000;  // exponent of a term that takes no part

/// Deliberate deviations.  A test that replays recorded outputs must fail under each of them.
enum Break : unsigned {
  kBreakNothing = 0,
  kBreakKeepZeroTerms = 1,  // a zero factor or C takes part in the search for the largest exponent
  kBreakReverseGroups = 2,  // later group first
  kBreakRoundOut = 4,       // binary32 result rounded to nearest instead of truncated
  kBreakRoundTerms = 8,     // aligned terms rounded (half up) instead of truncated
  kBreakFloorTerms = 16,    // aligned terms truncated toward minus infinity
  kBreakKeepPayload = 32,   // a NaN C keeps its payload
  kBreakMinusZero = 64,     // a zero result keeps a negative sign
  kBreakOverflowToMax = 128,  // truncation stops at the largest finite value
  kBreakNormalise = 256,      // product exponent taken from the normalised product
  kBreakFlushC = 512,         // subnormal C read as zero
};

enum class Class : std::uint8_t { finite, infinite, nan };

struct Number {
  std::uint32_t significand;  // not normalised for subnormals
  int exponent;               // value = significand * 2^(exponent - fraction); kDropped for zero
  bool negative;
  Class kind;
};

TIRX_DEVICE inline int bias(Format f) {
  return (1 << (f.exponent - 1)) - 1;
}

TIRX_DEVICE inline Number decode(Format f, std::uint32_t bits) {
  bits >>= f.dropped;
  const std::uint32_t mask = (1u << f.fraction) - 1, ones = (1u << f.exponent) - 1;
  const std::uint32_t fraction = bits & mask, field = (bits >> f.fraction) & ones;
  Number x{fraction, 1 - bias(f), ((bits >> (f.fraction + f.exponent)) & 1) != 0, Class::finite};
  if (f.specials == Specials::ieee && field == ones) {
    x.kind = fraction == 0 ? Class::infinite : Class::nan;
    return x;
  }
  if (f.specials == Specials::nan_only && field == ones && fraction == mask) {
    x.kind = Class::nan;
    return x;
  }
  if (field != 0) {
    x.significand |= 1u << f.fraction;
    x.exponent = static_cast<int>(field) - bias(f);
  } else if (fraction == 0) {
    x.exponent = kDropped;
  }
  return x;
}

TIRX_DEVICE inline int leading_bit(std::uint64_t x) {  // x != 0
#ifdef __CUDA_ARCH__
  return 63 - __clzll(static_cast<long long>(x));
#else
  return 63 - __builtin_clzll(x);
#endif
}

/// x * 2^shift truncated; shifts of any size are defined.
TIRX_DEVICE inline std::uint64_t scaled(std::uint64_t x, int shift) {
  if (shift >= 0) return shift > 63 ? 0 : x << shift;
  return shift < -63 ? 0 : x >> -shift;
}

/// x * 2^shift with every lost bit kept as a sticky lowest bit.
TIRX_DEVICE inline std::uint64_t scaled_sticky(std::uint64_t x, int shift) {
  const std::uint64_t q = scaled(x, shift);
  return shift < 0 && scaled(q, -shift) != x ? q | 1 : q;
}

/// magnitude * 2^lsb rounded to nearest even in `f`; overflow gives infinity.  magnitude < 2^63.
TIRX_DEVICE inline std::uint32_t round_nearest(Format f, std::uint64_t magnitude, int lsb) {
  if (magnitude == 0) return 0;
  const int emin = 1 - bias(f);
  const int top = leading_bit(magnitude) + lsb, e = top < emin ? emin : top;
  const int shift = e - f.fraction - lsb;  // bits below the result's last place
  std::uint64_t q;
  if (shift <= 0) {
    q = magnitude << -shift;
  } else {
    const std::uint64_t s = scaled_sticky(magnitude, 2 - shift);  // two more bits: half, sticky
    q = (s >> 2) + (((s & 3) == 3 || (s & 7) == 6) ? 1 : 0);
  }
  const std::uint64_t infinity = ((1ull << f.exponent) - 1) << f.fraction;
  if (e > bias(f)) return static_cast<std::uint32_t>(infinity);
  const std::uint64_t bits = (static_cast<std::uint64_t>(e - emin) << f.fraction) + q;
  return static_cast<std::uint32_t>(bits < infinity ? bits : infinity);
}

/// The exact sum `total` * 2^lsb -> result bits.  A zero result is +0, whatever its terms.
template <unsigned kBreak = 0>
TIRX_DEVICE inline std::uint32_t finish(Out out, std::int64_t total, int lsb, bool c_negative) {
  const bool negative = total < 0;
  const std::uint64_t magnitude =
      negative ? ~static_cast<std::uint64_t>(total) + 1 : static_cast<std::uint64_t>(total);
  const std::uint32_t sign_bit = out == Out::f16_rne ? 0x8000u : 0x80000000u;
  std::uint32_t bits = 0;
  if (magnitude != 0 && out == Out::f16_rne) {
    bits = round_nearest(kF16, magnitude, lsb);
  } else if (magnitude != 0 && (kBreak & kBreakRoundOut) != 0) {
    bits = round_nearest(kF32, magnitude, lsb);
  } else if (magnitude != 0) {
    const int top = leading_bit(magnitude) + lsb, e = top < -126 ? -126 : top;
    const int keep = out == Out::e8m13_rz ? 13 : 23;
    const std::uint64_t q = scaled(magnitude, lsb - (e - keep)) << (23 - keep);
    bits = static_cast<std::uint32_t>((static_cast<std::uint64_t>(e + 126) << 23) + q);
    if (e > 127) bits = (kBreak & kBreakOverflowToMax) != 0 ? 0x7F7FFFFFu : 0x7F800000u;
  }
  if (bits == 0) {
    const bool keep_sign = (kBreak & kBreakMinusZero) != 0 && (negative || c_negative);
    return keep_sign ? sign_bit : 0;
  }
  return negative ? bits | sign_bit : bits;
}

TIRX_DEVICE inline std::uint32_t canonical_nan(Out out) {
  return out == Out::f16_rne ? 0x7FFFu : 0x7FFFFFFFu;
}

/// |significand| * 2^shift as the accumulator sees it.
template <unsigned kBreak>
TIRX_DEVICE inline std::int64_t aligned(std::uint64_t significand, int shift, bool negative) {
  std::uint64_t q = scaled(significand, shift);
  if (kBreak & kBreakRoundTerms) q = (scaled(significand, shift + 1) + 1) >> 1;
  if ((kBreak & kBreakFloorTerms) && negative && shift < 0 && scaled(q, -shift) != significand) ++q;
  return negative ? -static_cast<std::int64_t>(q) : static_cast<std::int64_t>(q);
}

/// One aligned sum: n <= 64 terms a(i)*b(i) and c, all raw bits.
template <unsigned kBreak = 0, class A, class B>
TIRX_DEVICE inline std::uint32_t fused_sum(
    const Rule& rule, int n, const A& a, const B& b, std::uint32_t c_bits) {
  Number c = decode(rule.c, c_bits);
  if ((kBreak & kBreakFlushC) && c.exponent == 1 - bias(rule.c) &&
      c.significand < (1u << rule.c.fraction)) {
    c.significand = 0;
    c.exponent = kDropped;
  }
  bool nan = c.kind == Class::nan;
  bool plus = c.kind == Class::infinite && !c.negative;
  bool minus = c.kind == Class::infinite && c.negative;
  int emax = rule.floor;
  if (c.kind == Class::finite && c.exponent > emax) emax = c.exponent;
  if ((kBreak & kBreakKeepZeroTerms) && c.kind == Class::finite && 1 - bias(rule.c) > emax) {
    emax = 1 - bias(rule.c);
  }

  std::uint64_t product[64];
  int exponent[64];
  for (int i = 0; i < n; ++i) {
    const Number x = decode(rule.a, a(i)), y = decode(rule.b, b(i));
    const bool negative = x.negative != y.negative;
    product[i] = 0;
    exponent[i] = kDropped;
    if (x.kind == Class::finite && y.kind == Class::finite) {
      if (x.significand != 0 && y.significand != 0) {
        product[i] = static_cast<std::uint64_t>(x.significand) * y.significand;
        exponent[i] = x.exponent + y.exponent;
        int e = exponent[i];
        if ((kBreak & kBreakNormalise) &&
            leading_bit(product[i]) > rule.a.fraction + rule.b.fraction) {
          ++e;
        }
        if (e > emax) emax = e;
        if (negative) product[i] |= 1ull << 63;
      } else if (kBreak & kBreakKeepZeroTerms) {
        const int e = (x.significand ? x.exponent : 1 - bias(rule.a)) +
                      (y.significand ? y.exponent : 1 - bias(rule.b));
        if (e > emax) emax = e;
      }
      continue;
    }
    const bool zero_times_infinity = (x.kind == Class::finite && x.significand == 0) ||
                                     (y.kind == Class::finite && y.significand == 0);
    if (x.kind == Class::nan || y.kind == Class::nan || zero_times_infinity) {
      nan = true;
    } else if (negative) {
      minus = true;
    } else {
      plus = true;
    }
  }

  if (nan || (plus && minus)) {
    if ((kBreak & kBreakKeepPayload) && c.kind == Class::nan) return c_bits;
    return canonical_nan(rule.out);
  }
  if (plus || minus) {
    if (rule.out == Out::f16_rne) return plus ? 0x7C00u : 0xFC00u;
    return plus ? 0x7F800000u : 0xFF800000u;
  }

  const int lsb = emax - rule.fraction;
  std::int64_t total = 0;
  for (int i = 0; i < n; ++i) {
    if (exponent[i] == kDropped) continue;
    const int shift = exponent[i] - rule.a.fraction - rule.b.fraction - lsb;
    total += aligned<kBreak>(product[i] & ~(1ull << 63), shift, (product[i] >> 63) != 0);
  }
  if (c.significand != 0) {
    total += aligned<kBreak>(c.significand, c.exponent - rule.c.fraction - lsb, c.negative);
  }
  return finish<kBreak>(rule.out, total, lsb, c.negative);
}

/// x + y rounded to nearest even in `f` (f32 or f16), NaN canonical: the FADD/HADD2 of the
/// emulation.
TIRX_DEVICE inline std::uint32_t add_nearest(Format f, std::uint32_t x_bits, std::uint32_t y_bits) {
  const int width = f.exponent + f.fraction;
  const std::uint32_t sign_bit = 1u << width;
  Number x = decode(f, x_bits), y = decode(f, y_bits);
  const std::uint32_t nan = sign_bit - 1;
  if (x.kind == Class::nan || y.kind == Class::nan) return nan;
  if (x.kind == Class::infinite || y.kind == Class::infinite) {
    if (x.kind == y.kind && x.negative != y.negative) return nan;
    return x.kind == Class::infinite ? x_bits : y_bits;
  }
  if (x.significand == 0 && y.significand == 0) return x_bits & y_bits;
  if (x.significand == 0) return y_bits;
  if (y.significand == 0) return x_bits;
  if (y.exponent > x.exponent) {
    const Number t = x;
    x = y;
    y = t;
  }
  // 32 spare bits: a sticky bit is only ever set when no cancellation can reach it.
  const std::uint64_t big = static_cast<std::uint64_t>(x.significand) << 32;
  const std::uint64_t small =
      scaled_sticky(static_cast<std::uint64_t>(y.significand) << 32, y.exponent - x.exponent);
  const int lsb = x.exponent - f.fraction - 32;
  if (x.negative == y.negative) {
    return round_nearest(f, big + small, lsb) | (x.negative ? sign_bit : 0);
  }
  if (big == small) return 0;
  const bool negative = big > small ? x.negative : y.negative;
  return round_nearest(f, big > small ? big - small : small - big, lsb) | (negative ? sign_bit : 0);
}

/// A fetcher shifted and permuted: term i of the group is term `index(i)` of the instruction.
template <class Fetch>
struct Consecutive {
  const Fetch& fetch;
  int first;

  TIRX_DEVICE std::uint32_t operator()(int i) const { return fetch(first + i); }
};

/// The f16 emulation's operand order: term i of half h is k = 4*(i/2) + 2*h + i%2.
TIRX_DEVICE inline int emulated_k(int half, int i) {
  return 4 * (i / 2) + 2 * half + i % 2;
}

/// ... whose values are fp8 bits, converted exactly to f16 bits.
template <class Fetch>
struct ConvertedHalf {
  const Fetch& fetch;
  Format format;
  int half;

  TIRX_DEVICE std::uint32_t operator()(int i) const {
    const Number x = decode(format, fetch(emulated_k(half, i)));
    const std::uint32_t sign = x.negative ? 0x8000u : 0;
    if (x.kind == Class::nan) return 0x7FFFu;
    if (x.kind == Class::infinite) return sign | 0x7C00u;
    if (x.significand == 0) return sign;
    return sign | round_nearest(kF16, x.significand, x.exponent - format.fraction);
  }
};

/// One instruction of k terms.
template <unsigned kBreak = 0, class A, class B>
TIRX_DEVICE inline std::uint32_t fused_instruction(
    const Rule& rule, int k, const A& a, const B& b, std::uint32_t c) {
  const bool reverse = (kBreak & kBreakReverseGroups) != 0;
  if (rule.f16_emulation) {
    Rule half_rule = rule;
    half_rule.a = half_rule.b = kF16;
    std::uint32_t t = 0;
    for (int h = 0; h < 2; ++h) {
      const int half = reverse ? 1 - h : h;
      t = fused_sum<kBreak>(half_rule, k / 2, ConvertedHalf<A>{a, rule.a, half},
                            ConvertedHalf<B>{b, rule.b, half}, t);
    }
    return add_nearest(rule.c, c, t);
  }
  const int groups = (k + rule.group - 1) / rule.group;
  for (int g = 0; g < groups; ++g) {
    const int first = (reverse ? groups - 1 - g : g) * rule.group;
    const int n = k - first < rule.group ? k - first : rule.group;
    c = fused_sum<kBreak>(rule, n, Consecutive<A>{a, first}, Consecutive<B>{b, first}, c);
  }
  return c;
}

}  // namespace tirx::num::dot
