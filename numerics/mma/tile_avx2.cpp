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

struct Wide {
  static constexpr int kWidth = 8, kRowsAtOnce = 2;
  using F = __m256;
  using I = __m256i;
  using M = __m256i;

  static F from_half(I x) {
    const I packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(x, x), 0x08);
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

  static I narrow(I x, I y) { return _mm256_permute4x64_epi64(_mm256_packs_epi32(x, y), 0xD8); }

  static I low(I x) { return _mm256_cvtepi16_epi32(_mm256_castsi256_si128(x)); }

  static I high(I x) { return _mm256_cvtepi16_epi32(_mm256_extracti128_si256(x, 1)); }
};

}  // namespace

#define TIRX_MM(name) _mm256_##name
#define TIRX_MM_SI(name) _mm256_##name##_si256
#define TIRX_MM_CAST_F _mm256_castsi256_ps
#define TIRX_MM_CAST_I _mm256_castps_si256
#include "numerics/mma/tile_x86.inl"

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
