// The tile path for AVX2 machines: eight 32-bit lanes a vector, two rows at once.
#include "numerics/mma/tile_kernel.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c")
#endif

namespace {

struct V {
  static constexpr int kWidth = 8, kRowsAtOnce = 2;
  using F = __m256;
  using I = __m256i;
  using E = __m256i;
  using M = __m256i;

  static F load(const float* p) { return _mm256_loadu_ps(p); }

  static I load(const std::uint32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }

  static void store(std::uint32_t* p, I x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x);
  }

  static void store(float* p, F x) { _mm256_storeu_ps(p, x); }

  static F all(float x) { return _mm256_set1_ps(x); }

  static I all(int x) { return _mm256_set1_epi32(x); }

  static F mul(F x, F y) { return _mm256_mul_ps(x, y); }

  static F add(F x, F y) { return _mm256_add_ps(x, y); }

  static I add(I x, I y) { return _mm256_add_epi32(x, y); }

  static I sub(I x, I y) { return _mm256_sub_epi32(x, y); }

  static I max(I x, I y) { return _mm256_max_epi32(x, y); }

  static I min(I x, I y) { return _mm256_min_epi32(x, y); }

  static I abs(I x) { return _mm256_abs_epi32(x); }

  static I bit_and(I x, I y) { return _mm256_and_si256(x, y); }

  static I bit_or(I x, I y) { return _mm256_or_si256(x, y); }

  static I bit_xor(I x, I y) { return _mm256_xor_si256(x, y); }

  static I bit_and_not(I mask, I x) { return _mm256_andnot_si256(mask, x); }

  template <int kCount>
  static I sll(I x) {
    return _mm256_slli_epi32(x, kCount);
  }

  template <int kCount>
  static I srl(I x) {
    return _mm256_srli_epi32(x, kCount);
  }

  template <int kCount>
  static I sra(I x) {
    return _mm256_srai_epi32(x, kCount);
  }

  static I sll_uniform(I x, int count) { return _mm256_sll_epi32(x, _mm_cvtsi32_si128(count)); }

  static I srl_uniform(I x, int count) { return _mm256_srl_epi32(x, _mm_cvtsi32_si128(count)); }

  static I srl_variable(I x, I count) { return _mm256_srlv_epi32(x, count); }

  static I truncate(F x) { return _mm256_cvttps_epi32(x); }

  static F to_float(I x) { return _mm256_cvtepi32_ps(x); }

  static F as_float(I x) { return _mm256_castsi256_ps(x); }

  static I as_int(F x) { return _mm256_castps_si256(x); }

  static I to_half(F x) {
    return _mm256_cvtepu16_epi32(_mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }

  static F from_half(I x) {
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(x, x), 0x08);
    return _mm256_cvtph_ps(_mm256_castsi256_si128(packed));
  }

  static M none() { return _mm256_setzero_si256(); }

  static M greater(I x, I y) { return _mm256_cmpgt_epi32(x, y); }

  static M equal(I x, I y) { return _mm256_cmpeq_epi32(x, y); }

  /// The sign bit is the mask: good for either() and bits().
  static M negative(I x) { return x; }

  static M both(M x, M y) { return _mm256_and_si256(x, y); }

  static M either(M x, M y) { return _mm256_or_si256(x, y); }

  static I select(M mask, I yes, I no) { return _mm256_blendv_epi8(no, yes, mask); }

  static bool any(M mask) { return _mm256_movemask_epi8(mask) != 0; }

  /// Lanes whose sign bit is set count as set.
  static std::uint32_t bits(M mask) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(mask)));
  }

  static M add_overflows(I x, I y, I sum) {
    return _mm256_and_si256(_mm256_xor_si256(x, sum), _mm256_xor_si256(y, sum));
  }

  static E load16(const std::int16_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }

  static void store16(std::int16_t* p, E x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x);
  }

  static E narrow(I x, I y) { return _mm256_permute4x64_epi64(_mm256_packs_epi32(x, y), 0xD8); }

  static E pair16(std::int32_t pair) { return _mm256_set1_epi32(pair); }

  static E all16(int x) { return _mm256_set1_epi16(static_cast<short>(x)); }

  static E add16(E x, E y) { return _mm256_add_epi16(x, y); }

  static E max16(E x, E y) { return _mm256_max_epi16(x, y); }

  static I low(E x) { return _mm256_cvtepi16_epi32(_mm256_castsi256_si128(x)); }

  static I high(E x) { return _mm256_cvtepi16_epi32(_mm256_extracti128_si256(x, 1)); }

  static double fma64(double a, double b, double c) { return __builtin_fma(a, b, c); }
};

}  // namespace

#include "numerics/mma/tile_kernel.inl"

#if defined(__clang__)
#pragma clang attribute pop
#endif

namespace tirx::num::tile {

const Kernels* avx2_kernels() {
  // F16C came with AVX, before AVX2; __builtin_cpu_supports of clang 14 does not know its name.
  const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has ? &kKernels : nullptr;
}

}  // namespace tirx::num::tile

#else

namespace tirx::num::tile {

const Kernels* avx2_kernels() {
  return nullptr;
}

}  // namespace tirx::num::tile

#endif
