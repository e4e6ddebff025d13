// Do the matrix instructions of this GPU (sm_90) give the model's bits, on 10^9 outputs a row?
// Three kernels per group of eight blocks: generate inputs, run the instruction, run the integer
// model on the device and compare.  The CPU repeats some blocks with its tile path.
//
//   nvcc -O3 -std=c++20 -gencode arch=compute_90a,code=sm_90a -I. bench/campaign_mma.cu \
//        numerics/mma/*.cpp numerics/mma/campaign/block.cpp numerics/evidence.cpp \
//        build/numerics/source_fingerprints.cpp -o campaign_mma
//   campaign_mma --check                 a few blocks of every row, each repeated on the CPU
//   campaign_mma [--blocks 1024] [--rows TEXT] [--seed N] [--host 2] [--out FILE]
//
//                [--plain]             no swizzled layouts in shared memory
//
// Prints one line per row; FILE gets the digests that tests/vectors/mma keeps.
#define TIRX_DEVICE __host__ __device__

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bench/mma_kernels.cuh"
#include "numerics/mma/campaign/block.hpp"

namespace tirx::num::campaign {
namespace {

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

template <class Op, int kN, int kScaleA = 1, int kScaleB = 1>
void launch_wgmma_n(const Group& g, bool a_shared) {
  const dim3 grid(kGroupTiles, kTileColumns / kN);
  if (a_shared) {
    run_wgmma<Op, kN, true, kScaleA, kScaleB><<<grid, 128>>>(g);
  } else {
    run_wgmma<Op, kN, false, kScaleA, kScaleB><<<grid, 128>>>(g);
  }
}

template <class Op>
void launch_wgmma(const Group& g, const Plan& plan) {
  if constexpr (Op::kScales) {
    if (g.minus_a && g.minus_b) return launch_wgmma_n<Op, 64, -1, -1>(g, plan.a_shared);
    if (g.minus_a) return launch_wgmma_n<Op, 64, -1, 1>(g, plan.a_shared);
    if (g.minus_b) return launch_wgmma_n<Op, 64, 1, -1>(g, plan.a_shared);
  }
  switch (plan.n) {
    case 8:
      return launch_wgmma_n<Op, 8>(g, plan.a_shared);
    case 16:
      return launch_wgmma_n<Op, 16>(g, plan.a_shared);
    case 32:
      return launch_wgmma_n<Op, 32>(g, plan.a_shared);
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
  bool check = false, plain = false;
  int blocks = 1024, host = 2;
  std::uint64_t seed = kSeed;
  std::string rows, out;
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
          has_scales(row) && plan.minus_a,
          has_scales(row) && plan.minus_b,
          options.plain ? 0 : plan.swizzle,
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
    char line[200];
    std::snprintf(line, sizeof line,
                  "  group %d (n %d, A %s, swizzle %d, k %d, chain %d, C %s%s%s): %llu differ\n",
                  group, plan.n, plan.a_shared ? "shared" : "registers", g.swizzle, g.k, plan.chain,
                  plan.read_c ? "read" : "not read", g.minus_a ? ", -A" : "",
                  g.minus_b ? ", -B" : "", outcome.different);
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
    groups = {0, 1, 2, 3, 4, 5, 6, 7, 96 + 3, 104 + 5, 112 + 2, 120 + 6,
              8, 9, 13, 16, 18, 21, 24, 25, 28, 30, 75, 79, 80, 84, 90, 95};
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

void write_row(std::FILE* out, const MmaRow& row, const Result& r) {
  std::fprintf(out, "row %s\n", describe(row).c_str());
  std::fprintf(out, "fingerprint %s\n", fingerprint(row).c_str());
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
    } else if (arg == "--plain") {
      o.plain = true;
    } else if (arg == "--blocks") {
      o.blocks = std::atoi(value().c_str());
    } else if (arg == "--host") {
      o.host = std::atoi(value().c_str());
    } else if (arg == "--seed") {
      o.seed = std::strtoull(value().c_str(), nullptr, 0);
    } else if (arg == "--rows") {
      o.rows = value();
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
    if (out != nullptr) write_row(out, *row, r);
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
