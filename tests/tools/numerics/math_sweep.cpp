// How far are the math functions from the exact values?  Sweeps float32 inputs (all 2^32 with
// stride 1) against the host's binary64 functions, whose error of about 1 ulp of binary64 is 2^-28
// ulp of float32, then measures the worst inputs found with MPFR at 200 bits.
//   math_sweep FUNCTION|all [stride] [threads]
//   math_sweep pow [pairs in millions]      random pairs: there are 2^64
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <mpfr.h>

#include "numerics/lanes.hpp"

using namespace tirx::num;

namespace {

using MpfrFunction = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

int rsqrt_mpfr(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t mode) {
  return mpfr_rec_sqrt(out, x, mode);
}

double rsqrt_double(double x) {
  return 1 / std::sqrt(x);
}

struct Function {
  const char* name;
  ScalarOp op;
  double (*reference)(double);
  MpfrFunction exact;
};

const Function kFunctions[] = {
    {"exp", ScalarOp::exp, std::exp, mpfr_exp},
    {"exp2", ScalarOp::exp2, std::exp2, mpfr_exp2},
    {"expm1", ScalarOp::expm1, std::expm1, mpfr_expm1},
    {"log", ScalarOp::log, std::log, mpfr_log},
    {"log2", ScalarOp::log2, std::log2, mpfr_log2},
    {"log1p", ScalarOp::log1p, std::log1p, mpfr_log1p},
    {"sin", ScalarOp::sin, std::sin, mpfr_sin},
    {"cos", ScalarOp::cos, std::cos, mpfr_cos},
    {"tan", ScalarOp::tan, std::tan, mpfr_tan},
    {"tanh", ScalarOp::tanh, std::tanh, mpfr_tanh},
    {"erf", ScalarOp::erf, std::erf, mpfr_erf},
    {"rsqrt", ScalarOp::rsqrt, rsqrt_double, rsqrt_mpfr},
};

/// The last place of a float32 near `value`.
double last_place(double value) {
  const double magnitude = std::fabs(value);
  if (!(magnitude >= 0x1p-126)) return 0x1p-149;
  return std::ldexp(1.0, std::min(std::ilogb(magnitude), 127) - 23);
}

/// Infinity stands for 2^128: rounding to it is no error beyond the usual.
double bounded(double value) {
  return std::isinf(value) || std::fabs(value) > 0x1p128 ? std::copysign(0x1p128, value) : value;
}

double error_ulp(float result, double reference) {
  if (std::isnan(reference) || std::isnan(result)) {
    return std::isnan(reference) == std::isnan(result) ? 0 : 1e30;
  }
  if (std::isinf(reference)) {
    return result == static_cast<float>(reference) ? 0 : 1e30;
  }
  if (result == 0 && reference == 0) {
    return std::signbit(result) == std::signbit(reference) ? 0 : 1e30;
  }
  const double exact = bounded(reference);
  return std::fabs(bounded(static_cast<double>(result)) - exact) / last_place(exact);
}

struct Worst {
  double error;
  std::uint32_t input;
};

constexpr std::size_t kKeep = 50000;

/// Keeps the kKeep worst in amortised constant time.
void keep(std::vector<Worst>& worst, double& threshold, Worst candidate) {
  worst.push_back(candidate);
  if (worst.size() < 2 * kKeep) return;
  std::nth_element(worst.begin(), worst.begin() + kKeep, worst.end(),
                   [](const Worst& a, const Worst& b) { return a.error > b.error; });
  worst.resize(kKeep);
  threshold = std::min_element(worst.begin(), worst.end(), [](const Worst& a, const Worst& b) {
                return a.error < b.error;
              })->error;
}

std::vector<Worst> sweep(const Function& f,
                         std::uint64_t begin,
                         std::uint64_t end,
                         std::uint64_t stride) {
  const LaneFunction run = find_lane_function(f.op, DType::f32);
  std::vector<Worst> worst;
  double threshold = 0;
  alignas(64) std::uint32_t in[kLanes];
  alignas(64) std::uint32_t out[kLanes];
  for (std::uint64_t first = begin; first < end; first += stride * kLanes) {
    for (std::uint64_t i = 0; i < kLanes; ++i)
      in[i] = static_cast<std::uint32_t>(first + i * stride);
    run(out, in, nullptr, nullptr, 0xffffffffU);
    for (int i = 0; i < kLanes; ++i) {
      const auto x = std::bit_cast<float>(in[i]);
      const double error =
          error_ulp(std::bit_cast<float>(out[i]), f.reference(static_cast<double>(x)));
      if (error > threshold) keep(worst, threshold, {error, in[i]});
    }
  }
  return worst;
}

/// The error by MPFR, in ulp.
double exact_error(const Function& f, std::uint32_t input) {
  const LaneFunction run = find_lane_function(f.op, DType::f32);
  alignas(64) std::uint32_t in[kLanes] = {input};
  alignas(64) std::uint32_t out[kLanes] = {};
  run(out, in, nullptr, nullptr, 0xffffffffU);
  mpfr_t x, y;
  mpfr_inits2(200, x, y, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_flt(x, std::bit_cast<float>(input), MPFR_RNDN);
  f.exact(y, x, MPFR_RNDN);
  const auto result = std::bit_cast<float>(out[0]);
  const double reference = mpfr_get_d(y, MPFR_RNDN);
  double error = error_ulp(result, reference);
  if (error < 1e20 && error > 0 && !std::isinf(result)) {
    const double unit = last_place(bounded(reference));
    mpfr_sub_d(y, y, static_cast<double>(result), MPFR_RNDN);
    mpfr_div_d(y, y, unit, MPFR_RNDN);
    error = std::fabs(mpfr_get_d(y, MPFR_RNDN));
  }
  mpfr_clears(x, y, static_cast<mpfr_ptr>(nullptr));
  return error;
}

void report(const Function& f, std::uint64_t stride, unsigned threads) {
  std::vector<std::vector<Worst>> parts(threads);
  std::vector<std::thread> workers;
  const std::uint64_t share = (std::uint64_t{1} << 32) / threads;
  for (unsigned t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] { parts[t] = sweep(f, t * share, (t + 1) * share, stride); });
  }
  for (std::thread& worker : workers) worker.join();
  std::vector<Worst> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  for (Worst& w : all) w.error = exact_error(f, w.input);
  std::sort(all.begin(), all.end(),
            [](const Worst& a, const Worst& b) { return a.error > b.error; });
  std::printf("%-6s stride %llu: worst %.4f ulp; inputs", f.name,
              static_cast<unsigned long long>(stride), all.empty() ? 0.0 : all[0].error);
  for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 6); ++i) {
    std::printf(" %08x (%.3g)", all[i].input, all[i].error);
  }
  std::printf("  [%zu by MPFR]\n", all.size());
  std::fflush(stdout);
}

/// Pairs whose power is neither 0 nor infinite, and pairs of any bits.
void report_pow(std::uint64_t pairs) {
  const LaneFunction run = find_lane_function(ScalarOp::pow, DType::f32);
  std::uint64_t state = 1;
  const auto next = [&state] {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 16);
  };
  alignas(64) std::uint32_t x[kLanes], y[kLanes], out[kLanes];
  double worst = 0;
  float at[2] = {0, 0};
  for (std::uint64_t n = 0; n < pairs; n += kLanes) {
    for (int i = 0; i < kLanes; ++i) {
      x[i] = next();
      y[i] = next();
      const auto base = std::bit_cast<float>(x[i] & 0x7fffffffU);
      if (n % 128 != 0 && base > 0 && base < INFINITY && base != 1) {
        if (n % 128 == 32) x[i] = 0x3f000000U + (x[i] & 0xffffffU);  // in [0.5, 2)
        const double spread =
            std::fabs(std::log2(static_cast<double>(std::bit_cast<float>(x[i] & 0x7fffffffU))));
        const double target = static_cast<double>(y[i]) * 0x1p-32 * 300 - 150;
        y[i] = std::bit_cast<std::uint32_t>(static_cast<float>(target / spread));
        x[i] &= 0x7fffffffU;
      }
    }
    run(out, x, y, nullptr, 0xffffffffU);
    for (int i = 0; i < kLanes; ++i) {
      const auto a = std::bit_cast<float>(x[i]);
      const auto b = std::bit_cast<float>(y[i]);
      const double error = error_ulp(std::bit_cast<float>(out[i]),
                                     std::pow(static_cast<double>(a), static_cast<double>(b)));
      if (error > worst) {
        worst = error;
        at[0] = a;
        at[1] = b;
      }
    }
  }
  std::printf("pow    %llu pairs: worst %.4f ulp at (%a, %a)\n",
              static_cast<unsigned long long>(pairs), worst, static_cast<double>(at[0]),
              static_cast<double>(at[1]));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string which = argc > 1 ? argv[1] : "all";
  const std::uint64_t stride = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 64;
  const auto threads = static_cast<unsigned>(argc > 3 ? std::atoi(argv[3]) : 1);
  if (which == "pow") {
    report_pow((argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10) * 1000000);
    return 0;
  }
  for (const Function& f : kFunctions) {
    if (which == "all" || which == f.name) report(f, stride, threads);
  }
}
