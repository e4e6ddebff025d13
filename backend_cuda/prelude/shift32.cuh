// Shifts of 32 bits (PTX ISA, "shl", "shr"): counts of 32 and more give 0, or the sign; a negative
// count is one of them.

__device__ __forceinline__ int tirx_shl_i32(int a, int count) {
  int d;
  asm("shl.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(count));
  return d;
}

__device__ __forceinline__ unsigned tirx_shl_u32(unsigned a, unsigned count) {
  unsigned d;
  asm("shl.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(count));
  return d;
}

__device__ __forceinline__ int tirx_shr_i32(int a, int count) {
  int d;
  asm("shr.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(count));
  return d;
}

__device__ __forceinline__ unsigned tirx_shr_u32(unsigned a, unsigned count) {
  unsigned d;
  asm("shr.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(count));
  return d;
}
