// To float32 so that a second, narrower rounding gives what one rounding would: toward zero, and the
// last bit is set where something was lost (Boldo, Melquiond: "When double rounding is odd", 2004).

__device__ __forceinline__ float tirx_f64_to_f32_odd(double a) {
  float d = tirx_f64_to_f32_rz(a);
  bool is_nan = (__double_as_longlong(a) & 0x7fffffffffffffffll) > 0x7ff0000000000000ll;
  bool lost = __double_as_longlong(tirx_f32_to_f64(d)) != __double_as_longlong(a);
  return __uint_as_float(__float_as_uint(d) | (lost && !is_nan ? 1u : 0u));
}

__device__ __forceinline__ float tirx_i64_to_f32_odd(long long a) {
  float d = tirx_i64_to_f32_rz(a);
  return __uint_as_float(__float_as_uint(d) | (tirx_f32_to_i64(d) != a ? 1u : 0u));
}

__device__ __forceinline__ float tirx_u64_to_f32_odd(unsigned long long a) {
  float d = tirx_u64_to_f32_rz(a);
  return __uint_as_float(__float_as_uint(d) | (tirx_f32_to_u64(d) != a ? 1u : 0u));
}
