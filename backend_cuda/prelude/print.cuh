// What print_buffer prints: one element a line, from each thread that gets there.

template <typename T, typename F>
__device__ __forceinline__ void tirx_print_floats(const T* from, long long n, const char* name, F f) {
  for (long long i = 0; i < n; ++i) printf("%s[%lld] = %.9g\n", name, i, f(from[i]));
}

template <typename T>
__device__ __forceinline__ void tirx_print_integers(const T* from, long long n, const char* name) {
  for (long long i = 0; i < n; ++i) printf("%s[%lld] = %lld\n", name, i, (long long)from[i]);
}
