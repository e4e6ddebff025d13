// Conversions (PTX ISA, "cvt"; OCP formats).  Every type narrower than float32 converts through it:
// widening is exact, and what does not fit float32 (float64, wide integers) is first cut to it with
// the lost bits remembered in the last one ("round to odd"), so that there is one rounding in all.

__device__ __forceinline__ float tirx_f16_to_f32(unsigned short a) {
  float d;
  asm("cvt.f32.f16 %0, %1;" : "=f"(d) : "h"(a));
  return d;
}

__device__ __forceinline__ unsigned short tirx_f32_to_f16(float a) {
  unsigned short d;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_bf16_to_f32(unsigned short a) {
  return __uint_as_float((unsigned)a << 16);
}

__device__ __forceinline__ unsigned short tirx_f32_to_bf16(float a) {
  unsigned short d;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(d) : "f"(a));
  return d;
}

// 19 bits in a 32-bit register; ties away from zero.
__device__ __forceinline__ float tirx_f32_to_tf32(float a) {
  unsigned d;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(d) : "f"(a));
  return __uint_as_float(d);
}

__device__ __forceinline__ double tirx_f32_to_f64(float a) {
  double d;
  asm("cvt.f64.f32 %0, %1;" : "=d"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ float tirx_f64_to_f32(double a) {
  float d;
  asm("cvt.rn.f32.f64 %0, %1;" : "=f"(d) : "d"(a));
  return d;
}

// Toward zero.
__device__ __forceinline__ float tirx_f64_to_f32_rz(double a) {
  float d;
  asm("cvt.rz.f32.f64 %0, %1;" : "=f"(d) : "d"(a));
  return d;
}

__device__ __forceinline__ float tirx_i64_to_f32_rz(long long a) {
  float d;
  asm("cvt.rz.f32.s64 %0, %1;" : "=f"(d) : "l"(a));
  return d;
}

__device__ __forceinline__ float tirx_u64_to_f32_rz(unsigned long long a) {
  float d;
  asm("cvt.rz.f32.u64 %0, %1;" : "=f"(d) : "l"(a));
  return d;
}

__device__ __forceinline__ float tirx_i32_to_f32(int a) {
  float d;
  asm("cvt.rn.f32.s32 %0, %1;" : "=f"(d) : "r"(a));
  return d;
}

__device__ __forceinline__ double tirx_i32_to_f64(int a) {
  double d;
  asm("cvt.rn.f64.s32 %0, %1;" : "=d"(d) : "r"(a));
  return d;
}

__device__ __forceinline__ float tirx_u32_to_f32(unsigned a) {
  float d;
  asm("cvt.rn.f32.u32 %0, %1;" : "=f"(d) : "r"(a));
  return d;
}

__device__ __forceinline__ double tirx_u32_to_f64(unsigned a) {
  double d;
  asm("cvt.rn.f64.u32 %0, %1;" : "=d"(d) : "r"(a));
  return d;
}

__device__ __forceinline__ float tirx_i64_to_f32(long long a) {
  float d;
  asm("cvt.rn.f32.s64 %0, %1;" : "=f"(d) : "l"(a));
  return d;
}

__device__ __forceinline__ double tirx_i64_to_f64(long long a) {
  double d;
  asm("cvt.rn.f64.s64 %0, %1;" : "=d"(d) : "l"(a));
  return d;
}

__device__ __forceinline__ float tirx_u64_to_f32(unsigned long long a) {
  float d;
  asm("cvt.rn.f32.u64 %0, %1;" : "=f"(d) : "l"(a));
  return d;
}

__device__ __forceinline__ double tirx_u64_to_f64(unsigned long long a) {
  double d;
  asm("cvt.rn.f64.u64 %0, %1;" : "=d"(d) : "l"(a));
  return d;
}

// Toward zero, saturating at the width of the target.
__device__ __forceinline__ signed char tirx_f32_to_i8(float a) {
  int d;
  asm("cvt.rzi.s8.f32 %0, %1;" : "=r"(d) : "f"(a));
  return (signed char)d;
}

__device__ __forceinline__ unsigned char tirx_f32_to_u8(float a) {
  int d;
  asm("cvt.rzi.u8.f32 %0, %1;" : "=r"(d) : "f"(a));
  return (unsigned char)d;
}

__device__ __forceinline__ short tirx_f32_to_i16(float a) {
  short d;
  asm("cvt.rzi.s16.f32 %0, %1;" : "=h"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ unsigned short tirx_f32_to_u16(float a) {
  unsigned short d;
  asm("cvt.rzi.u16.f32 %0, %1;" : "=h"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ int tirx_f32_to_i32(float a) {
  int d;
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ unsigned tirx_f32_to_u32(float a) {
  unsigned d;
  asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ long long tirx_f32_to_i64(float a) {
  long long d;
  asm("cvt.rzi.s64.f32 %0, %1;" : "=l"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ unsigned long long tirx_f32_to_u64(float a) {
  unsigned long long d;
  asm("cvt.rzi.u64.f32 %0, %1;" : "=l"(d) : "f"(a));
  return d;
}

__device__ __forceinline__ signed char tirx_f64_to_i8(double a) {
  int d;
  asm("cvt.rzi.s8.f64 %0, %1;" : "=r"(d) : "d"(a));
  return (signed char)d;
}

__device__ __forceinline__ unsigned char tirx_f64_to_u8(double a) {
  int d;
  asm("cvt.rzi.u8.f64 %0, %1;" : "=r"(d) : "d"(a));
  return (unsigned char)d;
}

__device__ __forceinline__ short tirx_f64_to_i16(double a) {
  short d;
  asm("cvt.rzi.s16.f64 %0, %1;" : "=h"(d) : "d"(a));
  return d;
}

__device__ __forceinline__ unsigned short tirx_f64_to_u16(double a) {
  unsigned short d;
  asm("cvt.rzi.u16.f64 %0, %1;" : "=h"(d) : "d"(a));
  return d;
}

__device__ __forceinline__ int tirx_f64_to_i32(double a) {
  int d;
  asm("cvt.rzi.s32.f64 %0, %1;" : "=r"(d) : "d"(a));
  return d;
}

__device__ __forceinline__ unsigned tirx_f64_to_u32(double a) {
  unsigned d;
  asm("cvt.rzi.u32.f64 %0, %1;" : "=r"(d) : "d"(a));
  return d;
}

__device__ __forceinline__ long long tirx_f64_to_i64(double a) {
  long long d;
  asm("cvt.rzi.s64.f64 %0, %1;" : "=l"(d) : "d"(a));
  return d;
}

__device__ __forceinline__ unsigned long long tirx_f64_to_u64(double a) {
  unsigned long long d;
  asm("cvt.rzi.u64.f64 %0, %1;" : "=l"(d) : "d"(a));
  return d;
}
