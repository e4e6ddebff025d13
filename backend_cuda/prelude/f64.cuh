// float64: as f32.cuh.  The NaN of a result is compared as a class, never by payload.

__device__ __forceinline__ double tirx_add_f64(double a, double b) {
  double d;
  asm("add.rn.f64 %0, %1, %2;" : "=d"(d) : "d"(a), "d"(b));
  return d;
}

__device__ __forceinline__ double tirx_sub_f64(double a, double b) {
  double d;
  asm("sub.rn.f64 %0, %1, %2;" : "=d"(d) : "d"(a), "d"(b));
  return d;
}

__device__ __forceinline__ double tirx_mul_f64(double a, double b) {
  double d;
  asm("mul.rn.f64 %0, %1, %2;" : "=d"(d) : "d"(a), "d"(b));
  return d;
}

__device__ __forceinline__ double tirx_div_f64(double a, double b) {
  double d;
  asm("div.rn.f64 %0, %1, %2;" : "=d"(d) : "d"(a), "d"(b));
  return d;
}

// a * b + c, rounded once.
__device__ __forceinline__ double tirx_fma_f64(double a, double b, double c) {
  double d;
  asm("fma.rn.f64 %0, %1, %2, %3;" : "=d"(d) : "d"(a), "d"(b), "d"(c));
  return d;
}

__device__ __forceinline__ double tirx_sqrt_f64(double a) {
  double d;
  asm("sqrt.rn.f64 %0, %1;" : "=d"(d) : "d"(a));
  return d;
}

__device__ __forceinline__ double tirx_rcp_f64(double a) {
  double d;
  asm("rcp.rn.f64 %0, %1;" : "=d"(d) : "d"(a));
  return d;
}

// A NaN operand loses; -0 < +0.
__device__ __forceinline__ double tirx_min_f64(double a, double b) {
  double d;
  asm("min.f64 %0, %1, %2;" : "=d"(d) : "d"(a), "d"(b));
  return d;
}

__device__ __forceinline__ double tirx_max_f64(double a, double b) {
  double d;
  asm("max.f64 %0, %1, %2;" : "=d"(d) : "d"(a), "d"(b));
  return d;
}

// A NaN operand wins.
__device__ __forceinline__ double tirx_min_nan_f64(double a, double b) {
  return tirx_isnan_f64(a) || tirx_isnan_f64(b) ? __longlong_as_double(0xfff8000000000000ll)
                                            : tirx_min_f64(a, b);
}

__device__ __forceinline__ double tirx_max_nan_f64(double a, double b) {
  return tirx_isnan_f64(a) || tirx_isnan_f64(b) ? __longlong_as_double(0xfff8000000000000ll)
                                            : tirx_max_f64(a, b);
}

// Comparisons by setp without .ftz, which a plain `a < b` gets under fast-math.
__device__ __forceinline__ bool tirx_eq_f64(double a, double b) {
  int d;
  asm("{ .reg .pred p; setp.eq.f64 p, %1, %2; selp.s32 %0, 1, 0, p; }"
      : "=r"(d) : "d"(a), "d"(b));
  return d != 0;
}

// Unordered: a NaN differs from everything.
__device__ __forceinline__ bool tirx_ne_f64(double a, double b) {
  int d;
  asm("{ .reg .pred p; setp.neu.f64 p, %1, %2; selp.s32 %0, 1, 0, p; }"
      : "=r"(d) : "d"(a), "d"(b));
  return d != 0;
}

__device__ __forceinline__ bool tirx_lt_f64(double a, double b) {
  int d;
  asm("{ .reg .pred p; setp.lt.f64 p, %1, %2; selp.s32 %0, 1, 0, p; }"
      : "=r"(d) : "d"(a), "d"(b));
  return d != 0;
}

__device__ __forceinline__ bool tirx_le_f64(double a, double b) {
  int d;
  asm("{ .reg .pred p; setp.le.f64 p, %1, %2; selp.s32 %0, 1, 0, p; }"
      : "=r"(d) : "d"(a), "d"(b));
  return d != 0;
}

__device__ __forceinline__ bool tirx_gt_f64(double a, double b) {
  int d;
  asm("{ .reg .pred p; setp.gt.f64 p, %1, %2; selp.s32 %0, 1, 0, p; }"
      : "=r"(d) : "d"(a), "d"(b));
  return d != 0;
}

__device__ __forceinline__ bool tirx_ge_f64(double a, double b) {
  int d;
  asm("{ .reg .pred p; setp.ge.f64 p, %1, %2; selp.s32 %0, 1, 0, p; }"
      : "=r"(d) : "d"(a), "d"(b));
  return d != 0;
}

// Rounding to an integral value.
__device__ __forceinline__ double tirx_floor_f64(double a) {
  double d;
  asm("cvt.rmi.f64.f64 %0, %1;" : "=d"(d) : "d"(a));
  return d;
}

__device__ __forceinline__ double tirx_ceil_f64(double a) {
  double d;
  asm("cvt.rpi.f64.f64 %0, %1;" : "=d"(d) : "d"(a));
  return d;
}

__device__ __forceinline__ double tirx_trunc_f64(double a) {
  double d;
  asm("cvt.rzi.f64.f64 %0, %1;" : "=d"(d) : "d"(a));
  return d;
}

// Ties to even.
__device__ __forceinline__ double tirx_rint_f64(double a) {
  double d;
  asm("cvt.rni.f64.f64 %0, %1;" : "=d"(d) : "d"(a));
  return d;
}

// Bit operations: a NaN keeps its payload.
__device__ __forceinline__ double tirx_neg_f64(double a) {
  return __longlong_as_double(__double_as_longlong(a) ^ (long long)0x8000000000000000ull);
}

__device__ __forceinline__ double tirx_abs_f64(double a) {
  return __longlong_as_double(__double_as_longlong(a) & 0x7fffffffffffffffll);
}

__device__ __forceinline__ double tirx_copysign_f64(double a, double b) {
  return __longlong_as_double((__double_as_longlong(a) & 0x7fffffffffffffffll) | (__double_as_longlong(b) & (long long)0x8000000000000000ull));
}

__device__ __forceinline__ bool tirx_isnan_f64(double a) {
  return (__double_as_longlong(a) & 0x7fffffffffffffffll) > 0x7ff0000000000000ll;
}

__device__ __forceinline__ bool tirx_isinf_f64(double a) {
  return (__double_as_longlong(a) & 0x7fffffffffffffffll) == 0x7ff0000000000000ll;
}

__device__ __forceinline__ bool tirx_isfinite_f64(double a) {
  return (__double_as_longlong(a) & 0x7fffffffffffffffll) < 0x7ff0000000000000ll;
}
