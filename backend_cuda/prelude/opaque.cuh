// Values that ptxas cannot see through: what it gets wrong when it does is in docs/fidelity.md. It
// leaves the tables of lop3 alone (CUDA 13.0).

// The value itself: of the three operands the table 0xF0 takes the first.
__device__ __forceinline__ unsigned tirx_opaque(unsigned a) {
  unsigned d;
  asm("lop3.b32 %0, %1, 0, 0, 0xF0;" : "=r"(d) : "r"(a));
  return d;
}

__device__ __forceinline__ float tirx_opaque_f32(float a) {
  return __uint_as_float(tirx_opaque(__float_as_uint(a)));
}
