// Who runs the kernels that a script launches?  The host part of the language knows engines only
// through this interface; the command supplies the simulator, the GPU, or both in lockstep.
#pragma once

#include <span>

#include "ir/kernel.hpp"
#include "ir/launch.hpp"
#include "ir/tensor.hpp"

namespace tirx::dsl {

class Engine {
 public:
  virtual ~Engine() = default;

  /// Runs the kernel to its end on the arguments (one for each parameter); writes results into the
  /// tensors' memory.
  virtual ir::LaunchOutcome launch(const ir::Kernel& kernel,
                                   std::span<const ir::Argument> args,
                                   Span call) = 0;

  /// Whether a fault of this kind would be noticed; where not, `expect_fault` is not launched.
  [[nodiscard]] virtual bool checks(ir::FaultKind kind) const = 0;
};

}  // namespace tirx::dsl
