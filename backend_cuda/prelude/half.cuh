// float16 and bfloat16, held as their bits: no header of the toolkit is needed, and no C++ operator
// can be applied by mistake.  Operations without a helper here go through float32, which holds
// every value exactly; division and square root are then still rounded once (24 >= 2 * 11 + 2).

using tirx_f16 = unsigned short;  // IEEE 754 binary16

__device__ __forceinline__ tirx_f16 tirx_add_f16(tirx_f16 a, tirx_f16 b) {
  tirx_f16 d;
  asm("add.rn.f16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b));
  return d;
}

__device__ __forceinline__ tirx_f16 tirx_sub_f16(tirx_f16 a, tirx_f16 b) {
  tirx_f16 d;
  asm("sub.rn.f16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b));
  return d;
}

__device__ __forceinline__ tirx_f16 tirx_mul_f16(tirx_f16 a, tirx_f16 b) {
  tirx_f16 d;
  asm("mul.rn.f16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b));
  return d;
}

// a * b + c, rounded once.
__device__ __forceinline__ tirx_f16 tirx_fma_f16(tirx_f16 a, tirx_f16 b, tirx_f16 c) {
  tirx_f16 d;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c));
  return d;
}

// A NaN operand loses; -0 < +0.
__device__ __forceinline__ tirx_f16 tirx_min_f16(tirx_f16 a, tirx_f16 b) {
  tirx_f16 d;
  asm("min.f16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b));
  return d;
}

__device__ __forceinline__ tirx_f16 tirx_max_f16(tirx_f16 a, tirx_f16 b) {
  tirx_f16 d;
  asm("max.f16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b));
  return d;
}

// A NaN operand wins.
__device__ __forceinline__ tirx_f16 tirx_min_nan_f16(tirx_f16 a, tirx_f16 b) {
  tirx_f16 d;
  asm("min.NaN.f16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b));
  return d;
}

__device__ __forceinline__ tirx_f16 tirx_max_nan_f16(tirx_f16 a, tirx_f16 b) {
  tirx_f16 d;
  asm("max.NaN.f16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b));
  return d;
}

__device__ __forceinline__ tirx_f16 tirx_neg_f16(tirx_f16 a) {
  return (tirx_f16)(a ^ 0x8000);
}

__device__ __forceinline__ tirx_f16 tirx_abs_f16(tirx_f16 a) {
  return (tirx_f16)(a & 0x7fff);
}

__device__ __forceinline__ tirx_f16 tirx_copysign_f16(tirx_f16 a, tirx_f16 b) {
  return (tirx_f16)((a & 0x7fff) | (b & 0x8000));
}

using tirx_bf16 = unsigned short;  // bfloat16

// fma(a, 1, b): the same bits as add.rn.bf16, which needs sm_90.
__device__ __forceinline__ tirx_bf16 tirx_add_bf16(tirx_bf16 a, tirx_bf16 b) {
  tirx_bf16 one = 0x3f80, d;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(one), "h"(b));
  return d;
}

// fma(b, -1, a).
__device__ __forceinline__ tirx_bf16 tirx_sub_bf16(tirx_bf16 a, tirx_bf16 b) {
  tirx_bf16 minus_one = 0xbf80, d;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(d) : "h"(b), "h"(minus_one), "h"(a));
  return d;
}

// fma(a, b, -0): adding -0 changes no sum, not even that of a zero product.
__device__ __forceinline__ tirx_bf16 tirx_mul_bf16(tirx_bf16 a, tirx_bf16 b) {
  tirx_bf16 minus_zero = 0x8000, d;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(minus_zero));
  return d;
}

// a * b + c, rounded once.
__device__ __forceinline__ tirx_bf16 tirx_fma_bf16(tirx_bf16 a, tirx_bf16 b, tirx_bf16 c) {
  tirx_bf16 d;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c));
  return d;
}

// A NaN operand loses; -0 < +0.
__device__ __forceinline__ tirx_bf16 tirx_min_bf16(tirx_bf16 a, tirx_bf16 b) {
  tirx_bf16 d;
  asm("min.bf16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b));
  return d;
}

__device__ __forceinline__ tirx_bf16 tirx_max_bf16(tirx_bf16 a, tirx_bf16 b) {
  tirx_bf16 d;
  asm("max.bf16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b));
  return d;
}

// A NaN operand wins.
__device__ __forceinline__ tirx_bf16 tirx_min_nan_bf16(tirx_bf16 a, tirx_bf16 b) {
  tirx_bf16 d;
  asm("min.NaN.bf16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b));
  return d;
}

__device__ __forceinline__ tirx_bf16 tirx_max_nan_bf16(tirx_bf16 a, tirx_bf16 b) {
  tirx_bf16 d;
  asm("max.NaN.bf16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b));
  return d;
}

__device__ __forceinline__ tirx_bf16 tirx_neg_bf16(tirx_bf16 a) {
  return (tirx_bf16)(a ^ 0x8000);
}

__device__ __forceinline__ tirx_bf16 tirx_abs_bf16(tirx_bf16 a) {
  return (tirx_bf16)(a & 0x7fff);
}

__device__ __forceinline__ tirx_bf16 tirx_copysign_bf16(tirx_bf16 a, tirx_bf16 b) {
  return (tirx_bf16)((a & 0x7fff) | (b & 0x8000));
}
