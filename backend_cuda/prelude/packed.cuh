// Vectors of 4-bit elements: in a value one a byte, in memory and as bits two, the first in the low
// half.

// A vector of float4 holds one a byte; its bits are those of the packed halves.
template <typename To, int N>
__device__ __forceinline__ To tirx_pack_e2m1(const tirx_vec<unsigned char, N>& value) {
  static_assert(sizeof(To) * 2 == N, "same bits");
  unsigned char bytes[N / 2];
#pragma unroll
  for (int i = 0; i < N / 2; ++i)
    bytes[i] = (unsigned char)(value.lane[2 * i] | value.lane[2 * i + 1] << 4);
  To d;
  memcpy(&d, bytes, N / 2);
  return d;
}

template <int N, typename From>
__device__ __forceinline__ tirx_vec<unsigned char, N> tirx_unpack_e2m1(const From& from) {
  static_assert(sizeof(From) * 2 == N, "same bits");
  unsigned char bytes[N / 2];
  memcpy(bytes, &from, N / 2);
  tirx_vec<unsigned char, N> d;
#pragma unroll
  for (int i = 0; i < N / 2; ++i) {
    d.lane[2 * i] = (unsigned char)(bytes[i] & 0xf);
    d.lane[2 * i + 1] = (unsigned char)(bytes[i] >> 4);
  }
  return d;
}

// N of them from or to N / 2 bytes of memory.
template <int N>
__device__ __forceinline__ tirx_vec<unsigned char, N> tirx_load_e2m1s(const unsigned char* from) {
  return tirx_unpack_e2m1<N>(tirx_load<N / 2>(from));
}

template <int N>
__device__ __forceinline__ void tirx_store_e2m1s(unsigned char* to,
                                                 const tirx_vec<unsigned char, N>& value) {
  tirx_store(to, tirx_pack_e2m1<tirx_vec<unsigned char, N / 2>>(value));
}
