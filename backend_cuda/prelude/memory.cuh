// Moving bytes: one load and one store of the given width where the hardware has it.  Addresses
// are aligned to the width (16 at most).

__device__ __forceinline__ void tirx_copy_1(void* dst, const void* src) {
  *reinterpret_cast<unsigned char*>(dst) = *reinterpret_cast<const unsigned char*>(src);
}

__device__ __forceinline__ void tirx_copy_2(void* dst, const void* src) {
  *reinterpret_cast<unsigned short*>(dst) = *reinterpret_cast<const unsigned short*>(src);
}

__device__ __forceinline__ void tirx_copy_4(void* dst, const void* src) {
  *reinterpret_cast<unsigned*>(dst) = *reinterpret_cast<const unsigned*>(src);
}

__device__ __forceinline__ void tirx_copy_8(void* dst, const void* src) {
  *reinterpret_cast<uint2*>(dst) = *reinterpret_cast<const uint2*>(src);
}

__device__ __forceinline__ void tirx_copy_16(void* dst, const void* src) {
  *reinterpret_cast<uint4*>(dst) = *reinterpret_cast<const uint4*>(src);
}

__device__ __forceinline__ void tirx_copy_32(void* dst, const void* src) {
  uint4 low = reinterpret_cast<const uint4*>(src)[0];
  uint4 high = reinterpret_cast<const uint4*>(src)[1];
  reinterpret_cast<uint4*>(dst)[0] = low;
  reinterpret_cast<uint4*>(dst)[1] = high;
}

// A short vector: what vload returns and the vector types (float32x4) hold.
template <typename T, int N>
struct tirx_vec {
  T lane[N];
};

// An unsigned type of that many bytes.
template <int BYTES>
struct tirx_word {};

template <>
struct tirx_word<1> {
  using type = unsigned char;
};

template <>
struct tirx_word<2> {
  using type = unsigned short;
};

template <>
struct tirx_word<4> {
  using type = unsigned;
};

template <>
struct tirx_word<8> {
  using type = uint2;
};

template <>
struct tirx_word<16> {
  using type = uint4;
};

// N elements in as few accesses as their bytes allow.
template <int N, typename T>
__device__ __forceinline__ tirx_vec<T, N> tirx_load(const T* from) {
  constexpr int bytes = N * (int)sizeof(T);
  tirx_vec<T, N> d;
  if constexpr ((bytes & (bytes - 1)) == 0) {
    constexpr int width = bytes < 16 ? bytes : 16;
    using Word = typename tirx_word<width>::type;
    Word words[bytes / width];
#pragma unroll
    for (int i = 0; i < bytes / width; ++i) words[i] = reinterpret_cast<const Word*>(from)[i];
    memcpy(&d, words, bytes);
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) d.lane[i] = from[i];
  }
  return d;
}

template <typename T, int N>
__device__ __forceinline__ void tirx_store(T* to, const tirx_vec<T, N>& value) {
  constexpr int bytes = N * (int)sizeof(T);
  if constexpr ((bytes & (bytes - 1)) == 0) {
    constexpr int width = bytes < 16 ? bytes : 16;
    using Word = typename tirx_word<width>::type;
    Word words[bytes / width];
    memcpy(words, &value, bytes);
#pragma unroll
    for (int i = 0; i < bytes / width; ++i) reinterpret_cast<Word*>(to)[i] = words[i];
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) to[i] = value.lane[i];
  }
}

// N elements that lie `stride` apart.
template <int N, typename T>
__device__ __forceinline__ tirx_vec<T, N> tirx_gather(const T* from, long long stride) {
  tirx_vec<T, N> d;
#pragma unroll
  for (int i = 0; i < N; ++i) d.lane[i] = from[i * stride];
  return d;
}

template <typename T, int N>
__device__ __forceinline__ void tirx_scatter(T* to, long long stride, const tirx_vec<T, N>& value) {
#pragma unroll
  for (int i = 0; i < N; ++i) to[i * stride] = value.lane[i];
}

template <int N, typename T>
__device__ __forceinline__ tirx_vec<T, N> tirx_broadcast(T value) {
  tirx_vec<T, N> d;
#pragma unroll
  for (int i = 0; i < N; ++i) d.lane[i] = value;
  return d;
}

// The same operation on every lane.
template <typename R, typename F, int N, typename A>
__device__ __forceinline__ tirx_vec<R, N> tirx_map(F f, const tirx_vec<A, N>& a) {
  tirx_vec<R, N> d;
#pragma unroll
  for (int i = 0; i < N; ++i) d.lane[i] = f(a.lane[i]);
  return d;
}

template <typename R, typename F, int N, typename A, typename B>
__device__ __forceinline__ tirx_vec<R, N> tirx_map(F f,
                                                   const tirx_vec<A, N>& a,
                                                   const tirx_vec<B, N>& b) {
  tirx_vec<R, N> d;
#pragma unroll
  for (int i = 0; i < N; ++i) d.lane[i] = f(a.lane[i], b.lane[i]);
  return d;
}

template <typename R, typename F, int N, typename A, typename B, typename C>
__device__ __forceinline__ tirx_vec<R, N> tirx_map(F f,
                                                   const tirx_vec<A, N>& a,
                                                   const tirx_vec<B, N>& b,
                                                   const tirx_vec<C, N>& c) {
  tirx_vec<R, N> d;
#pragma unroll
  for (int i = 0; i < N; ++i) d.lane[i] = f(a.lane[i], b.lane[i], c.lane[i]);
  return d;
}

// Both sides are evaluated, then one is chosen.
template <typename T>
__device__ __forceinline__ T tirx_select(bool condition, T when_true, T when_false) {
  return condition ? when_true : when_false;
}

// The same bits in another type of the same size.
template <typename To, typename From>
__device__ __forceinline__ To tirx_bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To d;
  memcpy(&d, &from, sizeof(To));
  return d;
}
