// Does the GPU compute what numerics says?  Every scalar operation of every type and every
// conversion, through emitter, NVRTC and driver, on random, special and (up to 16 bits) all values.
//
//   device_scalar_check [ROUNDS [SEED]]       2^20 values a round, 4 rounds by default
//   device_scalar_check --compile-only        no GPU: only that the kernels compile
//
// One line for each type, then one for each operation that differs.  Exit 0: equal; 3: different;
// 4: no GPU.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "backend_cuda/emit.hpp"
#include "backend_cuda/launch.hpp"
#include "backend_cuda/nvrtc.hpp"
#include "lower/lower.hpp"
#include "numerics/convert.hpp"
#include "numerics/lanes.hpp"
#include "numerics/scalar.hpp"
#include "numerics/text.hpp"
#include "tests/unit/lower/builder.hpp"

namespace {

using namespace tirx;
using namespace tirx::testing;
using num::Bits;
using num::DType;

constexpr std::int64_t kCount = std::int64_t{1} << 20;
constexpr int kThreads = 256;

/// splitmix64 (Steele, Lea, Flood 2014).
struct Random {
  std::uint64_t state;

  std::uint64_t next() {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
};

Bits width_mask(DType dtype) {
  const int width = dtype == DType::boolean ? 1 : num::bits(dtype);
  return width == 64 ? ~Bits{0} : (Bits{1} << width) - 1;
}

/// Zeros, infinities, NaN payloads, the ends of the normal and subnormal ranges, powers of two.
Bits special_float(const num::DTypeRow& row, Random& random) {
  const Bits exponent_ones = (Bits{1} << row.exponent) - 1;
  const Bits fraction_ones = (Bits{1} << row.fraction) - 1;
  const Bits exponents[] = {0, 1, static_cast<Bits>(row.bias), exponent_ones - 1, exponent_ones};
  const Bits fractions[] = {0, 1, fraction_ones, fraction_ones / 2 + 1,
                            random.next() & fraction_ones};
  const Bits exponent = exponents[random.next() % 5];
  return exponent << row.fraction | fractions[random.next() % 5] |
         (random.next() & 1) << (row.exponent + row.fraction);
}

Bits ordinary_float(const num::DTypeRow& row, Random& random) {
  const auto exponent = static_cast<Bits>(row.bias) - 4 + random.next() % 9;
  return (exponent & ((Bits{1} << row.exponent) - 1)) << row.fraction |
         (random.next() & ((Bits{1} << row.fraction) - 1)) |
         (random.next() & 1) << (row.exponent + row.fraction);
}

Bits random_value(DType dtype, Random& random) {
  const num::DTypeRow& row = num::row(dtype);
  const Bits mask = width_mask(dtype);
  // The low bits of a register that holds a tf32 are zero.
  if (dtype == DType::tf32) return random_value(DType::f32, random) & ~Bits{0x1fff};
  const std::uint64_t kind = random.next() % 4;
  if (row.kind == num::Kind::floating) {
    if (kind == 0) return special_float(row, random) & mask;
    if (kind == 1) return ordinary_float(row, random) & mask;
    return random.next() & mask;
  }
  if (kind == 0) return (random.next() % 81 - 40) & mask;
  if (kind == 1) return ((Bits{1} << random.next() % 64) + random.next() % 3 - 1) & mask;
  return random.next() & mask;
}

/// `parts` * kCount values; all values come up in the first part of types of at most 16 bits.
ir::Tensor random_tensor(DType dtype, int parts, std::uint64_t seed) {
  ir::Tensor tensor = ir::make_tensor(dtype, {parts * kCount}, true);
  auto* bytes = reinterpret_cast<std::uint8_t*>(tensor.memory->bytes.data());
  Random random{seed};
  const bool all = num::bits(dtype) <= 16;
  for (std::int64_t i = 0; i < parts * kCount; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool enumerated = all && i < kCount / 2;
    num::store_element(bytes, at, dtype,
                       enumerated ? at & width_mask(dtype) : random_value(dtype, random));
  }
  return tensor;
}

Bits element(const ir::Tensor& tensor, std::int64_t i) {
  return num::load_element(reinterpret_cast<const std::uint8_t*>(tensor.memory->bytes.data()),
                           static_cast<std::size_t>(i), tensor.dtype);
}

struct Tally {
  std::string name;
  std::int64_t compared = 0, different = 0, nan_bits = 0;
  std::string first;
};

/// One output of a kernel, and what numerics says it is; false: no comparison (division by zero).
struct Output {
  std::string name;
  Expr value;  // over the inputs
  DType dtype = DType::i32;
  std::function<bool(const Bits* inputs, Bits& expected)> expect;
};

/// out_k[i] = f_k(in[i], in[n + i], in[2n + i])
struct Check {
  std::string name;
  DType input = DType::i32;
  KernelBuilder builder{"check"};
  Buffer in;
  std::vector<Expr> operands;
  std::vector<Output> outputs;

  Check(std::string label, DType dtype) : name(std::move(label)), input(dtype) {
    in = builder.param("In", dtype, {3 * kCount});
  }
};

void finish(Check& check) {
  std::vector<Buffer> buffers;
  for (const Output& output : check.outputs) {
    buffers.push_back(check.builder.param("Out_" + output.name, output.dtype, {kCount}));
  }
  const Var bx = check.builder.cta_id(static_cast<int>(kCount / kThreads));
  const Var tx = check.builder.thread_id(kThreads);
  const E i = E(bx) * kThreads + tx;
  Body body;
  for (std::size_t k = 0; k < 3; ++k) {
    const Var& var = std::get<VarRef>(check.operands[k]->node).var;
    body.push_back({{}, Let{var, load(check.in, {i + static_cast<int>(k * kCount)})}});
  }
  for (std::size_t k = 0; k < buffers.size(); ++k) {
    body.push_back(store(buffers[k], {i}, check.outputs[k].value));
  }
  check.builder.body(std::move(body));
}

void add_operands(Check& check) {
  for (const char* name : {"a", "b", "c"}) {
    check.operands.push_back(make_var(make_variable(name, {check.input, 1})));
  }
}

Check operations_of(DType dtype) {
  Check check("operations " + std::string(num::name(dtype)), dtype);
  add_operands(check);
  for (const num::ScalarOpRow& row : num::scalar_op_rows()) {
    if (!num::is_legal(row.op, dtype)) continue;
    // A table that has not been recorded gives nothing to compare with.
    if (num::evaluate(row.op, dtype, 0, 1, 0).status == num::EvalStatus::unavailable) continue;
    const DType result = num::result_dtype(row.op, dtype);
    const std::vector<Expr> args(check.operands.begin(), check.operands.begin() + row.arity);
    check.outputs.push_back({std::string(row.name),
                             make_expr({result, 1}, {}, Scalar{row.op, args}), result,
                             [op = row.op, dtype](const Bits* x, Bits& expected) {
                               const num::Evaluated e = num::evaluate(op, dtype, x[0], x[1], x[2]);
                               expected = e.value;
                               return e.status == num::EvalStatus::ok;
                             }});
  }
  finish(check);
  return check;
}

Check conversions_of(DType from) {
  Check check("conversions from " + std::string(num::name(from)), from);
  add_operands(check);
  for (const num::DTypeRow& row : num::dtype_rows()) {
    if (row.kind == num::Kind::handle) continue;
    Expr value = make_expr({row.dtype, 1}, {}, Cast{check.operands[0]});
    DType stored = row.dtype;
    if (row.bits == 4) {
      // Stored through the exact way back: single float4 elements are not stored.
      stored = DType::f32;
      value = make_expr({stored, 1}, {}, Cast{value});
    }
    check.outputs.push_back({std::string(row.name), value, stored,
                             [from, to = row.dtype, stored](const Bits* x, Bits& expected) {
                               expected = num::convert(x[0], from, to);
                               if (stored != to) expected = num::convert(expected, to, stored);
                               return true;
                             }});
  }
  finish(check);
  return check;
}

void compare(const Check& check,
             const ir::Tensor& in,
             const ir::Tensor& out,
             const Output& output,
             Tally& tally) {
  for (std::int64_t i = 0; i < kCount; ++i) {
    const Bits x[] = {element(in, i), element(in, kCount + i), element(in, 2 * kCount + i)};
    Bits expected = 0;
    if (!output.expect(x, expected)) continue;
    const Bits measured = element(out, i);
    ++tally.compared;
    if (measured == expected) continue;
    if (num::same_value(expected, measured, output.dtype)) {
      ++tally.nan_bits;
      continue;
    }
    if (tally.different++ != 0) continue;
    tally.first = fmt::format(
        "({}, {}, {}) gives {} ({}), numerics says {} ({})", num::to_hex(x[0], check.input),
        num::to_hex(x[1], check.input), num::to_hex(x[2], check.input),
        num::to_hex(measured, output.dtype), num::to_text(measured, output.dtype),
        num::to_hex(expected, output.dtype), num::to_text(expected, output.dtype));
  }
}

/// Comparisons of one launch, the outputs shared among the machine's threads.
void compare_all(const Check& check,
                 const std::vector<ir::Argument>& arguments,
                 std::vector<Tally>& tallies) {
  const unsigned workers = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (unsigned w = 0; w < workers; ++w) {
    threads.emplace_back([&, w] {
      for (std::size_t k = w; k < check.outputs.size(); k += workers) {
        compare(check, std::get<ir::Tensor>(arguments[0]), std::get<ir::Tensor>(arguments[k + 1]),
                check.outputs[k], tallies[k]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void print_errors(const DiagnosticList& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) fmt::print("  {}\n", diagnostic.text);
}

/// False if the check could not be made.
bool run(const Check& check,
         const lower::LoweredKernel& kernel,
         cuda::Device& device,
         int rounds,
         std::uint64_t seed,
         std::int64_t& all_different) {
  std::vector<Tally> tallies(check.outputs.size());
  for (std::size_t k = 0; k < tallies.size(); ++k) tallies[k].name = check.outputs[k].name;
  for (int round = 0; round < rounds; ++round) {
    std::vector<ir::Argument> arguments{
        random_tensor(check.input, 3, seed + static_cast<std::uint64_t>(round) * 1000003)};
    for (const Output& output : check.outputs) {
      arguments.emplace_back(ir::make_tensor(output.dtype, {kCount}, true));
    }
    cuda::DeviceLaunchOptions options;
    options.timeout_seconds = 60;
    const ir::LaunchOutcome outcome = device.launch(kernel, arguments, options).outcome;
    if (outcome.status != ir::LaunchStatus::ok || !outcome.faults.empty()) {
      fmt::print("{}: not run\n", check.name);
      print_errors(outcome.diagnostics);
      for (const ir::Fault& fault : outcome.faults) fmt::print("  {}\n", fault.text);
      return false;
    }
    compare_all(check, arguments, tallies);
  }
  std::int64_t compared = 0, different = 0, nan_bits = 0;
  for (const Tally& tally : tallies) {
    compared += tally.compared;
    different += tally.different;
    nan_bits += tally.nan_bits;
  }
  fmt::print("{:32} {:3} outputs {:12} compared {:10} different {:10} other NaN bits\n", check.name,
             tallies.size(), compared, different, nan_bits);
  for (const Tally& tally : tallies) {
    if (tally.different == 0) continue;
    fmt::print("  {}: {} of {} differ; first {}\n", tally.name, tally.different, tally.compared,
               tally.first);
  }
  std::fflush(stdout);
  all_different += different;
  return true;
}

std::vector<Check> all_checks() {
  std::vector<Check> checks;
  for (const num::DTypeRow& row : num::dtype_rows()) {
    if (row.kind != num::Kind::handle && !row.storage_only) {
      checks.push_back(operations_of(row.dtype));
    }
  }
  for (const num::DTypeRow& row : num::dtype_rows()) {
    if (row.kind != num::Kind::handle) checks.push_back(conversions_of(row.dtype));
  }
  return checks;
}

int compile_only() {
  int failed = 0;
  for (Check& check : all_checks()) {
    const auto kernel = lower::lower(check.builder.kernel(), ir::default_target());
    const Result<std::string> text =
        kernel ? cuda::emit(*kernel) : Result<std::string>(kernel.error());
    const Result<cuda::Cubin> cubin =
        text ? cuda::compile(*text, "sm_90a") : Result<cuda::Cubin>(text.error());
    fmt::print("{}: {} outputs, {}\n", check.name, check.outputs.size(),
               cubin ? "compiles" : cubin.error().text);
    failed += cubin ? 0 : 1;
  }
  return failed == 0 ? 0 : 3;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--compile-only") return compile_only();
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 4;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Result<cuda::Device> device = cuda::open_device();
  if (!device) {
    fmt::print("{}\n", device.error().text);
    return 4;
  }
  const cuda::DeviceInfo& info = device->info();
  const ir::Target* target = info.target;
  if (target == nullptr) {
    fmt::print("sm_{} is no architecture that tirx knows\n", info.sm);
    return 4;
  }
  fmt::print("{}, {}, driver {}, {} rounds of {} values, seed {}\n", info.name, target->name,
             info.kernel_driver, rounds, kCount, seed);
  std::int64_t different = 0;
  int not_run = 0;
  for (Check& check : all_checks()) {
    const auto kernel = lower::lower(check.builder.kernel(), *target);
    if (!kernel) {
      fmt::print("{}: {}\n", check.name, kernel.error().text);
      ++not_run;
      continue;
    }
    if (!run(check, *kernel, *device, rounds, seed, different)) ++not_run;
  }
  fmt::print("total: {} different, {} checks not run\n", different, not_run);
  if (different != 0) return 3;
  return not_run == 0 ? 0 : 4;
}
