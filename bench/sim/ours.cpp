// Our simulator on the kernels of kernels.tx, one thread, with no checks, with bounds and
// initialisation, and with every check; then the speed-up of two threads, which take turns with
// one.
//   bench_sim_ours kernels.tx REPETITIONS KEY:KERNEL:M:N:K…
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "bench/sim/case.hpp"
#include "bench/sim/work.hpp"
#include "dsl/run_script.hpp"
#include "lower/lower.hpp"
#include "sim/simulate.hpp"

namespace {

using namespace tirx;  // NOLINT(google-build-using-namespace)

template <typename T>
ir::Tensor tensor(num::DType dtype, std::vector<std::int64_t> shape, const std::vector<T>& values) {
  ir::Tensor out = ir::make_tensor(dtype, std::move(shape), true);
  std::memcpy(out.memory->bytes.data(), values.data(), values.size() * sizeof(T));
  return out;
}

/// The kernel's arguments; the last one receives the result.
std::vector<ir::Argument> arguments(const bench::Work& w) {
  using num::DType;
  const std::int64_t m = w.m, n = w.n, k = w.k;
  if (w.kernel == "vadd")
    return {tensor(DType::f32, {m}, w.a), tensor(DType::f32, {m}, w.b),
            ir::make_tensor(DType::f32, {m}, false)};
  if (w.kernel == "tilecopy")
    return {tensor(DType::f32, {m, m}, w.a), ir::make_tensor(DType::f32, {m, m}, false)};
  if (w.kernel == "sgemm")
    return {tensor(DType::f32, {m, k}, w.a), tensor(DType::f32, {k, n}, w.b),
            ir::make_tensor(DType::f32, {m, n}, false)};
  if (w.kernel == "reduce")
    return {tensor(DType::f32, {m}, w.a), ir::make_tensor(DType::f32, {m / 256}, false)};
  return {tensor(DType::i8, {m, k}, w.qa), tensor(DType::i8, {n, k}, w.qb),
          tensor(DType::f32, {m, k / 128}, w.sa),
          tensor(DType::f32, {(n + 127) / 128, k / 128}, w.sb),
          ir::make_tensor(DType::f32, {m, n}, false)};
}

std::string explain(const Source& source, const ir::LaunchOutcome& outcome) {
  for (const Diagnostic& diagnostic : outcome.diagnostics) return render(source, diagnostic);
  for (const ir::Fault& fault : outcome.faults) return fault.text + "\n";
  return {};
}

struct Measured {
  bench::Timing timing;
  std::string verdict;
};

Measured run(const Source& source,
             const lower::LoweredKernel& kernel,
             const bench::Work& work,
             const sim::SimOptions& options,
             int repetitions) {
  const std::vector<ir::Argument> args = arguments(work);
  const auto& memory = *std::get<ir::Tensor>(args.back()).memory;
  Measured result;
  ir::LaunchOutcome outcome = sim::simulate(kernel, args, options);
  result.timing =
      bench::measure(repetitions, [&] { outcome = sim::simulate(kernel, args, options); });
  std::vector<float> out(work.outputs());
  std::memcpy(out.data(), memory.bytes.data(), out.size() * sizeof(float));
  if (outcome.status == ir::LaunchStatus::ok && outcome.faults.empty())
    result.verdict = bench::judge(work, out);
  else
    std::cerr << explain(source, outcome);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  std::ifstream file(argv[1]);
  std::ostringstream text;
  text << file.rdbuf();
  const auto source = std::make_shared<const Source>("kernels.tx", text.str());
  const dsl::ScriptResult script = dsl::collect_kernels(source);
  for (const Diagnostic& diagnostic : script.diagnostics) std::cerr << render(*source, diagnostic);
  const int repetitions = std::atoi(argv[2]);
  bool wrong = script.has_errors();
  for (int i = 3; i < argc && !wrong; ++i) {
    const bench::Case one = bench::parse_case(argv[i]);
    const bench::Work work = bench::make_work(one.kernel, one.m, one.n, one.k);
    for (const auto& kernel : script.kernels) {
      if (kernel->name != one.kernel) continue;
      const Result<lower::LoweredKernel> lowered = lower::lower(*kernel, ir::default_target());
      if (!lowered) {
        std::cerr << render(*source, lowered.error());
        return 1;
      }
      sim::SimOptions options;
      options.threads = 1;
      for (const char* checks : {"none", "mem", "all"}) {
        options.checks = sim::CheckSet::parse(checks).value();
        const auto result = run(*source, *lowered, work, options, repetitions);
        bench::print_result(one.key, std::string("ours_") + checks, work, result.timing,
                            result.verdict);
        wrong = wrong || result.verdict.empty();
      }
      sim::SimOptions two = options;
      two.threads = 2;
      const auto result = run(*source, *lowered, work, two, 1);
      wrong = wrong || result.verdict.empty();
      const std::vector<ir::Argument> args = arguments(work);
      const auto launch = [&](const sim::SimOptions& with) {
        if (!sim::simulate(*lowered, args, with).faults.empty()) wrong = true;
      };
      launch(options);
      bench::print_speed_up(one.key,
                            bench::compare(
                                repetitions, [&] { launch(options); }, [&] { launch(two); }));
    }
  }
  return wrong ? 1 : 0;
}
