// Operands of the sampled rows: a pure function of (index, operand), one text for host and device
// (tests/device/numerics_device.cpp embeds it).  A block of 2^20 samples has one distribution.
// Floating operations are the tirx_*_f32 of numerics/math, so that both sides agree.

enum TirxSamples {
  kTirxAnyBits,   // any bits, and every fourth block pairs of special values
  kTirxPow,       // bases and exponents whose power is finite; integers; special values
  kTirxTiny,      // products, quotients and sums near the smallest normal number; any bits
  kTirxAllPairs,  // every pair of 16-bit values
};

TIRX_SAMPLE unsigned int tirx_hash(unsigned long long x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return (unsigned int)((x ^ (x >> 31)) >> 16);
}

TIRX_SAMPLE unsigned int tirx_special(unsigned int r) {
  const unsigned int exponents[8] = {0U, 1U, 2U, 126U, 127U, 128U, 254U, 255U};
  const unsigned int fractions[4] = {0U, 1U, 0x7fffffU, 0x400000U};
  return exponents[r & 7U] << 23 | fractions[(r >> 3) & 3U] | (r >> 5 & 1U) << 31;
}

/// Fractions at the ends of a binade, or any.
TIRX_SAMPLE unsigned int tirx_edge_fraction(unsigned int r) {
  const unsigned int near_end = (r & 1U) != 0U ? 0x7fffffU - (r >> 1 & 3U) : r >> 1 & 3U;
  return (r >> 29) < 5U ? near_end : r & 0x7fffffU;
}

TIRX_SAMPLE unsigned int tirx_pow_operand(unsigned long long index, int operand) {
  const int kind = (int)(index >> 20 & 7ULL);
  const unsigned int r = tirx_hash(2ULL * index);
  const unsigned int s = tirx_hash(2ULL * index + 1ULL);
  if (kind == 7) return operand == 0 ? tirx_special(r) : tirx_special(s);
  if (kind == 6) return operand == 0 ? r : s;
  unsigned int base = r & 0x7fffffffU;
  if (kind == 1) base = 0x3f000000U + (r & 0xffffffU);                   // [1/2, 2)
  if (kind == 2) base = 0x3f7fff00U + (r & 0x1ffU);                      // next to 1
  if (kind == 5) base = r;                                               // integer powers, any sign
  if (kind == 3) base = 0x3f800000U + ((r & 0x3ffU) << 13);              // few bits: exact cases
  if (operand == 0) return base;
  const int steps = (int)(s & 63U) - 32;
  if (kind == 5) return tirx_bits((float)steps);
  if (kind == 3) return tirx_bits(tirx_mul_f32((float)steps, 0.5F));
  // y = target / log2(base), the logarithm from the bits as a piecewise linear function.
  const float log2 = tirx_mul_f32((float)((int)(base & 0x7fffffffU) - 0x3f800000), 0x1p-23F);
  const float target = tirx_fma_f32((float)(int)(s >> 8), 304.0F * 0x1p-24F, -152.0F);
  if (tirx_bits(log2) == 0U) return 0x40400000U;
  return tirx_bits(tirx_div_f32(target, log2));
}

/// f: the operation is a product (with an addend), or a quotient.
TIRX_SAMPLE unsigned int tirx_tiny_operand(unsigned long long index, int operand, bool quotient) {
  const int kind = (int)(index >> 20 & 7ULL);
  const unsigned int r = tirx_hash(4ULL * index);
  const unsigned int s = tirx_hash(4ULL * index + 1ULL);
  const unsigned int t = tirx_hash(4ULL * index + 2ULL);
  const unsigned int own = operand == 0 ? r : (operand == 1 ? s : t);
  if (kind == 7) return tirx_special(own);
  if (kind == 6) return own;
  const unsigned int u = tirx_hash(4ULL * index + 3ULL);
  const unsigned int sign = (u >> (10 + operand) & 1U) << 31;
  const int step = (int)(u & 3U) - 2;
  const int first = 1 + (int)((u >> 16) % 126U);
  int exponent = first;
  if (operand == 1) {
    exponent = quotient ? first + 126 + step : 128 - first + step;
    if (kind == 5) exponent -= 30;  // a product far below the addend
  }
  if (operand == 2) {
    if (kind == 4) return sign;                     // no addend
    exponent = 1 + (int)((u >> 4 & 7U) % 3U);       // at the smallest normal number
    if (kind == 5) return sign | (unsigned int)exponent << 23 | (t & 1U);
  }
  if (exponent < 1) exponent = 1;
  if (exponent > 254) exponent = 254;
  return sign | (unsigned int)exponent << 23 | tirx_edge_fraction(own);
}

TIRX_SAMPLE unsigned int tirx_sample(int samples, unsigned long long index, int operand,
                                     bool quotient) {
  if (samples == kTirxAllPairs) return (unsigned int)(index >> (16 * operand)) & 0xffffU;
  if (samples == kTirxPow) return tirx_pow_operand(index, operand);
  if (samples == kTirxTiny) return tirx_tiny_operand(index, operand, quotient);
  const unsigned int own = tirx_hash(4ULL * index + (unsigned long long)operand);
  return (index >> 20 & 3ULL) == 3ULL ? tirx_special(own) : own;
}
