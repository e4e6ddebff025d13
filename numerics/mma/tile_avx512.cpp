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

struct Wide {
  static constexpr int kWidth = 16, kRowsAtOnce = 4;
  using F = __m512;
  using I = __m512i;
  using M = __mmask16;

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

  static I narrow(I x, I y) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(x)),
                              _mm512_cvtepi32_epi16(y), 1);
  }

  static I low(I x) { return _mm512_cvtepi16_epi32(_mm512_castsi512_si256(x)); }

  static I high(I x) { return _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(x, 1)); }
};

}  // namespace

#define TIRX_MM(name) _mm512_##name
#define TIRX_MM_SI(name) _mm512_##name##_si512
#define TIRX_MM_CAST_F _mm512_castsi512_ps
#define TIRX_MM_CAST_I _mm512_castps_si512
#include "numerics/mma/tile_x86.inl"

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
