// How far are the math functions from the exact values?  Sweeps float32 inputs (all 2^32 with
// stride 1) against binary64 functions, then measures the 100,000 worst inputs found with MPFR at
// 200 bits.  The binary64 functions are those of glibc, whose errors are below 2.5 ulp of binary64
// (glibc manual, "Known Maximum Errors in Math Functions"), that is 2^-27 ulp of float32; the
// largest difference between them and MPFR among the 100,000 is printed too.
//   math_sweep FUNCTION|all [stride] [threads]
//   math_sweep pow [pairs in millions] [threads]      the campaign's samples: there are 2^64
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
#include "tests/tools/numerics/campaign/host_samples.hpp"

using namespace tirx::num;

namespace {

using MpfrFunction = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

int rsqrt_mpfr(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t mode) {
  return mpfr_rec_sqrt(out, x, mode);
}

double rsqrt_double(double x) {
  return 1 / std::sqrt(x);
}

double sigmoid_double(double x) {
  const double e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

double silu_double(double x) {
  return x * sigmoid_double(x);
}

double gelu_double(double x) {
  return 0.5 * x * std::erfc(-x * 0x1.6a09e667f3bcdp-1);
}

int sigmoid_mpfr(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t mode) {
  mpfr_t e;
  mpfr_init2(e, 200);
  mpfr_neg(e, x, mode);
  mpfr_exp(e, e, mode);
  mpfr_add_ui(e, e, 1, mode);
  const int inexact = mpfr_ui_div(out, 1, e, mode);
  mpfr_clear(e);
  return inexact;
}

int silu_mpfr(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t mode) {
  mpfr_t s;
  mpfr_init2(s, 200);
  sigmoid_mpfr(s, x, mode);
  const int inexact = mpfr_mul(out, s, x, mode);
  mpfr_clear(s);
  return inexact;
}

int gelu_mpfr(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t mode) {
  mpfr_t t, r;
  mpfr_init2(t, 200);
  mpfr_init2(r, 200);
  mpfr_set_ui(r, 2, mode);
  mpfr_sqrt(r, r, mode);
  mpfr_neg(t, x, mode);
  mpfr_div(t, t, r, mode);
  mpfr_erfc(t, t, mode);
  mpfr_mul(t, t, x, mode);
  const int inexact = mpfr_div_ui(out, t, 2, mode);
  mpfr_clear(t);
  mpfr_clear(r);
  return inexact;
}

struct Function {
  const char* name;
  ScalarOp op;
  double (*reference)(double);
  MpfrFunction exact;
  double from = -INFINITY;  // where a relative error is claimed
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
    {"sigmoid", ScalarOp::sigmoid, sigmoid_double, sigmoid_mpfr},
    // Below, the sigmoid is subnormal; 1 + erf cancels.
    {"silu", ScalarOp::silu, silu_double, silu_mpfr, -87},
    {"gelu", ScalarOp::gelu, gelu_double, gelu_mpfr, -1},
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

constexpr std::size_t kKeep = 100000;

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
      if (static_cast<double>(x) < f.from) continue;
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

template <class Body>
void on_threads(unsigned threads, const Body& body) {
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < threads; ++t) workers.emplace_back([&body, t] { body(t); });
  for (std::thread& worker : workers) worker.join();
}

bool larger(const Worst& a, const Worst& b) {
  return a.error > b.error;
}

void report(const Function& f, std::uint64_t stride, unsigned threads) {
  std::vector<std::vector<Worst>> parts(threads);
  const std::uint64_t share = (std::uint64_t{1} << 32) / threads;
  on_threads(threads, [&](unsigned t) { parts[t] = sweep(f, t * share, (t + 1) * share, stride); });
  std::vector<Worst> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end(), larger);
  if (all.size() > kKeep) all.resize(kKeep);
  const double least = all.empty() ? 0 : all.back().error;
  std::vector<double> moved(threads);
  on_threads(threads, [&](unsigned t) {
    for (std::size_t i = t; i < all.size(); i += threads) {
      const double exact = exact_error(f, all[i].input);
      moved[t] = std::max(moved[t], std::fabs(exact - all[i].error));
      all[i].error = exact;
    }
    mpfr_free_cache();
  });
  std::sort(all.begin(), all.end(), larger);
  std::printf("%-7s stride %llu: worst %.4f ulp; inputs", f.name,
              static_cast<unsigned long long>(stride), all.empty() ? 0.0 : all[0].error);
  for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 4); ++i) {
    std::printf(" %08x (%.4f)", all[i].input, all[i].error);
  }
  std::printf("  [%zu by MPFR, the least of them %.4f, moved by 2^%.1f at most]\n", all.size(),
              least, std::log2(*std::max_element(moved.begin(), moved.end()) + 0x1p-60));
  std::fflush(stdout);
}

struct WorstPair {
  double error = 0;
  std::uint32_t x = 0, y = 0;
};

double exact_pow_error(const WorstPair& pair, std::uint32_t result_bits) {
  mpfr_t x, y;
  mpfr_inits2(200, x, y, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_flt(x, std::bit_cast<float>(pair.x), MPFR_RNDN);
  mpfr_set_flt(y, std::bit_cast<float>(pair.y), MPFR_RNDN);
  mpfr_pow(y, x, y, MPFR_RNDN);
  const auto result = static_cast<double>(std::bit_cast<float>(result_bits));
  const double unit = last_place(bounded(mpfr_get_d(y, MPFR_RNDN)));
  mpfr_sub_d(y, y, bounded(result), MPFR_RNDN);
  mpfr_div_d(y, y, unit, MPFR_RNDN);
  const double error = std::fabs(mpfr_get_d(y, MPFR_RNDN));
  mpfr_clears(x, y, static_cast<mpfr_ptr>(nullptr));
  return error;
}

/// The samples of the campaign: seven distributions of pairs, and pairs of special values.
void report_pow(std::uint64_t pairs, unsigned threads) {
  const LaneFunction run = find_lane_function(ScalarOp::pow, DType::f32);
  std::vector<WorstPair> worst(threads);
  const std::uint64_t blocks = pairs >> 20;
  on_threads(threads, [&](unsigned t) {
    alignas(64) std::uint32_t x[kLanes], y[kLanes], out[kLanes];
    for (std::uint64_t block = t; block < blocks; block += threads) {
      for (std::uint64_t n = block << 20; n < (block + 1) << 20; n += kLanes) {
        for (std::uint64_t i = 0; i < kLanes; ++i) {
          x[i] = campaign::tirx_sample(campaign::kTirxPow, n + i, 0, false);
          y[i] = campaign::tirx_sample(campaign::kTirxPow, n + i, 1, false);
        }
        run(out, x, y, nullptr, 0xffffffffU);
        for (int i = 0; i < kLanes; ++i) {
          const double error = error_ulp(std::bit_cast<float>(out[i]),
                                         std::pow(static_cast<double>(std::bit_cast<float>(x[i])),
                                                  static_cast<double>(std::bit_cast<float>(y[i]))));
          if (error > worst[t].error) worst[t] = {error, x[i], y[i]};
        }
      }
    }
  });
  for (WorstPair& w : worst) {
    alignas(64) std::uint32_t x[kLanes] = {w.x}, y[kLanes] = {w.y}, out[kLanes];
    run(out, x, y, nullptr, 0xffffffffU);
    if (w.error < 1e20) w.error = exact_pow_error(w, out[0]);
  }
  const WorstPair w =
      *std::max_element(worst.begin(), worst.end(),
                        [](const WorstPair& a, const WorstPair& b) { return a.error < b.error; });
  std::printf("pow     %llu pairs: worst %.4f ulp at (%08x, %08x)\n",
              static_cast<unsigned long long>(blocks << 20), w.error, w.x, w.y);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string which = argc > 1 ? argv[1] : "all";
  const std::uint64_t stride = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 64;
  const auto threads = static_cast<unsigned>(argc > 3 ? std::atoi(argv[3]) : 1);
  if (which == "pow") {
    report_pow((argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10) * 1000000, threads);
    return 0;
  }
  for (const Function& f : kFunctions) {
    if (which == "all" || which == f.name) report(f, stride, threads);
  }
}
