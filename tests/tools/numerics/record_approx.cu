// Records what the special-function unit returns, for the tables of numerics/approx that are made
// from it (docs/numerics.md, "Hardware approximations"), on the GPU of this machine:
//   nvcc -O2 -std=c++17 -gencode arch=compute_90a,code=sm_90a record_approx.cu -o record_approx
//   record_approx OUTDIR
//
// sin_N.i32, cos_N.i32  sin.approx and cos.approx by the unit's fixed-point argument: 2^23 values of
//               quarter turn N.  The argument is x * 0x3e22f983 (1 / 2 pi) rounded toward zero, in
//               units of 2^-25 turns, truncated; 0xffffffff where no x has it.
// tanh_N.i32    tanh.approx for x in [2^(N-9), 2^(N-8)), all 2^23 fractions, N = 0 .. 12
// lg2_N.i32     lg2.approx.ftz for x in [1, 2), [1/2, 1), [1/4, 1/2)
// sqrt.i32, rsqrt.i32, rcp.i32, ex2.i32    the .ftz forms over [1, 4), [1, 4), [1, 2), [1, 2)
// Files hold the first differences of the result's bits, 32 bits each: they compress well.
// It prints how many of all 2^32 inputs disagree with the rules by which they reduce to the tables.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#define UNIT(name, ptx)                                       \
  __device__ unsigned name(unsigned word) {                   \
    float r;                                                  \
    asm(ptx " %0, %1;" : "=f"(r) : "f"(__uint_as_float(word))); \
    return __float_as_uint(r);                                \
  }
UNIT(sin_ftz, "sin.approx.ftz.f32")
UNIT(cos_ftz, "cos.approx.ftz.f32")
UNIT(sin_any, "sin.approx.f32")
UNIT(cos_any, "cos.approx.f32")
UNIT(tanh_any, "tanh.approx.f32")
UNIT(lg2_ftz, "lg2.approx.ftz.f32")
UNIT(sqrt_ftz, "sqrt.approx.ftz.f32")
UNIT(rsqrt_ftz, "rsqrt.approx.ftz.f32")
UNIT(rcp_ftz, "rcp.approx.ftz.f32")
UNIT(ex2_ftz, "ex2.approx.ftz.f32")

enum Unit { kSin, kCos, kTanh, kLg2, kSqrt, kRsqrt, kRcp, kEx2 };

__device__ unsigned run(int unit, unsigned word) {
  switch (unit) {
    case kSin: return sin_ftz(word);
    case kCos: return cos_ftz(word);
    case kTanh: return tanh_any(word);
    case kLg2: return lg2_ftz(word);
    case kSqrt: return sqrt_ftz(word);
    case kRsqrt: return rsqrt_ftz(word);
    case kRcp: return rcp_ftz(word);
    default: return ex2_ftz(word);
  }
}

/// |x| in units of 2^-25 turns; values beyond 2^63 have no bits left there.
__device__ unsigned long long turns(unsigned word) {
  const float x = __uint_as_float(word & 0x7fffffffU);
  const float t = __fmul_rz(x, __uint_as_float(0x3e22f983U));
  return t < 0x1p37F ? (unsigned long long)(t * 0x1p25F) : 0ULL;
}

__global__ void by_bits(int unit, unsigned first, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = run(unit, first + i);
}

/// Finds an x for each fixed-point argument.
__global__ void by_turns(int unit, unsigned quarter, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned long long wanted = ((unsigned long long)quarter << 23) + i;
  const double middle = ((double)wanted + 0.5) * 0x1p-25 * 6.283185307179586;
  const unsigned near = __float_as_uint((float)middle);
  out[i] = 0xffffffffU;
  for (int d = 0; d < 8; ++d) {
    for (const unsigned word : {near + d, near - d}) {
      if (turns(word) == wanted) {
        out[i] = run(unit, word);
        return;
      }
    }
  }
}

struct Count {
  unsigned long long wrong, other;
  unsigned input[8], got[8], expected[8];
};

__device__ void note(Count* count, unsigned word, unsigned got, unsigned expected) {
  const unsigned long long slot = atomicAdd(&count->wrong, 1ULL);
  if (slot >= 8) return;
  count->input[slot] = word;
  count->got[slot] = got;
  count->expected[slot] = expected;
}

/// All inputs against the four quarters; `other` counts where .ftz and the plain form differ.
__global__ void check_turns(int unit, const unsigned* const* quarters, Count* count) {
  const unsigned word = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned got = run(unit, word);
  if (got != (unit == kSin ? sin_any(word) : cos_any(word))) atomicAdd(&count->other, 1ULL);
  if ((word & 0x7fffffffU) >= 0x7f800000U) return;
  const unsigned long long fixed = turns(word);
  unsigned expected = quarters[(fixed >> 23) & 3ULL][fixed & 0x7fffffULL];
  if (expected == 0xffffffffU) return;
  if (unit == kSin) expected ^= word & 0x80000000U;
  if (got != expected) note(count, word, got, expected);
}

__global__ void check_tanh(Count* count) {
  const unsigned word = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned magnitude = word & 0x7fffffffU;
  const unsigned got = run(kTanh, word);
  unsigned expected = run(kTanh, magnitude) | (word & 0x80000000U);
  if (magnitude < 0x3b800000U) expected = word;                           // below 2^-8
  if (magnitude >= 0x41000000U) expected = 0x3f800000U | (word & 0x80000000U);  // from 8 on
  if (magnitude > 0x7f800000U) expected = 0x7fffffffU;
  if (got != expected) note(count, word, got, expected);
}

__global__ void check_lg2(Count* count) {
  const unsigned word = blockIdx.x * blockDim.x + threadIdx.x;
  if (word < 0x00800000U || word >= 0x7f800000U) return;
  const int exponent = static_cast<int>(word >> 23) - 127;
  const unsigned got = run(kLg2, word);
  unsigned expected = got;
  if (exponent > 0) {
    const float fraction = __uint_as_float(run(kLg2, 0x3f800000U | (word & 0x007fffffU)));
    expected = __float_as_uint(__fadd_rz(static_cast<float>(exponent), fraction));
  } else if (exponent < -2) {
    const float fraction =
        __fadd_rn(__uint_as_float(run(kLg2, 0x3e800000U | (word & 0x007fffffU))), 2.0F);
    expected = __float_as_uint(__fadd_rz(static_cast<float>(exponent), fraction));
  }
  if (got != expected) note(count, word, got, expected);
}

static void save(const std::string& path, const std::vector<unsigned>& words) {
  std::vector<unsigned> differences(words.size());
  unsigned last = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    differences[i] = words[i] - last;
    last = words[i];
  }
  FILE* file = fopen(path.c_str(), "wb");
  if (file == nullptr || fwrite(differences.data(), 4, words.size(), file) != words.size()) {
    perror(path.c_str());
  }
  if (file != nullptr) fclose(file);
}

static std::vector<unsigned> fetch(const unsigned* device, size_t count) {
  std::vector<unsigned> host(count);
  cudaMemcpy(host.data(), device, count * 4, cudaMemcpyDeviceToHost);
  return host;
}

static void print(const char* name, const Count* device) {
  Count c;
  cudaMemcpy(&c, device, sizeof c, cudaMemcpyDeviceToHost);
  printf("%s: %llu exceptions to the rule, %llu differ between the forms\n", name, c.wrong, c.other);
  for (unsigned i = 0; i < 8 && i < c.wrong; ++i) {
    printf("  %08x gives %08x, the rule %08x\n", c.input[i], c.got[i], c.expected[i]);
  }
}

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  constexpr unsigned kBinade = 1U << 23;
  unsigned* table = nullptr;
  Count* count = nullptr;
  cudaMalloc(&table, kBinade * 4ULL * 8);
  cudaMalloc(&count, sizeof(Count));
  const unsigned** quarters = nullptr;
  cudaMalloc(&quarters, 4 * sizeof(unsigned*));
  for (const int unit : {kSin, kCos}) {
    const char* name = unit == kSin ? "sin" : "cos";
    const unsigned* host_quarters[4];
    for (unsigned q = 0; q < 4; ++q) {
      by_turns<<<kBinade / 256, 256>>>(unit, q, table + q * kBinade);
      host_quarters[q] = table + q * kBinade;
      save(folder + "/" + name + "_" + std::to_string(q) + ".i32", fetch(table + q * kBinade, kBinade));
    }
    cudaMemcpy(quarters, host_quarters, sizeof host_quarters, cudaMemcpyHostToDevice);
    cudaMemset(count, 0, sizeof(Count));
    check_turns<<<1U << 24, 256>>>(unit, quarters, count);
    print(name, count);
  }
  for (unsigned octave = 0; octave < 13; ++octave) {
    by_bits<<<kBinade / 256, 256>>>(kTanh, 0x3b000000U + octave * kBinade, table);
    save(folder + "/tanh_" + std::to_string(octave) + ".i32", fetch(table, kBinade));
  }
  cudaMemset(count, 0, sizeof(Count));
  check_tanh<<<1U << 24, 256>>>(count);
  print("tanh", count);
  const unsigned starts[] = {0x3f800000U, 0x3f000000U, 0x3e800000U};
  for (int t = 0; t < 3; ++t) {
    by_bits<<<kBinade / 256, 256>>>(kLg2, starts[t], table);
    save(folder + "/lg2_" + std::to_string(t) + ".i32", fetch(table, kBinade));
  }
  cudaMemset(count, 0, sizeof(Count));
  check_lg2<<<1U << 24, 256>>>(count);
  print("lg2", count);
  const struct { Unit unit; const char* name; unsigned binades; } others[] = {
      {kSqrt, "sqrt", 2}, {kRsqrt, "rsqrt", 2}, {kRcp, "rcp", 1}, {kEx2, "ex2", 1}};
  for (const auto& o : others) {
    by_bits<<<o.binades * (kBinade / 256), 256>>>(o.unit, 0x3f800000U, table);
    save(folder + "/" + o.name + ".i32", fetch(table, size_t{o.binades} * kBinade));
  }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
