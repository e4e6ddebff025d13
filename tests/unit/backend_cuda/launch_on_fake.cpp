// Launching without a GPU: the driver is tests/device/fake_driver.cpp, so everything but the
// kernel's execution is real: arguments, compilation, guard zones, poison, time limit, outcome.
#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "backend_cuda/launch.hpp"
#include "tests/unit/backend_cuda/support.hpp"

namespace tirx::testing {

namespace {

using num::DType;

struct Setup {
  KernelBuilder builder{"twice"};

  Setup() {
    setenv("TIRX_CUDA_DRIVER", TIRX_FAKE_DRIVER, 1);
    set_mode("");
    const Var n = builder.symbol("n");
    const Buffer a = builder.param_strided("A", DType::f32, {make_var(n)});
    const Buffer b = builder.param_strided("B", DType::f32, {make_var(n)});
    builder.cta_id((E(n) + 7) / 8);
    const Var tx = builder.thread_id(8);
    builder.body({store(b, {tx}, E(load(a, {tx})) + load(a, {tx}))});
  }

  static void set_mode(const char* mode) { setenv("TIRX_FAKE_DRIVER_MODE", mode, 1); }
};

Tensor floats(std::int64_t count, float first) {
  Tensor tensor = make_tensor(DType::f32, {count}, true);
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = first + static_cast<float>(i);
    std::memcpy(&tensor.memory->bytes[static_cast<std::size_t>(i) * 4], &value, 4);
  }
  return tensor;
}

float element(const Tensor& tensor, std::int64_t i) {
  float value = 0;
  std::memcpy(&value, &tensor.memory->bytes[static_cast<std::size_t>(tensor.offset + i) * 4], 4);
  return value;
}

cuda::DeviceLaunchOptions options() {
  cuda::DeviceLaunchOptions result;
  result.timeout_seconds = 0.2;
  result.cache_directory = (std::filesystem::temp_directory_path() / "tirx_unit_cubins").string();
  return result;
}

}  // namespace

TEST_CASE("a launch brings arguments there and results back") {
  if (!may_compile()) return;
  Setup setup;
  Result<cuda::Device> device = cuda::open_device();
  REQUIRE(device);
  CHECK(device->info().sm == 90);
  CHECK(device->info().target == &target("sm_90a"));
  const lower::LoweredKernel kernel = lowered(setup.builder);
  const Tensor a = floats(8, 1);
  const Tensor b = make_tensor(DType::f32, {8}, false);
  const std::vector<Argument> arguments{a, b};
  cuda::DeviceLaunchOptions timed = options();
  timed.timed_repeats = 2;
  const cuda::DeviceOutcome outcome = device->launch(kernel, arguments, timed);
  CHECK(outcome.outcome.status == LaunchStatus::ok);
  CHECK(outcome.outcome.faults.empty());
  CHECK(outcome.best_milliseconds == 0.25);
  for (int i = 0; i < 8; ++i) CHECK(element(b, i) == 2 * (1 + static_cast<float>(i)));
  CHECK(b.memory->is_valid(0, 32));
}

TEST_CASE("what was never written arrives as poison; views keep their place in memory") {
  if (!may_compile()) return;
  Setup setup;
  Result<cuda::Device> device = cuda::open_device();
  REQUIRE(device);
  const lower::LoweredKernel kernel = lowered(setup.builder);
  const Tensor a = make_tensor(DType::f32, {8}, false);
  Tensor whole = floats(24, 100);
  Tensor middle = whole;
  middle.shape = {8};
  middle.offset = 8;
  const std::vector<Argument> arguments{a, middle};
  const cuda::DeviceOutcome outcome = device->launch(kernel, arguments, options());
  REQUIRE(outcome.outcome.status == LaunchStatus::ok);
  // 0xffffffff is a NaN, and so is twice that.
  for (int i = 0; i < 8; ++i) CHECK(element(middle, i) != element(middle, i));
  CHECK(element(whole, 7) == 107);
  CHECK(element(whole, 16) == 116);
}

TEST_CASE("a store beyond a tensor is found in its guard zone") {
  if (!may_compile()) return;
  Setup setup;
  Result<cuda::Device> device = cuda::open_device();
  REQUIRE(device);
  const lower::LoweredKernel kernel = lowered(setup.builder);
  const std::vector<Argument> arguments{floats(8, 1), floats(8, 1)};
  Setup::set_mode("overrun");
  const ir::LaunchOutcome outcome = device->launch(kernel, arguments, options()).outcome;
  REQUIRE(outcome.faults.size() == 1);
  CHECK(outcome.faults[0].kind == FaultKind::bounds);
  CHECK(outcome.faults[0].text == "twice wrote outside B_ptr (after it) on the GPU");
}

TEST_CASE("a kernel that does not end is incomplete, and the device is lost") {
  if (!may_compile()) return;
  Setup setup;
  Result<cuda::Device> device = cuda::open_device();
  REQUIRE(device);
  const lower::LoweredKernel kernel = lowered(setup.builder);
  const std::vector<Argument> arguments{floats(8, 1), floats(8, 1)};
  Setup::set_mode("hang");
  ir::LaunchOutcome outcome = device->launch(kernel, arguments, options()).outcome;
  CHECK(outcome.status == LaunchStatus::incomplete);
  REQUIRE(outcome.diagnostics.size() == 1);
  CHECK(outcome.diagnostics[0].text == "twice did not end within 0.2 s on the GPU");
  CHECK(!device->usable());
  Setup::set_mode("");
  outcome = device->launch(kernel, arguments, options()).outcome;
  CHECK(outcome.status == LaunchStatus::incomplete);
}

TEST_CASE("a fault of the device is a fault of the launch") {
  if (!may_compile()) return;
  Setup setup;
  Result<cuda::Device> device = cuda::open_device();
  REQUIRE(device);
  const lower::LoweredKernel kernel = lowered(setup.builder);
  const std::vector<Argument> arguments{floats(8, 1), floats(8, 1)};
  Setup::set_mode("fault");
  const ir::LaunchOutcome outcome = device->launch(kernel, arguments, options()).outcome;
  CHECK(outcome.status == LaunchStatus::ok);
  REQUIRE(outcome.faults.size() == 1);
  CHECK(outcome.faults[0].kind == FaultKind::bounds);
}

TEST_CASE("arguments that do not fit are refused with the reason") {
  Setup setup;
  Result<cuda::Device> device = cuda::open_device();
  REQUIRE(device);
  const lower::LoweredKernel kernel = lowered(setup.builder);
  const auto refused = [&](std::vector<Argument> arguments) {
    const ir::LaunchOutcome outcome = device->launch(kernel, arguments, options()).outcome;
    CHECK(outcome.status == LaunchStatus::refused);
    return outcome.diagnostics.empty() ? std::string() : outcome.diagnostics[0].text;
  };
  const Tensor a = floats(8, 1);
  CHECK(refused({a}) == "twice takes 2 arguments, not 1");
  CHECK(refused({a, make_tensor(DType::f16, {8}, true)}) ==
        "parameter B_ptr takes a float32 tensor, not float16");
  CHECK(refused({a, floats(7, 1)}) == "parameter B_ptr has shape (8,), the tensor (7,)");
  CHECK(refused({a, a}) ==
        "arguments A_ptr and B_ptr overlap in memory, and the kernel writes one of them");
  CHECK(refused({a, ScalarValue{}}) == "parameter B_ptr takes a tensor");
  lower::LoweredKernel other = kernel;
  other.target = &target("sm_80");
  const std::vector<Argument> arguments{a, floats(8, 1)};
  CHECK(device->launch(other, arguments, options()).outcome.status == LaunchStatus::refused);
}

}  // namespace tirx::testing
