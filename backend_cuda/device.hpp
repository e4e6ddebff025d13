// What an open GPU is made of (behind Device in launch.hpp).
#pragma once

#include <map>
#include <string>

#include "backend_cuda/driver.hpp"
#include "backend_cuda/launch.hpp"

namespace tirx::cuda {

/// A loaded kernel.
struct LoadedKernel {
  DriverFunction function = nullptr;
  bool prints = false;
};

struct Device::State {
  const Driver* driver = nullptr;
  DeviceInfo info;
  DriverContext context = nullptr;
  DriverStream stream = nullptr;
  DriverEvent started = nullptr;
  DriverEvent finished = nullptr;
  bool usable = true;
  std::map<std::string, LoadedKernel> loaded;  // by the kernel's text
};

}  // namespace tirx::cuda
