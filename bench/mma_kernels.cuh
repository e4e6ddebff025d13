// The campaign's kernels: generate the inputs of a group of eight blocks, run one instruction on
// them, run the integer model on them and compare.
#pragma once

#include <cstdint>
#include <cstring>

#include "bench/mma_instructions.cuh"
#include "numerics/mma/campaign/block.hpp"
#include "numerics/mma/fma_chain.inl"

namespace tirx::num::campaign {

constexpr int kGroupTiles = kDistributions * kTilesPerBlock;  // tiles of one launch
constexpr int kKept = 4;                                      // mismatches kept per row

/// What the three kernels of one group share.
struct Group {
  std::uint64_t seed;
  std::uint32_t row;
  int first_block, k, chain;
  bool read_c;
  Type a_type, b_type, c_type;
  MmaArithmetic arithmetic;
  dot::Rule rule;
  bool a_signed, b_signed, saturate;
  bool minus_a, minus_b;
  int swizzle;
  unsigned char *a, *b, *c, *d;  // d: the instruction's results
};

struct Outcome {
  unsigned long long digest[kDistributions];
  unsigned long long different, payloads;  // payloads: f64 NaNs that differ only in their bits
  unsigned kept;
  int tile[kKept], position[kKept];
  unsigned long long hardware[kKept];
};

// ---- layout of A and B in memory: core matrices of 8 lines x 16 bytes, K contiguous ----

__host__ __device__ inline int a_bytes(const Type& t) {
  return t.bytes == 8 ? 64 * 128 : 64 * 32;
}

__host__ __device__ inline int b_bytes(const Type& t) {
  return t.bytes == 8 ? 256 * 128 : 256 * 32;
}

__host__ __device__ inline int offset_of(int line, int k, int bytes) {
  if (bytes == 8) return (line * 16 + k) * 8;
  const int at = k * bytes;
  return (line >> 3) * 256 + (at >> 4) * 128 + (line & 7) * 16 + (at & 15);
}

__device__ inline void put(unsigned char* to, int bytes, std::uint64_t bits) {
  switch (bytes) {
    case 1:
      *to = static_cast<unsigned char>(bits);
      break;
    case 2:
      *reinterpret_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(bits);
      break;
    case 4:
      *reinterpret_cast<std::uint32_t*>(to) = static_cast<std::uint32_t>(bits);
      break;
    default:
      *reinterpret_cast<std::uint64_t*>(to) = bits;
  }
}

__device__ inline std::uint64_t get(const unsigned char* from, int bytes) {
  switch (bytes) {
    case 1:
      return *from;
    case 2:
      return *reinterpret_cast<const std::uint16_t*>(from);
    case 4:
      return *reinterpret_cast<const std::uint32_t*>(from);
    default:
      return *reinterpret_cast<const std::uint64_t*>(from);
  }
}

/// Block (tile, step): A and B of one step; C with step 0.
__global__ void generate(Group g) {
  const int tile = blockIdx.x, step = blockIdx.y;
  const int block = g.first_block + tile / kTilesPerBlock;
  const int distribution = plan_of(block).distribution;
  const std::uint64_t key = tile_key(g.seed, g.row, block, tile % kTilesPerBlock);
  const dot::Format acc = g.c_type.format;
  const std::size_t at = static_cast<std::size_t>(tile) * g.chain + step;
  unsigned char* a = g.a + at * a_bytes(g.a_type);
  unsigned char* b = g.b + at * b_bytes(g.b_type);
  for (int i = threadIdx.x; i < kTileRows * g.k; i += blockDim.x) {
    const int line = i / g.k, k = i % g.k;
    put(a + offset_of(line, k, g.a_type.bytes), g.a_type.bytes,
        element(g.a_type, acc, kA, distribution, key, step, line, k));
  }
  for (int i = threadIdx.x; i < kTileColumns * g.k; i += blockDim.x) {
    const int line = i / g.k, k = i % g.k;
    put(b + offset_of(line, k, g.b_type.bytes), g.b_type.bytes,
        element(g.b_type, acc, kB, distribution, key, step, line, k));
  }
  if (step != 0) return;
  unsigned char* c = g.c + static_cast<std::size_t>(tile) * kOutputsPerTile * g.c_type.bytes;
  for (int i = threadIdx.x; i < kOutputsPerTile; i += blockDim.x) {
    put(c + i * g.c_type.bytes, g.c_type.bytes,
        element(g.c_type, acc, kC, distribution, key, 0, i, 0));
  }
}

// ---- the instructions ----

__device__ inline std::uint32_t word(const unsigned char* p) {
  return *reinterpret_cast<const std::uint32_t*>(p);
}

template <class Word>
__device__ inline Word* matrix_of(unsigned char* base, int tile, int bytes) {
  return reinterpret_cast<Word*>(base + static_cast<std::size_t>(tile) * kOutputsPerTile * bytes);
}

/// A's fragment of rows row, row + 8; bytes 4t.. and 4t + 16.. of K.
__device__ inline void load_a(const unsigned char* a, int row, int t, std::uint32_t* r, bool full) {
  r[0] = word(a + (row >> 3) * 256 + (row & 7) * 16 + t * 4);
  r[1] = word(a + ((row >> 3) + 1) * 256 + (row & 7) * 16 + t * 4);
  if (!full) return;
  r[2] = word(a + (row >> 3) * 256 + 128 + (row & 7) * 16 + t * 4);
  r[3] = word(a + ((row >> 3) + 1) * 256 + 128 + (row & 7) * 16 + t * 4);
}

/// Four warps, 64 columns a block; accumulators stay in registers through the chain.
template <class Op>
__global__ void run_mma(Group g) {
  const int tile = blockIdx.x, column0 = blockIdx.y * 64;
  const int lane = threadIdx.x & 31, row = (threadIdx.x >> 5) * 16 + (lane >> 2), t = lane & 3;
  constexpr bool kHalf = Op::kRegisters == 2;
  typename Op::Acc c[8][Op::kRegisters];
  const int bytes = kHalf ? 2 : 4;
  auto* in = matrix_of<unsigned char>(g.c, tile, bytes);
  auto* out = matrix_of<unsigned char>(g.d, tile, bytes);
  constexpr int kStep = kHalf ? 2 : 1;  // columns a register
  for (int nb = 0; nb < 8; ++nb) {
    for (int r = 0; r < Op::kRegisters; ++r) {
      const int i = row + (r * kStep / 2) * 8, j = column0 + nb * 8 + t * 2 + (r * kStep) % 2;
      const std::uint32_t bits = g.read_c ? word(in + (i * kTileColumns + j) * bytes) : 0;
      memcpy(&c[nb][r], &bits, 4);
    }
  }
  for (int step = 0; step < g.chain; ++step) {
    const std::size_t at = static_cast<std::size_t>(tile) * g.chain + step;
    const unsigned char* a = g.a + at * a_bytes(g.a_type);
    const unsigned char* b = g.b + at * b_bytes(g.b_type);
    std::uint32_t ra[4] = {}, rb[2] = {};
    load_a(a, row, t, ra, Op::kBytes == 32);
    for (int nb = 0; nb < 8; ++nb) {
      const int column = column0 + nb * 8 + (lane >> 2);
      rb[0] = word(b + (column >> 3) * 256 + (column & 7) * 16 + t * 4);
      if (Op::kBytes == 32) rb[1] = word(b + (column >> 3) * 256 + 128 + (column & 7) * 16 + t * 4);
      Op::run(c[nb], ra, rb);
    }
  }
  for (int nb = 0; nb < 8; ++nb) {
    for (int r = 0; r < Op::kRegisters; ++r) {
      const int i = row + (r * kStep / 2) * 8, j = column0 + nb * 8 + t * 2 + (r * kStep) % 2;
      memcpy(out + (i * kTileColumns + j) * bytes, &c[nb][r], 4);
    }
  }
}

template <int kK>
__global__ void run_f64(Group g) {
  const int tile = blockIdx.x, column0 = blockIdx.y * 64;
  const int lane = threadIdx.x & 31, row = (threadIdx.x >> 5) * 16 + (lane >> 2), t = lane & 3;
  const double* in = matrix_of<double>(g.c, tile, 8);
  double* out = matrix_of<double>(g.d, tile, 8);
  for (int nb = 0; nb < 8; ++nb) {
    const int column = column0 + nb * 8;
    double c[4];
    for (int r = 0; r < 4; ++r) {
      const int at = (row + r / 2 * 8) * kTileColumns + column + t * 2 + r % 2;
      c[r] = g.read_c ? in[at] : 0.0;
    }
    for (int step = 0; step < g.chain; ++step) {
      const std::size_t at = static_cast<std::size_t>(tile) * g.chain + step;
      const auto* a = reinterpret_cast<const double*>(g.a + at * a_bytes(g.a_type));
      const auto* b = reinterpret_cast<const double*>(g.b + at * b_bytes(g.b_type));
      double ra[8], rb[4];
      for (int i = 0; i < kK / 4; ++i) {
        ra[2 * i] = a[row * 16 + 4 * i + t];
        ra[2 * i + 1] = a[(row + 8) * 16 + 4 * i + t];
        rb[i] = b[(column + (lane >> 2)) * 16 + 4 * i + t];
      }
      MmaF64<kK>::run(c, ra, rb);
    }
    for (int r = 0; r < 4; ++r) {
      out[(row + r / 2 * 8) * kTileColumns + column + t * 2 + r % 2] = c[r];
    }
  }
}

// A step's 32 bytes of K in shared memory.  Without swizzle: core matrices as in global memory.
// With a swizzle of 32, 64 or 128 bytes a line takes that many, of which a step uses 32 from a place
// that moves with the step; 16-byte chunks are exchanged by the address bits from bit 7 on (PTX ISA,
// "Strides", "Swizzling modes" of wgmma's matrix descriptor).

/// Where chunk `half` (0, 1) of a line lies.
__device__ inline int shared_offset(int swizzle, int step, int line, int half) {
  if (swizzle == 0) return (line >> 3) * 256 + half * 128 + (line & 7) * 16;
  const int at = line * swizzle + step * 32 % swizzle + half * 16;
  return at ^ (((at >> 7) & (swizzle / 16 - 1)) << 4);
}

/// Descriptor of a K-major matrix: 16-byte units; without swizzle 128 bytes between the two core
/// matrices along K; 256 bytes, or eight swizzled lines, between groups of eight lines.
__device__ inline std::uint64_t descriptor(const void* shared, int swizzle, int step) {
  const auto base = static_cast<std::uint64_t>(__cvta_generic_to_shared(shared));
  const std::uint64_t at = swizzle == 0 ? base : base + step * 32 % swizzle;
  const std::uint64_t lines = swizzle == 0 ? 256 : 8 * swizzle;
  const std::uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
  return ((at & 0x3FFFF) >> 4) | (128ull >> 4) << 16 | (lines >> 4) << 32 | mode << 62;
}

/// One warpgroup, kN columns a block; accumulators stay in registers through the chain.
template <class Op, int kN, bool kShared, int kScaleA, int kScaleB>
__global__ void __launch_bounds__(128) run_wgmma(Group g) {
  __shared__ alignas(1024) unsigned char sa[64 * 128], sb[kN * 128];
  const int tile = blockIdx.x, column0 = blockIdx.y * kN;
  const int lane = threadIdx.x & 31, row = (threadIdx.x >> 5) * 16 + (lane >> 2), t = lane & 3;
  constexpr int kCount = Op::kHalf ? kN / 4 : kN / 2, kBytes = Op::kHalf ? 2 : 4;
  typename Op::Acc d[kCount];
  auto* in = matrix_of<unsigned char>(g.c, tile, kBytes);
  auto* out = matrix_of<unsigned char>(g.d, tile, kBytes);
#pragma unroll
  for (int r = 0; r < kCount; ++r) {  // per 8 columns: row, row + 8, two columns each
    const int flat = Op::kHalf ? 2 * r : r;
    const int i = row + flat / 2 % 2 * 8, j = column0 + flat / 4 * 8 + t * 2 + flat % 2;
    const std::uint32_t bits = word(in + (i * kTileColumns + j) * kBytes);
    memcpy(&d[r], &bits, 4);
  }
  for (int step = 0; step < g.chain; ++step) {
    const std::size_t at = static_cast<std::size_t>(tile) * g.chain + step;
    const unsigned char* a = g.a + at * a_bytes(g.a_type);
    const unsigned char* b = g.b + at * b_bytes(g.b_type) + column0 * 32;
    for (int i = threadIdx.x; i < 64 * 2; i += 128) {
      *reinterpret_cast<uint4*>(sa + shared_offset(g.swizzle, step, i / 2, i % 2)) =
          *reinterpret_cast<const uint4*>(a + shared_offset(0, 0, i / 2, i % 2));
    }
    for (int i = threadIdx.x; i < kN * 2; i += 128) {
      *reinterpret_cast<uint4*>(sb + shared_offset(g.swizzle, step, i / 2, i % 2)) =
          *reinterpret_cast<const uint4*>(b + shared_offset(0, 0, i / 2, i % 2));
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    std::uint32_t ra[4];
    load_a(a, row, t, ra, true);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    Op::template run<kN, kShared, kScaleA, kScaleB>(d, ra, descriptor(sa, g.swizzle, step),
                                                    descriptor(sb, g.swizzle, step),
                                                    g.read_c || step > 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < kCount; ++r) {
    const int flat = Op::kHalf ? 2 * r : r;
    const int i = row + flat / 2 % 2 * 8, j = column0 + flat / 4 * 8 + t * 2 + flat % 2;
    memcpy(out + (i * kTileColumns + j) * kBytes, &d[r], 4);
  }
}

// ---- the model ----

template <class Word>
struct Line {
  const unsigned char* base;
  int line;
  Type type;
  bool minus;

  __device__ Word operator()(int k) const {
    const int bytes = type.bytes;
    return static_cast<Word>(
        scaled_element(type, minus, get(base + offset_of(line, k, bytes), bytes)));
  }
};

/// Block (tile, quarter): 16 rows; a thread has one column.
template <MmaArithmetic kArithmetic>
__global__ void __launch_bounds__(256) compare(Group g, Outcome* outcome) {
  const int tile = blockIdx.x, column = threadIdx.x;
  const int bytes = g.c_type.bytes;
  const bool f64 = kArithmetic == MmaArithmetic::fma_chain;
  const unsigned char* c_tile = matrix_of<unsigned char>(g.c, tile, bytes);
  const unsigned char* d_tile = matrix_of<unsigned char>(g.d, tile, bytes);
  std::uint64_t digest = 0;
  for (int row = blockIdx.y * 16; row < blockIdx.y * 16 + 16; ++row) {
    const int position = row * kTileColumns + column;
    std::uint64_t c = g.read_c ? get(c_tile + position * bytes, bytes) : 0;
    for (int step = 0; step < g.chain; ++step) {
      const std::size_t at = static_cast<std::size_t>(tile) * g.chain + step;
      const unsigned char* a = g.a + at * a_bytes(g.a_type);
      const unsigned char* b = g.b + at * b_bytes(g.b_type);
      if constexpr (kArithmetic == MmaArithmetic::fma_chain) {
        c = dot::fma_chain(g.k, Line<std::uint64_t>{a, row, g.a_type, false},
                           Line<std::uint64_t>{b, column, g.b_type, false}, c);
      } else {
        const Line<std::uint32_t> x{a, row, g.a_type, g.minus_a};
        const Line<std::uint32_t> y{b, column, g.b_type, g.minus_b};
        const auto c32 = static_cast<std::uint32_t>(c);
        if constexpr (kArithmetic == MmaArithmetic::integer) {
          c = dot::integer_instruction(g.k, x, g.a_signed, y, g.b_signed, c32, g.saturate);
        } else {
          c = dot::fused_instruction<0>(g.rule, g.k, x, y, c32);
        }
      }
    }
    const std::uint64_t d = get(d_tile + position * bytes, bytes);
    digest += digest_term(tile % kTilesPerBlock * kOutputsPerTile + position, comparable(d, f64));
    if (d == c) continue;
    if (comparable(d, f64) == comparable(c, f64)) {
      atomicAdd(&outcome->payloads, 1ull);
      continue;
    }
    atomicAdd(&outcome->different, 1ull);
    const unsigned slot = atomicAdd(&outcome->kept, 1u);
    if (slot >= kKept) continue;
    outcome->tile[slot] = tile;
    outcome->position[slot] = position;
    outcome->hardware[slot] = d;
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) digest += __shfl_xor_sync(~0u, digest, lanes);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&outcome->digest[tile / kTilesPerBlock], static_cast<unsigned long long>(digest));
  }
}

}  // namespace tirx::num::campaign
