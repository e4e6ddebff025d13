// To an integral value, ties away from zero: no instruction does that.

__device__ __forceinline__ float tirx_round_f32(float a) {
  float whole = tirx_trunc_f32(a);
  float rest = tirx_abs_f32(tirx_sub_f32(a, whole));
  if (!tirx_ge_f32(rest, 0.5f)) return whole;
  return tirx_add_f32(whole, tirx_copysign_f32(1.0f, a));
}

__device__ __forceinline__ double tirx_round_f64(double a) {
  double whole = tirx_trunc_f64(a);
  double rest = tirx_abs_f64(tirx_sub_f64(a, whole));
  if (!tirx_ge_f64(rest, 0.5)) return whole;
  return tirx_add_f64(whole, tirx_copysign_f64(1.0, a));
}
