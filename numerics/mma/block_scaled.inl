// What do the block-scaled forms (mxf8f6f4, mxf4, mxf4nvf4 of sm_100 tcgen05 and sm_120 mma.sync)
// compute for one output element?  After MMA-Sim (Xie et al., arXiv 2511.10909), with our witnessed
// rule that zero terms take no part; nobody has published a check on hardware: `modelled`.
//   mxf8f6f4: the aligned sum, both scale exponents added to every product's exponent.
//   mxf4, nvf4: 16 consecutive products summed exactly and multiplied by both scale significands;
//   these are the terms of one aligned sum.
#pragma once

#include "numerics/mma/fused_dot.inl"

namespace tirx::num::dot {

struct Scale {
  int significand;  // value = significand * 2^exponent
  int exponent;
  bool nan;
};

TIRX_DEVICE inline Scale decode_e8m0(std::uint32_t bits) {
  return {1, static_cast<int>(bits & 0xFF) - 127, (bits & 0xFF) == 0xFF};
}

TIRX_DEVICE inline Scale decode_ue4m3(std::uint32_t bits) {  // the sign bit is ignored
  const Number x = decode(kE4m3, bits & 0x7F);
  if (x.kind == Class::nan) return {0, 0, true};
  return {static_cast<int>(x.significand), x.significand != 0 ? x.exponent - 3 : 0, false};
}

/// One instruction of k terms; sa(j), sb(j) are the scales of k = block*j ...  `terms` products
/// make one term of the aligned sum (1 or 16).
template <class A, class B, class SA, class SB>
TIRX_DEVICE inline std::uint32_t scaled_instruction(const Rule& rule,
                                                    int k,
                                                    int terms,
                                                    int block,
                                                    bool e8m0,
                                                    const A& a,
                                                    const B& b,
                                                    const SA& sa,
                                                    const SB& sb,
                                                    std::uint32_t c_bits) {
  const Number c = decode(rule.c, c_bits);
  bool nan = c.kind == Class::nan;
  bool plus = c.kind == Class::infinite && !c.negative;
  bool minus = c.kind == Class::infinite && c.negative;
  int emax = rule.floor;
  if (c.kind == Class::finite && c.exponent > emax) emax = c.exponent;

  std::int64_t value[64];  // term = value * 2^(exponent - fractions)
  int exponent[64];
  const int count = (k + terms - 1) / terms;
  const int fractions = rule.a.fraction + rule.b.fraction;
  for (int t = 0; t < count; ++t) {
    const int first = t * terms, last = first + terms < k ? first + terms : k;
    const std::uint32_t bits_a = sa(first / block), bits_b = sb(first / block);
    const Scale x = e8m0 ? decode_e8m0(bits_a) : decode_ue4m3(bits_a);
    const Scale y = e8m0 ? decode_e8m0(bits_b) : decode_ue4m3(bits_b);
    nan |= x.nan || y.nan;
    std::int64_t sum = 0;
    int e = kDropped;
    for (int i = first; i < last; ++i) {
      const Number p = decode(rule.a, a(i)), q = decode(rule.b, b(i));
      const bool negative = p.negative != q.negative;
      if (p.kind != Class::finite || q.kind != Class::finite) {
        const bool zero = (p.kind == Class::finite && p.significand == 0) ||
                          (q.kind == Class::finite && q.significand == 0);
        if (p.kind == Class::nan || q.kind == Class::nan || zero) {
          nan = true;
        } else {
          (negative ? minus : plus) = true;
        }
        continue;
      }
      if (p.significand == 0 || q.significand == 0) continue;
      auto m = static_cast<std::int64_t>(p.significand) * q.significand;
      e = p.exponent + q.exponent;
      if (terms > 1) {  // fp4: exponents 0..2, so a common exponent of 0 costs four bits
        m <<= e;
        e = 0;
      }
      sum += negative ? -m : m;
    }
    sum *= static_cast<std::int64_t>(x.significand) * y.significand;
    value[t] = sum;
    exponent[t] = sum != 0 ? e + x.exponent + y.exponent : kDropped;
    if (!e8m0 && sum != 0) exponent[t] += 6;  // the exponent of a ue4m3 significand's top bit
    if (exponent[t] > emax) emax = exponent[t];
  }
  if (nan || (plus && minus)) return canonical_nan(rule.out);
  if (plus || minus) return plus ? 0x7F800000u : 0xFF800000u;

  const int lsb = emax - rule.fraction;
  std::int64_t total = 0;
  for (int t = 0; t < count; ++t) {
    if (exponent[t] == kDropped) continue;
    const int unit = exponent[t] - fractions - (e8m0 ? 0 : 6);
    const bool negative = value[t] < 0;
    const auto magnitude = static_cast<std::uint64_t>(negative ? -value[t] : value[t]);
    total += aligned<0>(magnitude, unit - lsb, negative);
  }
  if (c.significand != 0) {
    total += aligned<0>(c.significand, c.exponent - rule.c.fraction - lsb, c.negative);
  }
  return finish(rule.out, total, lsb, c.negative);
}

}  // namespace tirx::num::dot
