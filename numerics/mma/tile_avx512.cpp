// The tile path for AVX-512 machines (F, BW, DQ, VL): sixteen 32-bit lanes a vector, four rows at
// once.
#include "numerics/mma/tile_kernel.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma"))), \
                             apply_to = function)
#else
// The intrinsics of g++ 12 start from a deliberately uninitialised vector (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,fma")
#endif

namespace {

struct V {
  static constexpr int kWidth = 16, kRowsAtOnce = 4;
  using F = __m512;
  using I = __m512i;
  using E = __m512i;
  using M = __mmask16;

  static F load(const float* p) { return _mm512_loadu_ps(p); }

  static I load(const std::uint32_t* p) { return _mm512_loadu_si512(p); }

  static void store(std::uint32_t* p, I x) { _mm512_storeu_si512(p, x); }

  static void store(float* p, F x) { _mm512_storeu_ps(p, x); }

  static F all(float x) { return _mm512_set1_ps(x); }

  static I all(int x) { return _mm512_set1_epi32(x); }

  static F mul(F x, F y) { return _mm512_mul_ps(x, y); }

  static F add(F x, F y) { return _mm512_add_ps(x, y); }

  static I add(I x, I y) { return _mm512_add_epi32(x, y); }

  static I sub(I x, I y) { return _mm512_sub_epi32(x, y); }

  static I max(I x, I y) { return _mm512_max_epi32(x, y); }

  static I min(I x, I y) { return _mm512_min_epi32(x, y); }

  static I abs(I x) { return _mm512_abs_epi32(x); }

  static I bit_and(I x, I y) { return _mm512_and_si512(x, y); }

  static I bit_or(I x, I y) { return _mm512_or_si512(x, y); }

  static I bit_xor(I x, I y) { return _mm512_xor_si512(x, y); }

  static I bit_and_not(I mask, I x) { return _mm512_andnot_si512(mask, x); }

  template <int kCount>
  static I sll(I x) {
    return _mm512_slli_epi32(x, kCount);
  }

  template <int kCount>
  static I srl(I x) {
    return _mm512_srli_epi32(x, kCount);
  }

  template <int kCount>
  static I sra(I x) {
    return _mm512_srai_epi32(x, kCount);
  }

  static I sll_uniform(I x, int count) { return _mm512_sll_epi32(x, _mm_cvtsi32_si128(count)); }

  static I srl_uniform(I x, int count) { return _mm512_srl_epi32(x, _mm_cvtsi32_si128(count)); }

  static I srl_variable(I x, I count) { return _mm512_srlv_epi32(x, count); }

  static I truncate(F x) { return _mm512_cvttps_epi32(x); }

  static F to_float(I x) { return _mm512_cvtepi32_ps(x); }

  static F as_float(I x) { return _mm512_castsi512_ps(x); }

  static I as_int(F x) { return _mm512_castps_si512(x); }

  static I to_half(F x) {
    return _mm512_cvtepu16_epi32(_mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }

  static F from_half(I x) { return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(x)); }

  static M none() { return 0; }

  static M greater(I x, I y) { return _mm512_cmpgt_epi32_mask(x, y); }

  static M equal(I x, I y) { return _mm512_cmpeq_epi32_mask(x, y); }

  static M negative(I x) { return _mm512_movepi32_mask(x); }

  static M both(M x, M y) { return static_cast<M>(x & y); }

  static M either(M x, M y) { return static_cast<M>(x | y); }

  static I select(M mask, I yes, I no) { return _mm512_mask_blend_epi32(mask, no, yes); }

  static bool any(M mask) { return mask != 0; }

  static std::uint32_t bits(M mask) { return mask; }

  static M add_overflows(I x, I y, I sum) {
    return negative(_mm512_and_si512(_mm512_xor_si512(x, sum), _mm512_xor_si512(y, sum)));
  }

  static E load16(const std::int16_t* p) { return _mm512_loadu_si512(p); }

  static void store16(std::int16_t* p, E x) { _mm512_storeu_si512(p, x); }

  static E narrow(I x, I y) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(x)),
                              _mm512_cvtepi32_epi16(y), 1);
  }

  static E pair16(std::int32_t pair) { return _mm512_set1_epi32(pair); }

  static E all16(int x) { return _mm512_set1_epi16(static_cast<short>(x)); }

  static E add16(E x, E y) { return _mm512_add_epi16(x, y); }

  static E max16(E x, E y) { return _mm512_max_epi16(x, y); }

  static I low(E x) { return _mm512_cvtepi16_epi32(_mm512_castsi512_si256(x)); }

  static I high(E x) { return _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(x, 1)); }

  static double fma64(double a, double b, double c) { return __builtin_fma(a, b, c); }
};

}  // namespace

#include "numerics/mma/tile_kernel.inl"

#if defined(__clang__)
#pragma clang attribute pop
#endif

namespace tirx::num::tile {

const Kernels* avx512_kernels() {
  const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("fma");
  return has ? &kKernels : nullptr;
}

}  // namespace tirx::num::tile

#else

namespace tirx::num::tile {

const Kernels* avx512_kernels() {
  return nullptr;
}

}  // namespace tirx::num::tile

#endif
