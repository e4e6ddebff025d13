#include "bench/sim/work.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace bench {

namespace {

/// A small linear congruential generator: the same inputs in every program.
class Numbers {
 public:
  float real() { return static_cast<float>(static_cast<int>(next() % 2001) - 1000) / 777.0F; }

  std::int8_t small() { return static_cast<std::int8_t>(static_cast<int>(next() % 255) - 127); }

  std::vector<float> reals(std::size_t count, float divisor = 1) {
    std::vector<float> out(count);
    for (float& x : out) x = real() / divisor;
    return out;
  }

  std::vector<std::int8_t> smalls(std::size_t count) {
    std::vector<std::int8_t> out(count);
    for (std::int8_t& x : out) x = small();
    return out;
  }

 private:
  std::uint32_t next() {
    state_ = state_ * 1664525U + 1013904223U;
    return state_ >> 8U;
  }

  std::uint32_t state_ = 12345;
};

std::size_t area(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

void expect_sgemm(Work& w) {
  const auto m = static_cast<std::size_t>(w.m), n = static_cast<std::size_t>(w.n),
             depth = static_cast<std::size_t>(w.k);
  w.expected.assign(m * n, 0);
  w.fused.assign(m * n, 0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < depth; ++k) {
      const float x = w.a[i * depth + k];
      for (std::size_t j = 0; j < n; ++j) {
        const float y = w.b[k * n + j];
        w.expected[i * n + j] += x * y;
        w.fused[i * n + j] = std::fma(x, y, w.fused[i * n + j]);
      }
    }
  }
}

/// The tree every contestant adds along: halves of a CTA's 256 elements.
void expect_reduce(Work& w) {
  const std::size_t groups = static_cast<std::size_t>(w.m) / 256;
  for (std::size_t g = 0; g < groups; ++g) {
    std::vector<float> s(w.a.begin() + static_cast<std::ptrdiff_t>(g * 256),
                         w.a.begin() + static_cast<std::ptrdiff_t>(g * 256 + 256));
    for (std::size_t half = 128; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) s[i] += s[i + half];
    }
    w.expected.push_back(s[0]);
  }
}

void expect_blockscale(Work& w) {
  const auto m = static_cast<std::size_t>(w.m), n = static_cast<std::size_t>(w.n),
             depth = static_cast<std::size_t>(w.k), blocks = depth / 128;
  w.expected.assign(m * n, 0);
  w.fused.assign(m * n, 0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t block = 0; block < blocks; ++block) {
        int sum = 0;
        for (std::size_t k = block * 128; k < block * 128 + 128; ++k)
          sum += w.qa[i * depth + k] * w.qb[j * depth + k];
        const float scale = w.sa[i * blocks + block] * w.sb[j / 128 * blocks + block];
        w.expected[i * n + j] += static_cast<float>(sum) * scale;
        w.fused[i * n + j] = std::fma(static_cast<float>(sum), scale, w.fused[i * n + j]);
      }
    }
  }
}

}  // namespace

Work make_work(const std::string& kernel, int m, int n, int k) {
  Work w;
  w.kernel = kernel;
  w.m = m;
  w.n = n;
  w.k = k;
  Numbers numbers;
  const auto count = static_cast<std::size_t>(m);
  if (kernel == "vadd") {
    w.a = numbers.reals(count);
    w.b = numbers.reals(count);
    for (std::size_t i = 0; i < count; ++i) w.expected.push_back(w.a[i] + w.b[i]);
    w.operations = m;
  } else if (kernel == "tilecopy") {
    w.a = numbers.reals(area(m, m));
    w.expected = w.a;
    w.operations = static_cast<double>(m) * m;
  } else if (kernel == "sgemm") {
    w.a = numbers.reals(area(m, k));
    w.b = numbers.reals(area(k, n));
    expect_sgemm(w);
    w.operations = 2.0 * m * n * k;
  } else if (kernel == "reduce") {
    w.a = numbers.reals(count);
    expect_reduce(w);
    w.operations = m - static_cast<double>(w.outputs());
  } else if (kernel == "blockscale") {
    w.qa = numbers.smalls(area(m, k));
    w.qb = numbers.smalls(area(n, k));
    w.sa = numbers.reals(area(m, k / 128), 64);
    w.sb = numbers.reals(area((n + 127) / 128, k / 128), 64);
    expect_blockscale(w);
    w.operations = 2.0 * m * n * k;
  }
  return w;
}

std::string judge(const Work& work, const std::vector<float>& out) {
  const auto same = [&out](const std::vector<float>& want) {
    return want.size() == out.size() &&
           std::memcmp(want.data(), out.data(), out.size() * sizeof(float)) == 0;
  };
  if (same(work.expected)) return "exact (mul, add)";
  if (same(work.fused)) return "exact (fma)";
  return {};
}

void print_result(const std::string& key,
                  const std::string& contestant,
                  const Work& work,
                  const Timing& timing,
                  const std::string& verdict) {
  std::printf("result\t%s\t%s\t%.6g\t%.6g\t%dx%dx%d\t%s\n", key.c_str(), contestant.c_str(),
              work.operations / timing.cpu, work.operations / timing.wall, work.m, work.n, work.k,
              verdict.empty() ? "WRONG" : verdict.c_str());
  std::fflush(stdout);
}

void print_speed_up(const std::string& key, const SpeedUp& speed_up) {
  std::printf("speedup\t%s\t%.4g\t%.4g\t%.4g\t%d\n", key.c_str(), speed_up.median, speed_up.low,
              speed_up.high, speed_up.pairs);
  std::fflush(stdout);
}

double wall_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpu_now() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

}  // namespace bench
