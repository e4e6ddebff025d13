// How fast is the simulator?  Vector add and SGEMM (16 x 16 tiles in shared memory), built by hand.
//   bench_sim [n] [none|mem|all] [threads]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "tests/unit/sim/builder.hpp"

namespace {

using namespace tirx;        // NOLINT(google-build-using-namespace)
using namespace tirx::test;  // NOLINT(google-build-using-namespace)

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Immune to other load on the machine, almost.
double cpu() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

Expr fma(Expr a, Expr b, Expr c) {
  return scalar(ScalarOp::fma, {std::move(a), std::move(b), std::move(c)});
}

Builder vadd(std::int64_t n) {
  Builder b(256, n / 256);
  const Expr i = b.cta() * i32(256) + b.tid();
  const Buffer x = b.param("x", DType::f32, {n});
  const Buffer y = b.param("y", DType::f32, {n});
  const Buffer z = b.param("z", DType::f32, {n});
  b.add(Builder::store(z, {i}, Builder::load(x, {i}) + Builder::load(y, {i})));
  return b;
}

Builder sgemm(std::int64_t n) {
  constexpr std::int64_t kT = 16;
  Builder b(256);
  b.kernel.launch.block = {kT, kT, 1};
  b.kernel.launch.grid = {i32(n / kT), i32(n / kT), i32(1)};
  const Expr tx = b.tid(0), ty = b.tid(1), bx = b.cta(0), by = b.cta(1);
  const Buffer a = b.param("A", DType::f32, {n, n});
  const Buffer bm = b.param("B", DType::f32, {n, n});
  const Buffer c = b.param("C", DType::f32, {n, n});
  const Buffer as = b.shared("As", DType::f32, {kT, kT});
  const Buffer bs = b.shared("Bs", DType::f32, {kT, kT});
  const Buffer acc = b.mutable_scalar("acc", DType::f32);
  const Expr row = by * i32(kT) + ty, col = bx * i32(kT) + tx;
  b.add(Builder::allocate(as));
  b.add(Builder::allocate(bs));
  b.add(Builder::allocate(acc));
  b.add(Builder::set(acc, f32(0)));
  b.add(Builder::loop(i32(0), i32(n / kT), [&](const Expr& kt) {
    ir::Body body;
    body.push_back(Builder::store(as, {ty, tx}, Builder::load(a, {row, kt * i32(kT) + tx})));
    body.push_back(Builder::store(bs, {ty, tx}, Builder::load(bm, {kt * i32(kT) + ty, col})));
    body.push_back(Builder::run<ir::CtaSync>());
    body.push_back(Builder::loop(i32(0), i32(kT), [&](const Expr& k) {
      return ir::Body{Builder::set(
          acc, fma(Builder::load(as, {ty, k}), Builder::load(bs, {k, tx}), Builder::get(acc)))};
    }));
    body.push_back(Builder::run<ir::CtaSync>());
    return body;
  }));
  b.add(Builder::store(c, {row, col}, Builder::get(acc)));
  return b;
}

void measure(const char* name,
             const Builder& b,
             const std::vector<ir::Argument>& arguments,
             double work,
             const sim::SimOptions& options) {
  std::vector<double> times, cpu_times;
  ir::LaunchOutcome outcome;
  for (int i = 0; i < 15; ++i) {
    const double start = now(), cpu_start = cpu();
    outcome = b.simulate(arguments, options);
    times.push_back(now() - start);
    cpu_times.push_back(cpu() - cpu_start);
  }
  std::sort(times.begin(), times.end());
  std::sort(cpu_times.begin(), cpu_times.end());
  const double wall = times[times.size() / 2], used = cpu_times[cpu_times.size() / 2];
  std::printf(
      "%-10s wall %9.3f ms %10.4g /s   cpu %9.3f ms %10.4g /s (best %10.4g)  %llu warp "
      "instructions, %zu faults\n",
      name, wall * 1e3, work / wall, used * 1e3, work / used, work / cpu_times[0],
      static_cast<unsigned long long>(outcome.warp_instructions), outcome.faults.size());
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 256;
  sim::SimOptions options;
  options.checks = sim::CheckSet::parse(argc > 2 ? argv[2] : "all").value_or(sim::CheckSet::all());
  options.threads = argc > 3 ? std::atoi(argv[3]) : 1;
  const auto value = [](std::int64_t k) { return static_cast<double>(k % 17) - 8; };
  {
    constexpr std::int64_t kN = 1 << 20;
    const ir::Tensor x = tensor(DType::f32, {kN}, value), y = tensor(DType::f32, {kN}, value);
    measure("vadd", vadd(kN), {x, y, empty(DType::f32, {kN})}, static_cast<double>(kN), options);
  }
  const ir::Tensor x = tensor(DType::f32, {n, n}, value), y = tensor(DType::f32, {n, n}, value);
  const ir::Tensor z = empty(DType::f32, {n, n});
  const auto d = static_cast<double>(n);
  measure("sgemm", sgemm(n), {x, y, z}, 2 * d * d * d, options);
  return 0;
}
