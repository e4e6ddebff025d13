// Made by tirx for sm_90a; the same bits whatever flags it is compiled with.
#ifndef __CUDACC_RTC__
#include <cuda_runtime.h>
#endif

__device__ __forceinline__ float tirx_add_f32(float a, float b) {
  float d;
  asm("add.rn.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}

extern "C" __global__ void __launch_bounds__(128)
vector_add(const float* __restrict__ A_ptr, const float* __restrict__ B_ptr, float* C_ptr, int n) {
  const int bx = blockIdx.x;
  const int tx = threadIdx.x;
  const int i = (int)(bx * 128u + tx);
  if (i < n) {
    C_ptr[i] = tirx_add_f32(A_ptr[i], B_ptr[i]);
  }
}

#ifndef __CUDACC_RTC__

// Launches vector_add on the stream.
inline cudaError_t launch_vector_add(
    const float* A_ptr,
    const float* B_ptr,
    float* C_ptr,
    int n,
    cudaStream_t stream = 0) {
  const dim3 grid((n + 127) / 128, 1, 1);
  const dim3 block(128, 1, 1);
  vector_add<<<grid, block, 0, stream>>>(A_ptr, B_ptr, C_ptr, n);
  return cudaGetLastError();
}

#endif  // __CUDACC_RTC__
