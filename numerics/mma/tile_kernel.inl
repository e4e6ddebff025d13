// The inner loops of the tile path, over a vector type V that the including file defines:
// V::F (binary32 lanes), V::I (32-bit lanes), V::E (two V::I's worth of 16-bit lanes), V::M
// (masks). Every floating operation here is exact by construction (products of short significands,
// scaling by powers of two, truncation to an integer), so the host's rounding mode plays no part,
// except in the rounded add of the f16 emulation, which is one IEEE addition.

namespace {

using tirx::num::dot::Format;
using tirx::num::dot::Out;
using tirx::num::dot::Specials;
using tirx::num::tile::Form;
using tirx::num::tile::kTerms;
using tirx::num::tile::Sums;

constexpr int kNoExponent = -2000;  // of a zero operand; two of them stay inside 16 bits

/// Bit fields of a format, as the loops below want them.
struct Fields {
  int dropped, fraction, ones, bias, sign, special_from, magnitude;
};

inline Fields fields(Format f) {
  const int width = f.exponent + f.fraction;
  const int magnitude = (1 << width) - 1, ones = (1 << f.exponent) - 1;
  const int special_from = f.specials == Specials::ieee       ? ones << f.fraction
                           : f.specials == Specials::nan_only ? magnitude
                                                              : 0x7FFFFFFF;
  return {f.dropped, f.fraction, ones, (1 << (f.exponent - 1)) - 1, width, special_from, magnitude};
}

inline V::F power_of_two(V::I exponent) {
  return V::as_float(V::template sll<23>(V::add(exponent, V::all(127))));
}

/// Operands of one vector: value, exponent, and what the driver wants to know of them.
struct Decoded {
  V::F value;
  V::I exponent, reach;
  V::M special;
};

inline Decoded decode(const Fields& f, V::I raw, bool wide) {
  const V::I bits = V::srl_uniform(raw, f.dropped);
  const V::I magnitude = V::bit_and(bits, V::all(f.magnitude));
  const V::I field = V::srl_uniform(magnitude, f.fraction);
  const V::M normal = V::greater(field, V::all(0));
  const V::M special = V::greater(magnitude, V::all(f.special_from - 1));
  const V::I fraction = V::bit_and(magnitude, V::all((1 << f.fraction) - 1));
  V::I significand = V::bit_or(fraction, V::select(normal, V::all(1 << f.fraction), V::all(0)));
  significand = V::select(special, V::all(0), significand);
  const V::I e = V::sub(V::max(field, V::all(1)), V::all(f.bias));
  const V::I scale = V::sub(wide ? V::all(0) : e, V::all(f.fraction));
  const V::F unsigned_value = V::mul(V::to_float(significand), power_of_two(scale));
  const V::I sign = V::sll_uniform(V::srl_uniform(bits, f.sign), 31);
  const V::M nonzero = V::greater(significand, V::all(0));
  return {V::as_float(V::bit_xor(V::as_int(unsigned_value), sign)),
          V::select(nonzero, e, V::all(kNoExponent)), V::select(nonzero, V::abs(e), V::all(0)),
          special};
}

inline int largest(V::I x) {
  std::uint32_t lanes[V::kWidth];
  V::store(lanes, x);
  int r = 0;
  for (const std::uint32_t lane : lanes)
    r = static_cast<int>(lane) > r ? static_cast<int>(lane) : r;
  return r;
}

int decode_row(const std::uint32_t* raw,
               int count,
               Format format,
               Form form,
               float* value,
               std::int32_t* exponent,
               bool* special) {
  const Fields f = fields(format);
  V::I reach = V::all(0);
  std::uint32_t any = 0;
  for (int i = 0; i < count; i += V::kWidth) {
    const Decoded x = decode(f, V::load(raw + i), form == Form::wide);
    V::store(value + i, x.value);
    V::store(reinterpret_cast<std::uint32_t*>(exponent + i),
             V::bit_or(V::template sll<16>(x.exponent), V::bit_and(x.exponent, V::all(0xFFFF))));
    reach = V::max(reach, x.reach);
    any |= V::bits(x.special);
  }
  *special = any != 0;
  return largest(reach);
}

int decode_lanes(const std::uint32_t* raw,
                 int count,
                 Format format,
                 Form form,
                 float* value,
                 std::int16_t* exponent,
                 std::uint32_t* special) {
  constexpr int kWidth = V::kWidth, kStride = 2 * V::kWidth;
  const Fields f = fields(format);
  const bool wide = form == Form::wide;
  V::I reach = V::all(0);
  V::M low = V::none(), high = V::none();
  for (int at = 0; at < count * kStride; at += kStride) {
    const Decoded x = decode(f, V::load(raw + at), wide);
    const Decoded y = decode(f, V::load(raw + at + kWidth), wide);
    V::store(value + at, x.value);
    V::store(value + at + kWidth, y.value);
    V::store16(exponent + at, V::narrow(x.exponent, y.exponent));
    reach = V::max(reach, V::max(x.reach, y.reach));
    low = V::either(low, x.special);
    high = V::either(high, y.special);
  }
  *special = V::bits(low) | V::bits(high) << kWidth;
  return largest(reach);
}

/// C as magnitude, exponent and sign; which lanes are special.
struct Accumulator {
  V::I significand, exponent, sign;
  V::M special;
};

template <bool kHalf>
inline Accumulator decode_accumulator(V::I bits) {
  constexpr int kFraction = kHalf ? 10 : 23, kOnes = kHalf ? 31 : 255, kBias = kHalf ? 15 : 127;
  constexpr int kWidth = kHalf ? 15 : 31;
  const V::I field = V::bit_and(V::template srl<kFraction>(bits), V::all(kOnes));
  const V::I fraction = V::bit_and(bits, V::all((1 << kFraction) - 1));
  const V::M normal = V::greater(field, V::all(0));
  const V::I significand =
      V::bit_or(fraction, V::select(normal, V::all(1 << kFraction), V::all(0)));
  const V::I e = V::sub(V::max(field, V::all(1)), V::all(kBias));
  const V::I exponent = V::select(V::greater(significand, V::all(0)), e, V::all(kNoExponent));
  const V::I sign = V::template sll<31 - kWidth>(bits);
  return {significand, exponent, sign, V::equal(field, V::all(kOnes))};
}

/// Rounds S * 2^lsb.  `total` is S.  Magnitudes within 128 of 2^31 are left to the reference.
template <Out kOut>
inline V::I finish_sum(V::I total, V::I lsb, V::M& redo) {
  const V::I sign = V::bit_and(total, V::all(static_cast<int>(0x80000000u)));
  const V::I magnitude = V::abs(total);
  redo = V::either(redo, V::negative(V::add(magnitude, V::all(128))));
  const V::F nearest = V::to_float(magnitude);
  const V::I back = V::truncate(nearest);
  // Truncate to 24 bits: one unit in the last place back where the conversion went up.
  V::I truncated = V::as_int(nearest);
  truncated = V::sub(truncated, V::select(V::greater(back, magnitude), V::all(1), V::all(0)));
  if constexpr (kOut == Out::f16_rne) {
    const V::I sticky = V::select(V::equal(back, magnitude), V::all(0), V::all(1));
    truncated = V::bit_or(truncated, sticky);
  }
  V::F value = V::as_float(truncated);
  const V::I half = V::template sra<1>(lsb);
  value = V::mul(V::mul(value, power_of_two(half)), power_of_two(V::sub(lsb, half)));
  V::I bits;
  V::I sign_bit = sign;
  if constexpr (kOut == Out::f16_rne) {
    bits = V::to_half(value);
    sign_bit = V::template srl<16>(sign);
  } else {
    bits = V::as_int(value);
    const V::M deep = V::greater(V::all(-149), lsb);
    if (V::any(deep)) {  // a subnormal result may lose bits: shift instead of multiplying
      const V::I shifted = V::srl_variable(magnitude, V::max(V::sub(V::all(-149), lsb), V::all(0)));
      const V::M take = V::both(deep, V::greater(V::all(1 << 23), shifted));
      bits = V::select(take, shifted, bits);
    }
    if constexpr (kOut == Out::e8m13_rz) bits = V::bit_and(bits, V::all(~0x3FF));
  }
  return V::bit_or(bits, V::select(V::greater(bits, V::all(0)), sign_bit, V::all(0)));
}

/// kR rows x two vectors of lanes.
template <int kR, Out kOut, bool kHalf, bool kWide>
inline void block_rows(const Sums& s, int row) {
  constexpr int kWidth = V::kWidth, kStride = 2 * V::kWidth;
  const float* a_value = s.a_value + row * kTerms;
  const std::int32_t* a_exponent = s.a_exponent + row * kTerms;
  V::I acc[kR][2], saved[kR][2];
  V::M redo[kR][2];
  for (int r = 0; r < kR; ++r) {
    for (int h = 0; h < 2; ++h) {
      acc[r][h] = V::load(s.c + (row + r) * kStride + h * kWidth);
      saved[r][h] = acc[r][h];
      redo[r][h] = V::none();
    }
  }
  for (int g = 0; g < s.groups; ++g) {
    const int first = g * s.terms, last = first + s.terms;
    if (s.emulation && g % 2 == 0) {
      for (int r = 0; r < kR; ++r) {
        for (int h = 0; h < 2; ++h) {
          saved[r][h] = acc[r][h];
          redo[r][h] = V::either(redo[r][h], decode_accumulator<kHalf>(acc[r][h]).special);
          acc[r][h] = V::all(0);
        }
      }
    }
    typename V::E highest[kR];
    for (int r = 0; r < kR; ++r) highest[r] = V::all16(2 * kNoExponent);
    for (int t = first; t < last; ++t) {
      const typename V::E eb = V::load16(s.b_exponent + t * kStride);
      for (int r = 0; r < kR; ++r) {
        const typename V::E ea = V::pair16(a_exponent[r * kTerms + t]);
        highest[r] = V::max16(highest[r], V::add16(ea, eb));
      }
    }
    V::I lsb[kR][2], start[kR][2];
    V::F scale[kR][2];
    for (int r = 0; r < kR; ++r) {
      for (int h = 0; h < 2; ++h) {
        const Accumulator c = decode_accumulator<kHalf>(acc[r][h]);
        redo[r][h] = V::either(redo[r][h], c.special);
        const V::I products = h == 0 ? V::low(highest[r]) : V::high(highest[r]);
        const V::I emax = V::max(V::max(products, c.exponent), V::all(s.floor));
        lsb[r][h] = V::sub(emax, V::all(s.fraction));
        // Where the clamp bites all products are zero.
        scale[r][h] = power_of_two(V::min(V::sub(V::all(0), lsb[r][h]), V::all(127)));
        constexpr int kFraction = kHalf ? 10 : 23;
        const int up = s.fraction > kFraction ? s.fraction - kFraction : 0;
        const int down = s.fraction < kFraction ? kFraction - s.fraction : 0;
        const V::I shift = V::add(V::sub(emax, c.exponent), V::all(down));
        const V::I term = V::srl_variable(V::sll_uniform(c.significand, up), shift);
        const V::I negative = V::template sra<31>(c.sign);
        start[r][h] = V::sub(V::bit_xor(term, negative), negative);
      }
    }
    V::I sum[kR][2];
    for (int r = 0; r < kR; ++r) sum[r][0] = sum[r][1] = V::all(0);
    for (int from = first; from < last; from += 16) {
      const int to = from + 16 < last ? from + 16 : last;
      V::I part[kR][2];  // at most 16 products below 2^27: inside 32 bits
      for (int r = 0; r < kR; ++r) part[r][0] = part[r][1] = V::all(0);
      for (int t = from; t < to; ++t) {
        const V::F b0 = V::load(s.b_value + t * kStride);
        const V::F b1 = V::load(s.b_value + t * kStride + kWidth);
        for (int r = 0; r < kR; ++r) {
          const V::F a = V::all(a_value[r * kTerms + t]);
          V::F s0 = scale[r][0], s1 = scale[r][1];
          if constexpr (kWide) {
            const typename V::E e = V::add16(V::pair16(a_exponent[r * kTerms + t]),
                                             V::load16(s.b_exponent + t * kStride));
            s0 = power_of_two(V::max(V::sub(V::low(e), lsb[r][0]), V::all(-100)));
            s1 = power_of_two(V::max(V::sub(V::high(e), lsb[r][1]), V::all(-100)));
          }
          part[r][0] = V::add(part[r][0], V::truncate(V::mul(V::mul(a, b0), s0)));
          part[r][1] = V::add(part[r][1], V::truncate(V::mul(V::mul(a, b1), s1)));
        }
      }
      for (int r = 0; r < kR; ++r) {
        for (int h = 0; h < 2; ++h) {
          // Sums that leave 32 bits are possible only for nearly equal, nearly maximal products.
          const V::I next = V::add(sum[r][h], part[r][h]);
          redo[r][h] = V::either(redo[r][h], V::add_overflows(sum[r][h], part[r][h], next));
          sum[r][h] = next;
        }
      }
    }
    for (int r = 0; r < kR; ++r) {
      for (int h = 0; h < 2; ++h) {
        const V::I total = V::add(sum[r][h], start[r][h]);
        redo[r][h] = V::either(redo[r][h], V::add_overflows(sum[r][h], start[r][h], total));
        acc[r][h] = finish_sum<kOut>(total, lsb[r][h], redo[r][h]);
        if (s.emulation && g % 2 == 1) {
          if constexpr (kHalf) {
            acc[r][h] = V::to_half(V::add(V::from_half(saved[r][h]), V::from_half(acc[r][h])));
          } else {
            acc[r][h] = V::as_int(V::add(V::as_float(saved[r][h]), V::as_float(acc[r][h])));
          }
        }
      }
    }
  }
  for (int r = 0; r < kR; ++r) {
    V::store(s.d + (row + r) * kStride, acc[r][0]);
    V::store(s.d + (row + r) * kStride + kWidth, acc[r][1]);
    s.redo[row + r] = V::bits(redo[r][0]) | (V::bits(redo[r][1]) << kWidth);
  }
}

template <Out kOut, bool kHalf, bool kWide>
void block(const Sums& s) {
  int row = 0;
  for (; row + V::kRowsAtOnce <= s.rows; row += V::kRowsAtOnce) {
    block_rows<V::kRowsAtOnce, kOut, kHalf, kWide>(s, row);
  }
  for (; row < s.rows; ++row) block_rows<1, kOut, kHalf, kWide>(s, row);
}

template <bool kWide>
void sums_of(const Sums& s) {
  if (s.half_c) return block<Out::f16_rne, true, kWide>(s);
  if (s.out == Out::e8m13_rz) return block<Out::e8m13_rz, false, kWide>(s);
  block<Out::f32_rz, false, kWide>(s);
}

void sums(const Sums& s) {
  s.form == Form::wide ? sums_of<true>(s) : sums_of<false>(s);
}

void integers(
    const std::int32_t* a, const std::int32_t* b, int count, bool saturate, std::uint32_t* acc) {
  constexpr int kWidth = 2 * V::kWidth;
  std::int32_t sum[kWidth] = {};
  for (int i = 0; i < count; ++i) {
    for (int lane = 0; lane < kWidth; ++lane) sum[lane] += a[i] * b[i * kWidth + lane];
  }
  for (int lane = 0; lane < kWidth; ++lane) {
    const auto before = static_cast<std::int32_t>(acc[lane]);
    const std::uint32_t after = acc[lane] + static_cast<std::uint32_t>(sum[lane]);
    const bool overflow =
        ((~(before ^ sum[lane]) & (before ^ static_cast<std::int32_t>(after))) < 0);
    const std::uint32_t limit = before < 0 ? 0x80000000u : 0x7FFFFFFFu;
    acc[lane] = saturate && overflow ? limit : after;
  }
}

void doubles(const double* a, const double* b, int count, double* acc) {
  constexpr int kWidth = 2 * V::kWidth;
  for (int i = 0; i < count; ++i) {
    for (int lane = 0; lane < kWidth; ++lane) {
      acc[lane] = V::fma64(a[i], b[i * kWidth + lane], acc[lane]);
    }
  }
}

constexpr tirx::num::tile::Kernels kKernels{2 * V::kWidth, decode_row, decode_lanes,
                                            sums,          integers,   doubles};

}  // namespace
