// Integers: two's complement, wrapping, without any C++ undefined behaviour.  What is not here is
// written with plain operators on unsigned values.  Division rounds toward minus infinity in the
// language; INT_MIN // -1 is INT_MIN.  Those marked host are used by launchers too.

__host__ __device__ __forceinline__ int tirx_floordiv_i32(int a, int b) {
  if (b == -1) return (int)(0u - (unsigned)a);
  int q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

// The sign of the divisor.
__host__ __device__ __forceinline__ int tirx_floormod_i32(int a, int b) {
  if (b == -1) return 0;
  int r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

__host__ __device__ __forceinline__ int tirx_truncdiv_i32(int a, int b) {
  return b == -1 ? (int)(0u - (unsigned)a) : a / b;
}

__host__ __device__ __forceinline__ int tirx_truncmod_i32(int a, int b) {
  return b == -1 ? 0 : a % b;
}

__host__ __device__ __forceinline__ int tirx_abs_i32(int a) {
  return a < 0 ? (int)(0u - (unsigned)a) : a;
}

__host__ __device__ __forceinline__ long long tirx_floordiv_i64(long long a, long long b) {
  if (b == -1) return (long long)(0ull - (unsigned long long)a);
  long long q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

// The sign of the divisor.
__host__ __device__ __forceinline__ long long tirx_floormod_i64(long long a, long long b) {
  if (b == -1) return 0;
  long long r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

__host__ __device__ __forceinline__ long long tirx_truncdiv_i64(long long a, long long b) {
  return b == -1 ? (long long)(0ull - (unsigned long long)a) : a / b;
}

__host__ __device__ __forceinline__ long long tirx_truncmod_i64(long long a, long long b) {
  return b == -1 ? 0 : a % b;
}

__host__ __device__ __forceinline__ long long tirx_abs_i64(long long a) {
  return a < 0 ? (long long)(0ull - (unsigned long long)a) : a;
}

__device__ __forceinline__ unsigned long long tirx_shl_u64(unsigned long long a,
                                                           unsigned long long count) {
  return count > 63 ? 0 : a << count;
}

__device__ __forceinline__ unsigned long long tirx_shr_u64(unsigned long long a,
                                                           unsigned long long count) {
  return count > 63 ? 0 : a >> count;
}

__device__ __forceinline__ long long tirx_shl_i64(long long a, long long count) {
  return (unsigned long long)count > 63 ? 0 : (long long)((unsigned long long)a << count);
}

__device__ __forceinline__ long long tirx_shr_i64(long long a, long long count) {
  return a >> ((unsigned long long)count > 63 ? 63 : count);
}

// How often a loop runs whose last increment may leave its type: begin, begin + step, … below end.
// U is the unsigned type of T's width, or a wider one.
template <typename T, typename U>
__host__ __device__ __forceinline__ U tirx_trips_up(T begin, T end, U step) {
  return begin < end ? ((U)end - (U)begin - 1) / step + 1 : 0;
}

template <typename T, typename U>
__host__ __device__ __forceinline__ U tirx_trips_down(T begin, T end, U step) {
  return begin > end ? ((U)begin - (U)end - 1) / step + 1 : 0;
}
