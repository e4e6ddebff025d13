// How fast is the tile path, per core?  Multiply-adds count as two operations.
// Usage: bench_mma [seconds per line]     Prints one line per shape and path, CPU time.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "numerics/mma/tile.hpp"

namespace {

using namespace tirx::num;

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Finite operands of ordinary magnitude: random sign and fraction, exponents within +-4 of 1.
std::vector<std::uint64_t> operands(DType type, int count, std::uint64_t seed) {
  std::vector<std::uint64_t> words(
      static_cast<std::size_t>(count) * static_cast<std::size_t>(container_bytes(type)) / 8 + 1);
  auto* bytes = reinterpret_cast<unsigned char*>(words.data());
  const int width = container_bytes(type);
  const dot::Format f = type == DType::f16    ? dot::kF16
                        : type == DType::bf16 ? dot::kBf16
                        : type == DType::e4m3 ? dot::kE4m3
                        : type == DType::e5m2 ? dot::kE5m2
                                              : dot::kF32;
  std::uint64_t x = seed;
  for (int i = 0; i < count; ++i) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    const std::uint64_t r = x >> 20;
    std::uint64_t bits = r;
    if (type == DType::f64) {
      bits = (1020ull + (r & 7)) << 52 | r << 8;
    } else if (type != DType::i8 && type != DType::i32) {
      const std::uint64_t field = static_cast<std::uint64_t>(dot::bias(f)) - 4 + (r >> 24 & 7);
      bits = (r & ((1ull << f.fraction) - 1)) | field << f.fraction |
             (r >> 30 & 1) << (f.exponent + f.fraction);
    }
    for (int b = 0; b < width; ++b)
      bytes[i * width + b] = static_cast<unsigned char>(bits >> 8 * b);
  }
  return words;
}

struct Case {
  MmaFamily family;
  DType a, c;
  int m, n, k;
};

double gigaflops(const Case& t, TilePath path, double seconds) {
  const MmaRow* row = find_mma_row(90, t.family, t.a, t.a, t.c, t.k);
  if (row == nullptr) return 0;
  const auto a = operands(t.a, t.m * t.k, 1), b = operands(t.a, t.k * t.n, 2);
  const auto c = operands(t.c, t.m * t.n, 3);
  std::vector<std::uint64_t> d(c.size());
  TileOptions options;
  options.path = path;
  options.step = t.k;
  const auto once = [&] {
    mma_tile(*row, t.m, t.n, t.k, {a.data(), t.k, 1}, {b.data(), t.n, 1}, {c.data(), t.n, 1},
             {d.data(), t.n, 1}, options);
  };
  once();
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    long runs = 0;
    const double start = cpu_seconds();
    double spent = 0;
    while (spent < seconds / 5) {
      for (int i = 0; i < 20; ++i) once();
      runs += 20;
      spent = cpu_seconds() - start;
    }
    const double rate = 2.0 * t.m * t.n * t.k * static_cast<double>(runs) / spent * 1e-9;
    best = rate > best ? rate : best;
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.5;
  const Case cases[] = {
      {MmaFamily::wgmma, DType::f16, DType::f32, 64, 128, 16},
      {MmaFamily::wgmma, DType::f16, DType::f16, 64, 128, 16},
      {MmaFamily::wgmma, DType::bf16, DType::f32, 64, 128, 16},
      {MmaFamily::wgmma, DType::tf32, DType::f32, 64, 128, 8},
      {MmaFamily::wgmma, DType::e4m3, DType::f32, 64, 128, 32},
      {MmaFamily::wgmma, DType::e5m2, DType::f32, 64, 128, 32},
      {MmaFamily::wgmma, DType::i8, DType::i32, 64, 128, 32},
      {MmaFamily::mma_sync, DType::f16, DType::f32, 16, 8, 16},
      {MmaFamily::mma_sync, DType::bf16, DType::f32, 16, 8, 16},
      {MmaFamily::mma_sync, DType::tf32, DType::f32, 16, 8, 8},
      {MmaFamily::mma_sync, DType::e4m3, DType::f32, 16, 8, 32},
      {MmaFamily::mma_sync, DType::i8, DType::i32, 16, 8, 32},
      {MmaFamily::mma_sync, DType::f64, DType::f64, 16, 8, 16},
  };
  std::printf("GF/s per core          portable     avx2   avx512     auto\n");
  for (const Case& t : cases) {
    std::printf("m%dn%dk%-3d %-5s -> %-4s", t.m, t.n, t.k, ptx_name(t.a).data(),
                ptx_name(t.c).data());
    for (TilePath path :
         {TilePath::portable, TilePath::avx2, TilePath::avx512, TilePath::automatic}) {
      std::printf(" %8.2f", available(path) ? gigaflops(t, path, seconds) : 0.0);
      std::fflush(stdout);
    }
    std::printf("\n");
  }
}
