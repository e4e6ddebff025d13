// What print_buffer prints, from each thread that gets there: NAME = [a, b, c].

template <typename T, typename F>
__device__ __forceinline__ void tirx_print_floats(const T* from, long long n, const char* name, F f) {
  printf("%s = [", name);
  for (long long i = 0; i < n; ++i) printf(i == 0 ? "%.9g" : ", %.9g", f(from[i]));
  printf("]\n");
}

template <typename T>
__device__ __forceinline__ void tirx_print_integers(const T* from, long long n, const char* name) {
  printf("%s = [", name);
  for (long long i = 0; i < n; ++i) printf(i == 0 ? "%lld" : ", %lld", (long long)from[i]);
  printf("]\n");
}
