// float8, float6, float4 (OCP formats; NaN and saturation as the cvt instructions have them): the
// hardware's conversion where the architecture has one, integer code with the same bits elsewhere.

// The magnitude of a format with FRACTION bits after the point: to nearest even, saturating.  Below
// the smallest normal number the codes are multiples of one unit, which the addition of a large
// power of two rounds to.
template <int FRACTION, int BIAS, unsigned LARGEST>
__device__ __forceinline__ unsigned tirx_narrow_magnitude(float a) {
  constexpr int dropped = 23 - FRACTION;
  constexpr unsigned rebias = (unsigned)(127 - BIAS) << 23;
  unsigned magnitude = __float_as_uint(a) & 0x7fffffffu;
  if (magnitude >= (LARGEST << dropped) + rebias) return LARGEST;
  if (magnitude >= rebias + 0x00800000u) {
    unsigned odd = magnitude >> dropped & 1u;
    return (magnitude + ((1u << (dropped - 1)) - 1u) + odd - rebias) >> dropped;
  }
  constexpr unsigned anchor = (unsigned)(127 + 24 - BIAS - FRACTION) << 23;
  float sum = tirx_add_f32(__uint_as_float(magnitude), __uint_as_float(anchor));
  return __float_as_uint(sum) - anchor;
}

// The value of a magnitude code; exact.
template <int FRACTION, int BIAS>
__device__ __forceinline__ float tirx_widen_magnitude(unsigned code) {
  if (code >> FRACTION != 0) {
    return __uint_as_float((code << (23 - FRACTION)) + ((unsigned)(127 - BIAS) << 23));
  }
  constexpr unsigned unit = (unsigned)(128 - BIAS - FRACTION) << 23;
  return tirx_mul_f32(tirx_u32_to_f32(code), __uint_as_float(unit));
}

// Saturating; a NaN loses its sign.
__device__ __forceinline__ unsigned char tirx_f32_to_e4m3(float a) {
#if __CUDA_ARCH__ >= 890
  unsigned short d;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(d) : "f"(0.0f), "f"(a));
  return (unsigned char)d;
#else
  unsigned bits = __float_as_uint(a);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7f;
  return (unsigned char)(tirx_narrow_magnitude<3, 7, 0x7eu>(a) | (bits >> 24 & 0x80u));
#endif
}

// Saturating; a NaN loses its sign.
__device__ __forceinline__ unsigned char tirx_f32_to_e5m2(float a) {
#if __CUDA_ARCH__ >= 890
  unsigned short d;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(d) : "f"(0.0f), "f"(a));
  return (unsigned char)d;
#else
  unsigned bits = __float_as_uint(a);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7f;
  return (unsigned char)(tirx_narrow_magnitude<2, 15, 0x7bu>(a) | (bits >> 24 & 0x80u));
#endif
}

__device__ __forceinline__ float tirx_e4m3_to_f32(unsigned char a) {
  unsigned magnitude = a & 0x7fu;
  unsigned bits = magnitude == 0x7fu ? 0x7fffffffu
                                     : __float_as_uint(tirx_widen_magnitude<3, 7>(magnitude)) |
                                           (a & 0x80u) << 24;
  return __uint_as_float(bits);
}

// The high half of a float16.
__device__ __forceinline__ float tirx_e5m2_to_f32(unsigned char a) {
  if ((a & 0x7fu) > 0x7cu) return __uint_as_float(0x7fffffffu);
  return tirx_f16_to_f32((unsigned short)(a << 8));
}

// Always saturating; a NaN becomes the largest number.
__device__ __forceinline__ unsigned char tirx_f32_to_e2m3(float a) {
  unsigned bits = __float_as_uint(a);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x1f;
  return (unsigned char)(tirx_narrow_magnitude<3, 1, 0x1fu>(a) | (bits >> 26 & 0x20u));
}

__device__ __forceinline__ float tirx_e2m3_to_f32(unsigned char a) {
  return __uint_as_float(__float_as_uint(tirx_widen_magnitude<3, 1>(a & 0x1fu)) |
                         (a & 0x20u) << 26);
}

// Always saturating; a NaN becomes the largest number.
__device__ __forceinline__ unsigned char tirx_f32_to_e3m2(float a) {
  unsigned bits = __float_as_uint(a);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x1f;
  return (unsigned char)(tirx_narrow_magnitude<2, 3, 0x1fu>(a) | (bits >> 26 & 0x20u));
}

__device__ __forceinline__ float tirx_e3m2_to_f32(unsigned char a) {
  return __uint_as_float(__float_as_uint(tirx_widen_magnitude<2, 3>(a & 0x1fu)) |
                         (a & 0x20u) << 26);
}

// Always saturating; a NaN becomes the largest number.
__device__ __forceinline__ unsigned char tirx_f32_to_e2m1(float a) {
  unsigned bits = __float_as_uint(a);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7;
  return (unsigned char)(tirx_narrow_magnitude<1, 1, 0x7u>(a) | (bits >> 28 & 0x8u));
}

__device__ __forceinline__ float tirx_e2m1_to_f32(unsigned char a) {
  return __uint_as_float(__float_as_uint(tirx_widen_magnitude<1, 1>(a & 0x7u)) |
                         (a & 0x8u) << 28);
}

// A power of two, rounded up; the sign is dropped.
__device__ __forceinline__ unsigned char tirx_f32_to_e8m0(float a) {
  unsigned magnitude = __float_as_uint(a) & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0xff;
  if (magnitude <= 0x00400000u) return 0;
  unsigned exponent = (magnitude + 0x007fffffu) >> 23;
  return (unsigned char)(exponent > 0xfeu ? 0xfeu : exponent);
}

__device__ __forceinline__ float tirx_e8m0_to_f32(unsigned char a) {
  if (a == 0xff) return __uint_as_float(0x7fffffffu);
  return __uint_as_float(a == 0 ? 0x00400000u : (unsigned)a << 23);
}

// Two elements a byte, the low half first.
__device__ __forceinline__ unsigned char tirx_load_e2m1(const unsigned char* base, long long index) {
  return (unsigned char)(base[index / 2] >> (index % 2 * 4) & 0xf);
}
