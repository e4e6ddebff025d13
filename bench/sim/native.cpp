// The same work as plain C++ loops on one thread, compiled for this machine: what the hardware can
// do when nothing is simulated.
//   bench_sim_native KEY:KERNEL:M:N:K…
#include <array>
#include <cstdio>
#include <cstdlib>

#include "bench/sim/case.hpp"
#include "bench/sim/work.hpp"

namespace {

using bench::Work;

void vadd(const Work& w, std::vector<float>& out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = w.a[i] + w.b[i];
}

void tilecopy(const Work& w, std::vector<float>& out) {
  const auto n = static_cast<std::size_t>(w.m);
  std::array<std::array<float, 32>, 32> tile{};
  for (std::size_t y = 0; y < n; y += 32) {
    for (std::size_t x = 0; x < n; x += 32) {
      for (std::size_t r = 0; r < 32; ++r) {
        for (std::size_t c = 0; c < 32; ++c) tile[r][c] = w.a[(y + r) * n + x + c];
      }
      for (std::size_t r = 0; r < 32; ++r) {
        for (std::size_t c = 0; c < 32; ++c) out[(y + r) * n + x + c] = tile[r][c];
      }
    }
  }
}

void sgemm(const Work& w, std::vector<float>& out) {
  const auto m = static_cast<std::size_t>(w.m), n = static_cast<std::size_t>(w.n),
             depth = static_cast<std::size_t>(w.k);
  std::fill(out.begin(), out.end(), 0.0F);
  for (std::size_t i = 0; i < m; ++i) {
    float* row = &out[i * n];
    for (std::size_t k = 0; k < depth; ++k) {
      const float x = w.a[i * depth + k];
      const float* b = &w.b[k * n];
      for (std::size_t j = 0; j < n; ++j) row[j] += x * b[j];
    }
  }
}

void reduce(const Work& w, std::vector<float>& out) {
  std::array<float, 256> s{};
  for (std::size_t g = 0; g < out.size(); ++g) {
    for (std::size_t i = 0; i < 256; ++i) s[i] = w.a[g * 256 + i];
    for (std::size_t half = 128; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) s[i] += s[i + half];
    }
    out[g] = s[0];
  }
}

void blockscale(const Work& w, std::vector<float>& out) {
  const auto m = static_cast<std::size_t>(w.m), n = static_cast<std::size_t>(w.n),
             depth = static_cast<std::size_t>(w.k), blocks = depth / 128;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float acc = 0;
      for (std::size_t block = 0; block < blocks; ++block) {
        const std::int8_t* a = &w.qa[i * depth + block * 128];
        const std::int8_t* b = &w.qb[j * depth + block * 128];
        int sum = 0;
        for (std::size_t k = 0; k < 128; ++k) sum += a[k] * b[k];
        acc +=
            static_cast<float>(sum) * (w.sa[i * blocks + block] * w.sb[j / 128 * blocks + block]);
      }
      out[i * n + j] = acc;
    }
  }
}

void run(const Work& w, std::vector<float>& out) {
  if (w.kernel == "vadd") vadd(w, out);
  if (w.kernel == "tilecopy") tilecopy(w, out);
  if (w.kernel == "sgemm") sgemm(w, out);
  if (w.kernel == "reduce") reduce(w, out);
  if (w.kernel == "blockscale") blockscale(w, out);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const bench::Case one = bench::parse_case(argv[i]);
    const Work work = bench::make_work(one.kernel, one.m, one.n, one.k);
    std::vector<float> out(work.outputs());
    run(work, out);  // warm caches and pages
    const bench::Timing timing = bench::measure(9, [&] { run(work, out); });
    bench::print_result(one.key, "native", work, timing, bench::judge(work, out));
  }
  return 0;
}
