// Every one-operand function over all of its inputs, on the GPU and here.
//   numerics_campaign emit > campaign.cu        then: nvcc -std=c++17 -arch=sm_90a campaign.cu
//                                               ./a.out digests.bin
//   numerics_campaign check digests.bin [every] compares every n-th block of each function, from a
//                                               random first one; the file may be gzipped
// digests.bin: for each function a 64-byte header "NAME blocks=N" and N 32-bit digests.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include <zlib.h>

#include "tests/tools/numerics/campaign/rows.hpp"

using namespace tirx::num;
using namespace tirx::num::campaign;

namespace {

constexpr const char* kHead =
    R"(// Written by numerics_campaign: functions over all their inputs, one digest per 2^20 of them.
#include <cstdio>
#include <cstring>
#include <vector>

#define UNARY(name, ptx) __device__ __forceinline__ float name(float a) { float r; asm(ptx " %0, %1;" : "=f"(r) : "f"(a)); return r; }
#define BINARY(name, ptx) __device__ __forceinline__ float name(float a, float b) { float r; asm(ptx " %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
BINARY(tirx_add_f32, "add.rn.f32")
BINARY(tirx_sub_f32, "sub.rn.f32")
BINARY(tirx_mul_f32, "mul.rn.f32")
BINARY(tirx_div_f32, "div.rn.f32")
UNARY(tirx_sqrt_f32, "sqrt.rn.f32")
__device__ __forceinline__ float tirx_fma_f32(float a, float b, float c) { float r; asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c)); return r; }
__device__ __forceinline__ float tirx_neg_f32(float a) { return __uint_as_float(__float_as_uint(a) ^ 0x80000000u); }

)";

constexpr const char* kDriver = R"(
__device__ unsigned mix(unsigned input, unsigned long long output) {
  unsigned h = (unsigned)output * 0x9e3779b1u + (unsigned)(output >> 32) * 0x85ebca77u + input * 0xc2b2ae3du;
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 13;
  h *= 0x297a2d39u;
  return h ^ (h >> 16);
}

template <int ROW> __global__ void digest(unsigned* digests, unsigned per_block) {
  unsigned sum = 0;
  for (unsigned i = threadIdx.x; i < per_block; i += blockDim.x) {
    const unsigned x = blockIdx.x * per_block + i;
    sum += mix(x, apply<ROW>(x));
  }
  atomicAdd(&digests[blockIdx.x], sum);
}

template <int ROW> void record(FILE* file, const char* name, unsigned long long inputs) {
  const unsigned per_block = inputs < (1ull << 20) ? (unsigned)inputs : 1u << 20;
  const unsigned blocks = (unsigned)(inputs / per_block);
  unsigned* device = nullptr;
  cudaMalloc(&device, blocks * 4);
  cudaMemset(device, 0, blocks * 4);
  digest<ROW><<<blocks, 256>>>(device, per_block);
  std::vector<unsigned> host(blocks);
  cudaMemcpy(host.data(), device, blocks * 4, cudaMemcpyDeviceToHost);
  cudaFree(device);
  char header[64] = {};
  snprintf(header, sizeof header, "%s blocks=%u", name, blocks);
  fwrite(header, 1, 64, file);
  fwrite(host.data(), 4, blocks, file);
}
)";

void emit() {
  std::printf("%s", kHead);
  for (const std::string& file : cuda_math_files()) std::printf("%s\n", file.c_str());
  std::printf("template <int ROW> __device__ unsigned long long apply(unsigned x);\n");
  const std::vector<Row> rows = all_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::printf(
        "// %s\ntemplate <> __device__ unsigned long long apply<%zu>(unsigned x) {\n  unsigned "
        "long long out;\n  %s\n  return out;\n}\n",
        rows[i].name.c_str(), i, rows[i].device.c_str());
  }
  std::printf(
      "%s\nint main(int argc, char** argv) {\n  FILE* file = fopen(argc > 1 ? argv[1] : "
      "\"digests.bin\", \"wb\");\n",
      kDriver);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::printf("  record<%zu>(file, \"%s\", %lluull);\n", i, rows[i].name.c_str(),
                static_cast<unsigned long long>(input_count(rows[i])));
  }
  std::printf(
      "  fclose(file);\n  printf(\"%%s\\n\", cudaGetErrorString(cudaGetLastError()));\n  return "
      "0;\n}\n");
}

int check(const char* path, std::uint64_t every) {
  const gzFile file = gzopen(path, "rb");
  if (file == nullptr) return 2;
  const std::vector<Row> rows = all_rows();
  const std::uint64_t start = std::random_device{}() % every;
  std::printf("every %llu blocks from %llu\n", static_cast<unsigned long long>(every),
              static_cast<unsigned long long>(start));
  char header[64];
  std::uint64_t wrong = 0;
  std::uint64_t inputs = 0;
  while (gzread(file, header, 64) == 64) {
    const std::string text(header, strnlen(header, 64));
    const std::string name = text.substr(0, text.find(' '));
    const auto blocks = std::strtoull(text.c_str() + text.find('=') + 1, nullptr, 10);
    std::vector<std::uint32_t> digests(blocks);
    const auto size = static_cast<unsigned>(blocks * 4);
    if (gzread(file, digests.data(), size) != static_cast<int>(size)) return 2;
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == name; });
    if (row == rows.end()) {
      std::printf("%s: no such function\n", name.c_str());
      ++wrong;
      continue;
    }
    std::uint64_t bad = 0;
    std::uint64_t first_bad = 0;
    for (std::uint64_t b = start % blocks; b < blocks; b += every) {
      inputs += std::min(kBlock, input_count(*row));
      if (host_digest(*row, b) == digests[b]) continue;
      if (bad++ == 0) first_bad = b;
    }
    if (bad != 0) {
      std::printf("%s: %llu blocks differ, the first is %llu\n", name.c_str(),
                  static_cast<unsigned long long>(bad), static_cast<unsigned long long>(first_bad));
    }
    wrong += bad;
  }
  gzclose(file);
  std::printf("%llu inputs compared, %llu blocks differ\n", static_cast<unsigned long long>(inputs),
              static_cast<unsigned long long>(wrong));
  return wrong == 0 && inputs != 0 ? 0 : 3;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "emit") {
    emit();
    return 0;
  }
  if (verb == "check" && argc > 2) {
    return check(argv[2], argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  }
  std::fputs("usage: numerics_campaign emit | check FILE [every]\n", stderr);
  return 2;
}
