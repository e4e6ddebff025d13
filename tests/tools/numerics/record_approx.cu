// Records the tables of numerics/approx that are still missing, on the GPU of this machine:
//   nvcc -std=c++17 -arch=native record_approx.cu -o record_approx && ./record_approx OUTDIR
// and then gzip -9n the files into numerics/approx/sm_XX/.
//
//   sqrt.d8   int8, x in [1, 4): distance of sqrt.approx.ftz from the correctly rounded root, in ulp
//   lg2_0.d32, lg2_1.d32, lg2_2.d32   int32, x in [1, 2), [1/2, 1), [1/4, 1/2): the same of
//             lg2.approx.ftz (near 1 the distances are large: the unit's error is absolute)
//   tanh.f32  results of tanh.approx for x in [2^-9, 16), every 16th pattern
// It also prints over all 2^32 inputs how often the rules by which other inputs reduce to these
// tables fail.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

__device__ float sqrt_approx(float x) {
  float r;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
__device__ float lg2_approx(float x) {
  float r;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
__device__ float tanh_approx(float x) {
  float r;
  asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}

enum Unit { kSqrt, kLg2, kTanh };

__device__ unsigned run(int unit, unsigned word) {
  const float x = __uint_as_float(word);
  const float y = unit == kSqrt ? sqrt_approx(x) : unit == kLg2 ? lg2_approx(x) : tanh_approx(x);
  return __float_as_uint(y);
}

__global__ void evaluate(int unit, unsigned first, unsigned step, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = run(unit, first + i * step);
}

/// Counts the normal positive inputs whose result is not that of [1, 4) (sqrt), or not
/// E + result of [1, 2) rounded toward zero (lg2, E > 0).
__global__ void count_exceptions(int unit, unsigned long long* wrong) {
  const unsigned word = blockIdx.x * blockDim.x + threadIdx.x;
  if (word < 0x00800000U || word >= 0x7f800000U) return;
  const int exponent = static_cast<int>(word >> 23) - 127;
  unsigned expected = run(unit, word);
  if (unit == kSqrt) {
    const unsigned base = 0x3f800000U + ((word - 0x3f800000U) & 0x00ffffffU);
    expected = run(unit, base) + ((exponent >> 1) << 23);
  } else if (exponent > 0) {
    const float fraction = __uint_as_float(run(unit, 0x3f800000U | (word & 0x007fffffU)));
    expected = __float_as_uint(__fadd_rz(static_cast<float>(exponent), fraction));
  } else if (exponent < -2) {
    // Like [1/4, 1/2), if the sum with the whole number is truncated toward zero.
    const float fraction = __fadd_rn(__uint_as_float(run(unit, 0x3e800000U | (word & 0x007fffffU))), 2.0F);
    expected = __float_as_uint(__fadd_rz(static_cast<float>(exponent), fraction));
  }
  if (run(unit, word) != expected) atomicAdd(wrong, 1ULL);
}

static std::vector<unsigned> outputs(int unit, unsigned first, unsigned step, unsigned count) {
  unsigned* device = nullptr;
  cudaMalloc(&device, count * 4ULL);
  evaluate<<<count / 256, 256>>>(unit, first, step, device);
  std::vector<unsigned> host(count);
  cudaMemcpy(host.data(), device, count * 4ULL, cudaMemcpyDeviceToHost);
  cudaFree(device);
  return host;
}

static unsigned bits(float x) {
  unsigned word;
  memcpy(&word, &x, 4);
  return word;
}
static float value(unsigned word) {
  float x;
  memcpy(&x, &word, 4);
  return x;
}

/// On the line of all floats, negative ones below zero.
static long long place(unsigned word) {
  const long long magnitude = word & 0x7fffffffU;
  return word >> 31 ? -magnitude : magnitude;
}

static void save(const std::string& path, const void* data, size_t size) {
  FILE* file = fopen(path.c_str(), "wb");
  if (file == nullptr || fwrite(data, 1, size, file) != size) perror(path.c_str());
  if (file != nullptr) fclose(file);
}

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  {
    const std::vector<unsigned> y = outputs(kSqrt, 0x3f800000U, 1, 1U << 24);
    std::vector<signed char> deltas(y.size());
    int widest = 0;
    for (unsigned i = 0; i < y.size(); ++i) {
      const float exact = static_cast<float>(sqrt(static_cast<double>(value(0x3f800000U + i))));
      const int delta = static_cast<int>(y[i] - bits(exact));
      widest = abs(delta) > widest ? abs(delta) : widest;
      deltas[i] = static_cast<signed char>(delta);
    }
    printf("sqrt: widest distance %d\n", widest);
    save(folder + "/sqrt.d8", deltas.data(), deltas.size());
  }
  const unsigned starts[] = {0x3f800000U, 0x3f000000U, 0x3e800000U};
  for (int t = 0; t < 3; ++t) {
    const std::vector<unsigned> y = outputs(kLg2, starts[t], 1, 1U << 23);
    std::vector<int> deltas(y.size());
    long long widest = 0;
    for (unsigned i = 0; i < y.size(); ++i) {
      const float exact = static_cast<float>(log2(static_cast<double>(value(starts[t] + i))));
      const long long delta = place(y[i]) - place(bits(exact));
      widest = llabs(delta) > widest ? llabs(delta) : widest;
      deltas[i] = static_cast<int>(delta);
    }
    printf("lg2 from %g: widest distance %lld\n", static_cast<double>(value(starts[t])), widest);
    save(folder + "/lg2_" + std::to_string(t) + ".d32", deltas.data(), deltas.size() * 4);
  }
  {
    const std::vector<unsigned> y = outputs(kTanh, 0x3b000000U, 16, 13U << 19);
    save(folder + "/tanh.f32", y.data(), y.size() * 4);
  }
  unsigned long long* wrong = nullptr;
  cudaMallocManaged(&wrong, 8);
  for (const int unit : {kSqrt, kLg2}) {
    *wrong = 0;
    count_exceptions<<<1U << 24, 256>>>(unit, wrong);
    cudaDeviceSynchronize();
    printf("%s: %llu exceptions to the rule\n", unit == kSqrt ? "sqrt" : "lg2", *wrong);
  }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
