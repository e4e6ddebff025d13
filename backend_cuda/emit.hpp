// Thread IR to CUDA C++: one self-contained file that nvcc and NVRTC compile without any include.
//
// The text computes the same bits whatever flags it is compiled with: every float operation is an
// inline-PTX helper with an explicit rounding modifier, integers wrap through unsigned arithmetic.
// Only the helpers that the kernels use are printed (prelude.hpp).
#pragma once

#include <span>
#include <string>

#include "ir/base/result.hpp"
#include "lower/lowered.hpp"

namespace tirx::cuda {

struct EmitOptions {
  bool line_directives = false;  // #line N "script.tx" before the statements of a script line
  bool host_launcher = true;  // cudaError_t launch_NAME(args…, cudaStream_t), hidden from NVRTC
  bool prelude = true;        // the helpers that the kernels use; without them it is for readers
};

/// All kernels in one file.  Two kernels of one name become NAME and NAME_1.
[[nodiscard]] Result<std::string> emit(std::span<const lower::LoweredKernel* const> kernels,
                                       const EmitOptions& options = {});
[[nodiscard]] Result<std::string> emit(const lower::LoweredKernel& kernel,
                                       const EmitOptions& options = {});

/// The name of the kernel's entry point when it is emitted alone.
[[nodiscard]] std::string entry_name(const lower::LoweredKernel& kernel);

}  // namespace tirx::cuda
