// float32: one PTX instruction an operation, with its rounding written out, subnormals kept
// (PTX ISA, "Floating-Point Instructions").  The C++ operators would contract to fma, and change
// their meaning under -use_fast_math; inline PTX does neither.

__device__ __forceinline__ float tirx_add_f32(float a, float b) {
  float d;
  asm("add.rn.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}

__device__ __forceinline__ float tirx_sub_f32(float a, float b) {
  float d;
  asm("sub.rn.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}

__device__ __forceinline__ float tirx_mul_f32(float a, float b) {
  float d;
  asm("mul.rn.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}

__device__ __forceinline__ float tirx_div_f32(float a, float b) {
  float d;
  asm("div.rn.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}

// a * b + c, rounded once.
__device__ __forceinline__ float tirx_fma_f32(float a, float b, float c) {
  float d;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));
  return d;
}

__device__ __forceinline__ float tirx_sqrt_f32(float a) {
  float d;
  asm("sqrt.rn.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_rcp_f32(float a) {
  float d;
  asm("rcp.rn.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

// A NaN operand loses; -0 < +0.
__device__ __forceinline__ float tirx_min_f32(float a, float b) {
  float d;
  asm("min.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}

__device__ __forceinline__ float tirx_max_f32(float a, float b) {
  float d;
  asm("max.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}

// A NaN operand wins.
__device__ __forceinline__ float tirx_min_nan_f32(float a, float b) {
  float d;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}

__device__ __forceinline__ float tirx_max_nan_f32(float a, float b) {
  float d;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}

// Comparisons by setp without .ftz, which a plain `a < b` gets under fast-math.
__device__ __forceinline__ bool tirx_eq_f32(float a, float b) {
  int d;
  asm("{ .reg .pred p; setp.eq.f32 p, %1, %2; selp.s32 %0, 1, 0, p; }"
      : "=r"(d) : "f"(a), "f"(b));
  return d != 0;
}

// Unordered: a NaN differs from everything.
__device__ __forceinline__ bool tirx_ne_f32(float a, float b) {
  int d;
  asm("{ .reg .pred p; setp.neu.f32 p, %1, %2; selp.s32 %0, 1, 0, p; }"
      : "=r"(d) : "f"(a), "f"(b));
  return d != 0;
}

__device__ __forceinline__ bool tirx_lt_f32(float a, float b) {
  int d;
  asm("{ .reg .pred p; setp.lt.f32 p, %1, %2; selp.s32 %0, 1, 0, p; }"
      : "=r"(d) : "f"(a), "f"(b));
  return d != 0;
}

__device__ __forceinline__ bool tirx_le_f32(float a, float b) {
  int d;
  asm("{ .reg .pred p; setp.le.f32 p, %1, %2; selp.s32 %0, 1, 0, p; }"
      : "=r"(d) : "f"(a), "f"(b));
  return d != 0;
}

__device__ __forceinline__ bool tirx_gt_f32(float a, float b) {
  int d;
  asm("{ .reg .pred p; setp.gt.f32 p, %1, %2; selp.s32 %0, 1, 0, p; }"
      : "=r"(d) : "f"(a), "f"(b));
  return d != 0;
}

__device__ __forceinline__ bool tirx_ge_f32(float a, float b) {
  int d;
  asm("{ .reg .pred p; setp.ge.f32 p, %1, %2; selp.s32 %0, 1, 0, p; }"
      : "=r"(d) : "f"(a), "f"(b));
  return d != 0;
}

// Rounding to an integral value.
__device__ __forceinline__ float tirx_floor_f32(float a) {
  float d;
  asm("cvt.rmi.f32.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_ceil_f32(float a) {
  float d;
  asm("cvt.rpi.f32.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_trunc_f32(float a) {
  float d;
  asm("cvt.rzi.f32.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

// Ties to even.
__device__ __forceinline__ float tirx_rint_f32(float a) {
  float d;
  asm("cvt.rni.f32.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

// Bit operations: a NaN keeps its payload.
__device__ __forceinline__ float tirx_neg_f32(float a) {
  return __uint_as_float(__float_as_uint(a) ^ 0x80000000u);
}

__device__ __forceinline__ float tirx_abs_f32(float a) {
  return __uint_as_float(__float_as_uint(a) & 0x7fffffffu);
}

__device__ __forceinline__ float tirx_copysign_f32(float a, float b) {
  return __uint_as_float((__float_as_uint(a) & 0x7fffffffu) | (__float_as_uint(b) & 0x80000000u));
}

__device__ __forceinline__ bool tirx_isnan_f32(float a) {
  return (__float_as_uint(a) & 0x7fffffffu) > 0x7f800000u;
}

__device__ __forceinline__ bool tirx_isinf_f32(float a) {
  return (__float_as_uint(a) & 0x7fffffffu) == 0x7f800000u;
}

__device__ __forceinline__ bool tirx_isfinite_f32(float a) {
  return (__float_as_uint(a) & 0x7fffffffu) < 0x7f800000u;
}
