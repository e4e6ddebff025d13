// The CUDA driver, loaded when a GPU is asked for.  This is the only file that knows the names of
// its functions and constants (CUDA Driver API; the declarations are ours, so that building needs
// no toolkit).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "backend_cuda/library.hpp"
#include "ir/base/result.hpp"

namespace tirx::cuda {

using DevicePointer = unsigned long long;
using DriverContext = struct CUctx_st*;
using DriverModule = struct CUmod_st*;
using DriverFunction = struct CUfunc_st*;
using DriverStream = struct CUstream_st*;
using DriverEvent = struct CUevent_st*;

/// What can come of a call; every other number is an error to be printed with error_text().
enum class DriverStatus : int {
  success = 0,
  not_ready = 600,
  illegal_address = 700,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  launch_failed = 719,
};

struct Driver {
  Library library;

  DriverStatus (*init)(unsigned) = nullptr;
  DriverStatus (*driver_version)(int*) = nullptr;
  DriverStatus (*device_count)(int*) = nullptr;
  DriverStatus (*device_get)(int*, int) = nullptr;
  DriverStatus (*device_name)(char*, int, int) = nullptr;
  DriverStatus (*device_attribute)(int*, int, int) = nullptr;
  DriverStatus (*device_memory)(std::size_t*, int) = nullptr;
  DriverStatus (*retain_context)(DriverContext*, int) = nullptr;
  DriverStatus (*set_context)(DriverContext) = nullptr;
  DriverStatus (*load_module)(DriverModule*, const void*) = nullptr;
  DriverStatus (*get_function)(DriverFunction*, DriverModule, const char*) = nullptr;
  DriverStatus (*set_function_attribute)(DriverFunction, int, int) = nullptr;
  DriverStatus (*allocate)(DevicePointer*, std::size_t) = nullptr;
  DriverStatus (*free)(DevicePointer) = nullptr;
  DriverStatus (*copy_in)(DevicePointer, const void*, std::size_t) = nullptr;
  DriverStatus (*copy_out)(void*, DevicePointer, std::size_t) = nullptr;
  DriverStatus (*create_stream)(DriverStream*, unsigned) = nullptr;
  DriverStatus (*create_event)(DriverEvent*, unsigned) = nullptr;
  DriverStatus (*record_event)(DriverEvent, DriverStream) = nullptr;
  DriverStatus (*query_event)(DriverEvent) = nullptr;
  DriverStatus (*elapsed)(float*, DriverEvent, DriverEvent) = nullptr;
  DriverStatus (*synchronize)() = nullptr;
  DriverStatus (*launch)(DriverFunction,
                         unsigned,
                         unsigned,
                         unsigned,  // grid
                         unsigned,
                         unsigned,
                         unsigned,  // block
                         unsigned,  // dynamic shared memory, bytes
                         DriverStream,
                         void**,  // addresses of the arguments
                         void**) = nullptr;
  DriverStatus (*error_name)(DriverStatus, const char**) = nullptr;
  DriverStatus (*error_string)(DriverStatus, const char**) = nullptr;

  /// "CUDA_ERROR_…: sentence".
  [[nodiscard]] std::string error_text(DriverStatus status) const;
};

inline constexpr int kAttributeMajor = 75;
inline constexpr int kAttributeMinor = 76;
inline constexpr int kFunctionMaxDynamicShared = 8;
inline constexpr int kFunctionNonPortableCluster = 14;
inline constexpr unsigned kOrdinaryStream = 0;  // ordered with the synchronous copies

/// The driver, initialised; the error says what is missing.
[[nodiscard]] Result<const Driver*> find_driver();

/// The version of the kernel module ("580.159.04"), or nothing.
[[nodiscard]] std::string kernel_module_version();

}  // namespace tirx::cuda
