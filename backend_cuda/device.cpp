// Opening a GPU: its primary context, one stream, two events.
#include "backend_cuda/device.hpp"

#include <array>

#include <fmt/format.h>

namespace tirx::cuda {

namespace {

const ir::Target* target_of(int sm) {
  for (const ir::Target& target : ir::targets()) {
    if (target.sm == sm) return &target;
  }
  return nullptr;
}

DriverStatus read_info(const Driver& driver, int device, DeviceInfo& info) {
  std::array<char, 256> name{};
  DriverStatus status = driver.device_name(name.data(), static_cast<int>(name.size()) - 1, device);
  if (status != DriverStatus::success) return status;
  info.name = name.data();
  int major = 0, minor = 0;
  status = driver.device_attribute(&major, kAttributeMajor, device);
  if (status != DriverStatus::success) return status;
  status = driver.device_attribute(&minor, kAttributeMinor, device);
  if (status != DriverStatus::success) return status;
  info.sm = major * 10 + minor;
  info.target = target_of(info.sm);
  std::size_t bytes = 0;
  status = driver.device_memory(&bytes, device);
  info.memory_bytes = static_cast<std::int64_t>(bytes);
  if (status != DriverStatus::success) return status;
  info.kernel_driver = kernel_module_version();
  return driver.driver_version(&info.driver_version);
}

}  // namespace

const DeviceInfo& Device::info() const {
  return state_->info;
}

bool Device::usable() const {
  return state_->usable;
}

Result<Device> open_device(int ordinal) {
  const Result<const Driver*> found = find_driver();
  if (!found) return found.error();
  const Driver& driver = *found.value();
  const auto failed = [&](DriverStatus status) {
    return Diagnostic{{}, "no GPU: " + driver.error_text(status), {}};
  };
  int count = 0;
  DriverStatus status = driver.device_count(&count);
  if (status != DriverStatus::success) return failed(status);
  if (ordinal >= count) {
    return Diagnostic{{}, fmt::format("no GPU {}: the machine has {}", ordinal, count), {}};
  }
  auto state = std::make_shared<Device::State>();
  state->driver = &driver;
  int device = 0;
  status = driver.device_get(&device, ordinal);
  if (status == DriverStatus::success) status = read_info(driver, device, state->info);
  if (status == DriverStatus::success) status = driver.retain_context(&state->context, device);
  if (status == DriverStatus::success) status = driver.set_context(state->context);
  if (status == DriverStatus::success) {
    status = driver.create_stream(&state->stream, kOrdinaryStream);
  }
  if (status == DriverStatus::success) status = driver.create_event(&state->started, 0);
  if (status == DriverStatus::success) status = driver.create_event(&state->finished, 0);
  if (status != DriverStatus::success) return failed(status);
  return Device(std::move(state));
}

}  // namespace tirx::cuda
