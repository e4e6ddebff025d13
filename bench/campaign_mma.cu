// Do the matrix instructions of this GPU (sm_90) give the model's bits, on 10^9 outputs a row?
// Three kernels per group of eight blocks: generate inputs, run the instruction, run the integer
// model on the device and compare.  The CPU repeats some blocks with its tile path.
//
//   nvcc -O3 -std=c++20 -gencode arch=compute_90a,code=sm_90a -I. bench/campaign_mma.cu \
//        numerics/mma/*.cpp numerics/mma/campaign/block.cpp -o campaign_mma
//   campaign_mma --check                 a few blocks of every row, each repeated on the CPU
//   campaign_mma [--blocks 1024] [--rows TEXT] [--seed N] [--host 2] [--out FILE]
//                [--source DIR]        the project, for the fingerprints of the rows (default .)
//
// Prints one line per row; FILE gets the digests that tests/vectors/mma keeps.
#define TIRX_DEVICE __host__ __device__

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bench/mma_instructions.cuh"
#include "numerics/mma/campaign/block.hpp"
#include "numerics/mma/fma_chain.inl"

namespace tirx::num::campaign {
namespace {

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

/// Descriptor of a K-major matrix without swizzle: 128 bytes between the two core matrices along K,
/// 256 between groups of eight lines.
__device__ inline std::uint64_t descriptor(const void* shared) {
  const auto at = static_cast<std::uint64_t>(__cvta_generic_to_shared(shared));
  return ((at & 0x3FFFF) >> 4) | (128ull >> 4) << 16 | (256ull >> 4) << 32;
}

/// One warpgroup, kN columns a block; accumulators stay in registers through the chain.
template <class Op, int kN, bool kShared>
__global__ void __launch_bounds__(128) run_wgmma(Group g) {
  __shared__ alignas(128) unsigned char sa[2048], sb[kN * 32];
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
    const auto* a = reinterpret_cast<const uint4*>(g.a + at * a_bytes(g.a_type));
    const auto* b = reinterpret_cast<const uint4*>(g.b + at * b_bytes(g.b_type) + column0 * 32);
    for (int i = threadIdx.x; i < 2048 / 16; i += 128) reinterpret_cast<uint4*>(sa)[i] = a[i];
    for (int i = threadIdx.x; i < kN * 2; i += 128) reinterpret_cast<uint4*>(sb)[i] = b[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    std::uint32_t ra[4];
    load_a(sa, row, t, ra, true);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    Op::template run<kN, kShared>(d, ra, descriptor(sa), descriptor(sb), g.read_c || step > 0);
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
  int line, bytes;

  __device__ Word operator()(int k) const {
    return static_cast<Word>(get(base + offset_of(line, k, bytes), bytes));
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
        c = dot::fma_chain(g.k, Line<std::uint64_t>{a, row, 8}, Line<std::uint64_t>{b, column, 8},
                           c);
      } else {
        const Line<std::uint32_t> x{a, row, g.a_type.bytes}, y{b, column, g.b_type.bytes};
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

// ---- which kernel runs which row ----

using Launch = void (*)(const Group&, const Plan&);

template <class Full, class Short>
void launch_mma(const Group& g, const Plan&) {
  const int bytes = g.k * g.a_type.bytes;
  if (bytes == 32) {
    run_mma<Full><<<dim3(kGroupTiles, 4), 128>>>(g);
  } else {
    run_mma<Short><<<dim3(kGroupTiles, 4), 128>>>(g);
  }
}

void launch_f64(const Group& g, const Plan&) {
  if (g.k == 4) run_f64<4><<<dim3(kGroupTiles, 4), 128>>>(g);
  if (g.k == 8) run_f64<8><<<dim3(kGroupTiles, 4), 128>>>(g);
  if (g.k == 16) run_f64<16><<<dim3(kGroupTiles, 4), 128>>>(g);
}

template <class Op, int kN>
void launch_wgmma_n(const Group& g, bool a_shared) {
  if (a_shared) {
    run_wgmma<Op, kN, true><<<dim3(kGroupTiles, kTileColumns / kN), 128>>>(g);
  } else {
    run_wgmma<Op, kN, false><<<dim3(kGroupTiles, kTileColumns / kN), 128>>>(g);
  }
}

template <class Op>
void launch_wgmma(const Group& g, const Plan& plan) {
  switch (plan.n) {
    case 8:
      return launch_wgmma_n<Op, 8>(g, plan.a_shared);
    case 64:
      return launch_wgmma_n<Op, 64>(g, plan.a_shared);
    case 128:
      return launch_wgmma_n<Op, 128>(g, plan.a_shared);
    default:
      return launch_wgmma_n<Op, 256>(g, plan.a_shared);
  }
}

struct Entry {
  MmaFamily family;
  DType a, b, c;
  bool saturate;
  Launch launch;
};

constexpr auto kSync = MmaFamily::mma_sync, kWg = MmaFamily::wgmma;
constexpr auto F16 = DType::f16, BF16 = DType::bf16, TF32 = DType::tf32, F32 = DType::f32;
constexpr auto E4 = DType::e4m3, E5 = DType::e5m2, I8 = DType::i8, U8 = DType::u8;
constexpr auto I32 = DType::i32, F64 = DType::f64;

#define SYNC(A, B, C, SAT, OP) \
  { kSync, A, B, C, SAT, launch_mma<OP##Full, OP##Short> }
#define WG(A, B, C, SAT, OP) \
  { kWg, A, B, C, SAT, launch_wgmma<OP> }

const Entry kEntries[] = {
    SYNC(F16, F16, F32, false, MmaF16),
    SYNC(F16, F16, F16, false, MmaF16Half),
    SYNC(BF16, BF16, F32, false, MmaBf16),
    SYNC(TF32, TF32, F32, false, MmaTf32),
    SYNC(E4, E4, F32, false, MmaE4m3E4m3),
    SYNC(E4, E5, F32, false, MmaE4m3E5m2),
    SYNC(E5, E4, F32, false, MmaE5m2E4m3),
    SYNC(E5, E5, F32, false, MmaE5m2E5m2),
    SYNC(E4, E4, F16, false, MmaE4m3E4m3Half),
    SYNC(E4, E5, F16, false, MmaE4m3E5m2Half),
    SYNC(E5, E4, F16, false, MmaE5m2E4m3Half),
    SYNC(E5, E5, F16, false, MmaE5m2E5m2Half),
    SYNC(I8, I8, I32, false, MmaS8S8),
    SYNC(I8, U8, I32, false, MmaS8U8),
    SYNC(U8, I8, I32, false, MmaU8S8),
    SYNC(U8, U8, I32, false, MmaU8U8),
    SYNC(I8, I8, I32, true, MmaS8S8Sat),
    SYNC(I8, U8, I32, true, MmaS8U8Sat),
    SYNC(U8, I8, I32, true, MmaU8S8Sat),
    SYNC(U8, U8, I32, true, MmaU8U8Sat),
    {kSync, F64, F64, F64, false, launch_f64},
    WG(F16, F16, F32, false, WgF16),
    WG(F16, F16, F16, false, WgF16Half),
    WG(BF16, BF16, F32, false, WgBf16),
    WG(TF32, TF32, F32, false, WgTf32),
    WG(E4, E4, F32, false, WgE4m3E4m3),
    WG(E4, E5, F32, false, WgE4m3E5m2),
    WG(E5, E4, F32, false, WgE5m2E4m3),
    WG(E5, E5, F32, false, WgE5m2E5m2),
    WG(E4, E4, F16, false, WgE4m3E4m3Half),
    WG(E4, E5, F16, false, WgE4m3E5m2Half),
    WG(E5, E4, F16, false, WgE5m2E4m3Half),
    WG(E5, E5, F16, false, WgE5m2E5m2Half),
    WG(I8, I8, I32, false, WgS8S8),
    WG(I8, U8, I32, false, WgS8U8),
    WG(U8, I8, I32, false, WgU8S8),
    WG(U8, U8, I32, false, WgU8U8),
    WG(I8, I8, I32, true, WgS8S8Sat),
    WG(I8, U8, I32, true, WgS8U8Sat),
    WG(U8, I8, I32, true, WgU8S8Sat),
    WG(U8, U8, I32, true, WgU8U8Sat),
};

// ---- one row ----

struct Options {
  bool check = false;
  int blocks = 1024, host = 2;
  std::uint64_t seed = kSeed;
  std::string rows, out, source = ".";
};

struct Buffers {
  unsigned char *a = nullptr, *b = nullptr, *c = nullptr, *d = nullptr;
  Outcome* outcome = nullptr;
  std::size_t a_size = 0, b_size = 0;

  bool reserve(std::size_t a_need, std::size_t b_need) {
    if (outcome == nullptr) {
      if (cudaMalloc(&c, std::size_t{kGroupTiles} * kOutputsPerTile * 8) != cudaSuccess)
        return false;
      if (cudaMalloc(&d, std::size_t{kGroupTiles} * kOutputsPerTile * 8) != cudaSuccess)
        return false;
      if (cudaMalloc(&outcome, sizeof(Outcome)) != cudaSuccess) return false;
    }
    const auto grow = [](unsigned char*& p, std::size_t& size, std::size_t need) {
      if (need <= size) return true;
      cudaFree(p);
      p = nullptr;
      size = cudaMalloc(&p, need) == cudaSuccess ? need : 0;
      return size != 0;
    };
    return grow(a, a_size, a_need) && grow(b, b_size, b_need);
  }
};

struct Result {
  std::string error;
  unsigned long long different = 0, payloads = 0;
  int host_checked = 0, host_different = 0;
  double seconds = 0;
  std::vector<int> groups;
  std::vector<std::uint32_t> digests;  // eight per group
  std::string report;
};

std::string run_group(const Entry& entry,
                      const MmaRow& row,
                      const Options& options,
                      int group,
                      Buffers& buffers,
                      Result& result) {
  const int first = group * kDistributions;
  const Plan plan = plan_of(first);
  Group g{options.seed,
          row_id(row),
          first,
          k_of(row, plan),
          plan.chain,
          plan.read_c,
          type_of(row.a),
          type_of(row.b),
          type_of(row.c),
          row.arithmetic,
          row.rule,
          row.a == DType::i8,
          row.b == DType::i8,
          row.saturate,
          nullptr,
          nullptr,
          nullptr,
          nullptr};
  const std::size_t steps = std::size_t{kGroupTiles} * static_cast<std::size_t>(plan.chain);
  if (!buffers.reserve(steps * static_cast<std::size_t>(a_bytes(g.a_type)),
                       steps * static_cast<std::size_t>(b_bytes(g.b_type)))) {
    return "out of device memory";
  }
  g.a = buffers.a;
  g.b = buffers.b;
  g.c = buffers.c;
  g.d = buffers.d;
  cudaMemset(buffers.outcome, 0, sizeof(Outcome));
  cudaMemset(buffers.d, 0xA5, std::size_t{kGroupTiles} * kOutputsPerTile * 8);
  generate<<<dim3(kGroupTiles, static_cast<unsigned>(plan.chain)), 256>>>(g);
  entry.launch(g, plan);
  const dim3 grid(kGroupTiles, 4);
  switch (row.arithmetic) {
    case MmaArithmetic::fma_chain:
      compare<MmaArithmetic::fma_chain><<<grid, 256>>>(g, buffers.outcome);
      break;
    case MmaArithmetic::integer:
      compare<MmaArithmetic::integer><<<grid, 256>>>(g, buffers.outcome);
      break;
    default:
      compare<MmaArithmetic::fused_sum><<<grid, 256>>>(g, buffers.outcome);
  }
  Outcome outcome;
  cudaError_t error = cudaMemcpy(&outcome, buffers.outcome, sizeof outcome, cudaMemcpyDeviceToHost);
  if (error == cudaSuccess) error = cudaGetLastError();
  if (error != cudaSuccess) return cudaGetErrorString(error);

  if (result.different == 0 && outcome.different != 0) {
    for (unsigned i = 0; i < outcome.kept && i < kKept; ++i) {
      const int block = first + outcome.tile[i] / kTilesPerBlock;
      char line[160];
      std::snprintf(line, sizeof line, "  block %d tile %d position %d k %d: hardware %llx\n",
                    block, outcome.tile[i] % kTilesPerBlock, outcome.position[i], g.k,
                    outcome.hardware[i]);
      result.report += line + output_text(row, options.seed, block,
                                          outcome.tile[i] % kTilesPerBlock, outcome.position[i]);
    }
  }
  if (outcome.different != 0) {
    char line[120];
    std::snprintf(line, sizeof line, "  group %d (n %d, A %s, k %d, chain %d, C %s): %llu differ\n",
                  group, plan.n, plan.a_shared ? "shared" : "registers", g.k, plan.chain,
                  plan.read_c ? "read" : "not read", outcome.different);
    result.report += line;
  }
  result.different += outcome.different;
  result.payloads += outcome.payloads;
  result.groups.push_back(group);
  for (int i = 0; i < kDistributions; ++i) {
    result.digests.push_back(folded(outcome.digest[i]));
    const int done = static_cast<int>(result.groups.size());
    const bool repeat = options.check ? (i + group) % kDistributions == 0 && plan.chain <= 4
                                      : done * 8 + i - 8 < options.host;
    if (!repeat) continue;
    ++result.host_checked;
    result.host_different +=
        folded(block_digest(row, options.seed, first + i)) != result.digests.back();
  }
  return {};
}

Result run_row(const Entry& entry, const MmaRow& row, const Options& options, Buffers& buffers) {
  Result result;
  std::vector<int> groups;
  if (options.check) {
    groups = {0, 1, 2, 3, 4, 5, 6, 7, 96 + 3, 104 + 5, 112 + 2, 120 + 6};
  } else {
    for (int g = 0; g < options.blocks / kDistributions; ++g) groups.push_back(g);
  }
  const auto start = std::chrono::steady_clock::now();
  for (const int g : groups) {
    result.error = run_group(entry, row, options, g, buffers, result);
    if (result.error.empty()) continue;
    cudaDeviceReset();  // also ends sticky errors; the next row starts afresh
    buffers = {};
    break;
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

void write_row(std::FILE* out, const MmaRow& row, const Result& r, const std::string& source) {
  std::fprintf(out, "row %s\n", describe(row).c_str());
  std::fprintf(out, "fingerprint %s\n", fingerprint(row, source).c_str());
  std::fprintf(out, "outputs %llu different %llu payloads %llu host %d host_different %d%s%s\n",
               static_cast<unsigned long long>(r.digests.size()) << 20, r.different, r.payloads,
               r.host_checked, r.host_different, r.error.empty() ? "" : " error ", r.error.c_str());
  for (std::size_t g = 0; g < r.groups.size(); ++g) {
    std::fprintf(out, "%d", r.groups[g] * kDistributions);
    for (std::size_t i = 0; i < kDistributions; ++i) {
      std::fprintf(out, " %08x", r.digests[g * kDistributions + i]);
    }
    std::fprintf(out, "\n");
  }
  if (!r.report.empty()) std::fprintf(out, "%s", r.report.c_str());
  std::fflush(out);
}

bool parse(int argc, char** argv, Options& o) {
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto value = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (arg == "--check") {
      o.check = true;
    } else if (arg == "--blocks") {
      o.blocks = std::atoi(value().c_str());
    } else if (arg == "--host") {
      o.host = std::atoi(value().c_str());
    } else if (arg == "--seed") {
      o.seed = std::strtoull(value().c_str(), nullptr, 0);
    } else if (arg == "--rows") {
      o.rows = value();
    } else if (arg == "--source") {
      o.source = value();
    } else if (arg == "--out") {
      o.out = value();
    } else {
      std::fprintf(stderr, "unknown argument %s; see the head of bench/campaign_mma.cu\n",
                   arg.c_str());
      return false;
    }
  }
  return true;
}

int run(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) return 2;
  cudaDeviceProp device;
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) {
    std::fprintf(stderr, "no CUDA device\n");
    return 2;
  }
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  std::FILE* out = options.out.empty() ? nullptr : std::fopen(options.out.c_str(), "w");
  char head[256];
  std::snprintf(head, sizeof head, "# %s sm_%d%d, driver API %d, runtime %d, seed %llu\n",
                device.name, device.major, device.minor, driver, runtime,
                static_cast<unsigned long long>(options.seed));
  std::printf("%s", head);
  if (out != nullptr) std::fprintf(out, "%s", head);
  Buffers buffers;
  int failed = 0;
  unsigned long long total = 0;
  for (const Entry& entry : kEntries) {
    const MmaRow* row =
        find_mma_row(90, entry.family, entry.a, entry.b, entry.c, 0, entry.saturate);
    if (row == nullptr || describe(*row).find(options.rows) == std::string::npos) continue;
    const Result r = run_row(entry, *row, options, buffers);
    const unsigned long long outputs = static_cast<unsigned long long>(r.digests.size()) << 20;
    total += outputs;
    std::printf("%-42s %11llu outputs %6llu differ %6llu payloads  host %d/%d  %6.2f s %s\n",
                describe(*row).c_str(), outputs, r.different, r.payloads,
                r.host_checked - r.host_different, r.host_checked, r.seconds, r.error.c_str());
    if (!r.report.empty()) std::printf("%.4000s", r.report.c_str());
    std::fflush(stdout);
    failed += r.different != 0 || r.host_different != 0 || !r.error.empty();
    if (out != nullptr) write_row(out, *row, r, options.source);
  }
  std::printf("total %llu outputs, %d rows with differences or errors\n", total, failed);
  if (out != nullptr) std::fclose(out);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tirx::num::campaign

int main(int argc, char** argv) {
  return tirx::num::campaign::run(argc, argv);
}
