// The hardware's approximations and the flushing forms, reached by their PTX names
// (PTX ISA, "Floating-Point Instructions"): bits as in the recorded tables of the architecture.

__device__ __forceinline__ float tirx_ex2_approx_f32(float a) {
  float d;
  asm("ex2.approx.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_ex2_approx_ftz_f32(float a) {
  float d;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_rcp_approx_f32(float a) {
  float d;
  asm("rcp.approx.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_rcp_approx_ftz_f32(float a) {
  float d;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_rsqrt_approx_f32(float a) {
  float d;
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_rsqrt_approx_ftz_f32(float a) {
  float d;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_sqrt_approx_f32(float a) {
  float d;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_sqrt_approx_ftz_f32(float a) {
  float d;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_lg2_approx_f32(float a) {
  float d;
  asm("lg2.approx.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_lg2_approx_ftz_f32(float a) {
  float d;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_sin_approx_f32(float a) {
  float d;
  asm("sin.approx.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_sin_approx_ftz_f32(float a) {
  float d;
  asm("sin.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_cos_approx_f32(float a) {
  float d;
  asm("cos.approx.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_cos_approx_ftz_f32(float a) {
  float d;
  asm("cos.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_tanh_approx_f32(float a) {
  float d;
  asm("tanh.approx.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_add_ftz_f32(float a, float b) {
  float d;
  asm("add.rn.ftz.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}

__device__ __forceinline__ float tirx_sub_ftz_f32(float a, float b) {
  float d;
  asm("sub.rn.ftz.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}

__device__ __forceinline__ float tirx_mul_ftz_f32(float a, float b) {
  float d;
  asm("mul.rn.ftz.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}

__device__ __forceinline__ float tirx_div_ftz_f32(float a, float b) {
  float d;
  asm("div.rn.ftz.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}

__device__ __forceinline__ float tirx_fma_ftz_f32(float a, float b, float c) {
  float d;
  asm("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));
  return d;
}

__device__ __forceinline__ float tirx_sqrt_ftz_f32(float a) {
  float d;
  asm("sqrt.rn.ftz.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_rcp_ftz_f32(float a) {
  float d;
  asm("rcp.rn.ftz.f32 %0, %1;" : "=f"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_min_ftz_f32(float a, float b) {
  float d;
  asm("min.ftz.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}

__device__ __forceinline__ float tirx_max_ftz_f32(float a, float b) {
  float d;
  asm("max.ftz.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}
