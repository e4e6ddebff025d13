// The vector type of the x86 tile paths, where 256 and 512 bits differ only in the names of the
// intrinsics: TIRX_MM(add_ps) is _mm256_add_ps or _mm512_add_ps, TIRX_MM_SI(and) _mm256_and_si256 or
// _mm512_and_si512.  The including file defines both macros and the base `Wide` with what differs
// for real: masks, conversions to and from 16 bits.

namespace {

struct V : Wide {
  using F = Wide::F;
  using I = Wide::I;
  using E = Wide::I;

  static F load(const float* p) { return TIRX_MM(loadu_ps)(p); }

  static I load(const std::uint32_t* p) {
    return TIRX_MM_SI(loadu)(reinterpret_cast<const I*>(p));
  }

  static void store(std::uint32_t* p, I x) { TIRX_MM_SI(storeu)(reinterpret_cast<I*>(p), x); }

  static void store(float* p, F x) { TIRX_MM(storeu_ps)(p, x); }

  static F all(float x) { return TIRX_MM(set1_ps)(x); }

  static I all(int x) { return TIRX_MM(set1_epi32)(x); }

  static F mul(F x, F y) { return TIRX_MM(mul_ps)(x, y); }

  static F add(F x, F y) { return TIRX_MM(add_ps)(x, y); }

  static I add(I x, I y) { return TIRX_MM(add_epi32)(x, y); }

  static I sub(I x, I y) { return TIRX_MM(sub_epi32)(x, y); }

  static I max(I x, I y) { return TIRX_MM(max_epi32)(x, y); }

  static I min(I x, I y) { return TIRX_MM(min_epi32)(x, y); }

  static I abs(I x) { return TIRX_MM(abs_epi32)(x); }

  static I bit_and(I x, I y) { return TIRX_MM_SI(and)(x, y); }

  static I bit_or(I x, I y) { return TIRX_MM_SI(or)(x, y); }

  static I bit_xor(I x, I y) { return TIRX_MM_SI(xor)(x, y); }

  static I bit_and_not(I mask, I x) { return TIRX_MM_SI(andnot)(mask, x); }

  template <int kCount>
  static I sll(I x) {
    return TIRX_MM(slli_epi32)(x, kCount);
  }

  template <int kCount>
  static I srl(I x) {
    return TIRX_MM(srli_epi32)(x, kCount);
  }

  template <int kCount>
  static I sra(I x) {
    return TIRX_MM(srai_epi32)(x, kCount);
  }

  static I sll_uniform(I x, int count) {
    return TIRX_MM(sll_epi32)(x, _mm_cvtsi32_si128(count));
  }

  static I srl_uniform(I x, int count) {
    return TIRX_MM(srl_epi32)(x, _mm_cvtsi32_si128(count));
  }

  static I srl_variable(I x, I count) { return TIRX_MM(srlv_epi32)(x, count); }

  static I truncate(F x) { return TIRX_MM(cvttps_epi32)(x); }

  static F to_float(I x) { return TIRX_MM(cvtepi32_ps)(x); }

  static F as_float(I x) { return TIRX_MM_CAST_F(x); }

  static I as_int(F x) { return TIRX_MM_CAST_I(x); }

  static I to_half(F x) {
    return TIRX_MM(cvtepu16_epi32)(
        TIRX_MM(cvtps_ph)(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }

  static E load16(const std::int16_t* p) {
    return TIRX_MM_SI(loadu)(reinterpret_cast<const I*>(p));
  }

  static void store16(std::int16_t* p, E x) { TIRX_MM_SI(storeu)(reinterpret_cast<I*>(p), x); }

  static E pair16(std::int32_t pair) { return TIRX_MM(set1_epi32)(pair); }

  static E all16(int x) { return TIRX_MM(set1_epi16)(static_cast<short>(x)); }

  static E add16(E x, E y) { return TIRX_MM(add_epi16)(x, y); }

  static E max16(E x, E y) { return TIRX_MM(max_epi16)(x, y); }

  static double fma64(double a, double b, double c) { return __builtin_fma(a, b, c); }
};

}  // namespace

#include "numerics/mma/tile_kernel.inl"
