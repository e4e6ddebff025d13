// What do all contestants compute?  Six pieces of work with their inputs and the outputs that count
// as right, the same in every program of this folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// One run of one kernel.  Sizes: vadd and reduce use m elements, tilecopy an m x m matrix, the
/// products m x n x k.
struct Work {
  std::string kernel;
  int m = 1, n = 1, k = 1;
  std::vector<float> a, b;             // vadd, tilecopy, sgemm, reduce
  std::vector<std::int8_t> qa, qb;     // blockscale: (m, k) and (n, k)
  std::vector<float> sa, sb;           // its scales: 1 x 128 and 128 x 128
  std::vector<float> expected, fused;  // two roundings per multiply-add, or one
  double operations = 0;               // what a rate per second counts

  [[nodiscard]] std::size_t outputs() const { return expected.size(); }
};

/// The inputs and expected outputs of `kernel`; an unknown name gives no outputs.
[[nodiscard]] Work make_work(const std::string& kernel, int m, int n, int k);

/// "exact (mul, add)" or "exact (fma)"; empty where some bit differs from both.
[[nodiscard]] std::string judge(const Work& work, const std::vector<float>& out);

/// Medians of processor time and of wall time, in seconds.
struct Timing {
  double cpu = 0, wall = 0;
};

template <typename Run>
[[nodiscard]] Timing measure(int repetitions, Run run);

/// By what factor `two` is faster than `one`, by wall time: the two take turns, the median of their
/// ratios.  Short runs are repeated until they have taken half a second.
struct SpeedUp {
  double median = 0, low = 0, high = 0;  // low, high: the quartiles
  int pairs = 0;
};

template <typename One, typename Two>
[[nodiscard]] SpeedUp compare(int repetitions, One one, Two two);

void print_speed_up(const std::string& key, const SpeedUp& speed_up);

/// One line for the table: kernel, contestant, rates by processor and by wall time, size, verdict.
void print_result(const std::string& key,
                  const std::string& contestant,
                  const Work& work,
                  const Timing& timing,
                  const std::string& verdict);

[[nodiscard]] double wall_now();
[[nodiscard]] double cpu_now();
[[nodiscard]] double median(std::vector<double> values);

template <typename Run>
Timing measure(int repetitions, Run run) {
  std::vector<double> cpu, wall;
  for (int i = 0; i < repetitions; ++i) {
    const double wall_begin = wall_now(), cpu_begin = cpu_now();
    run();
    cpu.push_back(cpu_now() - cpu_begin);
    wall.push_back(wall_now() - wall_begin);
  }
  return {median(std::move(cpu)), median(std::move(wall))};
}

template <typename One, typename Two>
SpeedUp compare(int repetitions, One one, Two two) {
  constexpr double kLeast = 0.5;  // seconds
  constexpr int kMost = 101;
  std::vector<double> ratios;
  const double begin = wall_now();
  for (int i = 0; i < repetitions || (i < kMost && wall_now() - begin < kLeast); ++i) {
    // Which one comes first changes: a machine that slows down favours neither.
    double seconds[2];
    for (int turn = 0; turn < 2; ++turn) {
      const bool second = (i + turn) % 2 != 0;
      const double at = wall_now();
      if (second) {
        two();
      } else {
        one();
      }
      seconds[second ? 1 : 0] = wall_now() - at;
    }
    ratios.push_back(seconds[0] / seconds[1]);
  }
  std::sort(ratios.begin(), ratios.end());
  const std::size_t n = ratios.size();
  return {ratios[n / 2], ratios[n / 4], ratios[n - 1 - n / 4], static_cast<int>(n)};
}

}  // namespace bench
