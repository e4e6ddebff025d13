// A kernel on the real machine: arguments to device memory between guard zones, compile, launch,
// wait with a time limit, copy back.  The simulator's counterpart takes and gives the same values,
// so `tirx diff` can start both from the same bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/launch.hpp"
#include "ir/target.hpp"
#include "ir/tensor.hpp"
#include "lower/lowered.hpp"

namespace tirx::cuda {

struct DeviceInfo {
  std::string name;
  int sm = 0;                          // 90
  const ir::Target* target = nullptr;  // the architecture to lower for; null if unknown to us
  int driver_version = 0;              // 13000: the CUDA version the driver supports
  std::string kernel_driver;           // "580.159.04", where the system says
  std::int64_t memory_bytes = 0;
};

struct DeviceLaunchOptions {
  double timeout_seconds = 10.0;    // then the outcome is `incomplete`, and the device is lost
  std::int64_t guard_bytes = 1024;  // before and after every tensor; a multiple of 256
  std::string cache_directory;      // of cubins; empty: the default
  bool allow_raw_cuda = false;      // kernels with func_call
  std::vector<std::string> compile_flags;  // further ones for NVRTC: "--ptxas-options=-O0"
  int timed_repeats = 0;  // further launches that are timed (results then accumulate)
};

/// What a launch on a device gives beyond the common outcome.
struct DeviceOutcome {
  ir::LaunchOutcome outcome;
  double best_milliseconds = 0;  // of the timed repeats
};

/// A GPU that this process has opened.  Copies share it.
class Device {
 public:
  [[nodiscard]] const DeviceInfo& info() const;
  /// False after a time-out or a fault of the device: its context cannot be used any more.  After
  /// a time-out the process should end with std::_Exit, since the driver would wait at exit.
  [[nodiscard]] bool usable() const;

  /// Runs the kernel on the arguments' bytes; tensors that the kernel writes are updated, and all
  /// of their bytes then count as initialised (the hardware does not tell).  Bytes that were not
  /// initialised travel as 0xff.
  [[nodiscard]] DeviceOutcome launch(const lower::LoweredKernel& kernel,
                                     std::span<const ir::Argument> arguments,
                                     const DeviceLaunchOptions& options = {});

  struct State;

  explicit Device(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

/// The first GPU; the error says what is missing (driver library, device).
[[nodiscard]] Result<Device> open_device(int ordinal = 0);

}  // namespace tirx::cuda
