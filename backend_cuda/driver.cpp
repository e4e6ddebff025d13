#include "backend_cuda/driver.hpp"

#include <fstream>

#include <fmt/format.h>

namespace tirx::cuda {

namespace {

bool load_functions(Driver& d) {
  const Library& lib = d.library;
  return lib.find("cuInit", d.init) && lib.find("cuDriverGetVersion", d.driver_version) &&
         lib.find("cuDeviceGetCount", d.device_count) && lib.find("cuDeviceGet", d.device_get) &&
         lib.find("cuDeviceGetName", d.device_name) &&
         lib.find("cuDeviceGetAttribute", d.device_attribute) &&
         lib.find("cuDeviceTotalMem_v2", d.device_memory) &&
         lib.find("cuDevicePrimaryCtxRetain", d.retain_context) &&
         lib.find("cuCtxSetCurrent", d.set_context) &&
         lib.find("cuModuleLoadData", d.load_module) &&
         lib.find("cuModuleGetFunction", d.get_function) &&
         lib.find("cuFuncSetAttribute", d.set_function_attribute) &&
         lib.find("cuMemAlloc_v2", d.allocate) && lib.find("cuMemFree_v2", d.free) &&
         lib.find("cuMemcpyHtoD_v2", d.copy_in) && lib.find("cuMemcpyDtoH_v2", d.copy_out) &&
         lib.find("cuStreamCreate", d.create_stream) && lib.find("cuEventCreate", d.create_event) &&
         lib.find("cuEventRecord", d.record_event) && lib.find("cuEventQuery", d.query_event) &&
         lib.find("cuEventElapsedTime", d.elapsed) && lib.find("cuCtxSynchronize", d.synchronize) &&
         lib.find("cuLaunchKernel", d.launch) && lib.find("cuGetErrorName", d.error_name) &&
         lib.find("cuGetErrorString", d.error_string);
}

struct Loaded {
  Driver driver;
  std::string problem;  // empty: ready
};

const Loaded& loaded() {
  static const Loaded instance = [] {
    Loaded result;
    Driver& driver = result.driver;
    const std::string chosen = environment("TIRX_CUDA_DRIVER");
    driver.library = chosen.empty()
                         ? Library({"libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1"})
                         : Library({chosen});
    if (!driver.library.is_open()) {
      result.problem = "the NVIDIA driver's library, libcuda.so.1, was not found";
    } else if (!load_functions(driver)) {
      result.problem = driver.library.path() + " lacks functions that tirx needs (too old?)";
    } else if (const DriverStatus status = driver.init(0); status != DriverStatus::success) {
      result.problem = driver.error_text(status);
    }
    return result;
  }();
  return instance;
}

}  // namespace

std::string Driver::error_text(DriverStatus status) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (error_name == nullptr || error_name(status, &name) != DriverStatus::success ||
      name == nullptr) {
    return fmt::format("CUDA error {}", static_cast<int>(status));
  }
  if (error_string(status, &text) != DriverStatus::success || text == nullptr) return name;
  return fmt::format("{}: {}", name, text);
}

Result<const Driver*> find_driver() {
  const Loaded& result = loaded();
  if (result.problem.empty()) return &result.driver;
  return Diagnostic{{}, "no GPU: " + result.problem, {}};
}

std::string kernel_module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  // The first word that looks like 580.159.04.
  while (file >> word) {
    if (word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos) {
      return word;
    }
  }
  return {};
}

}  // namespace tirx::cuda
